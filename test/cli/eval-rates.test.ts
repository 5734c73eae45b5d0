/** An agent that solves two of ten trials and runs out of its budget on eight: every report says 20 %, and a harness error is apart. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { evalProject, shellAgent, shellDone } from '../support/eval-project.ts';
import { expectOutput } from '../support/output-schema.ts';

/** Repeats 1 and 2 are solved; the others retry until their one iteration is used. */
const sometimes = `if [ "$EVAL_REPEAT" -le 2 ]; then echo x > a.txt; ${shellDone}
else printf '{"status":"retry","summary":"not yet","children":null}' > "$RUNNER_OUTPUT"; fi`;

test('20 % with its interval in run, report, compare, JUnit, Markdown and HTML; a harness error is counted apart and shown', async () => {
  const p = await evalProject({
    solve: {
      agent: shellAgent(sometimes),
      config: 'max_iterations = 1',
      checks: [{ type: 'file_exists', path: 'a.txt' }],
    },
    broken: { checks: [{ type: 'command_succeeds', cmd: ['no-such-program'] }] },
  });
  const rate = 'judged=10 rate=0.200 low=0.057 high=0.510';
  const first = await p.evalRun('solve', '--repeat', '10', '--jobs', 'auto', '--batch', 'one');
  expect(first.code, first.err).toBe(0);
  expect(first.out).toContain(
    `\neval: variant=default trials=10 success=2 fail=8 stuck=0 error=0 skipped=0 ${rate}\neval: batch=one trials=10 `,
  );
  expect(first.out.match(/ outcome=fail reason=iteration_limit /g)).toHaveLength(8);
  const wanted = 'text,junit=r.xml,html=r.html,markdown=r.md,json=r.json';
  const told = await p.run('eval', 'report', 'one', '--reporter', wanted);
  expect(told.out).toContain(
    `report: variant=default cases=1 trials=10 success=2 fail=8 stuck=0 error=0 skipped=0 ${rate} `,
  );
  expect(told.out).toMatch(/\nreport: failed variant=default why=iteration_limit trials=8 results=\S+\n/);
  const read = (name: string): string => readFileSync(join(p.dir, name), 'utf8');
  for (const name of ['r.xml', 'r.html', 'r.md']) expect(read(name), name).toMatch(/20 %[^]{0,60}6–51 %/);

  expect(read('r.xml')).toContain('failures="8" errors="0"');
  const value = JSON.parse(read('r.json')) as { trials: { results: string }[] };
  expectOutput('eval-report', value);
  expect(value).toMatchObject({ variants: [{ rate: 0.2, judged: 10 }], missing: 0 });
  // A failed trial links to a log that is there.
  const link = /<a href="(\.\/eval\/results\/solve\/[^"]+\/runner\.loop\.log)">/.exec(read('r.html'))?.[1];
  expect(readFileSync(join(p.dir, link ?? ''), 'utf8')).toContain('"status":"limit"');

  const second = await p.evalRun('--batch', 'two', '--json');
  const end = JSON.parse(second.out.split('\n').at(-1) ?? '') as unknown;
  expectOutput('eval-run', end);
  expect(end).toMatchObject({
    error: 1,
    variants: [{ judged: 1, rate: 1, errors: [{ why: 'toolchain_missing', trials: 1 }] }],
  });
  const apart = (await p.run('eval', 'report', 'two')).out.split('\n');
  const at = (start: string): number => apart.findIndex((line) => line.startsWith(start));
  expect(apart[1]).toBe(
    'report: note: 1 harness error in 2 trials of default: not judged, and not in its rate.',
  );
  expect(at('report: error variant=default why=toolchain_missing trials=1 ')).toBeGreaterThan(0);
  expect(at('report: error variant=default')).toBeLessThan(at('report: variant=default'));
  const compared = await p.run('eval', 'compare', 'one', 'two');
  expect(compared.out).toContain(
    `compare: a=one trials=10 success=2 fail=8 stuck=0 error=0 skipped=0 ${rate} low_cases=- high_cases=- cost=- `,
  );
  expect(compared.out).toContain('compare: note: 1 harness error in 2 trials of two: ');
}, 300_000);

test('compare keeps pairs that ran out of their budget, and names settings by their value', async () => {
  const p = await evalProject({
    solve: { agent: shellAgent(sometimes.replace('-le 2', '-le "$LIMIT"')), env: { LIMIT: '1' } },
  });
  const ran = await p.evalRun(
    '--repeat',
    '2',
    '--set',
    'max_iterations=1,2',
    '--set',
    'on_stuck=stop',
    '--batch',
    'b',
  );
  expect(ran.code, ran.err).toBe(0);
  const [a, b] = ['default+max_iterations=1+on_stuck=stop', 'default+max_iterations=2+on_stuck=stop'];
  const { out } = await p.run('eval', 'compare', `b@${a}`, `b@${b}`);
  expect(out).toContain('compare: pairs=2 both=1 only_a=0 only_b=0 neither=1 ');
  expect(out).toContain('compare: differs=setting_max_iterations case=- a=1 b=2\n');
  expect(out).not.toContain('left_out');
  expect(out).not.toContain('differs=setting_on_stuck');
});
