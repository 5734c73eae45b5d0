import { describe, expect, test } from 'vitest';
import type { StructureInput } from '../../../src/core/iteration/structure-rules.ts';
import { checkStructure } from '../../../src/core/iteration/structure-rules.ts';
import type { TreeNode } from '../../../src/core/types.ts';
import { edited } from '../../support/facts.ts';
import { node } from '../../support/trees.ts';

/** Leaves in order: `a1` (selected), `a2`, the passed `b1`, `b2`, `c`. */
function tree(): TreeNode {
  return node('root', {
    children: [
      node('a', { children: [node('a1'), node('a2', { order: 1 })] }),
      node('b', { order: 1, children: [node('b1', { passes: true }), node('b2', { order: 1 })] }),
      node('c', { order: 2 }),
    ],
  });
}

function check(next: TreeNode, fields: Partial<StructureInput> = {}): readonly string[] {
  return checkStructure({ before: tree(), next, selectedId: 'a1', allowRemoval: false, ...fields }).map(
    ({ path, message }) => `${path}: ${message}`,
  );
}

function grown(next: TreeNode, id: string, ...children: readonly TreeNode[]): TreeNode {
  return edited(next, id, (old) => ({ ...old, children: [...old.children, ...children] }));
}

function without(next: TreeNode, ...ids: readonly string[]): TreeNode {
  return ids.reduce((at, id) => edited(at, id, () => null), next);
}

/** Takes a node out and puts it below another one. */
function moved(next: TreeNode, id: string, to: string): TreeNode {
  const found: TreeNode[] = [];
  edited(next, id, (old) => {
    found.push(old);
    return old;
  });
  return grown(without(next, id), to, ...found);
}

describe('what agents may do to open nodes (§5)', () => {
  test.each<[string, TreeNode]>([
    ['nothing', tree()],
    [
      'edit and reorder them',
      edited(tree(), 'c', (old) => ({ ...old, title: 'other', goal: 'other', order: -1 })),
    ],
    ['add children to the selected leaf', grown(tree(), 'a1', node('new'))],
    [
      'add nodes, with nodes below, where internal nodes were',
      grown(tree(), 'b', node('new', { children: [node('newer')] })),
    ],
    ['move leaves under nodes that were internal', moved(tree(), 'a2', 'b')],
    ['move the selected leaf likewise', moved(tree(), 'a1', 'root')],
    ['move whole open branches', moved(tree(), 'a', 'b')],
    ['move an open node with passed ones below it', moved(tree(), 'b', 'a')],
  ])('%s', (_what, next) => {
    expect(check(next)).toEqual([]);
  });

  test('with tree.allow_removal remove them', () => {
    expect(check(without(tree(), 'a2', 'c'), { allowRemoval: true })).toEqual([]);
  });
});

