import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decide } from '../../../src/core/iteration/outcome.ts';
import type { Outcome, OutcomeInput } from '../../../src/core/iteration/outcome-row.ts';
import type { GuardEnd, ReviewRun, SessionEnd } from '../../../src/core/agents/session.ts';
import type { LastRecord, SourceText } from '../../../src/core/types.ts';
import type { Judgement } from '../../../src/core/iteration/verdict.ts';
import {
  accepted,
  configWith,
  edited,
  guardWith,
  outcomeInput,
  recordWith,
  reviewWith,
  runStateWith,
  sessionWith,
  smallTree,
  textSource,
} from '../../support/facts.ts';

/** The agent's tree: `b` has another title, so that it can be told from the baseline. */
const agentTree = edited(smallTree(), 'b', (b) => ({ ...b, title: 'by the agent' }));
const violations = [{ path: 'root/a', message: 'is wrong' }];

/** Done with a green guard, then this review. */
function reviewed(review: ReviewRun | null, fields: Partial<OutcomeInput> = {}): Outcome {
  return decide(
    outcomeInput({
      judgement: accepted('done', { tree: agentTree }),
      guard: guardWith({ kind: 'passed' }, { output: 'all green\n' }),
      review,
      ...fields,
    }),
  );
}

const ending = (end: SessionEnd): ReviewRun => reviewWith({ verdict: 'pass', findings: [] }, { end });
const attempted = (tree: typeof agentTree, attempts: number): typeof agentTree =>
  edited(tree, 'a', (a) => ({ ...a, attempts }));

describe('a verdict (§5, §9 [review])', () => {
  test('pass: as without a review', () => {
    const outcome = reviewed(reviewWith({ verdict: 'pass', findings: ['a nit'] }));
    expect(outcome).toEqual(reviewed(null));
    expect(outcome).toMatchObject({ status: 'done', guard: 'pass', stop: null, failure: null });
  });

  test('fail: done/fail, the agent’s tree, one attempt, the findings told, goes on', () => {
    const outcome = reviewed(reviewWith({ verdict: 'fail', findings: ['no test', 'x is wrong'] }));
    expect(outcome).toMatchObject({
      status: 'done',
      guard: 'fail',
      tree: attempted(agentTree, 1),
      forgetLast: [],
      errorLog: null,
      marks: [],
      message: 'the review did not accept the work',
      stop: null,
      failure: null,
    });
    expect(outcome.last).toEqual({
      action: 'write',
      record: {
        iter: 7,
        summary: 'done summary',
        error: 'The check passed, but the review did not accept the work:\n- no test\n- x is wrong',
        guard_output: null,
      },
    });
    expect(outcome.runState).toMatchObject({
      last_status: 'done',
      last_guard: 'fail',
      last_summary: 'done summary',
      failures_in_a_row: 0,
      judged_sessions: 5,
    });
    expect(outcome.runState.nodes['a']).toEqual(recordWith());
  });

  test('fail: attempts saturate, and the last failed guard is not forgotten', () => {
    const last: LastRecord = { iter: 6, summary: 'old', error: null, guard_output: 'old failure' };
    const outcome = reviewed(reviewWith({ verdict: 'fail', findings: [] }), {
      judgement: accepted('done', { tree: smallTree({ attempts: 3 }) }),
      last,
    });
    expect(outcome.tree).toEqual(smallTree({ attempts: 3 }));
    expect(outcome.last).toMatchObject({ record: { guard_output: 'old failure' } });
  });

  const noVerdicts: readonly [string, SourceText][] = [
    ['no answer', { kind: 'missing' }],
    ['prose', textSource('pass')],
    ['another schema', textSource('{"status":"done","summary":"","children":null}')],
    ['too much', { kind: 'too_large', bytes: 70_000, bytesMax: 65_536 }],
    ['something unreadable', { kind: 'unreadable', message: 'not UTF-8' }],
  ];
  test.each(noVerdicts)('none (%s): the reviewer’s failure and no pass', (_what, answer) => {
    const outcome = reviewed(reviewWith(null, { answer }));
    expect(outcome).toMatchObject({
      status: 'retry',
      guard: 'skipped',
      tree: smallTree(),
      last: { action: 'keep' },
      forgetLast: [],
      errorLog: {
        file: 'agent_error.log',
        text: expect.stringMatching(/^the review gave no verdict: .+\n$/),
      },
      stop: null,
      failure: 'malformed',
    });
    expect(outcome.runState).toMatchObject({
      failures_in_a_row: 3,
      judged_sessions: 5,
      last_guard: 'skipped',
    });
  });

  test('none, agent.max_failures times in a row, stops', () => {
    const outcome = reviewed(reviewWith(null), {
      runState: runStateWith({ failures_in_a_row: 2 }),
      config: configWith({ agent: { max_failures: 3 } }),
    });
    expect(outcome.stop).toMatchObject({ kind: 'error', code: 'AGENT_FAILING' });
  });
});

