import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { failureKinds } from '../../../src/core/agents/failure.ts';
import { lastRecordBytesMax } from '../../../src/core/limits.ts';
import { decide } from '../../../src/core/iteration/outcome.ts';
import type { OutcomeInput } from '../../../src/core/iteration/outcome-row.ts';
import type { SessionEnd } from '../../../src/core/agents/session.ts';
import { byteLength } from '../../../src/core/text/shorten.ts';
import type { Spent } from '../../../src/core/agents/usage.ts';
import { addSpent, addUsage, spentOf, unknownUsage } from '../../../src/core/agents/usage.ts';
import type { Judgement } from '../../../src/core/iteration/verdict.ts';
import {
  accepted,
  guardWith,
  outcomeInput,
  recordWith,
  reviewWith,
  runStateWith,
  sessionWith,
  usageWith,
} from '../../support/facts.ts';
import { arbPlay, playAll, targetId } from '../../support/whole-run.ts';

const unknownSpent: Spent = { tokens: null, cost_usd: null };
const usage = usageWith({ input_tokens: 100, cached_input_tokens: 90, output_tokens: 20, cost_usd: 0.1 });
const record = recordWith({ tokens: 1000, cost_usd: 0.5 });
const totals = { tokens: 5000, cost_usd: 1.5, seconds: 100 };
const retry = accepted('retry');

const known: Partial<OutcomeInput> = {
  record,
  runState: runStateWith({ totals, nodes: { a: record } }),
  session: sessionWith({ usage }),
};

describe('what an iteration used is added up (§8)', () => {
  test('for the iteration, for the node, for the run', () => {
    const outcome = decide(outcomeInput({ ...known, judgement: retry }));
    expect(outcome.spent).toEqual({
      iteration: { tokens: 120, cost_usd: 0.1 },
      node: { tokens: 1120, cost_usd: 0.6 },
      run: { tokens: 5120, cost_usd: 1.6 },
    });
    expect(outcome.runState.totals).toEqual({ tokens: 5120, cost_usd: 1.6, seconds: 112 });
    expect(outcome.runState.nodes['a']).toEqual({ ...record, tokens: 1120, cost_usd: 0.6 });
  });

  test('with what the reviewer used', () => {
    const review = reviewWith(
      { verdict: 'fail', findings: [] },
      { usage: usageWith({ output_tokens: 7, cost_usd: 0.2 }) },
    );
    const outcome = decide(
      outcomeInput({ ...known, judgement: accepted('done'), guard: guardWith({ kind: 'passed' }), review }),
    );
    expect(outcome.spent.iteration).toEqual({ tokens: 127, cost_usd: 0.3 });
    expect(outcome.runState.totals).toMatchObject({ tokens: 5127, cost_usd: 1.8 });
  });

  test('what nobody reported stays unknown, what was known stays known', () => {
    const fresh = decide(outcomeInput({ judgement: retry }));
    expect(fresh.spent).toEqual({ iteration: unknownSpent, node: unknownSpent, run: unknownSpent });
    const later = decide(outcomeInput({ ...known, session: sessionWith(), judgement: retry }));
    expect(later.spent).toEqual({
      iteration: unknownSpent,
      node: { tokens: 1000, cost_usd: 0.5 },
      run: { tokens: 5000, cost_usd: 1.5 },
    });
    const first = decide(outcomeInput({ session: sessionWith({ usage }), judgement: retry }));
    expect(first.spent.run).toEqual({ tokens: 120, cost_usd: 0.1 });
  });

  test('a node that passed is forgotten, but what it took is told once more', () => {
    const outcome = decide(
      outcomeInput({ ...known, judgement: accepted('done'), guard: guardWith({ kind: 'passed' }) }),
    );
    expect(outcome.guard).toBe('pass');
    expect(outcome.runState.nodes).toEqual({});
    expect(outcome.spent.node).toEqual({ tokens: 1120, cost_usd: 0.6 });
    expect(outcome.spent.run).toEqual({ tokens: 5120, cost_usd: 1.6 });
  });

  const unaccepted: readonly [string, Partial<OutcomeInput>][] = [
    ['interrupted', { session: sessionWith({ usage, end: { kind: 'interrupted', signal: 'SIGINT' } }) }],
    ['undone by a crash', { session: sessionWith({ usage, end: { kind: 'undone' } }) }],
    ['out of time', { session: sessionWith({ usage, end: { kind: 'out_of_time', seconds: 1 } }) }],
    [
      'failed',
      { session: sessionWith({ usage, end: { kind: 'failed', failure: 'crashed', reason: 'exit code 1' } }) },
    ],
    ['without an answer', { judgement: { kind: 'no_answer', error: 'none' } }],
    ['malformed', { judgement: { kind: 'malformed', violations: [] } }],
    ['with an invalid tree', { judgement: { kind: 'tree_invalid', violations: [], answered: true } }],
  ];
  test.each(unaccepted)('a session that was %s has used what it used', (_what, input) => {
    const outcome = decide(outcomeInput({ ...known, ...input }));
    expect(outcome.runState.totals).toEqual({ tokens: 5120, cost_usd: 1.6, seconds: 112 });
    expect(outcome.runState.nodes['a']).toMatchObject({ tokens: 1120, cost_usd: 0.6 });
  });

  test('a repair is paid for by the leaf that caused it, if it is remembered', () => {
    const repair = { node_id: 'a', count: 0, sha256: 's' };
    const repaired: Judgement = { kind: 'repaired', tree: outcomeInput().before, answered: true };
    const outcome = decide(
      outcomeInput({
        ...known,
        purpose: 'repair',
        judgement: repaired,
        runState: runStateWith({ totals, repair, nodes: { a: record } }),
      }),
    );
    expect(outcome.runState.nodes['a']).toEqual({ ...record, tokens: 1120, cost_usd: 0.6 });
    const gone = decide(
      outcomeInput({
        ...known,
        purpose: 'repair',
        judgement: repaired,
        runState: runStateWith({ totals, repair }),
      }),
    );
    expect(gone.runState.nodes).toEqual({});
    expect(gone.runState.totals).toMatchObject({ tokens: 5120 });
  });
});

