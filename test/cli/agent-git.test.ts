/** Whatever an agent does with git (§5 "Git after a session"): branch and HEAD come back, one commit an iteration, no byte is lost (§1.4). */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { project } from '../support/project.ts';
import type { Project } from '../support/project.ts';
import { recorded } from '../support/record.ts';
import { playAgent, playGuard, shellAgent, shellGuard } from '../support/shell-agent.ts';
import { node } from '../support/trees.ts';

interface Case {
  readonly name: string;
  readonly script: string;
  /** Texts that exist in no work tree file at the end of the session, but must not be lost. */
  readonly tokens: readonly string[];
  readonly notes: readonly RegExp[];
}

/** `gone <token>`: commits a file with the token and takes the file away again. */
const words = `
git() { command git -c advice.detachedHead=false -c user.name=A -c user.email=a@a.invalid "$@"; }
gone() { echo "$1" > gone.txt; git add gone.txt; git commit -q -m "$1"; git rm -q --cached gone.txt; rm gone.txt; }
echo "work $RUNNER_ITER" > work.txt
`;

const cases: readonly Case[] = [
  { name: 'commits', script: 'gone tok-commit; git add -A', tokens: ['tok-commit'], notes: [] },
  {
    name: 'amends the baseline',
    script: 'echo tok-amend > a.txt; git add a.txt; git commit -q --amend -m mine; rm a.txt',
    tokens: ['tok-amend'],
    notes: [
      /^the branch runner\/test had been moved and was set back/u,
      /saved as refs\/runner\/rescue\/test\/2$/u,
    ],
  },
  {
    name: 'resets to an older commit',
    script: 'git reset -q --hard HEAD~2; gone tok-reset; echo "work 3" > work.txt',
    tokens: ['tok-reset'],
    notes: [/^the branch runner\/test had been moved/u, /saved as refs\/runner\/rescue\/test\/3$/u],
  },
  {
    name: 'switches to a new branch',
    script: 'git checkout -q -b other; gone tok-branch',
    tokens: ['tok-branch'],
    notes: [/^HEAD was on other and was put back on runner\/test$/u, /^the branch other was made/u],
  },
  {
    name: 'detaches',
    script: 'git checkout -q --detach; gone tok-detach',
    tokens: ['tok-detach'],
    notes: [/^HEAD was detached/u, /saved as refs\/runner\/rescue\/test\/5$/u],
  },
  {
    name: 'deletes the branch',
    script: 'git checkout -q --detach; gone tok-delete; git branch -q -D runner/test; git branch -q -D other',
    tokens: ['tok-delete'],
    notes: [/^the branch runner\/test was gone and was made again/u, /^the branch other was removed/u],
  },
  {
    name: 'stashes',
    script: 'echo tok-stash > s.txt; git stash -q -u; echo "work 7" > work.txt',
    tokens: ['tok-stash'],
    notes: [/^the stash was made meanwhile and is left as found$/u],
  },
  {
    name: 'leaves a merge with a conflict',
    script: `git add -A; git commit -q -m ours; git checkout -q -b side HEAD~1
    echo tok-merge > work.txt; git commit -q -a -m theirs; git checkout -q runner/test
    git merge side > /dev/null || true`,
    tokens: ['tok-merge'],
    notes: [
      /^an unfinished git operation was ended; its state \(.*MERGE_HEAD/u,
      /^the branch side was made/u,
    ],
  },
  {
    name: 'makes a repository in a new folder',
    script: 'mkdir new; git init -q new; echo tok-new > new/n.txt; cd new; gone tok-inner',
    tokens: ['tok-new'],
    notes: [/^the folder "new" was a git repository of its own/u],
  },
  {
    name: 'makes a repository among tracked files',
    script: 'git -C docs init -q; echo changed > docs/d.txt; echo tok-docs > docs/e.txt; git -C docs add -A',
    tokens: ['tok-docs'],
    notes: [/^the folder "docs" was a git repository of its own/u],
  },
  {
    name: 'leaves git locks',
    script: 'touch .git/index.lock .git/HEAD.lock',
    tokens: [],
    notes: [/^the lock HEAD\.lock/u, /^the lock index\.lock/u],
  },
  {
    name: 'hides changes behind index flags',
    script: `git update-index --assume-unchanged docs/d.txt; git update-index --skip-worktree README.md
    echo tok-assume > docs/d.txt; echo tok-skip > README.md`,
    tokens: ['tok-assume', 'tok-skip'],
    notes: [],
  },
  {
    name: 'leaves a rebase half done',
    script: `git checkout -q -b rb; echo mine > work.txt; git commit -q -a -m mine
    git checkout -q -b rb2 HEAD~1; echo tok-rebase > work.txt; git commit -q -a -m other
    git rebase rb > /dev/null 2>&1 || true`,
    tokens: ['tok-rebase'],
    notes: [/^HEAD was detached/u, /^an unfinished git operation was ended; its state \(.*rebase-merge/u],
  },
];

async function allHistory(p: Project): Promise<string> {
  return p.git('log', '--all', '-p', '-m', '--root', '--format=%H %s');
}

test('thirteen ways to use git against the runner', async () => {
  const p = await project({
    agent: shellAgent,
    config: `max_iterations = ${cases.length}`,
    files: { 'docs/d.txt': 'd\n' },
    tree: node('root', { max_attempts: 99 }),
  });
  const branches = cases.map(({ script }, index) => `${index + 1}) ${script} ;;`);
  playAgent(
    p,
    `${words}\ntop=$PWD\ncase $RUNNER_ITER in\n${branches.join('\n')}\nesac\ncd "$top"; answer retry`,
  );
  const ran = await p.run('loop');
  expect(ran.err).toContain('[ITERATION_LIMIT]');

  const history = await allHistory(p);
  let parent = await p.git('rev-parse', ':/start run test');
  for (const [index, { name, tokens, notes }] of cases.entries()) {
    const record = await recorded(p, index + 1);
    expect.soft(record, name).toMatchObject({ status: 'retry', guard: 'skipped', errorLog: '' });
    for (const token of tokens) expect.soft(history.includes(`+${token}`), `${name}: ${token}`).toBe(true);
    for (const note of notes)
      expect.soft(record.meta.notes, name).toContainEqual(expect.stringMatching(note));
    for (const note of record.meta.notes) expect.soft(ran.err, name).toContain(note);
    const between = await p.git('rev-list', '--first-parent', `${parent}..${record.meta.commit}`);
    const agentCommits = name === 'commits' || name.startsWith('leaves a merge') ? 1 : 0;
    expect.soft(between.split('\n').length, name).toBe(1 + agentCommits);
    parent = record.meta.commit;
  }
  expect(await p.git('symbolic-ref', 'HEAD')).toBe('refs/heads/runner/test');
  expect(await p.git('rev-parse', 'HEAD')).toBe(parent);
  expect(await p.status()).toBe('');
  expect((await p.git('ls-files', '-v')).split('\n').filter((line) => !line.startsWith('H '))).toEqual([]);
  const nested = join(p.top, '.git/runner/nested');
  expect(readdirSync(join(nested, '9')).length, 'tok-inner lives on in there').toBe(1);
  expect(await p.git('--git-dir', join(nested, '9', '1-new', '.git'), 'log', '--format=%s')).toBe(
    'tok-inner',
  );
  expect(readdirSync(join(nested, '10'))).toEqual(['1-docs']);
  expect(existsSync(join(p.dir, 'docs/.git'))).toBe(false);
  expect(await p.git('show', 'HEAD:new/n.txt')).toBe('tok-new');
  await p.git('fsck', '--strict');
});

test('a guard that commits and leaves the branch changes nothing about the verdict', async () => {
  const p = await project({ agent: shellAgent, guard: shellGuard });
  playAgent(p, 'echo work > work.txt; answer done');
  playGuard(p, 'git add -A; git commit -q -m "guard commits"; git checkout -q --detach; test -f work.txt');
  expect(await p.run('step')).toMatchObject({
    code: 0,
    out: 'step: run=test iter=1 node=root status=done guard=pass',
  });
  expect(await p.git('symbolic-ref', 'HEAD')).toBe('refs/heads/runner/test');
  expect(await p.status()).toBe('');
  expect((await recorded(p, 1)).tree.passes).toBe(true);
  expect((await allHistory(p)).includes('guard commits')).toBe(true);
});

test('what the notes name is where they say', async () => {
  const p = await project({ agent: shellAgent });
  playAgent(p, 'touch .git/index.lock; git rev-parse HEAD > .git/MERGE_HEAD; answer retry');
  expect((await p.run('step')).code).toBe(0);
  const { notes } = (await recorded(p, 1)).meta;
  expect(notes).toEqual([
    'an unfinished git operation was ended; its state (MERGE_HEAD) is kept in the git folder under runner/quarantine/1',
    'the lock index.lock of a git process that is gone was moved to runner/quarantine/1 in the git folder',
  ]);
  expect(readdirSync(join(p.top, '.git/runner/quarantine/1')).toSorted()).toEqual([
    'MERGE_HEAD',
    'index.lock',
  ]);
});

test('git settings an agent leaves behind run no program of its own', async () => {
  const p = await project({ agent: shellAgent, tree: node('root', { max_attempts: 9 }) });
  playAgent(
    p,
    `printf '#!/bin/sh\\ntouch "$HOME/ran"\\n' > "$HOME/trap"; chmod +x "$HOME/trap"; mkdir -p "$HOME/hooks"
    for hook in reference-transaction post-commit post-index-change; do cp "$HOME/trap" "$HOME/hooks/$hook"; done
    git config core.fsmonitor "$HOME/trap"; git config core.hooksPath "$HOME/hooks"; git config alias.status '!'"$HOME/trap"
    git config commit.gpgsign true; git config gpg.program "$HOME/trap"; git config core.autocrlf true
    rm -f "$HOME/ran"; printf 'a\\r\\nb' > crlf; answer retry`,
  );
  expect(await p.run('step')).toMatchObject({ code: 0 });
  playAgent(p, 'echo work > work.txt; answer done');
  expect(await p.run('step')).toMatchObject({
    code: 0,
    out: 'step: run=test iter=2 node=root status=done guard=pass',
  });
  expect(existsSync(join(p.home, 'ran'))).toBe(false);
});
