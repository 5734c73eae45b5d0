import { describe, expect, test } from 'vitest';
import { applyAttempt, applyChildren, applyPass } from '../../../src/core/iteration/state-updater.ts';
import { readAgentTree } from '../../../src/core/tree/tree-schema.ts';
import { findNode, walkTree } from '../../../src/core/tree/tree-walk.ts';
import type { AgentChild, TreeNode } from '../../../src/core/types.ts';
import { child, edited, sha256, smallTree, treeSource } from '../../support/facts.ts';
import { node } from '../../support/trees.ts';

function attemptsOf(tree: TreeNode, id: string): number | undefined {
  return findNode(tree, id)?.attempts;
}

function passedIds(tree: TreeNode): readonly string[] {
  return walkTree(tree).flatMap(({ node: at }) => (at.passes ? [at.id] : []));
}

describe('runner-owned keys of what an agent wrote (§3)', () => {
  function read(next: TreeNode, before = smallTree()): TreeNode {
    const found = readAgentTree({ source: treeSource(next), before, maxAttemptsDefault: 5 });
    if (found.kind !== 'tree') throw new Error('the tree was refused');
    return found.tree;
  }

  test('[ancestor: apply_state_updates_overwrites_runner_owned_fields] the baseline wins, max_attempts included', () => {
    const before = smallTree({ attempts: 2 });
    const next = edited(before, 'a', (a) => ({ ...a, passes: true, attempts: 0, max_attempts: 99 }));
    expect(read(next, before)).toEqual(before);
  });

  test('[ancestor: apply_state_updates_resets_new_nodes] new nodes start open, unused, with the default', () => {
    const next = edited(smallTree(), 'root', (root) => ({
      ...root,
      children: [...root.children, node('new', { order: 9, passes: true, attempts: 1, max_attempts: 1 })],
    }));
    expect(findNode(read(next), 'new')).toEqual(node('new', { order: 9, max_attempts: 5 }));
  });
});

describe('applyAttempt', () => {
  test.each([
    '[ancestor: apply_state_updates_increments_attempts_on_guard_fail] uses one attempt of one node',
    '[ancestor: apply_state_updates_increments_attempts_on_retry] uses one attempt of one node',
  ])('%s', () => {
    const after = applyAttempt(smallTree({ attempts: 1 }), 'a');
    expect(after).toEqual(smallTree({ attempts: 2 }));
  });

  test.each([
    '[ancestor: apply_state_updates_saturates_attempts_at_max] stays at max_attempts',
    '[ancestor: apply_state_updates_retry_saturates_attempts_at_max] stays at max_attempts',
  ])('%s', () => {
    const spent = smallTree({ attempts: 3, max_attempts: 3 });
    expect(applyAttempt(spent, 'a')).toEqual(spent);
  });

  test('a node that has children by now, or is gone, uses none', () => {
    expect(applyAttempt(smallTree(), 'root')).toEqual(smallTree());
    expect(applyAttempt(smallTree(), 'gone')).toEqual(smallTree());
  });

  test('leaves the tree it was given alone', () => {
    const before = smallTree();
    applyAttempt(before, 'a');
    expect(attemptsOf(before, 'a')).toBe(0);
  });
});

describe('applyPass', () => {
  test('[ancestor: apply_state_updates_sets_pass_and_derives_internal_passes] leaf and root become true', () => {
    const before = node('root', { children: [node('a', { attempts: 1 })] });
    expect(applyPass(before, 'a')).toEqual(
      node('root', { passes: true, children: [node('a', { passes: true, attempts: 1 })] }),
    );
  });

  test('[ancestor: apply_state_updates_happy_path_transition] a group passes with its last leaf, the root stays open', () => {
    const before = node('root', {
      children: [
        node('group', { children: [node('a', { passes: true }), node('b', { order: 1 })] }),
        node('c', { order: 1 }),
      ],
    });
    const after = applyPass(before, 'b');
    expect(passedIds(after)).toEqual(['group', 'a', 'b']);
    expect(walkTree(after).map(({ node: at }) => at.attempts)).toEqual([0, 0, 0, 0, 0]);
  });

  test('a single root passes by itself', () => {
    expect(applyPass(node('root'), 'root')).toEqual(node('root', { passes: true }));
  });

  test('passed nodes stay what they are, other leaves stay open', () => {
    expect(passedIds(applyPass(smallTree(), 'a'))).toEqual(['a', 'p']);
  });

  test('[ancestor: apply_state_updates_errors_on_missing_selected_id] only a leaf of the tree can pass', () => {
    const internal = expect.objectContaining({ code: 'INTERNAL' });
    expect(() => applyPass(smallTree(), 'gone')).toThrow(internal);
    expect(() => applyPass(smallTree(), 'root')).toThrow(internal);
  });
});

