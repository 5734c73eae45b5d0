/** Ways to a pass that no guard gave (§1.2), and to lost work (§1.4), each tried for real; none may lead there. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import type { TreeNode } from '../../src/core/types.ts';
import { project } from '../support/project.ts';
import type { Project } from '../support/project.ts';
import { playAgent, playGuard, shellAgent, shellGuard } from '../support/shell-agent.ts';

const forge = `sed -i 's/"passes": false/"passes": true/' .runner/state/tree.json`;
const quietGit = 'git -c user.name=x -c user.email=x@x.invalid';

async function committedTree(p: Project): Promise<TreeNode> {
  return JSON.parse(await p.git('show', 'HEAD:.runner/state/tree.json')) as TreeNode;
}

function make(): Promise<Project> {
  return project({ agent: shellAgent, guard: shellGuard });
}

/** The number of the first hit of a failpoint in a run of the same steps. */
async function hitOf(name: string, prepare: (p: Project) => void): Promise<string> {
  const p = await make();
  prepare(p);
  const hits = join(p.home, 'hits');
  await p.runWith({ RUNNER_FAILPOINT_LOG: hits }, 'step');
  return String(readFileSync(hits, 'utf8').split('\n').indexOf(name) + 1);
}

test('a session that copies our subject into a commit of its own, and a crash before ours', async () => {
  const prepare = (p: Project): void => {
    const subject = 'chore(loop): run test iter 1 node root status=done guard=pass';
    playAgent(
      p,
      `${forge}; ${quietGit} commit -qam '${subject}'; git show HEAD~1:.runner/state/tree.json > .runner/state/tree.json; echo w > w.txt; answer done`,
    );
    playGuard(p, 'exit 1');
  };
  const at = await hitOf('commit:before', prepare);
  const p = await make();
  prepare(p);
  await p.runWith({ RUNNER_FAILPOINT: at }, 'step');
  playAgent(p, 'answer retry');
  const ran = await p.run('step');
  expect(ran, ran.err).toMatchObject({ code: 0 });
  expect((await committedTree(p)).passes).toBe(false);
  expect((await p.subjects()).filter((line) => line.includes('iter 1 '))).toHaveLength(2);
  expect(await p.status()).toBe('');
});

test('a guard that commits a forged tree and kills the runner', async () => {
  const p = await make();
  playAgent(p, 'echo w > w.txt; answer done');
  playGuard(p, `${forge}; git add -A; ${quietGit} commit -qm fixture; kill -9 $PPID`);
  await p.run('step');
  playGuard(p, 'exit 1');
  playAgent(p, 'answer retry');
  const ran = await p.run('step');
  expect(ran, ran.err).toMatchObject({ code: 0 });
  expect((await committedTree(p)).passes).toBe(false);
  expect(await p.git('show', 'HEAD:w.txt')).toBe('w');
});

test('a clean filter on the tree file', async () => {
  const p = await make();
  playAgent(
    p,
    `mkdir -p .git/info; echo '.runner/state/tree.json filter=e' > .git/info/attributes
git config filter.e.clean "sed 's/false/true/'"; answer retry`,
  );
  expect((await p.run('step')).code).toBe(0);
  expect((await committedTree(p)).passes).toBe(false);
});

test('what a session printed and answered before a crash is in the log', async () => {
  const p = await make();
  playAgent(p, `echo 'half a thought'; answer done 'never judged'; kill -9 $PPID`);
  await p.run('step');
  playAgent(p, 'answer retry');
  const ran = await p.run('step');
  expect(ran, ran.err).toMatchObject({ code: 0 });
  expect(p.log(1, 'executor.log')).toContain('half a thought');
  expect(p.log(1, 'output.json')).toContain('never judged');
  expect(p.log(2, 'executor.log')).not.toContain('half a thought');
});

test('a link in place of a tracked folder: the repository behind it is not touched', async () => {
  const p = await project({ agent: shellAgent, guard: shellGuard, files: { 'a/f': 'f\n' } });
  const other = join(p.home, 'other');
  mkdirSync(other);
  await execa('git', ['init', '-q', other]);
  playAgent(p, `rm -rf a; ln -s "$HOME/other" a; answer retry`);
  const ran = await p.run('step');
  expect(ran, ran.err).toMatchObject({ code: 0 });
  expect(existsSync(join(other, '.git', 'HEAD'))).toBe(true);
  playAgent(p, `rm a; ln -s . a; answer retry`);
  expect(await p.run('step')).toMatchObject({ code: 0 });
});
