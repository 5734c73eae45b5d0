import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderTree } from '../../../src/core/tree/canonical-json.ts';
import { findEdited } from '../../../src/core/tree/edited-tree.ts';
import { treeDepthMax, treeNodesMax } from '../../../src/core/limits.ts';
import { readQuickTree } from '../../../src/core/tree/quick-tree.ts';
import { mapTree, sortTree, walkTree } from '../../../src/core/tree/tree-walk.ts';
import type { TreeNode } from '../../../src/core/types.ts';

function node(id: string, children: readonly TreeNode[] = [], fields: Partial<TreeNode> = {}): TreeNode {
  return {
    id,
    order: 0,
    title: `Title of ${id}`,
    goal: 'g',
    acceptance: ['a'],
    passes: false,
    attempts: 0,
    max_attempts: 3,
    ...fields,
    children,
  };
}

/** Read without anything that was read before. */
function readFresh(text: string): TreeNode | null {
  readQuickTree('');
  return readQuickTree(text);
}

/** Read as an agent's edit of a tree. */
function readAfter(before: string, text: string): TreeNode | null {
  readFresh(before);
  return readQuickTree(text);
}

function edit(tree: TreeNode, id: string, fields: object): TreeNode {
  return mapTree(tree, (one) => (one.id === id ? { ...one, ...fields } : one));
}

const sample = node('root', [
  node('a', [node('a1'), node('a2', [node('deep')])]),
  node('b'),
  node('c', [node('c1')]),
]);

describe('an edited part', () => {
  const text = renderTree(sample);

  test('is the innermost node around it, and all others are the very same objects', () => {
    const before = readFresh(text);
    const after = readQuickTree(renderTree(edit(sample, 'deep', { goal: 'other' })));
    expect(after).toEqual(edit(sample, 'deep', { goal: 'other' }));
    expect(after?.children[1]).toBe(before?.children[1]);
    expect(after?.children[0]?.children[0]).toBe(before?.children[0]?.children[0]);
    expect(after?.children[0]).not.toBe(before?.children[0]);
  });

  test('names its place by the nodes above it', () => {
    const tree = readFresh(text) ?? sample;
    const now = renderTree(edit(sample, 'deep', { id: 'deeper' }));
    const found = findEdited(now, { text, tree });
    expect(found?.above.map(({ child }) => child.id)).toEqual(['a', 'a2']);
    expect(found?.place).toMatchObject({ at: 0, child: { id: 'deep' } });
    expect(found?.value).toMatchObject({ id: 'deeper' });
  });

  test.each<[string, string, TreeNode | null]>([
    ['of the root itself', renderTree({ ...sample, goal: 'x' }), { ...sample, goal: 'x' }],
    ['in two places', renderTree(edit(edit(sample, 'a1', { goal: 'x' }), 'c1', { goal: 'y' })), null],
    ['that is no JSON', text.replace('"id": "deep"', '"id": deep'), null],
    ['that is written in another way', text.replace('"id": "deep"', '"id":  "deep"'), null],
    ['that has half a character', text.replace('Title of deep', String.raw`\ud83d`), null],
    ['that is another kind of value', text.replace(/"passes": false/g, '"passes": "no"'), null],
    ['that is no node of the schema', renderTree(edit(sample, 'deep', { attempts: -1 })), null],
    ['that is out of order', renderTree(edit(sample, 'b', { order: -1 })), null],
    ['that comes to an end too soon', text.slice(0, -20), null],
    ['that is all of it', '[]\n', null],
    ['that is nothing', '', null],
  ])('%s', (_, now, expected) => {
    const after = readAfter(text, now);
    expect(after).toEqual(readFresh(now));
    if (expected !== null) expect(after).toEqual(expected);
  });

  test('beside a namesake is not taken for it', () => {
    const twins = node('root', [node('a', [node('x')]), node('a', [node('x')], { order: 1 })]);
    const inner = renderTree(twins).replace('Title of x', 'Other');
    expect(readAfter(renderTree(twins), inner)).toEqual(readFresh(inner));
    expect(readAfter(renderTree(twins), inner)?.children[0]?.children[0]?.title).toBe('Other');
    const outer = renderTree(twins).replace('Title of a', 'Other');
    expect(readAfter(renderTree(twins), outer)).toEqual(readFresh(outer));
  });

  test('that is most of the tree is read with all of it', () => {
    const tree = node('root', [node('a', [], { goal: 'x'.repeat(1000) }), node('b')]);
    const now = renderTree(edit(tree, 'a', { title: 'Other' }));
    expect(findEdited(now, { text: renderTree(tree), tree })).toBeNull();
    expect(readAfter(renderTree(tree), now)).toEqual(edit(tree, 'a', { title: 'Other' }));
  });

  test('far from both ends of a long text', () => {
    const long = 'ü'.repeat(100_000);
    const tree = node('root', [node('a', [], { goal: long }), node('b'), node('c', [], { goal: long })]);
    for (const id of ['a', 'b', 'c']) {
      const now = renderTree(edit(tree, id, { title: 'Other' }));
      const after = readAfter(renderTree(tree), now);
      expect(after).toEqual(edit(tree, id, { title: 'Other' }));
      expect(after?.children.filter((one) => one.title === 'Other')).toHaveLength(1);
    }
  });

  test('that makes the tree too deep or too large is refused as in a tree that is read as a whole', () => {
    const chain = (levels: number): TreeNode =>
      Array.from({ length: levels }).reduce<TreeNode>((inner, _, at) => node(`n${at}`, [inner]), node('end'));
    const fits = node('root', [node('b'), chain(treeDepthMax - 2)]);
    const deep = edit(fits, 'end', { children: [node('below')] });
    expect(readFresh(renderTree(fits))).not.toBeNull();
    expect(readAfter(renderTree(fits), renderTree(deep))).toBeNull();
    const many = Array.from({ length: treeNodesMax - 2 }, (_, order) => node(`m${order}`, [], { order }));
    const wide = node('root', [...many, node('z', [], { order: treeNodesMax })]);
    const over = edit(wide, 'z', { children: [node('z1')] });
    expect(readFresh(renderTree(wide))).not.toBeNull();
    expect(readAfter(renderTree(wide), renderTree(over))).toBeNull();
  });
});

