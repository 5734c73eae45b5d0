/** `runner plan`, and the line of it that `start` and `loop` print before anything is used up (§15). */
import { expect, test } from 'vitest';
import { expectOutput } from '../support/output-schema.ts';
import { answer, project, write } from '../support/project.ts';

test('at most, from tree and limits; loop says it first', async () => {
  const works = { actions: [write('a.txt', 'a\n')], answer: answer('done') };
  const p = await project({ config: 'max_iterations = 4\niteration_timeout_secs = 90\n', script: [works] });
  const { out, code } = await p.run('plan', '--json');
  expect(code).toBe(0);
  const plan: unknown = JSON.parse(out);
  expectOutput('plan', plan);
  expect(plan).toMatchObject({ run_id: 'test', open_leaves: 1, attempts: 3, iterations: 4, tokens: null });
  const shown = await p.start(['loop']);
  expect(shown.stderr).toMatch(
    /^plan: at most 4 iterations, [\d.]+ (?:h|min) without waits; 1 open leaf with 3 attempts$/mu,
  );
  expect(await p.run('plan')).toMatchObject({
    code: 0,
    out: expect.stringContaining('iterations=0 seconds=0 tokens=0'),
  });
});
