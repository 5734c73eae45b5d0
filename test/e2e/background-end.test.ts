/** Background runs to their end (§12, §13): finished, abandoned and cleaned up, and one reopened before; nothing of them is left but archives. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  cancelRun,
  expectNoProcesses,
  hashCheckout,
  recordOf,
  resumeRun,
  startRun,
  waitForEnd,
} from '../support/background.ts';
import { expectSoundRepository, unstartedProject } from '../support/project.ts';
import { waitUntil } from '../support/scratch.ts';
import { node } from '../support/trees.ts';
import { playAgent, playGuard, shellAgent, shellGuard } from '../support/shell-agent.ts';

test('three runs: one finished, one reopened, updated and finished, one abandoned; only archives stay', async () => {
  const p = await unstartedProject({
    agent: shellAgent,
    guard: shellGuard,
    tree: node('root', { children: [node('a')] }),
    config: '[automation]\nmax_parallel = 3\n',
  });
  playGuard(p, 'test ! -e broken');
  playAgent(
    p,
    `echo "$RUNNER_RUN_ID" > "$RUNNER_RUN_ID-$RUNNER_NODE_ID.txt"
    if test "$RUNNER_RUN_ID" = given-up; then echo $$ > "$HOME/held"; sleep 600; fi
    answer done`,
  );
  const before = hashCheckout(p);
  for (const id of ['first', 'second', 'given-up']) await startRun(p, id, { args: ['--no-input'] });
  await Promise.all(['first', 'second'].map((id) => waitForEnd(p, id, 'complete')));
  await waitUntil('the session', () => existsSync(join(p.home, 'held')));
  await cancelRun(p, 'given-up');
  expect(hashCheckout(p)).toBe(before);

  const finished = await p.run('finish', 'first');
  expect(finished, finished.err).toMatchObject({ code: 0 });
  expect(p.read('first-a.txt')).toBe('first\n');

  // A complete run gets more work, and what the base got meanwhile.
  const { worktree } = recordOf(p, 'second');
  const added = await p.run('-C', String(worktree), 'add', 'root', '--title', 'One more');
  expect(added.out, added.err).toContain('reopened=root');
  await resumeRun(p, 'second');
  const updated = await p.run('update', 'second');
  expect(updated, updated.err).toMatchObject({ code: 0 });
  const ended = await p.run('finish', 'second', '--into', 'review/second');
  expect(ended, ended.err).toMatchObject({ code: 0 });
  expect(await p.git('show', 'review/second:second-root.1.txt')).toBe('second');
  expect(await p.git('show', 'review/second:first-a.txt')).toBe('first');

  const abandoned = await p.run('abandon', 'given-up');
  expect(abandoned, abandoned.err).toMatchObject({ code: 0 });
  expect(await p.git('show', 'refs/runner/archive/given-up:given-up-a.txt')).toBe('given-up');
  expect((await p.run('clean', '--logs')).code).toBe(0);
  const refs = (await p.git('for-each-ref', '--format=%(refname)')).split('\n');
  expect(refs.toSorted()).toEqual([
    'refs/heads/main',
    'refs/heads/review/second',
    'refs/runner/archive/first',
    'refs/runner/archive/given-up',
    'refs/runner/archive/second',
  ]);
  expect((await p.git('worktree', 'list', '--porcelain')).match(/^worktree /gm)).toHaveLength(1);
  await expectNoProcesses(p);
  await expectSoundRepository(p);
});
