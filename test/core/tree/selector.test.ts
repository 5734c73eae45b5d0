import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderTree } from '../../../src/core/tree/canonical-json.ts';
import { defaultRunState, newNodeRecord } from '../../../src/core/iteration/run-state.ts';
import { isStuck, selectNext } from '../../../src/core/tree/selector.ts';
import { parseTree } from '../../../src/core/tree/tree-schema.ts';
import { findNode, mapTree, sortTree, walkTree } from '../../../src/core/tree/tree-walk.ts';
import type { Config, RunState, TreeNode } from '../../../src/core/types.ts';
import { arbTree, node } from '../../support/trees.ts';

interface Options {
  readonly onStuck?: Config['on_stuck'];
  readonly runState?: Partial<RunState>;
}

function select(tree: TreeNode, { onStuck = 'stop', runState = {} }: Options = {}): string {
  const selection = selectNext({ tree, runState: { ...defaultRunState, ...runState }, onStuck });
  switch (selection.kind) {
    case 'complete':
      return 'complete';
    case 'leaf':
      return `${selection.purpose} ${selection.leaf.path}`;
    case 'stuck':
      return `stuck ${selection.leaf.path}`;
    case 'repair':
      return `repair ${selection.leaf === null ? 'gone' : selection.leaf.path}`;
  }
}

const passed = { passes: true };
const maxed = { attempts: 3 };