describe('trouble of the reviewer follows the rows of the agent (§5)', () => {
  const ends: readonly SessionEnd[] = [
    { kind: 'interrupted', signal: 'SIGTERM' },
    { kind: 'out_of_time', seconds: 1700 },
    { kind: 'blocked', failure: 'not_logged_in', reason: 'not logged in', fix: 'claude, then /login' },
    { kind: 'blocked', failure: 'rate_limited', reason: 'limit', fix: 'wait' },
    { kind: 'failed', failure: 'crashed', reason: 'exit code 2' },
    { kind: 'failed', failure: 'silent', reason: 'silent for 600 s' },
    { kind: 'undone' },
  ];

  test.each(ends)('$kind $failure', (end) => {
    const outcome = reviewed(ending(end));
    const row = decide(outcomeInput({ session: sessionWith({ end }) }));
    expect(outcome).toMatchObject({
      status: 'retry',
      guard: 'skipped',
      tree: smallTree(),
      failure: row.failure,
      runState: row.runState,
    });
    if (end.kind === 'out_of_time') return;
    expect(outcome).toEqual(row);
  });

  test('out of time says where', () => {
    const outcome = reviewed(ending({ kind: 'out_of_time', seconds: 1700 }));
    expect(outcome.last).toMatchObject({ record: { error: 'out of time in the review after 1700 s' } });
    expect(outcome.stop).toMatchObject({
      code: 'ITERATION_TIMEOUT',
      message: 'iteration 7 ran out of time in the review after 1700 s (iteration_timeout_secs = 1800)',
    });
    const goOn = { config: configWith({ on_timeout: 'continue' }) };
    expect(reviewed(ending({ kind: 'out_of_time', seconds: 9 }), goOn)).toMatchObject({
      stop: null,
      failure: 'timed_out',
      runState: { failures_in_a_row: 3 },
    });
  });
});

const arbEnd = fc.constantFrom<SessionEnd[]>(
  { kind: 'exited' },
  { kind: 'exited' },
  { kind: 'interrupted', signal: 'SIGINT' },
  { kind: 'out_of_time', seconds: 1 },
  { kind: 'blocked', failure: 'quota', reason: 'r', fix: 'f' },
  { kind: 'failed', failure: 'crashed', reason: 'r' },
  { kind: 'undone' },
);
const arbGuard = fc.option(
  fc.constantFrom<GuardEnd[]>(
    { kind: 'passed' },
    { kind: 'passed' },
    { kind: 'failed', reason: 'exit code 1' },
    { kind: 'not_started', reason: 'r' },
    { kind: 'out_of_time', seconds: 1 },
    { kind: 'interrupted', signal: 'SIGINT' },
    { kind: 'cut_off' },
  ),
);
const arbJudgement = fc.constantFrom<Judgement[]>(
  accepted('done', { tree: agentTree }),
  accepted('done', { tree: agentTree }),
  accepted('retry', { tree: agentTree }),
  accepted('decomposed', { tree: agentTree }),
  { kind: 'no_answer', error: 'none' },
  { kind: 'malformed', violations },
  { kind: 'tree_invalid', violations, answered: true },
);
const arbReview: fc.Arbitrary<ReviewRun> = fc
  .tuple(
    arbEnd,
    fc.constantFrom('{"verdict":"pass","findings":[]}', '{"verdict":"fail","findings":[]}', 'pass'),
  )
  .map(([end, text]) => reviewWith(null, { end, answer: textSource(text) }));

test('a review can take a pass away; it can never give one (§1.2)', () => {
  const arb = fc.record({
    end: arbEnd,
    guard: arbGuard,
    judgement: arbJudgement,
    review: arbReview,
    purpose: fc.constantFrom<OutcomeInput['purpose'][]>('execute', 'execute', 'plan'),
    empty_change: fc.constantFrom('confirm', 'reject', 'allow'),
  });
  fc.assert(
    fc.property(arb, ({ end, guard, judgement, review, purpose, empty_change }) => {
      const input = outcomeInput({
        purpose,
        session: sessionWith({ end }),
        judgement: end.kind === 'exited' ? judgement : null,
        guard: guard === null ? null : guardWith(guard),
        config: configWith({ guard: { empty_change } }),
      });
      const without = decide(input);
      const outcome = decide({ ...input, review });
      if (without.guard !== 'pass') {
        expect(outcome.guard).not.toBe('pass');
        expect(outcome.tree.children.map(({ passes }) => passes)).toEqual([false, true, false]);
      } else {
        const isPass =
          review.end.kind === 'exited' &&
          review.answer.kind === 'text' &&
          review.answer.text.includes('"pass"');
        expect(outcome.guard === 'pass').toBe(isPass);
        if (isPass) expect(outcome).toEqual(without);
      }
    }),
  );
});
