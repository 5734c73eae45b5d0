import fc from 'fast-check';
import { expect, test } from 'vitest';
import { agentReasons, judgeOutcome } from '../../../src/eval/cases/outcome.ts';
import type { SessionFact, TrialFacts } from '../../../src/eval/cases/outcome.ts';
import type { CheckResult } from '../../../src/eval/cases/types.ts';

const good: CheckResult = {
  type: 'runner_completed',
  label: 'runner_completed',
  passed: true,
  detail: null,
};
const bad: CheckResult = { ...good, passed: false, detail: 'no' };
const command = { exit_code: 0, timed_out: false, start_error: null, log: 'checks/1.log', duration_ms: 1 };
const ran: CheckResult = { ...good, type: 'command_succeeds', command };
const unstarted: CheckResult = {
  ...bad,
  type: 'command_succeeds',
  command: { ...command, exit_code: null, start_error: 'go was not found' },
};

const loopOf = (change: Partial<TrialFacts['loop']>): TrialFacts['loop'] => ({
  ...{ exit_code: 1, end: null, error_code: null, is_late: false, is_killed: false, has_session: true },
  ...change,
});

const answered: SessionFact = { failure: null, message: 'not yet', waited_secs: 0, exit_code: 0 };
const crashed: SessionFact = {
  ...{ failure: 'crashed', message: 'agent ended with exit code 7', waited_secs: 0, exit_code: 7 },
};
const unfound: SessionFact = { ...crashed, message: 'command ended with exit code 127', exit_code: 127 };
const limit = loopOf({ end: { status: 'limit', next_iter: 4, max_iterations: 3 } });

function facts(exit_code: number | null, change: Partial<TrialFacts> = {}): TrialFacts {
  return {
    missing: [],
    failure: null,
    loop: loopOf({ exit_code, has_session: false }),
    sessions: [answered],
    is_shell_line: false,
    checks: [good, ran],
    replay_misses: null,
    ...change,
  };
}

test('[ancestor: eval_outcome success_when_complete_and_checks_pass] complete, and every check passes', () => {
  expect(judgeOutcome(facts(0))).toEqual({ outcome: 'success', reason: null, told: null });
  expect(judgeOutcome(facts(0, { replay_misses: [] }))).toEqual({
    outcome: 'success',
    reason: null,
    told: null,
  });
});

test('[ancestor: eval_outcome fail_when_complete_but_checks_fail] complete, and a check does not pass', () => {
  expect(judgeOutcome(facts(0, { checks: [good, bad] }))).toEqual({
    outcome: 'fail',
    reason: null,
    told: null,
  });
});

test('[ancestor: eval_outcome stuck_when_runner_stuck] stuck, whatever the checks say', () => {
  expect(judgeOutcome(facts(3))).toEqual({ outcome: 'stuck', reason: null, told: null });
  expect(judgeOutcome(facts(3, { checks: [unstarted] }))).toEqual({
    outcome: 'stuck',
    reason: null,
    told: null,
  });
});

test.each([1, 2, 64, 130, null])(
  '[ancestor: eval_outcome error_when_runner_error_or_unknown] exit %s is an error, whatever the checks say',
  (code) => {
    expect(judgeOutcome(facts(code))).toEqual({ outcome: 'error', reason: 'loop_failed', told: null });
  },
);

test.each([
  [{ status: 'limit', next_iter: 4, max_iterations: 3 }, 'iteration_limit'],
  [{ status: 'limit', seconds: 4, max_run_secs: 3 }, 'run_limit'],
  [{ status: 'limit', tokens: 4, max_tokens: 3 }, 'run_limit'],
  [{ status: 'limit', cost_usd: 4, max_cost_usd: 3 }, 'run_limit'],
])('a loop that ends with %j has not solved the case', (end, reason) => {
  const loop = loopOf({ end });
  expect(judgeOutcome(facts(1, { loop }))).toEqual({ outcome: 'fail', reason, told: null });
});

test.each([
  ['AGENT_FAILING', 'fail', 'agent_failed'],
  ['ITERATION_TIMEOUT', 'fail', 'timeout'],
  ['AGENT_BLOCKED', 'error', 'loop_failed'],
  ['AGENT_MISSING', 'error', 'loop_failed'],
  [null, 'error', 'loop_failed'],
] as const)('a loop that ends with the error %s: %s', (error_code, outcome, reason) => {
  const loop = loopOf({ end: { status: 'error' }, error_code });
  expect(judgeOutcome(facts(1, { loop }))).toEqual({ outcome, reason, told: null });
});

test('a loop whose time was over has not solved the case, whatever it left', () => {
  for (const exit_code of [0, 3, 143, null]) {
    const loop = loopOf({ exit_code, is_late: true });
    expect(judgeOutcome(facts(0, { loop }))).toEqual({ outcome: 'fail', reason: 'timeout', told: null });
  }
});

test('a run that its session broke or killed has not solved the case; before a session that is the fault of the case', () => {
  const killed = loopOf({ exit_code: null, is_killed: true, has_session: false });
  const failed = { outcome: 'fail', reason: 'agent_failed', told: null };
  expect(judgeOutcome(facts(null, { loop: killed, sessions: [] }))).toEqual(failed);
  for (const error_code of ['GIT_NOT_A_REPO', 'GIT_FAILED', 'INTERRUPTED']) {
    expect(judgeOutcome(facts(1, { loop: loopOf({ error_code }), sessions: [] }))).toEqual(failed);
    const early = loopOf({ error_code, has_session: false });
    expect(judgeOutcome(facts(1, { loop: early, sessions: [] }))).toMatchObject({ reason: 'loop_failed' });
  }
});

