/** git looks at the work while logs are written; whatever the runner itself has to put right for that comes before (§1.2). */
import { expect, test } from 'vitest';
import { project } from '../support/project.ts';
import type { Project } from '../support/project.ts';
import { playAgent, playGuard, shellAgent, shellGuard } from '../support/shell-agent.ts';
import { node } from '../support/trees.ts';

function begin(prefix: string): Promise<Project> {
  const tree = node('root', { max_attempts: 9 });
  return project({ agent: shellAgent, guard: shellGuard, tree, prefix });
}

/** The second iteration of a process is the first that looks ahead. */
async function loopTwice(p: Project, second: string): Promise<void> {
  playAgent(p, `if [ "$RUNNER_ITER" = 1 ]; then echo a > a.txt; answer retry; else ${second}; fi`);
  await p.run('loop', '--max-iterations', '2');
  expect(await p.git('log', '-1', '--format=%s')).toContain('iter 2 ');
}

/** A tree with two entries of one name would be no tree. */
async function expectSound(p: Project): Promise<void> {
  expect(await p.git('fsck', '--strict', '--full', '--no-dangling')).toBe('');
  expect(await p.status()).toBe('');
}

test('a session that puts a file in the place of the project folder, and prints much', async () => {
  const p = await begin('apps/one/');
  playGuard(p, 'true');
  const second = 'cd ../..; seq 1500000; mv apps/one apps/moved; echo work > apps/one; answer retry';
  await loopTwice(p, second);
  await expectSound(p);
  expect(await p.git('ls-tree', 'HEAD', 'apps/one')).toMatch(/^040000 tree /);
  expect(await p.git('show', 'HEAD:apps/moved/a.txt')).toBe('a');
});

test('a guard that does the same', async () => {
  const p = await begin('apps/one/');
  playGuard(p, 'cd ../..; rm -rf apps/one; echo F > apps/one; exit 0');
  await loopTwice(p, 'echo b > ../b.txt; answer done');
  await expectSound(p);
  expect(await p.git('ls-tree', 'HEAD', 'apps/one')).toMatch(/^040000 tree /);
});

test('a session that links the log of its own events into the work, and prints much', async () => {
  const p = await begin('');
  playGuard(p, 'true');
  const log = '.runner/iterations/test/2/events.jsonl';
  await loopTwice(p, `seq 1500000; ln ${log} linked.jsonl; answer retry`);
  await expectSound(p);
});
