import { describe, expect, test } from 'vitest';
import { lastRecordBytesMax } from '../../../src/core/limits.ts';
import { decide } from '../../../src/core/iteration/outcome.ts';
import type { Outcome, OutcomeInput, Stop } from '../../../src/core/iteration/outcome-row.ts';
import type { GuardEnd, SessionEnd } from '../../../src/core/agents/session.ts';
import { byteLength } from '../../../src/core/text/shorten.ts';
import { findNode } from '../../../src/core/tree/tree-walk.ts';
import type { LastRecord, TreeNode } from '../../../src/core/types.ts';
import type { Judgement } from '../../../src/core/iteration/verdict.ts';
import {
  accepted,
  configWith,
  edited,
  guardWith,
  outcomeInput,
  recordWith,
  runStateWith,
  sessionWith,
  sha256,
  smallTree,
  textSource,
} from '../../support/facts.ts';
import { node } from '../../support/trees.ts';

/** The agent's tree: `b` has another title, so that it can be told from the baseline. */
const agentTree = edited(smallTree(), 'b', (b) => ({ ...b, title: 'by the agent' }));
const decomposedTree = edited(agentTree, 'a', (a) => ({ ...a, children: [node('a.1')] }));
const violations = [{ path: 'root/a', message: 'is wrong' }];

const done = (end: GuardEnd, output = ''): Partial<OutcomeInput> => ({
  judgement: accepted('done', { tree: agentTree }),
  guard: guardWith(end, { output }),
});
const ended = (end: SessionEnd): Partial<OutcomeInput> => ({ session: sessionWith({ end }) });
const judged = (judgement: Judgement): Partial<OutcomeInput> => ({ judgement });
const unchanged = { workTree: 'base-tree' };

interface Expected {
  readonly row: string;
  readonly input: Partial<OutcomeInput>;
  readonly status?: Outcome['status'];
  readonly guard?: Outcome['guard'];
  readonly tree?: 'agent';
  /** Attempts of the selected leaf afterwards; 0 before. */
  readonly attempts?: 1;
  /** What last.json says; "nothing" and "–" leave it as it is. */
  readonly told?: Partial<LastRecord>;
  readonly log?: NonNullable<Outcome['errorLog']>;
  /** The code of an error, or the kind of another stop. */
  readonly stop?: string;
  /** 2 failures in a row and 4 judged sessions before. */
  readonly failures: 0 | 2 | 3;
  readonly judged: 4 | 5;
  readonly summary?: string;
}

const outOfTime = (where: string, seconds: number): string =>
  `out of time in the ${where} after ${seconds} s`;
const goOn = { config: configWith({ on_timeout: 'continue' }) };

