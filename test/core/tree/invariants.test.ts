import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkInvariants, checkLimits, checkNodes } from '../../../src/core/tree/invariants.ts';
import { mapTree } from '../../../src/core/tree/tree-walk.ts';
import type { TreeNode } from '../../../src/core/types.ts';
import { arbTree, node } from '../../support/trees.ts';

function check(tree: TreeNode): string[] {
  return checkInvariants(tree).map(({ path, message }) => `${path}: ${message}`);
}

function chain(length: number): TreeNode {
  let top = node(`n${length}`);
  for (let level = length - 1; level > 0; level -= 1) top = node(`n${level}`, { children: [top] });
  return top;
}

describe('checkInvariants', () => {
  test('accepts every valid tree, also with siblings out of order', () => {
    fc.assert(
      fc.property(arbTree(), (tree) => {
        expect(checkInvariants(tree)).toStrictEqual([]);
        const reversed = mapTree(tree, (each) => ({ ...each, children: each.children.toReversed() }));
        expect(checkInvariants(reversed)).toStrictEqual([]);
      }),
    );
  });

  test('ids are unique in the whole tree, ignoring case', () => {
    const tree = node('root', {
      children: [node('Api', { children: [node('x')] }), node('b'), node('api'), node('ROOT')],
    });
    expect(check(tree)).toStrictEqual([
      'root/api: id is already used by root/Api (ids are compared ignoring case)',
      'root/ROOT: id is already used by root (ids are compared ignoring case)',
    ]);
  });

  test('attempts stay within max_attempts', () => {
    expect(check(node('root', { attempts: 3 }))).toStrictEqual([]);
    expect(check(node('root', { attempts: 4 }))).toStrictEqual(['root: attempts 4 exceeds max_attempts 3']);
  });

  test('64 levels are allowed; of a deeper branch the first node is named', () => {
    expect(check(chain(64))).toStrictEqual([]);
    const violations = checkInvariants(chain(70));
    expect(violations).toHaveLength(1);
    expect(violations[0]?.path).toMatch(/^n1\/n2\/.*\/n65$/);
    expect(violations[0]?.message).toBe('is on level 65; at most 64 are allowed');
  });

  test('100,000 nodes are allowed, one more is not', () => {
    const children = Array.from({ length: 100_000 }, (_, index) => node(`n${index}`));
    expect(check(node('root', { children: children.slice(1) }))).toStrictEqual([]);
    expect(check(node('root', { children }))).toStrictEqual(['root: the tree has more than 100000 nodes']);
  });

  test('a passed node has nothing open below it; the first open one is named', () => {
    const done = node('mid', { passes: true, children: [node('leaf', { passes: true })] });
    expect(check(node('root', { passes: true, children: [done] }))).toStrictEqual([]);
    const below = [
      node('done', { passes: true }),
      node('mid', { passes: true, children: [node('late'), node('later')] }),
      node('last'),
    ];
    expect(check(node('root', { passes: true, children: below }))).toStrictEqual([
      'root: is passed, but root/mid/late below it is open',
      'root/mid: is passed, but root/mid/late below it is open',
    ]);
    const openInside = node('mid', { children: [node('leaf', { passes: true })] });
    expect(check(node('root', { passes: true, children: [openInside] }))).toStrictEqual([
      'root: is passed, but root/mid below it is open',
      'root/mid: is open, but every leaf below it is passed',
    ]);
  });

  test('an open internal node has an open leaf below it', () => {
    const done = node('done', { passes: true });
    const mid = node('mid', { children: [done] });
    const message = 'is open, but every leaf below it is passed';
    expect(check(node('root', { children: [mid] }))).toStrictEqual([
      `root: ${message}`,
      `root/mid: ${message}`,
    ]);
    expect(check(node('root', { children: [mid, node('open')] }))).toStrictEqual([`root/mid: ${message}`]);
    expect(check(node('root', { children: [node('open'), mid] }))).toStrictEqual([`root/mid: ${message}`]);
  });

  test('violations come in pre-order, for one node in the order of the rules', () => {
    const wrong = node('ROOT', { attempts: 9, passes: true, children: [node('open')] });
    const tree = node('root', { attempts: 4, children: [wrong, node('Open', { attempts: 5 })] });
    expect(check(tree)).toStrictEqual([
      'root: attempts 4 exceeds max_attempts 3',
      'root/ROOT: id is already used by root (ids are compared ignoring case)',
      'root/ROOT: attempts 9 exceeds max_attempts 3',
      'root/ROOT: is passed, but root/ROOT/open below it is open',
      'root/Open: id is already used by root/ROOT/open (ids are compared ignoring case)',
      'root/Open: attempts 5 exceeds max_attempts 3',
    ]);
    expect(check(tree)).toStrictEqual(check(structuredClone(tree)));
  });

  test('the rules about passed and open nodes agree with their plain definition', () => {
    const below = (each: TreeNode): TreeNode[] => each.children.flatMap((child) => [child, ...below(child)]);
    const isBroken = (each: TreeNode): boolean => {
      const open = below(each).filter((other) => !other.passes);
      if (each.passes) return open.length > 0;
      return each.children.length > 0 && !open.some((other) => other.children.length === 0);
    };
    fc.assert(
      fc.property(arbTree(), fc.array(fc.boolean(), { minLength: 25, maxLength: 25 }), (tree, passes) => {
        let at = 0;
        const mixed = mapTree(tree, (each) => ({ ...each, passes: passes[at++] === true }));
        const found = checkInvariants(mixed).map(({ path }) => path.split('/').at(-1));
        const expected = [mixed, ...below(mixed)].filter(isBroken).map((each) => each.id);
        expect(found).toStrictEqual(expected);
      }),
    );
  });
});

test('checkLimits and checkNodes look only at their own rules', () => {
  const tree = node('root', { passes: true, children: [node('Root', { attempts: 4 }), chain(64)] });
  expect(checkLimits(tree).map(({ message }) => message)).toStrictEqual([
    'is on level 65; at most 64 are allowed',
  ]);
  expect(checkNodes(tree).map(({ message }) => message)).toStrictEqual([
    'id is already used by root (ids are compared ignoring case)',
    'attempts 4 exceeds max_attempts 3',
  ]);
});
