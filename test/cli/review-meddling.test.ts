/** A reviewer that does what it may not (§9 `[review]`): everything is taken back and kept, and the commit holds the guarded bytes. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { playRoles, shellRoles } from '../support/fake-agent.ts';
import type { Project } from '../support/project.ts';
import { project } from '../support/project.ts';
import { recorded } from '../support/record.ts';
import { playGuard, shellGuard } from '../support/shell-agent.ts';
import { template } from '../support/template.ts';
import { node } from '../support/trees.ts';

const tree = node('root', { children: [node('leaf', { max_attempts: 9 }), node('rest', { order: 1 })] });

/** The hash of every file outside `.git` and the logs, by path. */
const listing = `find . -path ./.git -prune -o -path ./.runner -prune -o \\( -type f -o -type l \\) -print0 | sort -z | xargs -0 sha256sum`;

function prepared(prefix: string) {
  return template(async () => {
    const p = await project({
      agent: shellRoles,
      guard: shellGuard,
      config: '[review]\nagent = "command"\n',
      files: { 'old.txt': 'old\n', 'tool.sh': 'true\n' },
      prefix,
      tree,
    });
    playRoles(p, {
      agent: `echo work > work.txt; echo '- a thought' >> .runner/state/assumptions.md
      sed -i 's/rest title/better title/' .runner/state/tree.json; answer done`,
    });
    playGuard(p, `${listing} > "$HOME/guarded"`);
    return p;
  });
}

const started = prepared('');
const startedBelow = prepared('app/');

async function expectGuardedBytes(p: Project, iter: number): Promise<void> {
  expect(await p.status()).toBe('');
  expect(await p.git('symbolic-ref', 'HEAD')).toBe('refs/heads/runner/test');
  const { stdout } = await execa('sh', ['-c', listing], { cwd: p.dir });
  expect(stdout).toBe(readFileSync(join(p.home, 'guarded'), 'utf8').trimEnd());
  const record = await recorded(p, iter);
  expect(record).toMatchObject({ status: 'done', guard: 'pass', meta: { review: { verdict: 'pass' } } });
  expect(record.tree).toMatchObject({
    children: [{ passes: true }, { title: 'better title', passes: false }],
  });
  expect(await record.file('.runner/state/assumptions.md')).toContain('- a thought');
  expect(await record.file('.runner/state/feedback.md')).not.toContain('reviewer');
}

const files = `echo changed > work.txt; rm old.txt; chmod +x tool.sh; mkdir -p deep/er; echo new > deep/er/added.txt
printf 'a\\000b\\377' > data.bin; ln -s /etc/passwd link
`;
const state = `sed -i 's/better title/worse title/; s/"passes": false/"passes": true/' .runner/state/tree.json
echo '- the reviewer was here' >> .runner/state/feedback.md; rm .runner/state/assumptions.md
echo 'max_iterations = 1' > .runner/state/config.toml; echo '{}' > .runner/state/run_state.json
mkdir -p .runner/nodes/leaf/artifacts; echo x > .runner/nodes/leaf/artifacts/x
`;

test('files, tree.json, memory and settings: all taken back, and a patch in the log that holds every byte', async () => {
  for (const p of [await started(), await startedBelow()]) {
    playRoles(p, { review: `${files}${state}verdict pass` });
    const ran = await p.run('step');
    expect(ran, ran.err).toMatchObject({ code: 0 });
    await expectGuardedBytes(p, 1);
    const { notes } = (await recorded(p, 1)).meta;
    const note = notes.find((line) => line.startsWith('took back what the review changed'));
    for (const name of ['work.txt', 'old.txt', 'tool.sh', 'data.bin', 'state/tree.json', 'feedback.md'])
      expect.soft(note).toContain(name);

    expect(ran.err).toContain(`note: ${note}`);
    const patch = join(p.dir, '.runner/iterations/test/1/review.patch');
    await p.git('apply', '--whitespace=nowarn', '--exclude=*run_state.json', '--exclude=*tree.json', patch);
    expect(readFileSync(join(p.dir, 'data.bin')).toString('latin1'), 'bytes that are no text').toBe(
      'a\0b\xff',
    );
    expect(p.read('work.txt')).toBe('changed\n');
    expect(p.read('.runner/state/feedback.md')).toContain('- the reviewer was here');
  }
});

test('commits, another branch, a stash, a moved branch, git files: the branch is as it was, nothing is lost', async () => {
  const ways = [
    `git add -A; git commit -qm 'the reviewer commits'; ${files}git add -A; git commit -qm 'and again'`,
    `git switch -qc elsewhere; ${files}git add -A; git commit -qm 'on another branch'`,
    `${files}git add -A; git commit -qm 'detached'; git switch -q --detach HEAD; git branch -f runner/test HEAD~1`,
    `${files}git stash -qu; git reset -q --hard main`,
    `rm -rf .runner; git init -q nested; echo inner > nested/inner.txt; git update-index --assume-unchanged tool.sh; echo evil > tool.sh`,
    `ln -sf "$HOME/outside" .runner/state/tree.json; rm -rf .runner/nodes; ln -s "$HOME" .runner/nodes; echo evil > tool.sh`,
  ];
  for (const [index, way] of ways.entries()) {
    const p = await started();
    const before = await p.git('rev-parse', 'HEAD');
    writeFileSync(join(p.home, 'outside'), 'outside\n');
    playRoles(p, { review: `${way}\nverdict pass` });
    const ran = await p.run('step');
    expect(ran, `way ${index + 1}: ${ran.err}`).toMatchObject({
      code: 0,
      out: 'step: run=test iter=1 node=leaf status=done guard=pass',
    });
    await expectGuardedBytes(p, 1);
    expect(await p.git('rev-parse', 'HEAD~1'), `way ${index + 1}: no commit of a reviewer below ours`).toBe(
      before,
    );
    const refs = await p.git('for-each-ref', '--format=%(refname)');
    const everything = await p.git('log', '--all', '-p', '--format=', '--', ':(top)');
    const kept = `${everything}${p.log(1, 'review.patch')}`;
    expect(kept, `way ${index + 1}: ${refs}`).toMatch(/\+(?:changed|evil)$/mu);
    expect(readFileSync(join(p.home, 'outside'), 'utf8'), 'no link was followed').toBe('outside\n');
  }
});

test('a patch that would be cut: the work of the reviewer is saved under a ref of its own', async () => {
  const p = await started();
  playRoles(p, { review: `seq 1 900000 > big.txt; verdict pass` });
  expect((await p.run('step')).code).toBe(0);
  await expectGuardedBytes(p, 1);
  const { notes } = (await recorded(p, 1)).meta;
  expect(notes.join('\n')).toContain('kept as refs/runner/rescue/test/1');
  expect(await p.git('show', 'refs/runner/rescue/test/1:big.txt')).toMatch(/\n900000$/u);
});