const table: readonly Expected[] = [
  {
    row: 'interrupted in the agent',
    input: ended({ kind: 'interrupted', signal: 'SIGINT' }),
    stop: 'interrupted',
    failures: 2,
    judged: 4,
  },
  {
    row: 'interrupted in the guard',
    input: done({ kind: 'interrupted', signal: 'SIGHUP' }),
    stop: 'interrupted',
    failures: 2,
    judged: 4,
  },
  {
    row: 'budget used up in the agent, on_timeout=stop',
    input: ended({ kind: 'out_of_time', seconds: 1800 }),
    told: { error: outOfTime('agent', 1800) },
    log: { file: 'runner_error.log', text: `${outOfTime('agent', 1800)}\n` },
    stop: 'ITERATION_TIMEOUT',
    failures: 3,
    judged: 4,
  },
  {
    row: 'budget used up in the guard, on_timeout=stop',
    input: done({ kind: 'out_of_time', seconds: 9 }),
    told: { error: outOfTime('guard', 9) },
    log: { file: 'runner_error.log', text: `${outOfTime('guard', 9)}\n` },
    stop: 'ITERATION_TIMEOUT',
    failures: 3,
    judged: 4,
  },
  {
    row: 'budget used up in the agent, on_timeout=continue',
    input: { ...ended({ kind: 'out_of_time', seconds: 1800 }), ...goOn },
    told: { error: outOfTime('agent', 1800) },
    log: { file: 'runner_error.log', text: `${outOfTime('agent', 1800)}\n` },
    failures: 3,
    judged: 4,
  },
  {
    row: 'budget used up in the guard, on_timeout=continue',
    input: { ...done({ kind: 'out_of_time', seconds: 9 }), ...goOn },
    told: { error: outOfTime('guard', 9) },
    log: { file: 'runner_error.log', text: `${outOfTime('guard', 9)}\n` },
    failures: 3,
    judged: 4,
  },
  {
    row: 'not logged in',
    input: ended({
      kind: 'blocked',
      failure: 'not_logged_in',
      reason: 'not logged in',
      fix: 'codex login',
    }),
    log: { file: 'runner_error.log', text: 'not logged in\n' },
    stop: 'AGENT_BLOCKED',
    failures: 2,
    judged: 4,
  },
  {
    row: 'agent failed',
    input: ended({ kind: 'failed', failure: 'crashed', reason: 'exit code 2' }),
    log: { file: 'runner_error.log', text: 'exit code 2\n' },
    failures: 3,
    judged: 5,
  },
  { row: 'undone by a crash (§7)', input: ended({ kind: 'undone' }), failures: 2, judged: 4 },
  {
    row: 'tree.json is no tree, with an answer',
    input: judged({ kind: 'tree_invalid', violations, answered: true }),
    told: { error: 'tree.json is not a valid tree:\n- root/a: is wrong' },
    log: { file: 'agent_error.log', text: 'tree.json is not a valid tree: root/a: is wrong\n' },
    failures: 0,
    judged: 5,
  },
  {
    row: 'tree.json is no tree, without an answer',
    input: judged({ kind: 'tree_invalid', violations, answered: false }),
    told: { error: 'tree.json is not a valid tree:\n- root/a: is wrong' },
    log: { file: 'agent_error.log', text: 'tree.json is not a valid tree: root/a: is wrong\n' },
    failures: 2,
    judged: 5,
  },
  {
    row: 'no answer',
    input: judged({ kind: 'no_answer', error: 'there is no answer' }),
    told: { error: 'there is no answer' },
    log: { file: 'agent_error.log', text: 'the agent exited with 0 but gave no answer\n' },
    failures: 3,
    judged: 5,
  },
  {
    row: 'malformed',
    input: judged({ kind: 'malformed', violations }),
    attempts: 1,
    told: { error: 'The last answer broke the rules:\n- root/a: is wrong' },
    log: { file: 'agent_error.log', text: 'The last answer broke the rules: root/a: is wrong\n' },
    failures: 0,
    judged: 5,
  },
  {
    row: 'retry',
    input: judged(accepted('retry', { tree: agentTree })),
    tree: 'agent',
    attempts: 1,
    told: { summary: 'retry summary' },
    summary: 'retry summary',
    failures: 0,
    judged: 5,
  },
  {
    row: 'done, empty change, reject',
    input: {
      ...judged(accepted('done', { tree: agentTree })),
      ...unchanged,
      config: configWith({ guard: { empty_change: 'reject' } }),
    },
    tree: 'agent',
    attempts: 1,
    told: {
      summary: 'done summary',
      error: expect.stringMatching(/^The last session said done, but nothing/),
    },
    summary: 'done summary',
    failures: 0,
    judged: 5,
  },
  {
    row: 'done, empty change, confirm, first time',
    input: { ...judged(accepted('done', { tree: agentTree })), ...unchanged },
    tree: 'agent',
    told: {
      summary: 'done summary',
      error: expect.stringMatching(/^The last session said done, but nothing/),
    },
    summary: 'done summary',
    failures: 0,
    judged: 5,
  },
  {
    row: 'done, guard could not start',
    input: done({ kind: 'not_started', reason: 'no such program: just' }),
    log: { file: 'runner_error.log', text: 'the guard could not be started: no such program: just\n' },
    stop: 'GUARD_NOT_STARTED',
    failures: 0,
    judged: 5,
  },
  {
    row: 'done, guard failed',
    input: done({ kind: 'failed', reason: 'exit code 1' }, '\u001B[31mbad\u001B[0m\r\n'),
    status: 'done',
    guard: 'fail',
    tree: 'agent',
    attempts: 1,
    told: { summary: 'done summary', guard_output: 'exit code 1\n\nbad' },
    summary: 'done summary',
    failures: 0,
    judged: 5,
  },
  {
    row: 'done, guard cut off by a crash twice (§7)',
    input: done({ kind: 'cut_off' }),
    tree: 'agent',
    attempts: 1,
    told: { summary: 'done summary', error: expect.stringMatching(/cut off by a crash .* twice/) },
    log: { file: 'runner_error.log', text: expect.stringMatching(/cut off by a crash .* twice.*\n$/) },
    summary: 'done summary',
    failures: 0,
    judged: 5,
  },
];

