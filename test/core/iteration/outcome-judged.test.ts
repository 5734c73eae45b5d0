import { describe, expect, test } from 'vitest';
import { decideEnded } from '../../../src/core/iteration/outcome-judged.ts';
import type { GuardEnd } from '../../../src/core/agents/session.ts';
import type { Judgement } from '../../../src/core/iteration/verdict.ts';
import { accepted, guardWith, outcomeInput, runStateWith, smallTree } from '../../support/facts.ts';

const repairing = outcomeInput({
  purpose: 'repair',
  runState: runStateWith({ repair: { node_id: 'a', count: 0, sha256: 's' } }),
});

describe('every judged session moves a scripted agent on', () => {
  const violations = [{ path: 'root', message: 'is wrong' }];
  const judgements: readonly Judgement[] = [
    { kind: 'tree_invalid', violations, answered: true },
    { kind: 'no_answer', error: 'none' },
    { kind: 'malformed', violations },
    { kind: 'repaired', tree: smallTree(), answered: false },
    { kind: 'fruitless', violations, answered: false },
    accepted('retry'),
    accepted('decomposed'),
    accepted('done'),
  ];
  test.each(judgements)('$kind $output.status', (judgement) => {
    expect(decideEnded(repairing, judgement).judged).toBe(true);
  });
});

describe('messages for people', () => {
  test.each<[GuardEnd, string]>([
    [{ kind: 'passed' }, "'a' passed"],
    [{ kind: 'failed', reason: 'exit code 1' }, 'exit code 1'],
    [{ kind: 'not_started', reason: 'not found' }, 'the guard could not be started: not found'],
    [{ kind: 'cut_off' }, 'The guard was cut off by a crash of the runner twice; its result is unknown.'],
  ])('done, guard %j', (end, message) => {
    const input = outcomeInput({ guard: guardWith(end) });
    expect(decideEnded(input, accepted('done')).message).toBe(message);
  });

  test('malformed shows the first violation only', () => {
    const violations = [
      { path: 'root/a', message: 'first' },
      { path: 'root/b', message: 'second' },
    ];
    expect(decideEnded(outcomeInput(), { kind: 'malformed', violations }).message).toBe(
      'malformed: root/a: first',
    );
  });

  test('a repair says how many are left', () => {
    const judgement: Judgement = { kind: 'fruitless', violations: [], answered: true };
    expect(decideEnded(repairing, judgement).message).toBe('repair 1 of 2 was fruitless');
    const second = runStateWith({ repair: { node_id: 'a', count: 1, sha256: 's' } });
    expect(decideEnded({ ...repairing, runState: second }, judgement).message).toBe(
      'repair 2 of 2 was fruitless; the rejected tree is dropped',
    );
  });
});

describe('what cannot be is an error of ours', () => {
  const internal = expect.objectContaining({ code: 'INTERNAL' });

  test.each<GuardEnd>([
    { kind: 'interrupted', signal: 'SIGINT' },
    { kind: 'out_of_time', seconds: 1 },
  ])('a guard that was %j has its row further up', (end) => {
    const input = outcomeInput({ guard: guardWith(end) });
    expect(() => decideEnded(input, accepted('done'))).toThrow(internal);
  });

  test('a fruitless repair without a repair', () => {
    const judgement: Judgement = { kind: 'fruitless', violations: [], answered: true };
    expect(() => decideEnded(outcomeInput({ purpose: 'repair' }), judgement)).toThrow(internal);
  });
});
