import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderTreeSummary } from '../../../src/core/prompt/tree-summary.ts';
import { walkTree } from '../../../src/core/tree/tree-walk.ts';
import { arbTree, node } from '../../support/trees.ts';

describe('renderTreeSummary', () => {
  test('one line a node, the selected one marked, passed branches folded', () => {
    const tree = node('root', {
      children: [
        node('a', {
          passes: true,
          children: [node('a.1', { passes: true, children: [node('a.1.1', { passes: true })] })],
        }),
        node('b', { order: 1, passes: true, attempts: 1 }),
        node('c', {
          order: 2,
          children: [node('d', { title: ' new\n[x]\u001b[2K title ', attempts: 2 }), node('e')],
        }),
      ],
    });
    expect(renderTreeSummary({ tree, selectedId: 'd' }).split('\n')).toEqual([
      '[ ] root: root title (attempts 0/3)',
      '  [x] a: a title (attempts 0/3) (2 nodes below, passed)',
      '  [x] b: b title (attempts 1/3)',
      '  [ ] c: c title (attempts 0/3)',
      '    [ ] d: new [x] title (attempts 2/3) <== current node',
      '    [ ] e: e title (attempts 0/3)',
    ]);
  });

  test('a passed root is one line', () => {
    const tree = node('root', { passes: true, children: [node('a', { passes: true })] });
    expect(renderTreeSummary({ tree, selectedId: null })).toBe(
      '[x] root: root title (attempts 0/3) (1 node below, passed)',
    );
  });

  test.each([
    [0, ['none', '[… 703 nodes below left out …]']],
    [500, ['[… 352 nodes above left out …]', '[… 351 nodes below left out …]']],
    [998, ['[… 703 nodes above left out …]', 'none']],
  ])('keeps the window around leaf %i of a large tree', (selected, [above, below]) => {
    const children = Array.from({ length: 1000 }, (_, order) => node(`n${order}`, { order }));
    const lines = renderTreeSummary({ tree: node('root', { children }), selectedId: `n${selected}` }).split(
      '\n',
    );
    expect(lines.length).toBeLessThanOrEqual(300);
    expect(lines.filter((line) => line.endsWith('<== current node'))).toHaveLength(1);
    expect(lines.at(0)?.startsWith('[…') === true ? lines.at(0) : 'none').toBe(above);
    expect(lines.at(-1)?.startsWith('[…') === true ? lines.at(-1) : 'none').toBe(below);
  });

  test('counts folded nodes among those left out', () => {
    const passed = node('p', { order: -1, passes: true, children: [node('p.1', { passes: true })] });
    const children = [passed, ...Array.from({ length: 400 }, (_, order) => node(`n${order}`, { order }))];
    const tree = node('root', { children });
    expect(renderTreeSummary({ tree, selectedId: 'n399' }).split('\n')[0]).toBe(
      '[… 105 nodes above left out …]',
    );
  });

  test('survives the deepest and largest trees', () => {
    let deep = node('n0');
    for (let depth = 1; depth < 1000; depth += 1) deep = node(`n${depth}`, { children: [deep] });
    expect(renderTreeSummary({ tree: deep, selectedId: 'n0' }).split('\n')).toHaveLength(299);
  });

  test('counts every node exactly once', () => {
    fc.assert(
      fc.property(arbTree({ nodesMax: 60 }), (tree) => {
        const lines = renderTreeSummary({ tree, selectedId: null }).split('\n');
        const folded = lines.map((line) => Number(/\((\d+) nodes? below, passed\)$/u.exec(line)?.[1] ?? 0));
        expect(lines.length + folded.reduce((sum, count) => sum + count, 0)).toBe(walkTree(tree).length);
      }),
    );
  });
});