function stopOf(stop: Stop | null): string | undefined {
  if (stop === null) return undefined;
  return stop.kind === 'error' ? stop.code : stop.kind;
}

describe('the outcome table, row by row (§5)', () => {
  test.each(table)('$row', (expected) => {
    const outcome = decide(outcomeInput(expected.input));
    const base = expected.tree === 'agent' ? agentTree : smallTree();
    expect(outcome).toMatchObject({
      status: expected.status ?? 'retry',
      guard: expected.guard ?? 'skipped',
      tree: edited(base, 'a', (a) => ({ ...a, attempts: expected.attempts ?? 0 })),
      errorLog: expected.log ?? null,
      marks: [],
      forgetLast: [],
    });
    expect(outcome.last).toEqual(
      expected.told === undefined
        ? { action: 'keep' }
        : {
            action: 'write',
            record: { iter: 7, summary: null, error: null, guard_output: null, ...expected.told },
          },
    );
    expect(stopOf(outcome.stop)).toBe(expected.stop);
    expect(outcome.runState).toMatchObject({
      run_id: 'demo',
      next_iter: 8,
      last_status: expected.status ?? 'retry',
      last_summary: expected.summary ?? null,
      last_guard: expected.guard ?? 'skipped',
      failures_in_a_row: expected.failures,
      judged_sessions: expected.judged,
      totals: { tokens: null, cost_usd: null, seconds: 12 },
    });
    expect(outcome.message).not.toBe('');
  });

  test('decomposed: the new tree, no attempt, last.json goes', () => {
    const outcome = decide(outcomeInput(judged(accepted('decomposed', { tree: decomposedTree }))));
    expect(outcome).toMatchObject({
      status: 'decomposed',
      guard: 'skipped',
      tree: decomposedTree,
      last: { action: 'keep' },
      forgetLast: ['a'],
      errorLog: null,
      stop: null,
      runState: {
        last_status: 'decomposed',
        last_summary: 'decomposed summary',
        failures_in_a_row: 0,
        judged_sessions: 5,
        nodes: { a: recordWith() },
      },
    });
  });

  test('done, guard 0: the leaf passes without using an attempt, its records go', () => {
    const runState = runStateWith({ nodes: { a: recordWith(), b: recordWith({ base: 'other' }) } });
    const outcome = decide(outcomeInput({ ...done({ kind: 'passed' }), runState }));
    expect(outcome).toMatchObject({
      status: 'done',
      guard: 'pass',
      tree: edited(agentTree, 'a', (a) => ({ ...a, passes: true })),
      last: { action: 'keep' },
      forgetLast: ['a'],
      errorLog: null,
      marks: [],
      stop: null,
    });
    expect(outcome.runState).toMatchObject({ last_status: 'done', last_guard: 'pass', failures_in_a_row: 0 });
    expect(outcome.runState.nodes).toEqual({ b: recordWith({ base: 'other' }) });
  });

  test('the last leaf completes the tree', () => {
    const before = node('root', { children: [node('p', { passes: true }), node('a', { order: 1 })] });
    const judgement = accepted('done', { tree: before });
    const outcome = decide(outcomeInput({ before, judgement, guard: guardWith({ kind: 'passed' }) }));
    expect(outcome.tree.passes).toBe(true);
  });

  test('rows above win: an interrupt in the guard over its time, an agent out of time over a valid answer', () => {
    const answer = done({ kind: 'passed' });
    const late = ended({ kind: 'out_of_time', seconds: 5 });
    expect(stopOf(decide(outcomeInput({ ...answer, ...late })).stop)).toBe('ITERATION_TIMEOUT');
    const cut = ended({ kind: 'interrupted', signal: 'SIGTERM' });
    const outcome = decide(outcomeInput({ ...done({ kind: 'out_of_time', seconds: 5 }), ...cut }));
    expect(outcome.stop).toEqual({ kind: 'interrupted', signal: 'SIGTERM' });
    expect(outcome.message).toBe('interrupted by SIGTERM');
    const failed = ended({ kind: 'failed', failure: 'crashed', reason: 'exit code 1' });
    expect(decide(outcomeInput({ ...answer, ...failed, guard: null }))).toMatchObject({
      status: 'retry',
      tree: smallTree(),
    });
  });

  test('a session that ended by itself must have been judged', () => {
    expect(() => decide(outcomeInput())).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
  });
});