const arbText = fc.string({
  unit: fc.constantFrom('a', '"', '\\', '{', '}', '\n', ' ', 'é', '🙂'),
  maxLength: 12,
});

/** Small trees with few names, so that namesakes, and edits that look like other edits, are common. */
const arbTree = fc
  .array(
    fc.record({
      parent: fc.nat(),
      id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'),
      fields: fc.record({
        order: fc.integer({ min: -3, max: 3 }),
        goal: arbText,
        acceptance: fc.array(arbText, { maxLength: 2 }),
      }),
    }),
    { maxLength: 8 },
  )
  .map((parts) => {
    const made = [{ id: 'root', fields: {}, children: [] as number[] }];
    for (const { parent, id, fields } of parts) {
      made[parent % made.length]?.children.push(made.length);
      made.push({ id, fields, children: [] });
    }
    // Children come after their parents, so going backwards every child is there.
    const nodes: TreeNode[] = [];
    for (const [at, { id, fields, children }] of [...made.entries()].toReversed()) {
      nodes[at] = node(
        id,
        children.flatMap((child) => nodes[child] ?? []),
        fields,
      );
    }
    return sortTree(nodes[0] ?? sample);
  });

/** Another value for one field of one node, or another subtree, or text that was damaged. */
const arbChange = fc.oneof(
  fc.record({ kind: fc.constant('fields' as const), at: fc.nat(), fields: fc.record({ goal: arbText }) }),
  fc.record({ kind: fc.constant('subtree' as const), at: fc.nat(), subtree: arbTree }),
  fc.record({ kind: fc.constant('text' as const), at: fc.nat(), cut: fc.nat({ max: 40 }), put: arbText }),
);

test('whatever was changed, it is read as if nothing had been read before', () => {
  let quick = 0;
  fc.assert(
    fc.property(arbTree, fc.array(arbChange, { minLength: 1, maxLength: 2 }), (tree, changes) => {
      const before = renderTree(tree);
      let after = before;
      for (const change of changes) {
        const now = readFresh(after) ?? tree;
        const visits = walkTree(now);
        const target = visits[change.at % visits.length]?.node;
        if (change.kind === 'text') {
          const at = change.at % (after.length + 1);
          after = `${after.slice(0, at)}${change.put}${after.slice(at + change.cut)}`;
        } else {
          const other = change.kind === 'fields' ? change.fields : change.subtree;
          after = renderTree(mapTree(now, (one) => (one === target ? { ...one, ...other } : one)));
        }
      }
      const known = readFresh(before);
      if (known !== null && findEdited(after, { text: before, tree: known }) !== null) quick += 1;
      const read = readAfter(before, after);
      expect(read).toEqual(readFresh(after));
      if (read !== null) expect(renderTree({ ...read })).toBe(after);
    }),
  );
  expect(quick).toBeGreaterThan(0);
});