describe('malformed (§5)', () => {
  test('an open node was removed', () => {
    expect(check(without(tree(), 'c'))).toEqual([
      "root/c: open node 'c' was removed (tree.allow_removal in config.toml is false)",
    ]);
  });

  test('open nodes that went with their parent are all named', () => {
    expect(check(without(tree(), 'b'))).toEqual([
      "root/b: open node 'b' was removed (tree.allow_removal in config.toml is false)",
      "root/b/b2: open node 'b2' was removed (tree.allow_removal in config.toml is false)",
    ]);
  });

  test('a removed node and a new one in its place: ids count, not numbers', () => {
    expect(check(edited(tree(), 'c', () => node('d', { order: 2 })))).toEqual([
      "root/c: open node 'c' was removed (tree.allow_removal in config.toml is false)",
    ]);
  });

  test.each([true, false])('the selected node is gone, allow_removal=%s', (allowRemoval) => {
    expect(check(without(tree(), 'a1'), { allowRemoval })).toEqual([
      "root/a/a1: the selected node 'a1' is gone",
    ]);
  });

  test('another open leaf gained children', () => {
    expect(check(grown(tree(), 'c', node('new')))).toEqual([
      "root/c: open leaf 'c' gained children, but only the selected node 'a1' may",
    ]);
  });

  test('an open node moved below a leaf, the selected one included', () => {
    expect(check(moved(tree(), 'c', 'a1'))).toEqual([
      "root/a/a1/c: open node 'c' moved to a place that was not an internal node before",
    ]);
    expect(check(moved(tree(), 'a2', 'c'))).toEqual([
      "root/c/a2: open node 'a2' moved to a place that was not an internal node before",
      "root/c: open leaf 'c' gained children, but only the selected node 'a1' may",
    ]);
  });

  test('an open node moved below a new one', () => {
    expect(check(moved(grown(tree(), 'root', node('new', { order: 9 })), 'c', 'new'))).toEqual([
      "root/new/c: open node 'c' moved to a place that was not an internal node before",
    ]);
  });

  test('another node became the root', () => {
    const next = node('top', { children: [tree()] });
    expect(check(next)).toEqual([
      "top/root: open node 'root' moved to a place that was not an internal node before",
    ]);
    const swapped = node('c', { children: [node('root', { children: tree().children.slice(0, 2) })] });
    expect(check(swapped)).toEqual([
      "c/root: open node 'root' moved to a place that was not an internal node before",
      "root/c: open leaf 'c' gained children, but only the selected node 'a1' may",
      "c: open node 'c' moved to a place that was not an internal node before",
    ]);
  });

  test('an open internal node is left with passed children only', () => {
    const message = "root/b: open internal node 'b' is left without an open descendant";
    expect(check(moved(tree(), 'b2', 'a'))).toEqual([message]);
    expect(check(without(tree(), 'b2'), { allowRemoval: true })).toEqual([message]);
  });

  test('an open internal node is left without any children', () => {
    const next = moved(moved(tree(), 'a1', 'root'), 'a2', 'root');
    expect(check(next)).toEqual(["root/a: open internal node 'a' is left without an open descendant"]);
  });

  test('every open node above is named, too', () => {
    const before = node('root', {
      children: [
        node('a', { children: [node('b', { children: [node('p', { passes: true }), node('x')] })] }),
      ],
    });
    const found = checkStructure({ before, next: without(before, 'x'), selectedId: 'q', allowRemoval: true });
    expect(found.map(({ path }) => path)).toEqual(['root', 'root/a', 'root/a/b']);
  });
});

describe('limits on what agents write (§3)', () => {
  const title = 'é'.repeat(100);
  const goal = 'x'.repeat(8000);

  test.each<[string, Partial<TreeNode>, string | null]>([
    ['title of 200 bytes', { title }, null],
    ['title of 201 bytes', { title: `${title}x` }, 'title is longer than 200 bytes'],
    ['goal and acceptance of 8192 bytes', { goal, acceptance: ['y'.repeat(100), 'z'.repeat(92)] }, null],
    [
      'goal and acceptance of 8193 bytes',
      { goal, acceptance: ['y'.repeat(100), 'z'.repeat(93)] },
      'goal and acceptance together are longer than 8192 bytes',
    ],
  ])('%s', (_what, fields, message) => {
    const expected = (path: string): readonly string[] => (message === null ? [] : [`${path}: ${message}`]);
    expect(check(edited(tree(), 'c', (old) => ({ ...old, ...fields })))).toEqual(expected('root/c'));
    expect(check(grown(tree(), 'b', node('new', fields)))).toEqual(expected('root/b/new'));
  });

  test('long texts that people committed stay allowed while they stay the same', () => {
    const long = { title: 't'.repeat(300), goal: 'g'.repeat(9000), acceptance: ['a'] };
    const before = node('root', { children: [node('a', long), node('b', { order: 1 })] });
    const input = { before, selectedId: 'b', allowRemoval: false };
    const paths = (next: TreeNode): readonly string[] =>
      checkStructure({ ...input, next }).map(({ message }) => message);
    expect(paths(edited(before, 'a', (old) => ({ ...old, order: 5 })))).toEqual([]);
    expect(paths(edited(before, 'a', (old) => ({ ...old, title: 'short' })))).toEqual([]);
    expect(paths(edited(before, 'a', (old) => ({ ...old, acceptance: ['b'] })))).toEqual([
      'goal and acceptance together are longer than 8192 bytes',
    ]);
  });
});

describe('in a repair (§5 REPAIR)', () => {
  test('rules that name the selected node do not apply', () => {
    expect(check(grown(tree(), 'c', node('new')), { selectedId: null })).toEqual([]);
  });

  test('all others do', () => {
    expect(check(without(tree(), 'a1'), { selectedId: null })).toEqual([
      "root/a/a1: open node 'a1' was removed (tree.allow_removal in config.toml is false)",
    ]);
    expect(check(moved(tree(), 'b2', 'a'), { selectedId: null })).toEqual([
      "root/b: open internal node 'b' is left without an open descendant",
    ]);
  });
});