describe('stops name what helps', () => {
  test('out of time names the setting', () => {
    const { stop } = decide(outcomeInput(ended({ kind: 'out_of_time', seconds: 1800 })));
    expect(stop).toEqual({
      kind: 'error',
      code: 'ITERATION_TIMEOUT',
      message: 'iteration 7 ran out of time in the agent after 1800 s (iteration_timeout_secs = 1800)',
      hint: expect.stringMatching(/iteration_timeout_secs.*on_timeout.*runner loop$/),
    });
  });

  test('a blocked agent has its fix as the hint', () => {
    const { stop } = decide(
      outcomeInput(ended({ kind: 'blocked', failure: 'quota', reason: 'no quota', fix: 'wait a day' })),
    );
    expect(stop).toEqual({ kind: 'error', code: 'AGENT_BLOCKED', message: 'no quota', hint: 'wait a day' });
  });

  test('a guard that cannot start names guard.command', () => {
    const { stop } = decide(outcomeInput(done({ kind: 'not_started', reason: 'not found' })));
    expect(stop).toMatchObject({
      message: 'the guard could not be started: not found',
      hint: expect.stringContaining('guard.command'),
    });
  });
});

describe('agent.max_failures in a row (§1.6)', () => {
  const failing = (before: number, input: Partial<OutcomeInput>): Outcome =>
    decide(
      outcomeInput({
        runState: runStateWith({ failures_in_a_row: before }),
        config: configWith({ agent: { max_failures: 3 }, on_timeout: 'continue' }),
        ...input,
      }),
    );
  const counted: readonly [string, Partial<OutcomeInput>][] = [
    ['agent failed', ended({ kind: 'failed', failure: 'crashed', reason: 'exit code 2' })],
    ['out of time', ended({ kind: 'out_of_time', seconds: 1 })],
    ['out of time in the guard', done({ kind: 'out_of_time', seconds: 1 })],
    ['no answer', judged({ kind: 'no_answer', error: 'there is no answer' })],
  ];

  test.each(counted)('%s counts, and the third stops', (_what, input) => {
    expect(failing(0, input)).toMatchObject({ stop: null, runState: { failures_in_a_row: 1 } });
    expect(failing(1, input)).toMatchObject({ stop: null, runState: { failures_in_a_row: 2 } });
    const third = failing(2, input);
    expect(third.stop).toEqual({
      kind: 'error',
      code: 'AGENT_FAILING',
      message: `the agent failed 3 times in a row (agent.max_failures): ${third.message}`,
      hint: expect.stringContaining('runner loop'),
    });
  });

  test('only a counted failure stops, however many there were', () => {
    expect(failing(9, ended({ kind: 'undone' })).stop).toBeNull();
    expect(failing(9, judged({ kind: 'tree_invalid', violations, answered: false })).stop).toBeNull();
    expect(failing(9, judged({ kind: 'malformed', violations }))).toMatchObject({
      stop: null,
      runState: { failures_in_a_row: 0 },
    });
  });
});

