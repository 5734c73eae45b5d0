/** Whatever the quick reader accepts, the full parser accepts with the same value; and what the runner writes is accepted. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderTree } from '../../../src/core/tree/canonical-json.ts';
import { treeDepthMax, treeNodesMax } from '../../../src/core/limits.ts';
import { readQuickTree } from '../../../src/core/tree/quick-tree.ts';
import { parseTree, readAgentTree } from '../../../src/core/tree/tree-schema.ts';
import type { TreeNode } from '../../../src/core/types.ts';
import { arbTree, node } from '../../support/trees.ts';

const small = node('root', {
  acceptance: ['one', 'two'],
  children: [node('a', { order: -12 }), node('b', { children: [node('c', { passes: true })] })],
});
const smallText = renderTree(small);

function chain(length: number): TreeNode {
  let top = node(`n${length}`);
  for (let level = length - 1; level > 0; level -= 1) top = node(`n${level}`, { children: [top] });
  return top;
}

/** A blank at the end is nothing the runner writes, so only the full parser reads it. */
function both(text: string): readonly [quick: string, full: string] {
  return [text, `${text} `];
}

function parse(text: string): ReturnType<typeof parseTree> {
  return parseTree({ kind: 'text', text });
}

function readAgent(text: string, before: TreeNode): ReturnType<typeof readAgentTree> {
  return readAgentTree({ source: { kind: 'text', text }, before, maxAttemptsDefault: 7 });
}

/** Small orders, so that siblings often share one. */
const arbPlainTree = arbTree().map(
  (tree) => JSON.parse(JSON.stringify(tree).replaceAll(/"order":(-?\d)\d*/g, '"order":$1')) as TreeNode,
);

describe('readQuickTree', () => {
  test('reads what renderTree writes', () => {
    fc.assert(
      fc.property(arbPlainTree, (tree) => {
        const text = renderTree(tree);
        const quick = readQuickTree(text);
        const [, full] = both(text);
        const parsed = parse(full);
        // Changed orders may have left siblings unsorted; then there is nothing to read quickly.
        expect(quick ?? parsed).toStrictEqual(quick === null ? parsed : tree);
        expect(parse(text)).toStrictEqual(parsed);
      }),
    );
    expect(readQuickTree(smallText)).toStrictEqual(small);
  });

  test('agrees with the full parser about texts that are nearly right', () => {
    const edit = fc.record({
      at: fc.nat(),
      cut: fc.nat({ max: 3 }),
      put: fc.constantFrom(
        '',
        '"',
        '\\',
        '\\n',
        ',',
        '\n',
        ' ',
        '0',
        '-',
        '9',
        'e',
        '{',
        ']',
        'b',
        '\ud800',
        '\u00e9',
      ),
    });
    fc.assert(
      fc.property(arbPlainTree, edit, (tree, { at, cut, put }) => {
        const text = renderTree(tree);
        const place = at % text.length;
        const changed = `${text.slice(0, place)}${put}${text.slice(place + cut)}`;
        fc.pre(readQuickTree(changed) !== null);
        const [quick, full] = both(changed);
        expect(parse(quick)).toStrictEqual(parse(full));
        expect(readAgent(quick, tree)).toStrictEqual(readAgent(full, tree));
      }),
    );
  });

  test('what was read last is not read again', () => {
    const tree = readQuickTree(smallText);
    expect(readQuickTree(` ${smallText}`.slice(1))).toBe(tree);
    expect(readQuickTree('')).toBeNull();
    expect(readQuickTree(smallText)).not.toBe(tree);
  });

  test('an agent that left the tree as it was left the same tree', () => {
    const before = readQuickTree(smallText) as TreeNode;
    expect(readAgent(smallText, before)).toStrictEqual({ kind: 'tree', tree: before });
  });

  test.each([
    ['"a title"', '"a \\" \\\\ \\n \\u0001 é 😀 title"', true],
    ['"a title"', '"\\\\"', true],
    ['"a title"', '"\\u0041"', false],
    ['"a title"', '"\\/"', false],
    ['"a title"', '"\\x"', false],
    ['"a title"', '"\\ud800"', false],
    ['"a title"', '"\ud800"', false],
    ['"a title"', '"\u0001"', false],
    ['"a title"', '"\n"', false],
    ['"a title"', 'null', false],
    ['"a title"', '"a', false],
    ['"order": -12', '"order": -123456789012345', true],
    ['"order": -12', '"order": -1234567890123456', true],
    ['"order": -12', '"order": 012', false],
    ['"order": -12', '"order": -0', false],
    ['"order": -12', '"order": -', false],
    ['"order": -12', '"order": 1.5', false],
    ['"order": -12', '"order": 1', false],
    ['"order": -12', '"order":-12', false],
    ['"passes": true', '"passes": truth', false],
    ['"passes": true', '"passes": 1', false],
    ['"one"', '1', false],
    ['"one",', '"one"', false],
    ['"id": "a"', '"id": "a b"', false],
    ['"max_attempts": 3', '"max_attempts": 0', false],
    ['"children": []', '"children": [ ]', false],
    ['"children": []', '"children": []\n', false],
    ['"children": []', '"children": [1]', false],
    ['"children": []', '"children": null', false],
    ['"goal"', '"aim"', false],
    ['\n  ]\n}\n', '\n]\n}\n', false],
    ['\n  ]\n}\n', '\n  ]\n}', false],
    ['\n  ]\n}\n', '\n  ]\n}\n\n', false],
    ['{', '\ufeff{', false],
  ])('%j as %j: %s', (from, to, isRead) => {
    const text = smallText.replace(from, () => to);
    expect(text).not.toBe(smallText);
    const [quick, full] = both(text);
    expect(readQuickTree(quick) !== null).toBe(isRead);
    if (isRead) expect(parse(quick)).toStrictEqual(parse(full));
  });

  test.each([
    ['unsorted siblings', node('root', { children: [node('b'), node('a')] })],
    ['equal siblings', node('root', { children: [node('a'), node('a')] })],
    ['too many levels', chain(treeDepthMax + 1)],
    [
      'too many nodes',
      node('root', {
        children: Array.from({ length: treeNodesMax }, (_, order) => node(`n${order}`, { order })),
      }),
    ],
  ])('leaves %s to the full parser', (_, tree) => {
    expect(readQuickTree(renderTree(tree))).toBeNull();
  });

  test('leaves a text that ends early to the full parser', () => {
    for (let end = 0; end < smallText.length; end += 1)
      expect(readQuickTree(smallText.slice(0, end))).toBeNull();
  });

  test('reads as many levels and nodes as there may be', () => {
    const wide = node('root', {
      children: Array.from({ length: treeNodesMax - 1 }, (_, order) => node(`n${order}`, { order })),
    });
    expect(readQuickTree(renderTree(wide))).toStrictEqual(wide);
    expect(readQuickTree(renderTree(chain(treeDepthMax)))).toStrictEqual(chain(treeDepthMax));
  });
});
