import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, linkSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { trustedFile } from '../../../src/adapters/project/trusted-file.ts';
import { gitAdapter } from '../../../src/adapters/git/git.ts';
import type { CommitRequest, GitPort } from '../../../src/ports/git.ts';
import { commitRequest, makeRepo, settling, startTestRun } from '../../support/repo.ts';
import type { TestRepo } from '../../support/repo.ts';

interface Iteration {
  readonly repo: TestRepo;
  readonly git: GitPort;
  readonly baseline: string;
  readonly request: CommitRequest;
}

const branch = 'runner/r1';
const message = 'chore(loop): run r1 iter 7 node root status=done guard=pass\n\nAgent: test\n';

async function begin(): Promise<Iteration> {
  const repo = makeRepo();
  const baseline = startTestRun(repo);
  const git = gitAdapter({ projectDir: repo.dir, env: repo.env });
  repo.write('work.txt', 'work\n');
  repo.write('.runner/state/tree.json', '{"iter": 7}\n');
  const work_tree = await git.workTreeId();
  const files = { 'state/tree.json': '{"iter": 7}\n' };
  return { repo, git, baseline, request: commitRequest(baseline, work_tree, { message, files }) };
}

function hook(repo: TestRepo, name: string, script: string): void {
  repo.write(`.git/hooks/${name}`, `#!/bin/sh\n${script}\n`);
  chmodSync(join(repo.dir, '.git/hooks', name), 0o755);
}

/** Branch and index, to compare with later. */
function state(repo: TestRepo): unknown {
  return [repo.git('rev-parse', branch), readFileSync(join(repo.dir, '.git/index')).toString('hex')];
}