describe('what is remembered of a node (§2 run_state.json)', () => {
  test.each<[string, Partial<OutcomeInput>]>([
    ['an interrupted', ended({ kind: 'interrupted', signal: 'SIGINT' })],
    ['an undone', ended({ kind: 'undone' })],
    ['a judged', judged(accepted('retry'))],
  ])('%s first iteration already fixes the base', (_what, input) => {
    const nodes = { b: recordWith({ base: 'other' }) };
    const outcome = decide(outcomeInput({ ...input, runState: runStateWith({ nodes }) }));
    expect(outcome.runState.nodes).toEqual({ ...nodes, a: recordWith() });
  });

  test('seconds add up', () => {
    const runState = runStateWith({ totals: { tokens: 5, cost_usd: 0.5, seconds: 100 } });
    const outcome = decide(outcomeInput({ ...judged(accepted('retry')), runState }));
    expect(outcome.runState.totals).toEqual({ tokens: 5, cost_usd: 0.5, seconds: 112 });
  });
});

describe('last.json (§2, §6)', () => {
  const last: LastRecord = { iter: 6, summary: 'old', error: 'old error', guard_output: 'old failure' };

  test('the output of the last failed guard stays until a newer one replaces it', () => {
    const kept = decide(outcomeInput({ ...judged(accepted('retry')), last }));
    expect(kept.last).toMatchObject({
      record: { summary: 'retry summary', error: null, guard_output: 'old failure' },
    });
    const newer = decide(outcomeInput({ ...done({ kind: 'failed', reason: 'new' }), last }));
    expect(newer.last).toMatchObject({ record: { guard_output: 'new' } });
  });

  test('a missing answer and an invalid one are reported in different words', () => {
    const input = judged({ kind: 'no_answer', error: 'the answer is not JSON' });
    expect(decide(outcomeInput(input)).message).toBe('the agent exited with 0 but gave no answer');
    const session = sessionWith({ answer: textSource('{') });
    expect(decide(outcomeInput({ ...input, session })).message).toBe('the answer is not JSON');
  });

  test('protected files that were put back are told, with or without another error', () => {
    const session = sessionWith({ protected_paths: ['justfile', 'test/a'] });
    const note = 'These files are protected (guard.policy) and were put back: justfile, test/a';
    expect(decide(outcomeInput({ ...judged(accepted('retry')), session })).last).toMatchObject({
      record: { error: note },
    });
    expect(
      decide(outcomeInput({ ...judged({ kind: 'no_answer', error: 'none' }), session })).last,
    ).toMatchObject({
      record: { error: `none\n${note}` },
    });
  });

  test('it is within its limit whatever is told', () => {
    const long = Array.from({ length: 60 }, () => ({ path: '"/'.repeat(4000), message: '\\'.repeat(4000) }));
    const record = decide(outcomeInput({ ...judged({ kind: 'malformed', violations: long }), last })).last;
    expect(byteLength(JSON.stringify(record))).toBeLessThanOrEqual(lastRecordBytesMax);
  });

  test('it goes with every open leaf that passed, was decomposed or removed, wherever it stands', () => {
    const tree = edited(
      edited(smallTree(), 'b', () => null),
      'a',
      (a) => ({ ...a, children: [node('x')] }),
    );
    expect(decide(outcomeInput(judged(accepted('decomposed', { tree })))).forgetLast).toEqual(['a', 'b']);
  });
});

describe('retry with changed texts (§5)', () => {
  test('is marked in the commit and told', () => {
    const outcome = decide(outcomeInput(judged(accepted('retry', { textChanged: true }))));
    expect(outcome.marks).toEqual(['changed-goal']);
    expect(outcome.last).toMatchObject({
      record: {
        summary: 'retry summary',
        error: expect.stringMatching(/changed the title, goal or acceptance/),
      },
    });
  });
});

