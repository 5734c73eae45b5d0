import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextCommand } from '../../../src/core/runs/next-command.ts';
import { endedStatuses, liveStatuses, runStatuses } from '../../../src/core/runs/record.ts';
import {
  canceledRecord,
  checkResume,
  elsewhere,
  planCancel,
  reopened,
} from '../../../src/core/runs/steer-run.ts';
import { known, one, record, tip } from '../../support/run-facts.ts';

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
      const open = reopened(given);
      expect(endedStatuses.has(open.status)).toBe(false);
      if (!endedStatuses.has(status)) expect(open).toBe(given);
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
