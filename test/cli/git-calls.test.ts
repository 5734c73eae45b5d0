/** How often an iteration starts git: a guard rail against accidents (docs/performance.md). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { project } from '../support/project.ts';
import { fakeProgram, playAgent, shellAgent } from '../support/shell-agent.ts';
import { node } from '../support/trees.ts';

/** From the start of the second session to that of the third: one iteration, after everything that is asked only once. */
async function callsOf(answer: 'done' | 'retry'): Promise<readonly string[]> {
  const p = await project({
    agent: shellAgent,
    // A tracked file, as the guard of most projects.
    guard: ['sh', 'guard.sh'],
    files: { 'guard.sh': 'true\n' },
    tree: node('root', { children: ['a', 'b', 'c'].map((id, order) => node(id, { order })) }),
  });
  playAgent(p, `echo agent >> "$HOME/calls"; echo $RUNNER_ITER > work.txt; answer ${answer} "made it"`);
  const counting = `echo "git $*" >> "$HOME/calls"\nPATH='${process.env['PATH'] ?? ''}' exec git "$@"`;
  const env = { ...fakeProgram(p, 'git', counting), RUNNER_GUARD_CHECKOUT: 'off' };
  await p.runWith(env, 'loop', '--max-iterations', '3');
  const lines = readFileSync(join(p.home, 'calls'), 'utf8').trimEnd().split('\n');
  const [, second = 0, third = 0] = lines.flatMap((line, at) => (line === 'agent' ? [at] : []));
  return lines.slice(second + 1, third);
}

test('about twenty processes of git for an iteration, a few more with a guard', async () => {
  const [retry, pass] = [await callsOf('retry'), await callsOf('done')];
  expect(retry.length, retry.join('\n')).toBeLessThanOrEqual(24);
  expect(pass.length, pass.join('\n')).toBeLessThanOrEqual(31);
  expect(retry.length).toBeGreaterThan(10);
});
