/** §14: when the guard also runs in a fresh clone, and what `auto` comes to. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  checkoutHash,
  checkoutInForce,
  decideCheckout,
  describeCheckout,
  planCheckout,
  renderDecision,
} from '../../../src/core/iteration/checkout-plan.ts';
import { applyPass } from '../../../src/core/iteration/state-updater.ts';
import { walkTree } from '../../../src/core/tree/tree-walk.ts';
import type { Config, GuardCheckout } from '../../../src/core/types.ts';
import { configWith, sha256 } from '../../support/facts.ts';
import { fuzzCases } from '../../support/fuzz.ts';
import { arbTree, node } from '../../support/trees.ts';

const two = node('root', { children: [node('a'), node('b')] });
const lastOfTwo = node('root', { children: [node('a', { passes: true }), node('b')] });

function settings(checkout: Config['guard']['checkout'], known: GuardCheckout | null = null) {
  return { config: configWith({ guard: { checkout } }), runState: { guard_checkout: known }, sha256 };
}

function decided(mode: GuardCheckout['mode']): GuardCheckout {
  return { mode, reason: 'r', sha256: checkoutHash({ config: configWith(), sha256 }) };
}

describe('planCheckout', () => {
  const first = { tree: two, nodeId: 'a' };
  const last = { tree: lastOfTwo, nodeId: 'b' };
  test.each([
    ['off', null, first, 'skip'],
    ['off', null, last, 'skip'],
    ['every', null, first, 'check'],
    ['final', null, first, 'skip'],
    ['final', null, last, 'check'],
    ['auto', null, first, 'probe'],
    ['auto', null, last, 'probe'],
    ['auto', decided('final'), first, 'skip'],
    ['auto', decided('final'), last, 'check'],
    ['auto', decided('off'), last, 'skip'],
    ['auto', { ...decided('off'), sha256: 'of other settings' }, first, 'probe'],
    ['every', decided('off'), first, 'check'],
  ] as const)('%s, decided %j', (checkout, known, leaf, plan) => {
    expect(planCheckout({ ...settings(checkout, known), ...leaf })).toBe(plan);
  });

  test('final checks exactly the passes that complete the tree', () => {
    fc.assert(
      fc.property(arbTree(), fc.nat(), (tree, at) => {
        const open = walkTree(tree).filter((visit) => visit.node.children.length === 0 && !visit.node.passes);
        const leaf = open[at % open.length]?.node;
        fc.pre(leaf !== undefined);
        const plan = planCheckout({ ...settings('final'), tree, nodeId: leaf.id });
        expect(plan === 'check').toBe(applyPass(tree, leaf.id).passes);
      }),
      fuzzCases(100),
    );
  });
});

test('another guard command or setup is decided anew, other settings are not', () => {
  const hash = (fields: Parameters<typeof configWith>[0]): string =>
    checkoutHash({ config: configWith(fields), sha256 });
  expect(hash({ guard: { command: ['make'] } })).not.toBe(hash({}));
  expect(hash({ automation: { setup: ['npm ci'] } })).not.toBe(hash({}));
  expect(hash({ guard: { timeout_secs: 7 }, max_iterations: 7 })).toBe(hash({}));
  expect(checkoutInForce(settings('auto', decided('final')))).toBe('final');
});

test('what a probe comes to', () => {
  const decide = (end: Parameters<typeof decideCheckout>[0]): GuardCheckout =>
    decideCheckout(end, { config: configWith(), sha256 });
  const hash = checkoutHash({ config: configWith(), sha256 });
  expect(decide({ kind: 'passed' })).toEqual({
    mode: 'final',
    reason: 'the guard is green in a fresh clone, too',
    sha256: hash,
  });
  expect(decide({ kind: 'failed', reason: 'exit code 1', output: 'a\nerror: no x\nb\n' })).toEqual({
    mode: 'off',
    reason: 'red in a fresh clone: exit code 1 (error: no x)',
    sha256: hash,
  });
  expect(decide({ kind: 'not_made', reason: 'the disk is full' })).toMatchObject({
    mode: 'off',
    reason: 'no clone could be made: the disk is full',
  });
  expect(renderDecision(decided('off'))).toBe('guard.checkout = "auto" is "off" from now on: r');
});

test.each([
  ['auto', null, { setting: 'auto', mode: null, reason: null }],
  ['auto', decided('final'), { setting: 'auto', mode: 'final', reason: 'r' }],
  ['auto', { ...decided('off'), sha256: 'other' }, { setting: 'auto', mode: null, reason: null }],
  ['every', decided('off'), { setting: 'every', mode: 'every', reason: null }],
] as const)('%s, decided %j, is shown', (checkout, known, shown) => {
  expect(describeCheckout(settings(checkout, known))).toEqual(shown);
});