describe('applyChildren (§5)', () => {
  interface Given {
    readonly tree?: TreeNode;
    readonly parentId?: string;
    readonly children?: readonly AgentChild[];
    readonly takenIds?: readonly string[];
  }

  function apply(given: Given): TreeNode {
    return applyChildren({
      tree: smallTree(),
      parentId: 'a',
      children: [child('one'), child('two')],
      takenIds: [],
      maxAttempts: 4,
      sha256,
      ...given,
    });
  }

  function idsBelow(tree: TreeNode, id: string): readonly string[] {
    return (findNode(tree, id)?.children ?? []).map((at) => at.id);
  }

  test('[ancestor: apply_state_updates_decompose_does_not_mark_pass] new leaves in the order of the answer', () => {
    const children = [child('one', { acceptance: ['x'] }), child('two')];
    expect(findNode(apply({ children }), 'a')).toEqual(
      node('a', {
        order: 1,
        children: [
          node('a.1', { title: 'one', goal: 'one goal', acceptance: ['x'], order: 0, max_attempts: 4 }),
          node('a.2', { title: 'two', goal: 'two goal', order: 1, max_attempts: 4 }),
        ],
      }),
    );
  });

  test('takes the lowest numbers that are free in the tree and in .runner/nodes/', () => {
    const tree = edited(smallTree(), 'b', (b) => ({ ...b, id: 'a.2' }));
    expect(idsBelow(apply({ tree, takenIds: ['a.1', 'a.4'] }), 'a')).toEqual(['a.3', 'a.5']);
  });

  test('free means free ignoring case', () => {
    const tree = edited(smallTree(), 'b', (b) => ({ ...b, id: 'A.1' }));
    expect(idsBelow(apply({ tree, takenIds: ['A.2'] }), 'a')).toEqual(['a.3', 'a.4']);
  });

  test('twelve children stay in their order although a.10 sorts before a.2', () => {
    const children = Array.from({ length: 12 }, (_, index) => child(`part ${index}`));
    const after = apply({ children });
    expect(findNode(after, 'a')?.children.map((at) => at.title)).toEqual(children.map((at) => at.title));
    expect(idsBelow(after, 'a').at(-1)).toBe('a.12');
  });

  test('an id that would be too long becomes its first 100 characters plus a hash', () => {
    const parentId = 'n'.repeat(126);
    const parent = node('root', { children: [node(parentId)] });
    const ids = idsBelow(apply({ tree: parent, parentId, children: Array(12).fill(child('x')) }), parentId);
    expect(ids[0]).toBe(`${parentId}.1`);
    expect(ids[8]).toBe(`${parentId}.9`);
    expect(ids[9]).toBe(`${'n'.repeat(100)}-${sha256(`${parentId}.10`).slice(0, 16)}`);
    expect(new Set(ids).size).toBe(12);
    expect(ids.every((id) => id.length <= 128)).toBe(true);
  });

  test('a hashed id that is taken gives way to the next number', () => {
    const parentId = 'n'.repeat(128);
    const hashed = (k: number): string => `${'n'.repeat(100)}-${sha256(`${parentId}.${k}`).slice(0, 16)}`;
    const tree = node('root', { children: [node(parentId)] });
    const given = { tree, parentId, children: [child('x')], takenIds: [hashed(1)] };
    expect(idsBelow(apply(given), parentId)).toEqual([hashed(2)]);
  });
});
