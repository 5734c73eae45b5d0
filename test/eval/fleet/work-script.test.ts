/** What one task does: every task gets its part, and a task that is started again goes on. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fleetName, renderNext, renderWork, taskCount } from '../../../src/eval/fleet/work-script.ts';
import { anyWork, evalWork, runsWork } from '../../support/fleet-works.ts';

const place = { base: '/work', task: '$N', attempt: '$A' };

test('an eval: its own folder, its own shard, and the rest of it after a kill', () => {
  const script = renderWork(evalWork, place);
  expect(script).toContain('dir="$base/fleet/Night_1/$task"\ncases="$base"/eval/cases\n');
  expect(script).toContain('--resume --batch Night_1 --cases "$cases"\n');
  expect(script).toContain(
    `eval run greeting --repeat 3 --model 'a b' --shard "$task/4" --batch Night_1 --cases "$cases"\n`,
  );
  expect(renderNext(evalWork)).toEqual(['runner eval merge fleet/Night_1/*', 'runner eval report Night_1']);
  const elsewhere = { ...evalWork, cases: { word: '/srv/cases', isBelow: false } };
  expect(renderWork(elsewhere as typeof evalWork, place)).toContain('cases=/srv/cases\n');
});

test('runs: a fresh clone of the pushed branch, and the fence', () => {
  const script = renderWork(runsWork, place);
  expect(script).toContain('  1) run=add-api ;;\n  2) run=fix.tests ;;\nesac\n');
  expect(script).toContain('git clone --quiet --branch "runner/$run" git@host:team/app.git "$dir"\n');
  expect(script).toContain('exec runner -C "$dir"/app/ loop --push origin\n');
  expect(renderNext(runsWork)).toEqual([
    'git fetch origin runner/add-api',
    'git fetch origin runner/fix.tests',
  ]);
});

test('one task for each part, and the shell ends with the runner', () => {
  fc.assert(
    fc.property(anyWork, (work) => {
      const last = renderWork(work, place).trimEnd().split('\n').at(-1);
      expect(last).toMatch(/^exec runner -C "\$dir"/);
      expect(taskCount(work)).toBe(work.kind === 'eval' ? work.shards : work.run_ids.length);
      expect(fleetName(work)).not.toBe('');
    }),
  );
});