test('time that went by in waits for the agent is not its own', () => {
  const loop = loopOf({ exit_code: 143, is_late: true });
  const sessions = [answered, { ...crashed, waited_secs: 15 }, { ...crashed, waited_secs: 27 }];
  expect(judgeOutcome(facts(143, { loop, sessions }))).toEqual({
    outcome: 'error',
    reason: 'agent_unavailable',
    told: 'it waited 42 s for the agent',
  });
});

test('an agent that never answered has failed, with what it said last; a limit is of who answers', () => {
  for (const loop of [limit, loopOf({ end: { status: 'limit', max_run_secs: 3 } })]) {
    expect(judgeOutcome(facts(1, { loop, sessions: [unfound, crashed] }))).toEqual({
      outcome: 'fail',
      reason: 'agent_failed',
      told: 'no session had an answer; the last: agent ended with exit code 7',
    });
    expect(judgeOutcome(facts(1, { loop, sessions: [crashed, answered] })).reason).toMatch(/_limit$/);
    expect(judgeOutcome(facts(1, { loop, sessions: [] })).reason).toMatch(/_limit$/);
  }
});

test.each([126, 127])('a shell that ends with %s at once found no agent', (exit_code) => {
  const first = { ...unfound, exit_code };
  const missing = { outcome: 'error', reason: 'agent_missing', told: 'command ended with exit code 127' };
  const given = { is_shell_line: true, loop: limit };
  expect(judgeOutcome(facts(1, { ...given, sessions: [first, first] }))).toEqual(missing);
  const failing = loopOf({ error_code: 'AGENT_FAILING' });
  expect(judgeOutcome(facts(1, { ...given, loop: failing, sessions: [first] }))).toEqual(missing);
  // Later, after an answer, or of another program it is an exit code like any other.
  for (const sessions of [
    [crashed, first],
    [first, answered],
  ])
    expect(judgeOutcome(facts(1, { ...given, sessions })).outcome).toBe('fail');
  expect(judgeOutcome(facts(1, { loop: limit, sessions: [first] })).outcome).toBe('fail');
});

test("a program of the workspace that is not there is the agent's fault", () => {
  const own = { ...unstarted, command: { ...command, exit_code: null, start_error: 'ENOENT', is_own: true } };
  expect(judgeOutcome(facts(0, { checks: [good, own] }))).toEqual({
    outcome: 'fail',
    reason: null,
    told: null,
  });
});

test('a check that could not be started is no verdict on the work, and no lost record', () => {
  expect(judgeOutcome(facts(0, { checks: [good, unstarted, bad] }))).toEqual({
    outcome: 'error',
    reason: 'toolchain_missing',
    told: null,
  });
});

test('a prompt that is not the recorded one counts before everything that came of it', () => {
  for (const code of [0, 1, 3]) {
    expect(judgeOutcome(facts(code, { replay_misses: [2] }))).toEqual({
      outcome: 'error',
      reason: 'replay_miss',
      told: null,
    });
  }
});

test('what is missing skips; what failed on the way is the reason', () => {
  expect(judgeOutcome(facts(null, { missing: ['go'], failure: 'start_failed' }))).toEqual({
    outcome: 'skipped',
    reason: 'requires_missing',
    told: null,
  });
  expect(judgeOutcome(facts(0, { failure: 'setup_failed', replay_misses: [1] }))).toEqual({
    outcome: 'error',
    reason: 'setup_failed',
    told: null,
  });
});

test('a reason is given for errors and skips; who is at fault follows from it; only exit 0 can succeed', () => {
  fc.assert(
    fc.property(
      fc.record({
        missing: fc.array(fc.constant('go'), { maxLength: 1 }),
        failure: fc.option(fc.constantFrom('setup_failed', 'start_failed', 'oracle_missing')),
        loop: fc.record({
          exit_code: fc.option(fc.constantFrom(0, 1, 2, 3, 130)),
          end: fc.option(
            fc.dictionary(fc.constantFrom('status', 'max_iterations'), fc.constantFrom('limit', 3)),
          ),
          error_code: fc.option(fc.constantFrom('AGENT_FAILING', 'GIT_FAILED')),
          is_late: fc.boolean(),
          is_killed: fc.boolean(),
          has_session: fc.boolean(),
        }),
        sessions: fc.array(fc.constantFrom(answered, crashed, unfound, { ...crashed, waited_secs: 3 })),
        is_shell_line: fc.boolean(),
        checks: fc.array(fc.constantFrom(good, bad, ran, unstarted)),
        replay_misses: fc.option(fc.array(fc.nat({ max: 9 }))),
      }),
      (made) => {
        const { outcome, reason } = judgeOutcome(made);
        if (outcome === 'error' || outcome === 'skipped') expect(reason).not.toBeNull();
        if (outcome === 'success' || outcome === 'stuck') expect(reason).toBeNull();
        if (outcome === 'fail' && reason !== null) expect(agentReasons).toContain(reason);
        if (outcome === 'error') expect(agentReasons).not.toContain(reason);
        if (outcome === 'success') {
          expect(made.loop.exit_code).toBe(0);
          expect(made.checks.every(({ passed }) => passed)).toBe(true);
        }
      },
    ),
  );
});
