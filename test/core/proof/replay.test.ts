import { describe, expect, test } from 'vitest';
import { replay } from '../../../src/core/proof/replay.ts';
import type { Proof } from '../../../src/core/proof/replay.ts';
import type { Trace } from '../../../src/core/proof/trace.ts';
import type { Facts, Transition } from '../../../src/core/proof/transition.ts';
import { accepted, edited, runStateWith, sha256, textSource } from '../../support/facts.ts';
import { factsWith, filesOf, iterationStep, missing, plainStep } from '../../support/proof-model.ts';
import { node } from '../../support/trees.ts';

const root = node('root', { children: [node('a'), node('b', { order: 1 })] });
const fresh = runStateWith({ next_iter: 1 });
const begin = (proof = 'Runner-Proof: 2\n') => {
  const facts = factsWith({
    before: { tree: missing, runState: missing, rejected: missing },
    after: filesOf(root, fresh),
  });
  return plainStep('start', `chore(loop): start run run-1\n\nRunner-Run: run-1\n${proof}`, facts, true);
};
const retried = iterationStep({
  input: { iter: 1, before: root, runState: fresh, judgement: accepted('retry', { tree: root }) },
});

interface Step {
  readonly transition: Transition;
  readonly facts: Facts;
}

const whole = { isWhole: true, isCut: false, isShallow: false };

function run(steps: readonly Step[], flags: Partial<Trace> = {}): Proof {
  const named = steps.map((step, at) => ({
    ...step,
    transition: { ...step.transition, commit: { ...step.transition.commit, id: `s${at}` } } as Transition,
  }));
  return replay({
    trace: { transitions: named.map(({ transition }) => transition), ...whole, ...flags },
    tip: 'tip',
    factsOf: (transition) =>
      named.find((step) => step.transition.commit.id === transition.commit.id)?.facts as Facts,
    sha256,
  });
}

describe('replay', () => {
  test('everything follows', () => {
    expect(run([begin(), retried])).toMatchObject({
      verdict: 'proven',
      transitions: 2,
      iterations: 1,
      passes: [],
      first: null,
    });
    expect(run([retried], { isWhole: false, isCut: true })).toMatchObject({ verdict: 'proven' });
  });

  test('names the first that does not, and says which iteration it was', () => {
    const other = { ...retried, facts: { ...retried.facts, outside: ['x.txt'] } };
    expect(run([begin(), other])).toMatchObject({
      verdict: 'unproven',
      first: { commit: 's1', kind: 'iteration', iter: 1, node_id: 'a', rule: 'Runner-Changed-Files' },
    });
    expect(run([retried], { isWhole: false })).toMatchObject({
      verdict: 'unproven',
      first: { commit: 's0', rule: 'start' },
    });
    expect(run([retried, retried], { isWhole: false, isShallow: true })).toMatchObject({
      verdict: 'not_provable',
      unprovable: 's0',
      is_shallow: true,
    });
    expect(run([])).toMatchObject({ verdict: 'unproven', first: { commit: 'tip' } });
  });

  test('plain commits that change what has passed are listed, and the rest is still checked', () => {
    const handed = edited(root, 'b', (b) => ({ ...b, attempts: 1 }));
    const hand = plainStep(
      'plain',
      'x\n',
      factsWith({ before: filesOf(root, fresh), after: filesOf(handed, fresh) }),
    );
    const back = plainStep(
      'plain',
      'x\n',
      factsWith({ before: filesOf(handed, fresh), after: filesOf(root, fresh) }),
    );
    expect(run([begin(), hand, back, retried])).toMatchObject({
      verdict: 'unproven',
      first: { commit: 's1' },
      by_hand: [{ commit: 's1' }, { commit: 's2' }],
    });
    const wrong = { ...retried, facts: { ...retried.facts, outside: ['x.txt'] } };
    expect(run([begin(), hand, back, wrong])).toMatchObject({ first: { commit: 's1' }, by_hand: [{}, {}] });
    const broken = plainStep(
      'plain',
      'x\n',
      factsWith({ before: filesOf(root, fresh), after: { ...filesOf(root, fresh), tree: textSource('{') } }),
    );
    expect(run([begin(), broken, hand]).by_hand).toHaveLength(1);
    // Nobody can say what a tree holds that cannot be read: the first of them is named, unless it was mended.
    expect(run([begin(), broken, broken])).toMatchObject({
      verdict: 'unproven',
      by_hand: [],
      first: { commit: 's1', kind: 'plain', rule: 'tree.json', found: 'it cannot be read' },
    });
    expect(run([begin(), broken, back])).toMatchObject({ verdict: 'proven' });
  });

  test('a run from before the trailers is told apart; one that should have them is not', () => {
    const old = iterationStep({
      input: { iter: 1, before: root, runState: fresh, judgement: accepted('retry', { tree: root }) },
      change: (text) => text.replace(/Runner-Outcome: .*\n/u, ''),
    });
    expect(run([begin(''), old])).toMatchObject({ verdict: 'not_provable', unprovable: 's1', first: null });
    expect(run([begin(), old])).toMatchObject({ verdict: 'unproven', first: { rule: 'Runner-Outcome' } });
    // Versions before the second did not say what the guard saw.
    const blind = iterationStep({
      input: { iter: 1, before: root, runState: fresh, judgement: accepted('retry', { tree: root }) },
      change: (text) => text.replace(/Runner-Work: .*\n/u, ''),
    });
    expect(run([begin('Runner-Proof: 1\n'), blind])).toMatchObject({ verdict: 'proven' });
    expect(run([begin(''), blind])).toMatchObject({ verdict: 'proven' });
    expect(run([blind], { isWhole: false, isCut: true })).toMatchObject({ verdict: 'proven' });
    expect(run([begin(), blind])).toMatchObject({ verdict: 'unproven', first: { rule: 'Runner-Work' } });
    const bare = iterationStep({
      input: { iter: 1, before: root, runState: fresh, judgement: accepted('retry', { tree: root }) },
      change: (text) => text.replace(/Runner-Baseline: .*\n/u, ''),
    });
    expect(run([bare], { isWhole: false, isCut: true })).toMatchObject({ verdict: 'not_provable' });
  });

  test('passes are counted', () => {
    const pass = iterationStep({
      change: (text) => text.replace('guard=skipped', 'guard=pass'),
      input: { iter: 1, before: root, runState: fresh, judgement: accepted('retry', { tree: root }) },
    });
    expect(run([begin(), pass]).passes).toEqual([{ commit: 's1', iter: 1, node_id: 'a', settings: [] }]);
  });
});