describe('the empty change (§9)', () => {
  test('confirm: asking is remembered, once', () => {
    const outcome = decide(outcomeInput({ ...judged(accepted('done')), ...unchanged }));
    expect(outcome.runState.nodes['a']).toEqual(recordWith({ confirm_asked: true }));
    expect(findNode(outcome.tree, 'a')?.attempts).toBe(0);
  });

  const confirmed = { ...unchanged, record: recordWith({ confirm_asked: true }) };
  test.each<[string, Partial<OutcomeInput>, readonly string[]]>([
    ['the second time the guard decides and a pass is marked', confirmed, ['confirmed-empty-change']],
    ['a change after all needs no mark', { record: recordWith({ confirm_asked: true }) }, []],
    ['allow: a pass like any other', unchanged, []],
    ['no base: not empty', { ...confirmed, record: recordWith({ confirm_asked: true, base: null }) }, []],
  ])('%s', (_what, input, marks) => {
    const outcome = decide(outcomeInput({ ...done({ kind: 'passed' }), ...input }));
    expect(outcome).toMatchObject({ status: 'done', guard: 'pass', marks });
  });

  test('the second time a red guard fails it like any other', () => {
    const outcome = decide(
      outcomeInput({ ...done({ kind: 'failed', reason: 'exit code 1' }), ...confirmed }),
    );
    expect(outcome).toMatchObject({ status: 'done', guard: 'fail', marks: [] });
    expect(findNode(outcome.tree, 'a')?.attempts).toBe(1);
  });

  test('reject uses an attempt and asks nothing', () => {
    const config = configWith({ guard: { empty_change: 'reject' } });
    const outcome = decide(outcomeInput({ ...judged(accepted('done')), ...unchanged, config }));
    expect(outcome.runState.nodes['a']).toEqual(recordWith());
  });
});

