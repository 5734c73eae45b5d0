import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderTree } from '../../../src/core/tree/canonical-json.ts';
import { classifyChange, findMarks, isSameShape } from '../../../src/core/iteration/classifier.ts';
import { mapTree, walkTree } from '../../../src/core/tree/tree-walk.ts';
import type { TreeNode } from '../../../src/core/types.ts';
import { arbTree, node } from '../../support/trees.ts';

describe('classifyChange', () => {
  test.each([
    ['repair', ['src/a.ts'], true, 'repair'],
    ['execute', [], true, 'decompose'],
    ['execute', ['src/a.ts'], true, 'execute'],
    ['execute', [], false, 'execute'],
    ['plan', [], true, 'decompose'],
    ['plan', [], false, 'execute'],
  ] as const)('%s %j tree changed %s: %s', (purpose, changedPaths, treeChanged, mode) => {
    expect(classifyChange({ purpose, changedPaths, treeChanged })).toBe(mode);
  });
});

describe('isSameShape', () => {
  const before = node('root', { children: [node('a'), node('b', { passes: true })] });
  test.each([
    [before, true],
    [node('root', { children: [node('a', { attempts: 2 }), node('b', { passes: true })] }), true],
    [
      node('root', { passes: true, children: [node('a', { passes: true }), node('b', { passes: true })] }),
      true,
    ],
    [node('root', { children: [node('a', { title: 'other' }), node('b', { passes: true })] }), false],
    [node('root', { children: [node('a'), node('b'), node('c')] }), false],
  ])('only what the runner owns may differ (%#)', (after, same) => {
    expect(isSameShape({ before, after })).toBe(same);
  });
});

test('the shape of a tree is its text without what the runner owns', () => {
  const shape = (tree: TreeNode): string =>
    renderTree(mapTree(tree, (one) => ({ ...one, passes: false, attempts: 0 })));
  const change = fc.record({
    key: fc.constantFrom('id', 'order', 'title', 'goal', 'acceptance', 'passes', 'attempts', 'max_attempts'),
    at: fc.nat(),
    isCut: fc.boolean(),
  });
  const changes = { id: 'other', order: 9, title: 'other', goal: 'other', acceptance: ['other'] };
  const values: Partial<TreeNode> = { ...changes, passes: true, attempts: 9, max_attempts: 9 };
  fc.assert(
    fc.property(arbTree(), change, (before, { key, at, isCut }) => {
      const visits = walkTree(before);
      const chosen = visits[at % visits.length]?.node.id;
      const after = mapTree(before, (one) => {
        if (one.id !== chosen) return one;
        return isCut ? { ...one, children: one.children.slice(1) } : { ...one, [key]: values[key] };
      });
      expect(isSameShape({ before, after })).toBe(shape(before) === shape(after));
      expect(isSameShape({ before: after, after: before })).toBe(shape(before) === shape(after));
    }),
  );
});

test('the same nodes below others are another shape', () => {
  const before = node('root', { children: [node('a', { children: [node('b')] })] });
  const after = node('root', { children: [node('a'), node('b')] });
  expect(isSameShape({ before, after })).toBe(false);
});

describe('findMarks', () => {
  test.each([
    ['.gitignore', '', ['changed-ignore-rules']],
    ['deep/er/.gitignore', 'sub/', ['changed-ignore-rules']],
    ['x.gitignore', '', []],
    ['justfile', '', ['changed-guard-files']],
    ['Justfile', '', ['changed-guard-files']],
    ['.justfile', '', ['changed-guard-files']],
    ['sub/justfile', 'sub/', ['changed-guard-files']],
    ['justfile', 'sub/', []],
    ['sub/justfile', '', []],
    ['sub/.envrc', '', ['changed-tool-files']],
    ['src/a.ts', '', []],
  ])('%s in project %j: %j', (path, prefix, marks) => {
    expect(findMarks({ changedPaths: [path], prefix, guardCommand: ['just', 'ci'], guardFiles: [] })).toEqual(
      marks,
    );
  });

  test.each([
    ['scripts/check.sh', '', ['bash', 'scripts/check.sh'], true],
    ['scripts/check.sh', '', ['./scripts//check.sh'], true],
    ['sub/scripts/check.sh', 'sub/', ['scripts/check.sh'], true],
    ['scripts/check.sh', 'sub/', ['../scripts/check.sh'], true],
    ['scripts/check.sh', 'sub/', ['scripts/check.sh'], false],
    ['ci/main.just', '', ['just', '--justfile=ci/main.just'], true],
    ['bin/check', '', ['/bin/check'], false],
    ['a', '', ['../../a'], true],
    ['just', '', ['just', 'ci'], true],
  ])('%s in project %j with guard %j: %s', (path, prefix, guardCommand, marked) => {
    expect(findMarks({ changedPaths: [path], prefix, guardCommand, guardFiles: [] })).toEqual(
      marked ? ['changed-guard-files'] : [],
    );
  });

  test('both, in order', () => {
    const changedPaths = ['.gitignore', 'justfile'];
    expect(findMarks({ changedPaths, prefix: '', guardCommand: [], guardFiles: [] })).toEqual([
      'changed-guard-files',
      'changed-ignore-rules',
    ]);
  });

  test("the guard's own files, as far as this iteration changed them", () => {
    const marks = (changedPaths: readonly string[]) =>
      findMarks({ changedPaths, prefix: '', guardCommand: [], guardFiles: ['ci/lib.just', 'package.json'] });
    expect(marks(['ci/lib.just'])).toEqual(['changed-guard-files']);
    expect(marks(['src/a.ts'])).toEqual([]);
  });
});
