/** A person's change of the tree as data (§12): what is read, and which files go with it. */
import { expect, test } from 'vitest';
import { planTreeEdit, treeEditSchema } from '../../../src/core/tree/tree-edit.ts';
import type { TreeEdit } from '../../../src/core/tree/tree-edit.ts';
import { node } from '../../support/trees.ts';

const tree = node('root', { children: [node('a'), node('b', { order: 1 })] });

function plan(edit: TreeEdit) {
  return planTreeEdit({ tree, takenIds: [], maxAttempts: 3, sha256: (text) => text }, edit);
}

const texts = { title: 'T', goal: 'G', acceptance: [] };

test.each<[TreeEdit, readonly string[], readonly string[]]>([
  [{ kind: 'add', parent: 'a', nodes: [texts], before: null, after: null }, ['a.1'], ['nodes/a/last.json']],
  [{ kind: 'import', parent: 'root', nodes: [texts, texts], file: 'p.json' }, ['root.1', 'root.2'], []],
  [{ kind: 'move', node: 'a', under: null, before: null, after: 'b' }, ['a'], []],
  [{ kind: 'drop', node: 'a', why: 'x' }, ['a'], ['nodes/a/dropped.json', 'nodes/a/last.json']],
  [{ kind: 'edit', node: 'root/a', texts: { goal: 'new' } }, ['a'], []],
])('%j', (edit, ids, files) => {
  expect(treeEditSchema.parse(edit)).toEqual(edit);
  const result = plan(edit);
  expect(result).toMatchObject({ ok: true, ids, changed: edit.kind === 'edit' ? ['goal'] : [] });
  expect(result.ok && Object.keys(result.files).toSorted()).toEqual(files);
});

test.each([
  { kind: 'retry', node: 'a' },
  { kind: 'drop', node: 'a', why: 'x', passes: true },
  { kind: 'add', parent: 'a', nodes: [], before: null, after: null },
])('%j is no change', (value) => {
  expect(treeEditSchema.safeParse(value).success).toBe(false);
});