describe('an invalid tree and REPAIR (§5)', () => {
  const invalid = judged({ kind: 'tree_invalid', violations, answered: true });
  const session = sessionWith({ agent_tree: textSource('{ broken') });
  const pending = (count: number): Partial<OutcomeInput> => ({
    purpose: 'repair',
    runState: runStateWith({
      next_iter: 7,
      failures_in_a_row: 2,
      judged_sessions: 4,
      repair: { node_id: 'a', count, sha256: 'rejected' },
      nodes: { a: recordWith({ invalid_trees: 1 }) },
    }),
    record: recordWith({ invalid_trees: 1 }),
  });
  const fruitless = judged({ kind: 'fruitless', violations, answered: true });
  const attempts = (outcome: Outcome): number | undefined => findNode(outcome.tree, 'a')?.attempts;

  test('the first one: rejected text and repair state, no attempt', () => {
    const outcome = decide(outcomeInput({ ...invalid, session }));
    expect(outcome).toMatchObject({
      tree: smallTree(),
      rejected: { action: 'write', text: '{ broken' },
      runState: {
        repair: { node_id: 'a', count: 0, sha256: sha256('{ broken') },
        nodes: { a: recordWith({ invalid_trees: 1 }) },
      },
      stop: null,
    });
  });

  test.each([1, 2])('%i before on the same leaf: one attempt', (invalid_trees) => {
    const outcome = decide(outcomeInput({ ...invalid, session, record: recordWith({ invalid_trees }) }));
    expect(attempts(outcome)).toBe(1);
    expect(outcome.runState.nodes['a']?.invalid_trees).toBe(invalid_trees + 1);
    expect(outcome.runState.repair).toMatchObject({ count: 0 });
  });

  test('over 1 MiB, or no text at all: only in the log, still a repair', () => {
    const large = sessionWith({ agent_tree: textSource('x'.repeat(1024 * 1024 + 1)) });
    expect(decide(outcomeInput({ ...invalid, session: large }))).toMatchObject({
      rejected: { action: 'remove' },
      runState: { repair: { node_id: 'a', count: 0 } },
    });
    const gone = sessionWith({ agent_tree: { kind: 'unreadable', message: 'not UTF-8' } });
    expect(decide(outcomeInput({ ...invalid, session: gone }))).toMatchObject({
      rejected: { action: 'remove' },
      runState: { repair: { sha256: sha256('') } },
    });
  });

  test('tree.max_repairs = 0: dropped at once, with the attempt that a dropped tree costs', () => {
    const config = configWith({ tree: { max_repairs: 0 } });
    const outcome = decide(outcomeInput({ ...invalid, session, config }));
    expect(outcome.runState.repair).toBeNull();
    expect(outcome.rejected.action).not.toBe('write');
    expect(attempts(outcome)).toBe(1);
    expect(outcome.last).toMatchObject({ record: { error: expect.stringContaining('is wrong') } });
  });

  test('a fruitless repair counts and keeps what is rejected', () => {
    const outcome = decide(outcomeInput({ ...pending(0), ...fruitless }));
    expect(outcome).toMatchObject({
      status: 'retry',
      guard: 'skipped',
      tree: smallTree(),
      last: { action: 'keep' },
      rejected: { action: 'keep' },
      errorLog: { file: 'agent_error.log', text: expect.stringContaining(': root/a: is wrong\n') },
      stop: null,
      runState: {
        repair: { node_id: 'a', count: 1, sha256: 'rejected' },
        failures_in_a_row: 0,
        judged_sessions: 5,
      },
    });
    expect(outcome.runState.nodes['a']).toEqual(recordWith({ invalid_trees: 1 }));
  });

  test('after tree.max_repairs fruitless ones it is dropped and the leaf uses an attempt', () => {
    const outcome = decide(outcomeInput({ ...pending(1), ...fruitless }));
    expect(outcome).toMatchObject({ rejected: { action: 'remove' }, runState: { repair: null }, stop: null });
    expect(attempts(outcome)).toBe(1);
    const three = configWith({ tree: { max_repairs: 3 } });
    const kept = decide(outcomeInput({ ...pending(1), ...fruitless, config: three }));
    expect(kept).toMatchObject({ rejected: { action: 'keep' }, runState: { repair: { count: 2 } } });
    expect(attempts(kept)).toBe(0);
  });

  test('a leaf that is none any more, or is gone, uses no attempt', () => {
    const split = edited(smallTree(), 'a', (a) => ({ ...a, children: [node('x')] }));
    expect(decide(outcomeInput({ ...pending(1), ...fruitless, before: split })).tree).toEqual(split);
    const gone = edited(smallTree(), 'a', () => null);
    expect(decide(outcomeInput({ ...pending(1), ...fruitless, before: gone })).tree).toEqual(gone);
  });

  test('a valid tree ends the repair', () => {
    const repaired: Judgement = { kind: 'repaired', tree: agentTree, answered: true };
    expect(decide(outcomeInput({ ...pending(1), ...judged(repaired) }))).toMatchObject({
      status: 'retry',
      guard: 'skipped',
      tree: agentTree,
      last: { action: 'keep' },
      rejected: { action: 'remove' },
      errorLog: null,
      stop: null,
      runState: { repair: null, failures_in_a_row: 0, judged_sessions: 5 },
    });
  });

  test.each([fruitless, judged({ kind: 'repaired', tree: smallTree(), answered: true })])(
    'the answer may be missing: no failure, and none forgiven',
    (input) => {
      const judgement = { ...input.judgement, answered: false } as Judgement;
      const outcome = decide(outcomeInput({ ...pending(0), judgement }));
      expect(outcome.runState.failures_in_a_row).toBe(2);
      expect(outcome.stop).toBeNull();
    },
  );

  test.each<[string, Partial<OutcomeInput>, 2 | 3]>([
    ['interrupted', ended({ kind: 'interrupted', signal: 'SIGINT' }), 2],
    ['out of time', { ...ended({ kind: 'out_of_time', seconds: 1 }), ...goOn }, 3],
    ['blocked', ended({ kind: 'blocked', failure: 'quota', reason: 'r', fix: 'f' }), 2],
    ['failed', ended({ kind: 'failed', failure: 'silent', reason: 'r' }), 3],
    ['undone', ended({ kind: 'undone' }), 2],
  ])('a repair session that was %s is not fruitless', (_what, input, failures) => {
    const outcome = decide(outcomeInput({ ...pending(1), ...input }));
    expect(outcome.runState).toMatchObject({ repair: { count: 1 }, failures_in_a_row: failures });
    expect(outcome).toMatchObject({ rejected: { action: 'keep' }, tree: smallTree() });
  });

  test('a repair makes no record of a node that has none', () => {
    const runState = runStateWith({ repair: { node_id: 'gone', count: 0, sha256: 's' } });
    const outcome = decide(outcomeInput({ purpose: 'repair', nodeId: 'gone', runState, ...fruitless }));
    expect(outcome.runState.nodes).toEqual({});
  });
});

