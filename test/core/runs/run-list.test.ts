import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { liveStatuses, runStatuses } from '../../../src/core/runs/record.ts';
import { isUnended, listRuns } from '../../../src/core/runs/run-list.ts';
import type { KnownRecord, RunTip } from '../../../src/core/runs/run-list.ts';
import { fuzzCases } from '../../support/fuzz.ts';
import { known, one, tip } from '../../support/run-facts.ts';

describe('the state of a run', () => {
  test.each<[string, readonly RunTip[], readonly KnownRecord[], string]>([
    ['a branch with open leaves', [tip()], [], 'open'],
    ['a branch whose root passed', [tip({ passes: true })], [], 'complete'],
    ['a remote branch', [tip({ kind: 'remote', remote: 'origin', passes: true })], [], 'complete'],
    ['an archive alone', [tip({ kind: 'archive', branch: null })], [], 'abandoned'],
    ['an archive that finish names', [tip({ kind: 'archive', is_finished: true })], [], 'finished'],
    [
      'an archive whose record knows',
      [tip({ kind: 'archive' })],
      [known({ status: 'finished' })],
      'finished',
    ],
    ['a kept branch', [tip(), tip({ kind: 'archive', is_finished: true })], [], 'finished'],
    ['an end that was cut off', [tip(), tip({ kind: 'archive' })], [], 'open'],
    ['a kept branch that went on', [tip({ commit: 'c2' }), tip({ kind: 'archive' })], [], 'open'],
    ['a record alone', [], [known({ status: 'stuck' })], 'open'],
    ['a record of a complete run alone', [], [known({ status: 'complete' })], 'complete'],
    ['a record of an abandoned run alone', [], [known({ status: 'abandoned' })], 'abandoned'],
    ['a branch before its first commit', [tip({ run_state: null, passes: true })], [], 'open'],
    [
      'a branch with the files of another run',
      [tip({ run_id: 'b', passes: true, run_state: tip().run_state })],
      [],
      'open',
    ],
    ['files that nobody can read', [tip({ run_state: '{', tree: '{', goal: '---\n' })], [], 'open'],
  ])('%s', (_name, tips, records, state) => {
    const row = one(tips, records);
    expect(row.state).toBe(state);
    expect(isUnended(row)).toBe(state === 'open' || state === 'complete');
  });
});

test('what the branch says goes before the record, and the newest activity counts', () => {
  const branch = one([tip()], [known({ title: 'Old', updated_at: '2026-01-03T00:00:00.000Z' })]);
  expect(branch).toMatchObject({
    title: 'Landing page',
    base_branch: 'main',
    base_commit: 'b1',
    leaves: { passed: 0, all: 2 },
    last_activity: '2026-01-03T00:00:00.000Z',
  });
  const fields = { title: 'New', leaves: { passed: 1, all: 3 }, base_branch: 'dev', goal_sha256: 'f' };
  expect(one([tip({ run_state: null })], [known(fields)])).toMatchObject({
    title: 'New',
    base_branch: 'dev',
    base_commit: 'b0',
    goal_sha256: 'f',
    leaves: { passed: 1, all: 3 },
    last_activity: '2026-01-02T00:00:00.000Z',
  });
  const broken: KnownRecord = { kind: 'broken', run_id: 'a', problems: ['status: wrong'] };
  expect(one([tip({ committed_at: null, tree: null, goal: null })], [broken])).toMatchObject({
    background: null,
    problems: ['status: wrong'],
    last_activity: null,
    title: '',
    leaves: null,
  });
  expect(one([tip({ goal: '---\nid: [\n---\n' })]).title).toBe('');
});

const ids = fc.constantFrom('a', 'b', 'c', 'd');
const arbTip = fc
  .record({
    run_id: ids,
    kind: fc.constantFrom('local' as const, 'remote' as const, 'archive' as const),
    commit: fc.constantFrom('c1', 'c2'),
    passes: fc.boolean(),
    is_finished: fc.boolean(),
    committed_at: fc.constantFrom(null, '2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'),
  })
  .map((fields) => tip(fields));
const arbRecord = fc
  .record({ run_id: ids, status: fc.constantFrom(...runStatuses), is_alive: fc.boolean(), used: fc.nat(2) })
  .map(({ is_alive, used, ...fields }) => known({ ...fields, iterations: { used, max: 9 } }, is_alive));
const arbRecords = fc.uniqueArray(arbRecord, {
  selector: (found) => (found.kind === 'record' ? found.record.run_id : ''),
});

test('every run once, in the order of activity, and none at work without a process', () => {
  fc.assert(
    fc.property(fc.array(arbTip, { maxLength: 6 }), arbRecords, (tips, records) => {
      const rows = listRuns({ tips, records });
      const expected = new Set([
        ...tips.map(({ run_id }) => run_id),
        ...records.flatMap((found) => (found.kind === 'record' ? [found.record.run_id] : [])),
      ]);
      expect(rows.map(({ run_id }) => run_id).toSorted()).toEqual([...expected].toSorted());
      const times = rows.map(({ last_activity }) => last_activity ?? '');
      expect(times).toEqual(times.toSorted());
      for (const { background } of rows) {
        if (background !== null && liveStatuses.has(background.status))
          expect(background.is_alive).toBe(true);
      }
      // The order in which facts were found does not matter.
      expect(listRuns({ tips, records: records.toReversed() })).toEqual(rows);
    }),
    fuzzCases(300),
  );
});
