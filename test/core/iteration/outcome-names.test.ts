/** Every row of the §5 table has a name of its own, and all names are reached. */
import { expect, test } from 'vitest';
import { decide } from '../../../src/core/iteration/outcome.ts';
import { outcomeNames } from '../../../src/core/iteration/outcome-row.ts';
import type { OutcomeInput, OutcomeName } from '../../../src/core/iteration/outcome-row.ts';
import type { GuardEnd, SessionEnd } from '../../../src/core/agents/session.ts';
import type { Judgement } from '../../../src/core/iteration/verdict.ts';
import {
  accepted,
  configWith,
  guardWith,
  outcomeInput,
  reviewWith,
  runStateWith,
  sessionWith,
  smallTree,
} from '../../support/facts.ts';

const violations = [{ path: 'root/a', message: 'is wrong' }];
const ended = (end: SessionEnd): Partial<OutcomeInput> => ({ session: sessionWith({ end }) });
const judged = (judgement: Judgement): Partial<OutcomeInput> => ({ judgement });
const done = (end: GuardEnd): Partial<OutcomeInput> => ({
  judgement: accepted('done'),
  guard: guardWith(end),
});
const failed = { kind: 'failed', reason: 'red' } as const;
const green = done({ kind: 'passed' });
const repair = {
  purpose: 'repair',
  runState: runStateWith({ repair: { node_id: 'a', count: 0, sha256: 's' } }),
} as const;

const rows: readonly (readonly [OutcomeName, Partial<OutcomeInput>])[] = [
  ['interrupted', ended({ kind: 'interrupted', signal: 'SIGINT' })],
  ['interrupted', done({ kind: 'interrupted', signal: 'SIGINT' })],
  ['out-of-time', ended({ kind: 'out_of_time', seconds: 9 })],
  ['out-of-time', done({ kind: 'out_of_time', seconds: 9 })],
  ['undone', ended({ kind: 'undone' })],
  ['blocked', ended({ kind: 'blocked', failure: 'quota', reason: 'r', fix: 'f' })],
  ['agent-failed', ended({ kind: 'failed', failure: 'crashed', reason: 'r' })],
  ['tree-invalid', judged({ kind: 'tree_invalid', violations, answered: true })],
  ['no-answer', judged({ kind: 'no_answer', error: 'none' })],
  ['malformed', judged({ kind: 'malformed', violations })],
  ['plan-used-up', { ...judged(accepted('retry')), purpose: 'plan' }],
  ['plan-used-up', { ...judged({ kind: 'malformed', violations }), purpose: 'plan' }],
  ['retry', judged(accepted('retry'))],
  ['decomposed', judged(accepted('decomposed'))],
  ['empty-change-asked', judged(accepted('done'))],
  [
    'empty-change-rejected',
    { ...judged(accepted('done')), config: configWith({ guard: { empty_change: 'reject' } }) },
  ],
  ['guard-not-started', done({ kind: 'not_started', reason: 'r' })],
  ['guard-cut-off', done({ kind: 'cut_off' })],
  ['guard-fail', done(failed)],
  ['guard-fail', done({ ...failed, by: 'guard' })],
  ['ratchet-fail', done({ ...failed, by: 'ratchet' })],
  ['clone-fail', done({ ...failed, by: 'clone' })],
  ['bytes-fail', done({ ...failed, by: 'bytes' })],
  ['counterfactual-fail', done({ ...failed, by: 'counterfactual' })],
  [
    'review-no-verdict',
    { ...green, review: { ...reviewWith({ verdict: 'pass', findings: [] }), answer: { kind: 'missing' } } },
  ],
  ['review-fail', { ...green, review: reviewWith({ verdict: 'fail', findings: ['x'] }) }],
  ['pass', { ...green, review: reviewWith({ verdict: 'pass', findings: [] }) }],
  ['pass', green],
  ['repaired', { ...repair, ...judged({ kind: 'repaired', tree: smallTree(), answered: true }) }],
  ['repair-fruitless', { ...repair, ...judged({ kind: 'fruitless', violations, answered: true }) }],
];

test.each(rows)('%s', (name, input) => {
  expect(decide(outcomeInput(input)).name).toBe(name);
});

test('no name without a row', () => {
  expect(new Set(rows.map(([name]) => name))).toEqual(new Set(outcomeNames));
});
