/** Folding, search, keys, layout and comparison of trees in the pages. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { walkTree } from '../../src/core/tree/tree-walk.ts';
import type { TreeNode } from '../../src/core/types.ts';
import { diffTrees, onlyChanged } from '../../src/web/tree/tree-diff.ts';
import {
  boundLeft,
  foldAll,
  foldAtFirst,
  listShown,
  openWay,
  searchTree,
} from '../../src/web/tree/tree-fold.ts';
import { moveInTree } from '../../src/web/tree/tree-keys.ts';
import { boxHeight, fitView, keepInSight, layTree, nodeAt, zoomAt } from '../../src/web/tree/tree-layout.ts';
import { describeWork, renderAttempts, renderWork, sumWork } from '../../src/web/tree/tree-work.ts';
import { arbTree, node } from '../support/trees.ts';

const small = node('root', {
  children: [
    node('a', { passes: true, children: [node('a1', { passes: true }), node('a2', { passes: true })] }),
    node('b', {
      children: [node('b1', { attempts: 3 }), node('b2', { attempts: 1, title: 'Special thing' })],
    }),
  ],
});

describe('what was spent', () => {
  const row = (node_id: string, over: object = {}) =>
    ({
      node_id,
      duration_ms: { agent: 1, guard: 1, review: 0, total: 2 },
      tokens: 10,
      cost_usd: null,
      is_complete: true,
      ...over,
    }) as Parameters<typeof sumWork>[1][number];

  test('of every node with all below it; what is open counts when it ends', () => {
    const open = row('b2', { duration_ms: null, tokens: null, is_complete: false });
    const work = sumWork(small, [row('b1'), row('b2'), open, row('gone')]);
    expect(describeWork(work.get('b2'))).toBe('1 iteration · 2 ms · 10 tokens');
    expect(describeWork(work.get('root'))).toBe('2 iterations · 4 ms · 20 tokens');
    expect(describeWork(work.get('a1'))).toBe('no iteration has ended yet');
    expect(renderWork(node('b2', { attempts: 1 }), work)).toBe('1/3 · 2 ms');
  });

  test('attempts are told of an open leaf', () => {
    expect(renderAttempts(node('b2', { attempts: 1 }))).toBe('1 of 3 attempts used');
    expect(renderAttempts(node('a1', { attempts: 1, passes: true }))).toBe('');
    expect(renderAttempts(small)).toBe('');
  });
});

const idsOf = (tree: TreeNode, folded: ReadonlySet<string>): readonly string[] =>
  listShown(tree, folded).map((shown) => shown.node.id);

describe('folding', () => {
  test('passed parts are folded at first, the way to the current leaf is open', () => {
    expect(idsOf(small, foldAtFirst(small, 'b2'))).toEqual(['root', 'a', 'b', 'b1', 'b2']);
    expect(idsOf(small, foldAtFirst(small, 'a2'))).toEqual(['root', 'a', 'a1', 'a2', 'b', 'b1', 'b2']);
    expect(idsOf(small, foldAll(small))).toEqual(['root', 'a', 'b']);
  });

  test('of a large tree the top and the way to the current leaf', () => {
    const wide = node('root', {
      children: Array.from({ length: 30 }, (_, part) =>
        node(`p${part}`, {
          children: Array.from({ length: 20 }, (_unused, leaf) =>
            node(`p${part}.${leaf}`, { children: [node(`p${part}.${leaf}.x`)] }),
          ),
        }),
      ),
    });
    const shown = idsOf(wide, foldAtFirst(wide, 'p3.4.x'));
    expect(shown).toHaveLength(1 + 30 + 600 + 1);
    expect(shown).toContain('p3.4.x');
  });

  test('a node whose way is open is shown, in whatever tree', () => {
    fc.assert(
      fc.property(arbTree(), fc.nat(), (tree, pick) => {
        const visits = walkTree(tree);
        const { id } = visits[pick % visits.length]?.node ?? tree;
        const shown = listShown(tree, openWay(tree, foldAll(tree), id));
        expect(shown.map((item) => item.node.id)).toContain(id);
        for (const { position, siblings } of shown) {
          expect(position).toBeGreaterThan(0);
          expect(position).toBeLessThanOrEqual(siblings);
        }
      }),
    );
  });
});

test('search looks at id, title and goal, for all words', () => {
  expect(searchTree(small, 'special')).toEqual(['b2']);
  expect(searchTree(small, 'B2 goal')).toEqual(['b2']);
  expect(searchTree(small, ' ')).toEqual([]);
});

test('the bound of iterations left is what open leaves may still try, and what the run may', () => {
  expect(boundLeft(small, null)).toBe(2);
  expect(boundLeft(small, 1)).toBe(1);
  expect(boundLeft(small, -3)).toBe(0);
});

describe('keys', () => {
  const folded = foldAtFirst(small, 'b1');
  const shown = listShown(small, folded);
  const press = (key: string, active: string): string | undefined =>
    moveInTree({ key, shown, folded, active: shown.findIndex((item) => item.node.id === active) })?.active;

  test.each([
    ['ArrowDown', 'root', 'a'],
    ['ArrowUp', 'root', 'root'],
    ['j', 'a', 'b'],
    ['k', 'b', 'a'],
    ['End', 'root', 'b2'],
    ['Home', 'b2', 'root'],
    ['PageDown', 'root', 'b2'],
    ['PageUp', 'b2', 'root'],
    ['ArrowRight', 'b', 'b1'],
    ['ArrowRight', 'b1', 'b1'],
    ['ArrowLeft', 'b1', 'b'],
    [' ', 'b1', 'b1'],
  ])('%s on %s leads to %s', (key, from, to) => {
    expect(press(key, from)).toBe(to);
  });

  test('right opens, left and space close', () => {
    const at = (id: string): number => shown.findIndex((item) => item.node.id === id);
    expect(moveInTree({ key: 'l', shown, folded, active: at('a') })?.folded.has('a')).toBe(false);
    expect(moveInTree({ key: 'h', shown, folded, active: at('b') })?.folded.has('b')).toBe(true);
    expect(moveInTree({ key: ' ', shown, folded, active: at('b') })?.folded.has('b')).toBe(true);
    expect(moveInTree({ key: 'x', shown, folded, active: 0 })).toBeNull();
    expect(moveInTree({ key: 'j', shown: [], folded, active: 0 })).toBeNull();
  });
});

describe('layout', () => {
  test('no two boxes overlap, children are right of their parents', () => {
    fc.assert(
      fc.property(arbTree({ nodesMax: 60 }), (tree) => {
        const { nodes } = layTree(listShown(tree, new Set()));
        expect(nodes).toHaveLength(walkTree(tree).length);
        for (const left of new Set(nodes.map(({ x }) => x))) {
          const column = nodes.filter(({ x }) => x === left);
          const ys = column.map(({ y }) => y).toSorted((a, b) => a - b);
          ys.forEach((y, at) => expect(y - (ys[at - 1] ?? -Infinity)).toBeGreaterThan(boxHeight));
        }
        for (const { x, parent } of nodes) if (parent !== null) expect(x).toBeGreaterThan(parent.x);
      }),
    );
  });

  test('a zoom keeps the point under the pointer', () => {
    const before = { x: 10, y: -20, scale: 0.7 };
    const after = zoomAt(before, { x: 100, y: 200 }, 1.5);
    const world = (view: typeof before): readonly number[] => [
      (100 - view.x) / view.scale,
      (200 - view.y) / view.scale,
    ];
    world(after).forEach((value, at) => expect(value).toBeCloseTo(world(before)[at] ?? 0));
    expect(zoomAt(before, { x: 0, y: 0 }, 1e9).scale).toBe(2);
  });

  test('what is brought into sight is there, and can be pressed', () => {
    const layout = layTree(listShown(small, new Set()));
    const size = { width: 400, height: 300 };
    for (const placed of layout.nodes) {
      const view = keepInSight({ x: 5000, y: -5000, scale: 1 }, placed, size);
      const point = { x: placed.x + view.x + 5, y: placed.y + view.y };
      expect(point.x).toBeGreaterThan(0);
      expect(point.y).toBeLessThan(size.height);
      expect(nodeAt(layout, view, point)).toBe(placed);
    }
    expect(fitView(layout, size).scale).toBeLessThanOrEqual(1);
    expect(layTree([]).nodes).toEqual([]);
  });
});

describe('two trees compared', () => {
  const after = node('root', {
    children: [
      node('a', { passes: true, children: [node('a1', { passes: true })] }),
      node('b', {
        children: [
          node('b1', { attempts: 3 }),
          node('b2', { passes: true, attempts: 2, title: 'Special thing' }),
        ],
      }),
      node('c'),
    ],
  });

  test('what came, went and changed, at its place', () => {
    const rows = diffTrees(small, after);
    expect(rows.map(({ id, kind, depth }) => `${depth}${kind} ${id}`)).toEqual([
      '1same root',
      '2same a',
      '3same a1',
      '3removed a2',
      '2same b',
      '3same b1',
      '3changed b2',
      '2added c',
    ]);
    expect(rows.find(({ id }) => id === 'b2')?.changes).toEqual([
      { field: 'passes', before: 'false', after: 'true' },
      { field: 'attempts', before: '1', after: '2' },
    ]);
    expect(onlyChanged(rows).map(({ id }) => id)).toEqual(['root', 'a', 'a2', 'b', 'b2', 'c']);
  });

  test('what went from a node that was moved is shown below that node', () => {
    const inner = node('in', { children: [node('gone')] });
    const was = node('root', { children: [node('a'), inner] });
    const is = node('root', { children: [node('a', { children: [node('in')] })] });
    expect(diffTrees(was, is).map(({ id, kind, depth }) => `${depth}${kind} ${id}`)).toEqual([
      '1same root',
      '2same a',
      '3changed in',
      '4removed gone',
    ]);
  });

  test('a tree and itself: nothing', () => {
    fc.assert(
      fc.property(arbTree(), (tree) => {
        expect(onlyChanged(diffTrees(tree, tree))).toEqual([]);
      }),
    );
  });

  test('of any two trees every node is there once, with all nodes above a change', () => {
    fc.assert(
      fc.property(arbTree(), arbTree(), (before, later) => {
        const rows = diffTrees(before, later);
        const ids = new Set([...walkTree(before), ...walkTree(later)].map((visit) => visit.node.id));
        expect(rows.map(({ id }) => id).toSorted()).toEqual([...ids].toSorted());
        for (const shown of [rows, onlyChanged(rows)]) {
          shown.forEach(({ depth }, at) =>
            expect(depth).toBeLessThanOrEqual((shown[at - 1]?.depth ?? 0) + 1),
          );
        }
      }),
    );
  });
});