describe('without hooks', () => {
  test('a name that is no UTF-8 is committed as git commits it', async () => {
    const { repo, git, request } = await begin();
    const config = Buffer.from(`${repo.read('.git/config')}[user]\n\tname = J\u00fcrgen\n`, 'latin1');
    repo.write('.git/config', config);
    await git.checkSetup();
    await git.commit(request);
    repo.git('commit', '--quiet', '--allow-empty', '-m', 'by git');
    expect(repo.git('log', '-2', '--format=%an %cn')).toBe('Jürgen Jürgen\nJürgen Jürgen');
  });

  test('folders in the place of the runner’s own files are in nobody’s way', async () => {
    const { repo, git, request } = await begin();
    for (const name of ['commit-index', 'commit-index.lock', 'in-git'])
      repo.write(`.git/runner/${name}/file`, 'x');

    expect(await git.commit(request)).toEqual({ kind: 'committed', commit: repo.head() });
    expect(repo.dirty()).toEqual([]);
  });

  test('the hold goes with the move of the branch; one that cannot go now is in nobody’s way', async () => {
    const { repo, git, request } = await begin();
    const holds = (): string => repo.git('for-each-ref', '--format=%(refname)', 'refs/runner/hold');
    await git.holdWork({ run_id: 'r1', workTree: request.work_tree });
    repo.write('.git/refs/runner/hold/r1.lock', '');
    expect(await git.commit(request)).toEqual({ kind: 'committed', commit: repo.head() });
    expect(holds()).toBe('refs/runner/hold/r1');

    repo.remove('.git/refs/runner/hold/r1.lock');
    expect(await git.commit({ ...request, parent: repo.head() })).toMatchObject({ kind: 'committed' });
    expect(holds()).toBe('');
    expect(repo.git('log', '--format=%s', '-2').split('\n')).toHaveLength(2);
  });

  test('hooks do not run, and the tree is the given one even when files changed since', async () => {
    const { repo, git, request } = await begin();
    hook(repo, 'pre-commit', 'exit 1');
    hook(repo, 'commit-msg', 'exit 1');
    hook(repo, 'reference-transaction', 'exit 1');
    repo.write('work.txt', 'changed after the guard\n');
    expect(await git.commit(request)).toEqual({ kind: 'committed', commit: repo.head() });
    expect(repo.git('show', 'HEAD:work.txt')).toBe('work');
    expect(repo.dirty()).toEqual([' M work.txt']);
    expect(repo.git('reflog', '-1', '--format=%gs')).toBe('runner: commit');
  });

  test('files of .runner are the decided ones, the agent’s own on disk, and all others as before', async () => {
    const { repo, git } = await begin();
    for (const name of ['context.md', 'last.json', 'notes.md'])
      repo.write(`.runner/nodes/b/${name}`, 'old\n');
    repo.write('.runner/.runner-notes', 'old\n');
    repo.write('.runner/nodes/a/last.json', 'old\n');
    repo.git('add', '-A');
    repo.git('commit', '--quiet', '-m', 'a person');
    const control = repo.head();
    const before = repo.git('ls-tree', '-r', control, '--', '.runner/.gitignore', '.runner/GOAL.md');
    // Somebody writes between what was decided and its commit.
    for (const name of ['.gitignore', '.gitattributes', 'GOAL.md', 'nodes/b/context.md', 'nodes/b/last.json'])
      repo.write(`.runner/${name}`, 'meddled\n');

    repo.write('.runner/nodes/a/last.json', 'meddled\n');
    repo.write('.runner/nodes/c/last.json', 'meddled\n');
    repo.write('.runner/nodes/b/.gitattributes', '* filter=evil\n');
    repo.remove('.runner/state');
    repo.write('.runner/state', 'a file for a folder\n');
    repo.write('.runner/nodes/b/notes.md', 'by the agent\n');
    repo.write('.runner/nodes/b/"odd\n"', 'by the agent\n');
    repo.remove('.runner/.runner-notes');
    symlinkSync('/etc/passwd', join(repo.dir, '.runner/link'));
    const files = { 'state/tree.json': 'decided\n', 'nodes/a/last.json': null, 'nodes/new/last.json': 'ü\n' };
    const settled = await git.settle(settling(control));
    await git.commit(commitRequest(control, settled.work_tree ?? '', { files }));
    expect(repo.git('ls-tree', '-r', '-z', '--name-only', 'HEAD', '--', '.runner').split('\0')).toEqual([
      ...['.gitattributes', '.gitignore', 'GOAL.md'].map((name) => `.runner/${name}`),
      ...['"odd\n"', 'context.md', 'last.json', 'notes.md'].map((name) => `.runner/nodes/b/${name}`),
      ...['.runner/nodes/new/last.json', '.runner/state/tree.json', ''],
    ]);
    expect(repo.git('ls-tree', '-r', 'HEAD', '--', '.runner/.gitignore', '.runner/GOAL.md')).toBe(before);
    const shown = ['nodes/b/context.md', 'nodes/b/last.json', 'nodes/b/notes.md', 'nodes/new/last.json'];
    expect(shown.map((name) => repo.git('show', `HEAD:.runner/${name}`))).toEqual([
      ...['old', 'old', 'by the agent', 'ü'],
    ]);
    expect(repo.git('show', 'HEAD:.runner/state/tree.json')).toBe('decided');
  });

  test('the work index may hold something else by then', async () => {
    const { repo, git, request } = await begin();
    repo.write('work.txt', 'other\n');
    await git.workTreeId();
    await git.commit(request);
    expect(repo.git('show', 'HEAD:work.txt')).toBe('work');
    repo.write('work.txt', 'work\n');
    expect(await git.workTreeId()).toBe(request.work_tree);
    expect(repo.dirty()).toEqual([]);
  });

  test('flags somebody put into the work index do not reach the user’s index', async () => {
    const { repo, git, request } = await begin();
    const env = { ...repo.env, GIT_INDEX_FILE: join(repo.dir, '.git/runner/index') };
    execFileSync('git', ['update-index', '--assume-unchanged', 'work.txt'], { cwd: repo.dir, env });
    await git.commit(request);
    repo.write('work.txt', 'hidden?');
    expect(repo.dirty()).toEqual([' M work.txt']);
  });

  test('a branch that moved meanwhile is not moved again; index and branch stay', async () => {
    const { repo, git, request } = await begin();
    repo.git('commit', '--quiet', '--allow-empty', '-m', 'somebody');
    const before = state(repo);
    await expect(git.commit(request)).rejects.toMatchObject({ code: 'GIT_FAILED' });
    expect(state(repo)).toEqual(before);
    expect(existsSync(join(repo.dir, '.git/index.lock'))).toBe(false);
  });

  test('HEAD elsewhere is named with the command; nothing moves', async () => {
    const { repo, git, request } = await begin();
    repo.git('checkout', '--quiet', '--detach');
    const before = state(repo);
    await expect(git.commit(request)).rejects.toMatchObject({
      code: 'GIT_WRONG_BRANCH',
      hint: 'git switch runner/r1',
    });
    expect(state(repo)).toEqual(before);
  });

  test.each(['index.lock', 'HEAD.lock', `refs/heads/${branch}.lock`])(
    'a foreign %s is named with the rm command; removing it lets the commit through',
    async (name) => {
      const { repo, git, request } = await begin();
      const lock = join(repo.dir, '.git', name);
      repo.write(`.git/${name}`, '');
      const before = state(repo);
      await expect(git.commit(request)).rejects.toMatchObject({
        code: 'GIT_LOCKED',
        hint: `when no other git is running: rm ${lock}`,
      });
      expect(state(repo)).toEqual(before);
      repo.remove(`.git/${name}`);
      expect(await git.commit(request)).toMatchObject({ kind: 'committed' });
    },
  );

  test('locks of our own dead process go by themselves', async () => {
    const { repo, git, request } = await begin();
    repo.write('.git/runner/commit-index', 'what we were about to install');
    linkSync(join(repo.dir, '.git/runner/commit-index'), join(repo.dir, '.git/index.lock'));
    repo.write('.git/runner/in-git', `${branch}\n`);
    repo.write('.git/HEAD.lock', '');
    repo.write(`.git/refs/heads/${branch}.lock`, '');
    expect(await git.commit(request)).toMatchObject({ kind: 'committed' });
    expect(repo.dirty()).toEqual([]);
  });

  test('no identity: GIT_IDENTITY with both commands, nothing moved', async () => {
    const { repo, git, request } = await begin();
    repo.git('config', '--unset', 'user.name');
    repo.git('config', '--unset', 'user.email');
    repo.git('config', 'user.useConfigOnly', 'true');
    const before = state(repo);
    await expect(git.commit(request)).rejects.toMatchObject({
      code: 'GIT_IDENTITY',
      hint: 'git config user.name "Your Name" && git config user.email "you@example.com"',
    });
    expect(state(repo)).toEqual(before);
  });

  test('a message is kept byte for byte, comment lines and non-ASCII included', async () => {
    const { repo, git, request } = await begin();
    await git.commit({ ...request, message: 'subject\n\n# not a comment\n\n\nÜ \u{1F600}\n' });
    expect(repo.git('cat-file', 'commit', 'HEAD').split('\n\n').slice(1).join('\n\n')).toBe(
      'subject\n\n# not a comment\n\n\nÜ \u{1F600}',
    );
  });

  test('signing is asked for, and its failure keeps everything as it was', async () => {
    const { repo, git, request } = await begin();
    repo.write('../gpg', '#!/bin/sh\necho "no key" >&2\nexit 2\n');
    chmodSync(join(repo.base, 'gpg'), 0o755);
    repo.git('config', 'gpg.program', join(repo.base, 'gpg'));
    repo.git('config', 'commit.gpgsign', 'true');
    const before = state(repo);
    await expect(git.commit({ ...request, sign: true })).rejects.toMatchObject({
      code: 'GIT_FAILED',
      details: expect.arrayContaining(['error: gpg failed to sign the data']) as unknown,
    });
    expect(state(repo)).toEqual(before);
    expect(await git.commit(request)).toMatchObject({ kind: 'committed' });
  });
});

