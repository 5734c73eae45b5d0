import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { layout } from '../../../src/adapters/files/layout.ts';
import type { Layout } from '../../../src/adapters/files/layout.ts';
import { treeStore } from '../../../src/adapters/project/tree-store.ts';
import { renderTree } from '../../../src/core/tree/canonical-json.ts';
import { rejectedTreeBytesMax } from '../../../src/core/limits.ts';
import { scratchFolder } from '../../support/scratch.ts';
import { node } from '../../support/trees.ts';

function newPlace(): Layout {
  const place = layout(scratchFolder());
  mkdirSync(dirname(place.tree), { recursive: true });
  return place;
}

test('[ancestor: tree_store load_and_write_tree_round_trip] what is written reads back equal', async () => {
  const place = newPlace();
  const tree = node('root', { children: [node('a'), node('b', { order: 1, title: 'ü' })] });
  writeFileSync(place.tree, renderTree(tree));
  expect(await treeStore(place).load()).toEqual(tree);
});

test('a missing tree names the command that helps', async () => {
  await expect(treeStore(newPlace()).load()).rejects.toMatchObject({
    code: 'LAYOUT_MISSING',
    hint: 'runner init',
  });
});

test('all violations of a tree are listed, those of the whole document without a path', async () => {
  const place = newPlace();
  writeFileSync(place.tree, JSON.stringify({ ...node('root'), title: 1, goal: 2 }));
  await expect(treeStore(place).load()).rejects.toMatchObject({
    code: 'TREE_INVALID',
    message: `${place.tree} is not a valid task tree: 2 violations`,
    details: ['root: title must be a string', 'root: goal must be a string'],
  });
  writeFileSync(place.tree, '{');
  await expect(treeStore(place).load()).rejects.toMatchObject({
    code: 'TREE_INVALID',
    message: expect.stringContaining('1 violation') as unknown,
    details: [expect.stringContaining(`${place.tree}:1:2: `) as unknown],
  });
});

test('what an agent left is read as it is, and a link is not followed', async () => {
  const place = newPlace();
  expect(await treeStore(place).loadSource()).toEqual({ kind: 'missing' });
  writeFileSync(place.tree, 'any text');
  expect(await treeStore(place).loadSource()).toEqual({ kind: 'text', text: 'any text' });
  writeFileSync(place.tree, Buffer.from([0xff]));
  expect(await treeStore(place).loadSource()).toMatchObject({ kind: 'unreadable' });
  const other = newPlace();
  writeFileSync(`${other.tree}.real`, renderTree(node('root')));
  symlinkSync(`${other.tree}.real`, other.tree);
  expect(await treeStore(other).loadSource()).toMatchObject({ kind: 'unreadable' });
  await expect(treeStore(other).load()).rejects.toMatchObject({ code: 'TREE_INVALID' });
});

test('the rejected tree comes and goes', async () => {
  const place = newPlace();
  const store = treeStore(place);
  expect(await store.loadRejected()).toEqual({ kind: 'missing' });
  writeFileSync(place.rejectedTree, '{ not a tree');
  expect(await store.loadRejected()).toEqual({ kind: 'text', text: '{ not a tree' });
  writeFileSync(place.rejectedTree, 'x'.repeat(rejectedTreeBytesMax + 1));
  expect(await store.loadRejected()).toMatchObject({ kind: 'too_large' });
  await store.removeRejected();
  await store.removeRejected();
  expect(await store.loadRejected()).toEqual({ kind: 'missing' });
});
