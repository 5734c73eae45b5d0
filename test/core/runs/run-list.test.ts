import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nextCommand, renderElsewhere } from '../../../src/core/runs/next-command.ts';
import { liveStatuses, parseRunRecord, runStatuses } from '../../../src/core/runs/record.ts';
import type { RunRecord } from '../../../src/core/runs/record.ts';
import { isUnended, listRuns } from '../../../src/core/runs/run-list.ts';
import type { KnownRecord, RunRow, RunTip } from '../../../src/core/runs/run-list.ts';
import { canceledRecord, checkResume, elsewhere, planCancel } from '../../../src/core/runs/steer-run.ts';
import { defaultRunState, renderRunState } from '../../../src/core/iteration/run-state.ts';
import { fuzzCases } from '../../support/fuzz.ts';
import { node } from '../../support/trees.ts';

function record(fields: Partial<RunRecord> = {}): RunRecord {
  const parsed = parseRunRecord(
    JSON.stringify({
      version: 1,
      run_id: 'a',
      status: 'running',
      branch: 'runner/a',
      base_commit: 'b0',
      started_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
      ...fields,
    }),
  );
  if (!parsed.ok) throw new Error(parsed.problems.join('; '));
  return parsed.record;
}

function tip(fields: Partial<RunTip> & { readonly passes?: boolean } = {}): RunTip {
  const { passes = false, ...rest } = fields;
  const run_id = rest.run_id ?? 'a';
  return {
    run_id,
    kind: 'local',
    branch: `runner/${run_id}`,
    remote: null,
    commit: 'c1',
    committed_at: '2026-01-02T00:00:00.000Z',
    goal: '# Landing page\n',
    run_state: renderRunState({ ...defaultRunState, run_id, base_branch: 'main', base_commit: 'b1' }),
    tree: JSON.stringify(node('root', { children: [node('x', { passes }), node('y', { passes })], passes })),
    is_finished: false,
    checkout: null,
    ...rest,
  };
}

function one(tips: readonly RunTip[], records: readonly KnownRecord[] = []): RunRow {
  const rows = listRuns({ tips, records });
  expect(rows).toHaveLength(1);
  return rows[0] as RunRow;
}

function known(fields: Partial<RunRecord> = {}, is_alive = false): KnownRecord {
  return { kind: 'record', record: record(fields), is_alive };
}

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

test('cancel and resume fit together: what is canceled can be resumed, what is at work cannot', () => {
  fc.assert(
    fc.property(fc.constantFrom(...runStatuses), fc.boolean(), fc.boolean(), (status, isAlive, passes) => {
      const given = record({ status });
      const plan = planCancel(given, isAlive);
      const line = { at: 't', action: 'cancel', by: 'cli' };
      if (plan.kind === 'stop' || plan.kind === 'settle') {
        const ended = canceledRecord(given, { line, at: 't', problem: 'p' });
        expect(ended.audit).toEqual([line]);
        expect(liveStatuses.has(ended.status) || ended.status === 'paused').toBe(false);
        if (liveStatuses.has(status))
          expect(ended).toMatchObject({ status: 'canceled', owner: null, errors: ['p'] });
        expect(planCancel(ended, false).kind).toBe(ended.status === 'canceled' ? 'none' : 'refused');
      }
      const row = one([tip({ passes })], [{ kind: 'record', record: given, is_alive: isAlive }]);
      const refused = checkResume(row, given);
      expect(refused === null).toBe(!isAlive && !passes);
      expect(nextCommand(row)).toBe(
        isAlive ? 'runner run attach a' : passes ? 'runner finish a' : 'runner run resume a',
      );
    }),
  );
  expect(
    canceledRecord(record(), { line: { at: 't', action: 'cancel', by: 'web' }, at: 't', problem: null })
      .errors,
  ).toEqual([]);
});

test('a run is resumed only where its branch is, and nobody else works on it', () => {
  const given = record({ status: 'canceled', worktree: '/w/a' });
  expect(checkResume(one([tip({ checkout: '/w/a' })], [known({ status: 'canceled' })]), given)).toBeNull();
  expect(checkResume(one([tip({ checkout: '/home/me' })], [known()]), given)).toMatchObject({
    code: 'LOCKED',
  });
  const used = record({ status: 'failed', iterations: { used: 1, max: 9 } });
  expect(checkResume(one([], [known()]), used)).toMatchObject({ code: 'GIT_WRONG_BRANCH' });
  expect(checkResume(one([], [known()]), record())).toBeNull();
  expect(checkResume(one([tip()]), null)).toBeNull();
  expect(checkResume(one([], [{ kind: 'broken', run_id: 'a', problems: [] }]), null)).toBeNull();
  expect(checkResume(one([tip({ kind: 'archive' })]), null)).toMatchObject({ code: 'RUN_ENDED' });
  expect(elsewhere(one([tip({ kind: 'archive', branch: null })])).message).toContain(
    'a is checked out in another',
  );
});

test('the command that leads on with a run, and the line that says so', () => {
  const open = one([tip()]);
  expect(nextCommand(open)).toBe('git switch runner/a && runner loop');
  expect(nextCommand(one([tip({ checkout: '/my work' })]))).toBe("cd '/my work' && runner loop");
  expect(nextCommand(one([tip({ checkout: '/w' })]))).toBe('cd /w && runner loop');
  expect(nextCommand(one([tip({ kind: 'archive' })]))).toBeNull();
  expect(nextCommand(one([], [{ kind: 'broken', run_id: 'a', problems: [] }]))).toBe('runner abandon a');
  expect(renderElsewhere(open)).toBe(
    'run a (Landing page) is open on runner/a, 0/2 passed: git switch runner/a && runner loop',
  );
  expect(renderElsewhere(one([], [known({ status: 'queued' }, true)]))).toBe(
    'run a is open, queued: runner run attach a',
  );
  expect(renderElsewhere(one([tip({ kind: 'archive', goal: null, tree: null, branch: null })]))).toBe(
    'run a is abandoned: runner run show a',
  );
});