describe('with hooks', () => {
  test('hooks run with the user’s environment and see the commit', async () => {
    const { repo, request } = await begin();
    const env = { ...repo.env, MY_SETTING: 'seen', GIT_DIR: '/nonexistent' };
    const git = gitAdapter({ projectDir: repo.dir, env });
    hook(repo, 'pre-commit', `git diff --cached --name-only > ../saw; echo "$MY_SETTING" >> ../saw`);
    hook(repo, 'commit-msg', 'echo "Signed-off-by: hook" >> "$1"');
    const result = await git.commit({ ...request, run_hooks: true });
    expect(result).toEqual({ kind: 'committed', commit: repo.head() });
    expect(repo.read('../saw')).toBe('.runner/state/tree.json\nwork.txt\nseen\n');
    expect(repo.git('log', '-1', '--format=%b')).toContain('Signed-off-by: hook');
    expect(repo.git('show', 'HEAD:work.txt')).toBe('work');
    expect(repo.dirty()).toEqual([]);
    expect(repo.git('rev-parse', 'HEAD^')).toBe(request.parent);
  });

  test.each([
    ['refuses', 'pre-commit', 'echo "lint: 3 problems"; exit 1', 'lint: 3 problems'],
    ['refuses silently', 'pre-commit', 'exit 1', 'a git hook silently refused the commit'],
    ['refuses the message', 'commit-msg', 'echo "bad subject" >&2; exit 1', 'bad subject'],
    ['refuses the ref', 'reference-transaction', '[ "$1" = prepared ] && exit 1; exit 0', 'aborted by hook'],
    [
      'adds a file',
      'pre-commit',
      'echo x > added; git add added',
      'a git hook changed the files of the commit, which must be exactly the checked ones: "added"',
    ],
    [
      'formats a file',
      'pre-commit',
      'echo formatted > work.txt; git add work.txt',
      'which must be exactly the checked ones: "work.txt"',
    ],
    [
      'changes a file without staging it',
      'pre-commit',
      'echo formatted > work.txt',
      'a git hook changed files of the work tree without committing them: "work.txt"',
    ],
    [
      'changes the subject',
      'commit-msg',
      'echo other > "$1"',
      'a git hook changed the first line of the commit message to: other',
    ],
    [
      'commits on its own',
      'post-commit',
      '[ -e ../once ] && exit 0; touch ../once; git commit --quiet --allow-empty -m more',
      'a git hook made other commits',
    ],
  ])(
    'a hook that %s: refused with its output, branch and index as before',
    async (_name, name, script, output) => {
      const { repo, git, baseline, request } = await begin();
      hook(repo, name, script);
      const before = state(repo);
      const result = await git.commit({ ...request, run_hooks: true });
      expect(result).toEqual({ kind: 'hook_refused', output: expect.stringContaining(output) as unknown });
      expect(state(repo)).toEqual(before);
      expect(repo.git('rev-parse', branch)).toBe(baseline);
      expect(await git.commit({ ...request, run_hooks: false })).toMatchObject({ kind: 'committed' });
    },
  );

  test('what a hook made of the commit is kept under rescue', async () => {
    const { repo, git, request } = await begin();
    hook(repo, 'pre-commit', 'echo x > added; git add added');
    await git.commit({ ...request, run_hooks: true });
    expect(repo.git('show', 'refs/runner/rescue/r1/7:added')).toBe('x');
  });

  test('a crash before the commit was looked at: it does not count, and the next commit takes it back', async () => {
    const { repo, git, baseline, request } = await begin();
    const subject = message.split('\n')[0] ?? '';
    repo.write('extra', 'by a hook');
    repo.git('add', '-A');
    repo.git('commit', '--quiet', '-m', message);
    const find = async () => git.findIteration({ run_id: 'r1', iter: 7, above: baseline });
    const note = trustedFile({ env: repo.env, gitDir: join(repo.dir, '.git') }, 'commit.json');
    const expected = { branch, parent: baseline, tree: repo.git('rev-parse', 'HEAD^{tree}'), subject };
    expect(await find()).toBe(null);
    await note.save(JSON.stringify(expected));
    expect(await find()).toBe(repo.head());
    await note.save(JSON.stringify({ ...expected, tree: request.work_tree }));
    const odd = repo.head();
    expect(await find()).toBe(null);
    repo.remove('extra');
    expect(await git.commit(request)).toMatchObject({ kind: 'committed' });
    expect(repo.git('rev-parse', 'HEAD^')).toBe(baseline);
    expect(repo.git('rev-parse', 'refs/runner/rescue/r1/7')).toBe(odd);
  });

  test('no identity is no refusal', async () => {
    const { repo, git, request } = await begin();
    repo.git('config', 'user.useConfigOnly', 'true');
    repo.git('config', '--unset', 'user.email');
    await expect(git.commit({ ...request, run_hooks: true })).rejects.toMatchObject({ code: 'GIT_IDENTITY' });
    expect(existsSync(join(repo.dir, '.git/runner/hook-commit.json'))).toBe(false);
  });
});

describe('finishCommit', () => {
  test('the index equals the commit again, also with the lock of the dead process in the way', async () => {
    const { repo, git, request } = await begin();
    const old = readFileSync(join(repo.dir, '.git/index'));
    await git.commit(request);
    repo.write('.git/index', old);
    expect(repo.dirty()).not.toEqual([]);
    repo.write('.git/runner/commit-index', 'x');
    linkSync(join(repo.dir, '.git/runner/commit-index'), join(repo.dir, '.git/index.lock'));
    for (let times = 0; times < 2; times += 1) {
      await git.finishCommit({ branch, commit: repo.head() });
      expect(repo.dirty()).toEqual([]);
    }
  });

  test('a branch that has gone on, or another one, is left alone', async () => {
    const { repo, git, baseline } = await begin();
    repo.git('add', '-A');
    repo.git('commit', '--quiet', '-m', 'on top');
    repo.write('staged', 'by a person');
    repo.git('add', 'staged');
    const before = state(repo);
    await git.finishCommit({ branch, commit: baseline });
    await git.finishCommit({ branch: 'main', commit: repo.git('rev-parse', 'main') });
    expect(state(repo)).toEqual(before);
  });
});