test('over whole runs the sums are those of the iterations and are never reset (§1.6)', () => {
  fc.assert(
    fc.property(arbPlay, (input) => {
      let run = unknownSpent;
      let seconds = 0;
      const nodes = new Map<string, Spent>();
      playAll(input, ({ before, after, selection, played, outcome, review }) => {
        const id = targetId(selection);
        const used = spentOf(addUsage(played.session.usage, review?.usage ?? unknownUsage));
        run = addSpent(run, used);
        seconds += 1;
        expect(outcome.spent).toMatchObject({ iteration: used, run });
        expect(after.runState.totals).toEqual({ ...run, seconds });
        // A repair for a leaf nobody remembers is paid for by the run alone.
        if (selection.kind === 'repair' && !Object.hasOwn(before.runState.nodes, id)) return;
        nodes.set(id, addSpent(nodes.get(id) ?? unknownSpent, used));
        expect(outcome.spent.node).toEqual(nodes.get(id));
        expect(after.runState.nodes[id] ?? outcome.spent.node).toMatchObject(outcome.spent.node);
      });
    }),
  );
});

describe('what was wrong with the agent is named', () => {
  const failureOf = (input: Partial<OutcomeInput>): string | null => decide(outcomeInput(input)).failure;
  const ended = (end: SessionEnd): Partial<OutcomeInput> => ({ session: sessionWith({ end }) });

  test.each(failureKinds)('%s, as the session found it', (failure) => {
    expect(failureOf(ended({ kind: 'failed', failure, reason: 'r' }))).toBe(failure);
    expect(failureOf(ended({ kind: 'blocked', failure, reason: 'r', fix: 'f' }))).toBe(failure);
  });

  test.each<[string, Partial<OutcomeInput>, string | null]>([
    ['out of time', ended({ kind: 'out_of_time', seconds: 1 }), 'timed_out'],
    ['no answer', { judgement: { kind: 'no_answer', error: 'none' } }, 'malformed'],
    [
      'no answer to a plan',
      { purpose: 'plan', judgement: { kind: 'no_answer', error: 'none' } },
      'malformed',
    ],
    ['interrupted', ended({ kind: 'interrupted', signal: 'SIGINT' }), null],
    ['undone', ended({ kind: 'undone' }), null],
    ['retry', { judgement: retry }, null],
    ['broken rules', { judgement: { kind: 'malformed', violations: [] } }, null],
    [
      'a red guard',
      { judgement: accepted('done'), guard: guardWith({ kind: 'failed', reason: 'exit code 1' }) },
      null,
    ],
    [
      'a guard out of time',
      { judgement: accepted('done'), guard: guardWith({ kind: 'out_of_time', seconds: 1 }) },
      null,
    ],
    ['a pass', { judgement: accepted('done'), guard: guardWith({ kind: 'passed' }) }, null],
  ])('%s', (_what, input, failure) => {
    expect(failureOf(input)).toBe(failure);
  });
});

describe('what the agent was refused is told to the next session', () => {
  const denials = ['Bash git push', 'AskUserQuestion Which one?'];
  const refused =
    'The last session was refused the following; find another way:\n- Bash git push\n- AskUserQuestion Which one?';
  const errorOf = (input: Partial<OutcomeInput>): string | null | undefined => {
    const { last } = decide(outcomeInput(input));
    return last.action === 'write' ? last.record.error : undefined;
  };

  test.each<[string, Partial<OutcomeInput>, string]>([
    ['alone', { judgement: retry, session: sessionWith({ denials }) }, refused],
    [
      'with another error',
      { judgement: { kind: 'no_answer', error: 'none' }, session: sessionWith({ denials }) },
      `none\n${refused}`,
    ],
    [
      'after the protected files',
      { judgement: retry, session: sessionWith({ denials, protected_paths: ['justfile'] }) },
      `These files are protected (guard.policy) and were put back: justfile\n${refused}`,
    ],
    [
      'with a red guard',
      {
        judgement: accepted('done'),
        guard: guardWith({ kind: 'failed', reason: 'exit code 1' }),
        session: sessionWith({ denials }),
      },
      refused,
    ],
    [
      'with the findings of a review',
      {
        judgement: accepted('done'),
        guard: guardWith({ kind: 'passed' }),
        review: reviewWith({ verdict: 'fail', findings: ['no test'] }),
        session: sessionWith({ denials }),
      },
      `The check passed, but the review did not accept the work:\n- no test\n${refused}`,
    ],
  ])('%s', (_what, input, expected) => {
    expect(errorOf(input)).toBe(expected);
  });

  test('not where the table tells nothing', () => {
    const interrupted = sessionWith({ denials, end: { kind: 'interrupted', signal: 'SIGINT' } });
    expect(errorOf({ session: interrupted })).toBeUndefined();
    expect(errorOf({ judgement: retry })).toBeNull();
  });

  test('within the size of last.json, however many and long', () => {
    const many = Array.from({ length: 500 }, (_, at) => `${at} ${'"'.repeat(500)}`);
    const { last } = decide(outcomeInput({ judgement: retry, session: sessionWith({ denials: many }) }));
    expect(byteLength(JSON.stringify(last))).toBeLessThanOrEqual(lastRecordBytesMax);
  });
});
