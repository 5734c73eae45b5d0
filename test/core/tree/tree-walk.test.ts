import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  compareCodePoints,
  compareSiblings,
  findNode,
  findVisit,
  indexTree,
  mapTree,
  sortTree,
  titleIn,
  walkTree,
} from '../../../src/core/tree/tree-walk.ts';
import type { TreeNode } from '../../../src/core/types.ts';
import { arbTree, node } from '../../support/trees.ts';

const tree = node('root', {
  children: [
    node('b', { order: 1, children: [node('d'), node('c', { order: -1 })] }),
    node('a', { order: 1 }),
  ],
});

function chain(length: number): TreeNode {
  let top = node(`n${length}`);
  for (let level = length - 1; level > 0; level -= 1) top = node(`n${level}`, { children: [top] });
  return top;
}

describe('walkTree', () => {
  test('visits parents before children, siblings as they stand', () => {
    expect(walkTree(tree).map(({ path, depth, parent }) => [path, depth, parent?.id ?? null])).toStrictEqual([
      ['root', 1, null],
      ['root/b', 2, 'root'],
      ['root/b/d', 3, 'b'],
      ['root/b/c', 3, 'b'],
      ['root/a', 2, 'root'],
    ]);
  });

  test('goes down a tree that recursion could not follow', () => {
    const deep = chain(20_000);
    expect(walkTree(deep)).toHaveLength(20_000);
    expect(findVisit(deep, 'n20000')?.depth).toBe(20_000);
    expect(walkTree(sortTree(deep))).toHaveLength(20_000);
  });

  test('goes through 100,000 siblings', () => {
    const wide = node('root', { children: Array.from({ length: 100_000 }, (_, index) => node(`n${index}`)) });
    expect(walkTree(sortTree(wide))).toHaveLength(100_001);
  });
});

describe('findVisit, findNode, indexTree', () => {
  test('[ancestor: path node_path_returns_root_for_root_id] the path of the root is its id', () => {
    expect(findVisit(tree, 'root')?.path).toBe('root');
  });

  test('find a node anywhere, and nothing for an unknown id', () => {
    expect(findVisit(tree, 'c')).toMatchObject({ path: 'root/b/c', parent: { id: 'b' } });
    expect(findNode(tree, 'a')).toBe(tree.children[1]);
    expect(findVisit(tree, 'A')).toBeNull();
    expect(findNode(tree, 'x')).toBeNull();
    expect([...indexTree(tree)].map(([id, visit]) => `${id} ${visit.path}`)).toStrictEqual([
      'root root',
      'b root/b',
      'd root/b/d',
      'c root/b/c',
      'a root/a',
    ]);
  });
});

test('titleIn: of a node anywhere, and of none', () => {
  expect([titleIn(tree, 'c'), titleIn(tree, 'nope')]).toEqual(['c title', null]);
});

describe('mapTree', () => {
  test('rebuilds from the leaves up and leaves the given tree alone', () => {
    const before = structuredClone(tree);
    const order: string[] = [];
    const mapped = mapTree(tree, (each) => {
      order.push(each.id);
      return { ...each, title: `${each.id}(${each.children.map((child) => child.title).join(' ')})` };
    });
    expect(mapped.title).toBe('root(b(d() c()) a())');
    expect(order).toStrictEqual(['d', 'c', 'b', 'a', 'root']);
    expect(tree).toStrictEqual(before);
  });

  test('shares what does not change', () => {
    const mapped = mapTree(tree, (each) => (each.id === 'c' ? { ...each, title: 'new' } : each));
    expect(mapped.children[1]).toBe(tree.children[1]);
    expect(mapped.children[0]?.children[0]).toBe(tree.children[0]?.children[0]);
    expect(findNode(mapped, 'c')?.title).toBe('new');
    expect(findNode(tree, 'c')?.title).toBe('c title');
  });

  test('with the identity gives the same tree', () => {
    fc.assert(
      fc.property(arbTree(), (random) => {
        expect(mapTree(random, (each) => each)).toBe(random);
        expect(sortTree(random)).toBe(random);
      }),
    );
  });
});

describe('sorting', () => {
  test('is by order, then by id, at every level', () => {
    expect(walkTree(sortTree(tree)).map((visit) => visit.path)).toStrictEqual([
      'root',
      'root/a',
      'root/b',
      'root/b/c',
      'root/b/d',
    ]);
  });

  test('twice equals once', () => {
    fc.assert(
      fc.property(arbTree(), (random) => {
        const reversed = mapTree(random, (each) => ({ ...each, children: each.children.toReversed() }));
        const sorted = sortTree(reversed);
        expect(sortTree(sorted)).toStrictEqual(sorted);
        expect(sorted).toStrictEqual(random);
      }),
    );
  });

  test('siblings with the farthest orders and with equal ones', () => {
    const first = node('z', { order: Number.MIN_SAFE_INTEGER });
    const last = node('a', { order: Number.MAX_SAFE_INTEGER });
    expect(compareSiblings(first, last)).toBeLessThan(0);
    expect(compareSiblings(last, first)).toBeGreaterThan(0);
    expect(compareSiblings(node('B'), node('a'))).toBeLessThan(0);
    expect(compareSiblings(node('a'), node('a'))).toBe(0);
  });

  test('code points, not UTF-16 units, order strings', () => {
    expect(
      ['😀', '\uFF5E', 'a', 'B', '_', 'ab', '', '\uE000', '𐀀'].toSorted(compareCodePoints),
    ).toStrictEqual(['', 'B', '_', 'a', 'ab', '\uE000', '\uFF5E', '𐀀', '😀']);
  });

  test('compareCodePoints agrees with the bytes of UTF-8', () => {
    const arbText = fc.string({
      unit: fc.constantFrom('a', 'b', 'é', '\uD7FF', '\uE000', '\uFFFD', '😀', '𐀀'),
    });
    fc.assert(
      fc.property(arbText, arbText, (a, b) => {
        expect(Math.sign(compareCodePoints(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
    );
  });
});