describe('the planning session of on_stuck = "decompose" (§4)', () => {
  const stuck = smallTree({ attempts: 3 });
  const plan: Partial<OutcomeInput> = {
    purpose: 'plan',
    before: stuck,
    config: configWith({ on_stuck: 'decompose' }),
  };

  test('decomposed is accepted', () => {
    const tree = edited(stuck, 'a', (a) => ({ ...a, children: [node('a.1')] }));
    const outcome = decide(outcomeInput({ ...plan, ...judged(accepted('decomposed', { tree })) }));
    expect(outcome).toMatchObject({ status: 'decomposed', guard: 'skipped', tree, stop: null });
    expect(outcome.runState.nodes['a']).toEqual(recordWith({ decompose_used: true }));
  });

  test.each<[string, Judgement]>([
    ['done', accepted('done', { tree: agentTree })],
    ['retry', accepted('retry', { tree: agentTree })],
    ['no answer', { kind: 'no_answer', error: 'there is no answer' }],
    ['malformed', { kind: 'malformed', violations }],
    ['an invalid tree', { kind: 'tree_invalid', violations, answered: true }],
  ])('%s uses it up: baseline, no REPAIR, stuck', (_what, judgement) => {
    const outcome = decide(outcomeInput({ ...plan, judgement }));
    expect(outcome).toMatchObject({
      status: 'retry',
      guard: 'skipped',
      tree: stuck,
      last: { action: 'keep' },
      rejected: { action: 'keep' },
      errorLog: { file: 'agent_error.log', text: expect.stringMatching(/did not decompose 'a': .+\n$/) },
      stop: { kind: 'stuck' },
      runState: { repair: null, judged_sessions: 5 },
    });
    expect(outcome.runState.nodes['a']).toEqual(recordWith({ decompose_used: true }));
  });

  test.each<[string, SessionEnd]>([
    ['interrupted', { kind: 'interrupted', signal: 'SIGINT' }],
    ['failed', { kind: 'failed', failure: 'crashed', reason: 'exit code 1' }],
    ['undone', { kind: 'undone' }],
  ])('%s does not', (_what, end) => {
    const outcome = decide(outcomeInput({ ...plan, ...ended(end) }));
    expect(outcome.runState.nodes['a']).toEqual(recordWith());
    expect(stopOf(outcome.stop)).not.toBe('stuck');
  });

  test('once used it stays used when the node is decomposed later', () => {
    const record = recordWith({ decompose_used: true });
    const tree: TreeNode = decomposedTree;
    const outcome = decide(outcomeInput({ ...judged(accepted('decomposed', { tree })), record }));
    expect(outcome.runState.nodes['a']).toEqual(record);
  });
});

test('what guard.checkout = "auto" came to is kept until another run decides anew', () => {
  const checkout = { mode: 'final', reason: 'green there', sha256: 's' } as const;
  const input = outcomeInput({
    judgement: accepted('done'),
    guard: guardWith({ kind: 'passed' }, { checkout }),
  });
  const { runState } = decide(input);
  expect(runState.guard_checkout).toEqual(checkout);
  expect(decide({ ...input, runState, guard: null }).runState.guard_checkout).toEqual(checkout);
});
