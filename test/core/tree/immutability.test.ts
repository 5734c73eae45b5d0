import { describe, expect, test } from 'vitest';
import { checkPassedByHand, checkPassedUnchanged, sameTexts } from '../../../src/core/tree/immutability.ts';
import type { TreeNode } from '../../../src/core/types.ts';
import { edited } from '../../support/facts.ts';
import { node } from '../../support/trees.ts';

/** `api` is open with the passed leaf `auth`; `docs` is passed with the passed leaf `guide`. */
function tree(): TreeNode {
  return node('root', {
    children: [
      node('api', {
        children: [node('auth', { passes: true, acceptance: ['logs in'] }), node('users', { order: 1 })],
      }),
      node('docs', { order: 1, passes: true, children: [node('guide', { passes: true, attempts: 2 })] }),
    ],
  });
}

function check(next: TreeNode): readonly string[] {
  return checkPassedUnchanged({ before: tree(), next }).map(({ path, message }) => `${path}: ${message}`);
}

describe('checkPassedUnchanged (§1.3)', () => {
  test('[ancestor: immutability allows_identical_passed_nodes] nothing changed, nothing said', () => {
    expect(check(tree())).toEqual([]);
  });

  test('[ancestor: immutability reports_missing_passed_node] names the node and "missing"', () => {
    expect(check(edited(tree(), 'auth', () => null))).toEqual([
      "root/api/auth: passed node 'auth' is missing",
    ]);
  });

  test('[ancestor: immutability reports_parent_move] says "moved", from where and to where', () => {
    const without = edited(tree(), 'auth', () => null);
    const auth = node('auth', { passes: true, acceptance: ['logs in'] });
    const next = edited(without, 'root', (root) => ({ ...root, children: [...root.children, auth] }));
    expect(check(next)).toEqual(["root/api/auth: passed node 'auth' moved from parent 'api' to 'root'"]);
  });

  test.each<[string, Partial<TreeNode>]>([
    ['order', { order: 9 }],
    ['title', { title: 'other' }],
    ['goal', { goal: 'other' }],
    ['passes', { passes: false }],
    ['attempts', { attempts: 1 }],
    ['max_attempts', { max_attempts: 4 }],
    ['acceptance', { acceptance: ['logs out'] }],
    ['acceptance', { acceptance: [] }],
    ['acceptance', { acceptance: ['logs in', 'logs out'] }],
    ['children', { children: [node('new')] }],
    ['order, title, acceptance', { order: 1, title: 'x', acceptance: ['y'] }],
  ])('[ancestor: immutability reports_changed_node] "changed": %s', (keys, fields) => {
    expect(check(edited(tree(), 'auth', (old) => ({ ...old, ...fields })))).toEqual([
      `root/api/auth: passed node 'auth' changed: ${keys}`,
    ]);
  });

  test('[ancestor: immutability allows_open_node_edits_and_removals] open nodes are not its business', () => {
    const renamed = edited(tree(), 'api', (old) => ({ ...old, title: 'other', order: -3, goal: '' }));
    expect(check(edited(renamed, 'users', () => null))).toEqual([]);
  });

  test('passed internal nodes are held to their children, too', () => {
    const next = edited(tree(), 'docs', (docs) => ({ ...docs, children: [...docs.children, node('more')] }));
    expect(check(next)).toEqual(["root/docs: passed node 'docs' changed: children"]);
  });

  test('two violations of one node, and of several nodes, come in pre-order', () => {
    const without = edited(tree(), 'auth', () => null);
    const guide = node('guide', { passes: true, attempts: 2, title: 'other' });
    const next = edited(
      edited(without, 'docs', (docs) => ({ ...docs, children: [] })),
      'api',
      (api) => ({
        ...api,
        children: [...api.children, guide],
      }),
    );
    expect(check(next)).toEqual([
      "root/api/auth: passed node 'auth' is missing",
      "root/docs: passed node 'docs' changed: children",
      "root/docs/guide: passed node 'guide' moved from parent 'docs' to 'api'",
      "root/docs/guide: passed node 'guide' changed: title",
    ]);
  });

  test('swapped ids are caught although counts and places stay the same', () => {
    const swapped = edited(
      edited(tree(), 'auth', (old) => ({ ...old, id: 'tmp' })),
      'users',
      (old) => ({ ...old, id: 'auth' }),
    );
    expect(check(edited(swapped, 'tmp', (old) => ({ ...old, id: 'users' })))).toEqual([
      "root/api/auth: passed node 'auth' changed: order, title, goal, passes, acceptance",
    ]);
  });

  test('a passed root that was put below a new one has moved', () => {
    const before = node('root', { passes: true });
    const next = node('top', { children: [before] });
    expect(checkPassedUnchanged({ before, next })).toEqual([
      { path: 'root', message: "passed node 'root' moved from parent '<root>' to 'top'" },
    ]);
  });
});

describe('checkPassedByHand', () => {
  test('what has passed stays, and nothing passes by hand', () => {
    const before = node('root', { children: [node('a', { passes: true }), node('b', { order: 1 })] });
    const next = node('root', {
      children: [
        node('a', { passes: true, goal: 'less' }),
        node('b', { order: 1, passes: true }),
        node('c', { order: 2, passes: true }),
      ],
      passes: true,
    });
    expect(checkPassedByHand({ before, next })).toEqual([
      { path: 'root/a', message: "passed node 'a' changed: goal" },
      { path: 'root', message: "'root' was set to passed by hand" },
      { path: 'root/b', message: "'b' was set to passed by hand" },
      { path: 'root/c', message: "'c' was set to passed by hand" },
    ]);
    expect(
      checkPassedByHand({ before, next: edited(before, 'b', (old) => ({ ...old, goal: 'more' })) }),
    ).toEqual([]);
  });
});

test.each([
  [[], [], true],
  [['a'], ['a'], true],
  [['a'], ['b'], false],
  [['a'], ['a', 'b'], false],
  [['a', 'b'], ['b', 'a'], false],
])('sameTexts(%j, %j) is %s', (a, b, same) => {
  expect(sameTexts(a, b)).toBe(same);
});