describe('selectNext', () => {
  test.each<[string, TreeNode, string]>([
    ['single', node('root'), 'execute root'],
    ['passed', node('root', { children: [node('a', passed), node('b')] }), 'execute root/b'],
    ['all passed', node('root', { ...passed, children: [node('a', passed)] }), 'complete'],
    [
      'order respected after sort',
      sortTree(
        node('root', {
          children: [node('a', { order: 2 }), node('c', { order: 1 }), node('b', { order: 1 })],
        }),
      ),
      'execute root/b',
    ],
    [
      'deep',
      node('root', {
        children: [node('a', { children: [node('b', { children: [node('c')] })] }), node('d')],
      }),
      'execute root/a/b/c',
    ],
    [
      'wide',
      node('root', {
        children: Array.from({ length: 50 }, (_, order) => node(`n${order}`, { order, passes: order < 49 })),
      }),
      'execute root/n49',
    ],
  ])('[ancestor: selector leftmost_open_leaf_traversal_cases] %s', (_name, tree, expected) => {
    expect(select(tree)).toBe(expected);
  });

  test('[ancestor: select select_returns_open_leaf] id, path and attempts are those of the leaf', () => {
    const leaf = node('a', { attempts: 0 });
    const tree = node('root', { children: [leaf] });
    expect(selectNext({ tree, runState: defaultRunState, onStuck: 'stop' })).toStrictEqual({
      kind: 'leaf',
      leaf: { node: leaf, path: 'root/a' },
      purpose: 'execute',
    });
  });

  test('[ancestor: select select_returns_stuck_leaf] a leaf without attempts left blocks by default', () => {
    const stuck = node('a', { attempts: 2, max_attempts: 2 });
    const tree = node('root', { children: [stuck, node('b')] });
    expect(selectNext({ tree, runState: defaultRunState, onStuck: 'stop' })).toStrictEqual({
      kind: 'stuck',
      leaf: { node: stuck, path: 'root/a' },
    });
  });

  test('[ancestor: select select_returns_complete_when_no_open_leaf] a passed root, or no open leaf', () => {
    expect(select(node('root', passed))).toBe('complete');
    expect(select(node('root', { children: [node('a', passed)] }))).toBe('complete');
  });

  test('a passed internal node is not looked into', () => {
    expect(
      select(node('root', { children: [node('a', { ...passed, children: [node('b')] }), node('c')] })),
    ).toBe('execute root/c');
    expect(select(node('root', { ...passed, children: [node('b')] }))).toBe('complete');
  });

  test('defer goes on with the next open leaf and is stuck when only stuck ones are left', () => {
    const tree = node('root', {
      children: [node('a', maxed), node('b', { children: [node('c', maxed), node('d')] })],
    });
    expect(select(tree, { onStuck: 'defer' })).toBe('execute root/b/d');
    const worse = node('root', { children: [node('a', maxed), node('b', passed), node('c', maxed)] });
    expect(select(worse, { onStuck: 'defer' })).toBe('stuck root/a');
  });

  test('decompose plans once for the first open leaf, then it is stuck', () => {
    const tree = node('root', { children: [node('a', maxed), node('b')] });
    const used = { a: { ...newNodeRecord, decompose_used: true } };
    expect(select(tree, { onStuck: 'decompose' })).toBe('plan root/a');
    expect(select(tree, { onStuck: 'decompose', runState: { nodes: { a: newNodeRecord } } })).toBe(
      'plan root/a',
    );
    expect(select(tree, { onStuck: 'decompose', runState: { nodes: used } })).toBe('stuck root/a');
    expect(select(node('root', { children: [node('b')] }), { onStuck: 'decompose' })).toBe('execute root/b');
    expect(select(node('constructor', maxed), { onStuck: 'decompose' })).toBe('plan constructor');
  });

  test('a pending repair goes first, with its causing node while that is in the tree', () => {
    const repair = { node_id: 'a', count: 1, sha256: 'x' };
    const tree = node('root', { children: [node('a', maxed)] });
    expect(select(tree, { runState: { repair } })).toBe('repair root/a');
    expect(select(node('root', passed), { runState: { repair } })).toBe('repair gone');
    expect(selectNext({ tree, runState: { ...defaultRunState, repair }, onStuck: 'defer' })).toStrictEqual({
      kind: 'repair',
      leaf: { node: findNode(tree, 'a'), path: 'root/a' },
      repair,
    });
  });

  test('does not depend on the order of siblings in the file', () => {
    const arbOnStuck = fc.constantFrom<Config['on_stuck']>('stop', 'defer', 'decompose');
    fc.assert(
      fc.property(arbTree(), fc.infiniteStream(fc.nat()), arbOnStuck, (tree, keys, onStuck) => {
        const shuffled = mapTree(tree, (each) => {
          const keyed = each.children.map((child) => ({ child, key: keys.next().value }));
          return { ...each, children: keyed.toSorted((a, b) => a.key - b.key).map(({ child }) => child) };
        });
        const parsed = parseTree({ kind: 'text', text: renderTree(shuffled) });
        expect(parsed.ok && select(parsed.tree, { onStuck })).toBe(select(tree, { onStuck }));
      }),
    );
  });

  test('takes the first open leaf of the walk, for every valid tree', () => {
    fc.assert(
      fc.property(arbTree(), (tree) => {
        const open = walkTree(tree).filter((visit) => visit.node.children.length === 0 && !visit.node.passes);
        const [first] = open;
        const next = open.find((visit) => visit.node.attempts < visit.node.max_attempts);
        if (first === undefined) expect(select(tree)).toBe('complete');
        else expect(select(tree)).toBe(`${first === next ? 'execute' : 'stuck'} ${first.path}`);
        if (next !== undefined) expect(select(tree, { onStuck: 'defer' })).toBe(`execute ${next.path}`);
      }),
    );
  });
});

test.each<[string, TreeNode, boolean]>([
  ['maxed', node('a', maxed), true],
  ['beyond its maximum', node('a', { attempts: 4 }), true],
  ['passed', node('a', { ...maxed, ...passed }), false],
  ['below max', node('a', { attempts: 2 }), false],
  ['zero', node('a'), false],
  ['internal', node('a', { ...maxed, children: [node('b')] }), false],
])('[ancestor: selector is_stuck_edge_cases] %s', (_name, tree, expected) => {
  expect(isStuck(tree)).toBe(expected);
});
