/** A person's change of the tree's shape (§12): what is open may be added to, moved and dropped; what has passed stays. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseDropped } from '../../../src/core/tree/dropped.ts';
import { checkInvariants } from '../../../src/core/tree/invariants.ts';
import { planTreeEdit, treeEditSchema } from '../../../src/core/tree/tree-edit.ts';
import type { TreeEdit } from '../../../src/core/tree/tree-edit.ts';
import { findNode, findVisit, sortTree, walkTree } from '../../../src/core/tree/tree-walk.ts';
import type { TreeNode } from '../../../src/core/types.ts';
import { arbTree, node } from '../../support/trees.ts';

const tree = node('root', {
  children: [
    node('done', { passes: true, children: [node('done.1', { passes: true })] }),
    node('api', {
      order: 1,
      children: [node('api.1', { passes: true }), node('api.2', { order: 1, attempts: 2 })],
    }),
    node('ui', { order: 2, children: [node('ui.1'), node('ui.2', { order: 1, children: [node('deep')] })] }),
  ],
});

function plan(edit: TreeEdit, of: TreeNode = tree, takenIds: readonly string[] = []) {
  return planTreeEdit({ tree: of, takenIds, maxAttempts: 3, sha256: () => 'f'.repeat(64) }, edit);
}

const texts = (title: string) => ({ title, goal: `${title} goal`, acceptance: ['works'] });
const add = (parent: string, fields: Partial<Extract<TreeEdit, { kind: 'add' }>> = {}): TreeEdit => ({
  kind: 'add',
  parent,
  nodes: [texts('New')],
  before: null,
  after: null,
  ...fields,
});
const move = (name: string, fields: Partial<Extract<TreeEdit, { kind: 'move' }>> = {}): TreeEdit => ({
  kind: 'move',
  node: name,
  under: null,
  before: null,
  after: null,
  ...fields,
});
const drop = (name: string): TreeEdit => ({ kind: 'drop', node: name, why: 'not needed' });
const childrenOf = (of: TreeNode, id: string) => findNode(of, id)?.children.map((child) => child.id);

function applied(edit: TreeEdit, of: TreeNode = tree, takenIds: readonly string[] = []) {
  const result = plan(edit, of, takenIds);
  if (!result.ok) throw new Error(result.message);
  return result;
}

describe('add', () => {
  test('goes behind all others, with the lowest free id', () => {
    const result = applied(add('ui', { nodes: [texts('A'), texts('B')] }), tree, ['UI.3']);
    expect(result.ids).toEqual(['ui.4', 'ui.5']);
    expect(childrenOf(result.tree, 'ui')).toEqual(['ui.1', 'ui.2', 'ui.4', 'ui.5']);
    expect(findNode(result.tree, 'ui.5')).toEqual(
      node('ui.5', { ...texts('B'), order: 3, acceptance: ['works'] }),
    );
    expect(result).toMatchObject({ reopened: [], split: null, files: {} });
  });

  test.each([
    [{ before: 'ui.1' }, ['ui.3', 'ui.1', 'ui.2']],
    [{ after: 'ui.1' }, ['ui.1', 'ui.3', 'ui.2']],
    [{ before: 'root/ui/ui.2' }, ['ui.1', 'ui.3', 'ui.2']],
    [{ after: 'ui.2' }, ['ui.1', 'ui.2', 'ui.3']],
  ])('%j', (spot, wanted) => {
    expect(childrenOf(applied(add('ui', spot)).tree, 'ui')).toEqual(wanted);
  });

  test('splits an open leaf, whose last record goes', () => {
    const result = applied(add('api.2'));
    expect(result).toMatchObject({ ids: ['api.2.1'], split: 'api.2', reopened: [] });
    expect(result.files).toEqual({ 'nodes/api.2/last.json': null });
  });

  test('opens what had passed above it again, and no leaf', () => {
    const complete = node('root', {
      passes: true,
      children: [node('done', { passes: true, children: [node('x', { passes: true })] })],
    });
    const result = applied(add('done'), complete);
    expect(result.reopened).toEqual(['root', 'done']);
    expect(walkTree(result.tree).map(({ node: { id, passes } }) => [id, passes])).toEqual([
      ['root', false],
      ['done', false],
      ['x', true],
      ['done.1', false],
    ]);
  });
});

describe('move and drop', () => {
  test('under another parent, at a place', () => {
    const result = applied(move('ui.1', { under: 'api', before: 'api.2' }));
    expect(childrenOf(result.tree, 'api')).toEqual(['api.1', 'ui.1', 'api.2']);
    expect(childrenOf(result.tree, 'ui')).toEqual(['ui.2']);
  });

  test('a wrong move can be taken back: the leaf that it split is one again', () => {
    const moved = applied(move('ui.1', { under: 'api.2' }));
    expect(moved).toMatchObject({ split: 'api.2' });
    const back = applied(move('ui.1', { under: 'ui', before: 'ui.2' }), moved.tree);
    expect(findNode(back.tree, 'api.2')).toEqual(findNode(tree, 'api.2'));
    expect(childrenOf(back.tree, 'ui')).toEqual(['ui.1', 'ui.2']);
    expect(applied(move('deep', { under: 'ui' })).tree).toMatchObject({ passes: false });
  });

  test('beside a sibling, without naming its parent', () => {
    expect(childrenOf(applied(move('ui.2', { before: 'ui.1' })).tree, 'ui')).toEqual(['ui.2', 'ui.1']);
    expect(childrenOf(applied(move('ui.1')).tree, 'ui')).toEqual(['ui.2', 'ui.1']);
  });

  test('a dropped subtree is kept node by node', () => {
    const result = applied(drop('ui.2'));
    expect(childrenOf(result.tree, 'ui')).toEqual(['ui.1']);
    expect(Object.keys(result.files).toSorted()).toEqual([
      'nodes/deep/dropped.json',
      'nodes/deep/last.json',
      'nodes/ui.2/dropped.json',
      'nodes/ui.2/last.json',
    ]);
    expect(parseDropped(String(result.files['nodes/deep/dropped.json']))).toMatchObject({
      why: 'not needed',
      parent: 'ui.2',
      node: { id: 'deep', title: 'deep title' },
    });
    expect(parseDropped(String(result.files['nodes/ui.2/dropped.json']))?.parent).toBe('ui');
    expect(result.dropped).toEqual([
      { id: 'ui.2', title: 'ui.2 title' },
      { id: 'deep', title: 'deep title' },
    ]);
  });
});

test('edit says what changed', () => {
  expect(
    applied({ kind: 'edit', node: 'root/ui/ui.1', texts: { title: 'T', goal: 'ui.1 goal' } }),
  ).toMatchObject({
    ids: ['ui.1'],
    changed: ['title'],
  });
});

test('import adds all of them', () => {
  const result = applied({
    kind: 'import',
    parent: 'root',
    nodes: [texts('A'), texts('B')],
    file: 'prd.json',
  });
  expect(result.ids).toEqual(['root.1', 'root.2']);
});

const edge = node('root', {
  children: [node('a', { order: Number.MAX_SAFE_INTEGER }), node('b', { order: Number.MIN_SAFE_INTEGER })],
});

test.each<[TreeEdit, string, RegExp, TreeNode?]>([
  [add('nobody'), 'NODE_UNKNOWN', /no node 'nobody'/],
  [add('done.1'), 'NODE_CLOSED', /has passed and is a leaf/],
  [add('root'), 'NODE_CLOSED', /has passed and is a leaf/, node('root', { passes: true })],
  [add('ui', { nodes: [texts(' ')] }), 'USAGE', /needs a title/],
  [add('ui', { before: 'nobody' }), 'NODE_UNKNOWN', /no node 'nobody'/],
  [add('ui', { before: 'api.2' }), 'USAGE', /root\/api\/api\.2 is not a child of ui/],
  [add('root'), 'TREE_INVALID', /order numbers/, edge],
  [add('root', { before: 'b' }), 'TREE_INVALID', /order numbers/, edge],
  [move('root', { under: 'ui' }), 'NODE_CLOSED', /the root cannot be moved/],
  [move('nobody', { under: 'ui' }), 'NODE_UNKNOWN', /no node/],
  [move('done', { under: 'ui' }), 'NODE_CLOSED', /it has passed/],
  [move('api', { under: 'ui' }), 'NODE_CLOSED', /api\.1 below it has passed/],
  [move('ui', { under: 'deep' }), 'NODE_CLOSED', /below itself/],
  [move('ui.1', { under: 'done.1' }), 'NODE_CLOSED', /is a leaf/],
  [move('ui.1', { before: 'ui.1' }), 'USAGE', /beside itself/],
  [move('ui.1', { before: 'root' }), 'USAGE', /root is not a child of ui/],
  [move('ui.1', { after: 'nobody' }), 'NODE_UNKNOWN', /no node 'nobody'/],
  [move('api.2', { under: 'ui' }), 'NODE_CLOSED', /the last open work below api/],
  [move('b', { after: 'a' }), 'TREE_INVALID', /order numbers/, edge],
  [drop('api.2'), 'NODE_CLOSED', /the last open work below api/],
  [drop('api'), 'NODE_CLOSED', /api\.1 below it has passed/],
  [drop('root'), 'NODE_CLOSED', /the root cannot be dropped/],
  [{ kind: 'edit', node: 'done', texts: {} }, 'NODE_CLOSED', /has passed/],
])('%j is refused: %s', (edit, code, message, of = tree) => {
  expect(plan(edit, of)).toMatchObject({
    ok: false,
    code,
    message: expect.stringMatching(message) as string,
  });
});

const arbWord = fc.nat();
const arbEdit = fc.record({
  kind: fc.constantFrom('add', 'move', 'drop'),
  first: arbWord,
  second: arbWord,
  third: arbWord,
  spot: fc.constantFrom('before', 'after', null),
});

/** What was open and stays keeps its order among its siblings; passed leaves are the same; counters never move. */
test('whatever a person does, the tree stays valid and nothing passed is touched', () => {
  fc.assert(
    fc.property(arbTree(), arbEdit, (before, drawn) => {
      const ids = walkTree(before).map((visit) => visit.node.id);
      const pick = (at: number): string => String(ids[at % ids.length]);
      const beside = pick(drawn.third);
      const spot = { before: null, after: null, ...(drawn.spot === null ? {} : { [drawn.spot]: beside }) };
      const edit: TreeEdit =
        drawn.kind === 'add'
          ? add(pick(drawn.first), { ...spot, nodes: [texts('One'), texts('Two')] })
          : drawn.kind === 'move'
            ? move(pick(drawn.first), { ...spot, under: drawn.second % 2 === 0 ? null : pick(drawn.second) })
            : drop(pick(drawn.first));
      const result = plan(treeEditSchema.parse(edit), before);
      if (!result.ok) return result.message !== '' && result.hint !== '';
      expect(checkInvariants(result.tree)).toEqual([]);
      expect(sortTree(result.tree)).toEqual(result.tree);
      for (const { node: was, parent } of walkTree(before).filter((visit) => visit.node.passes)) {
        const now = findVisit(result.tree, was.id);
        expect(now?.parent?.id).toBe(parent?.id);
        if (was.children.length === 0) expect(now?.node).toEqual(was);
        else expect(now?.node).toMatchObject({ order: was.order, title: was.title, attempts: was.attempts });
      }
      const gone = new Set(Object.keys(result.files).flatMap((path) => path.split('/')[1] ?? []));
      for (const { node: parent } of walkTree(before)) {
        const openBefore = parent.children.filter((child) => !child.passes).map(({ id }) => id);
        const after = new Set(childrenOf(result.tree, parent.id));
        const kept = openBefore.filter((id) => after.has(id) && !result.ids.includes(id));
        expect(childrenOf(result.tree, parent.id)?.filter((id) => kept.includes(id)) ?? kept).toEqual(kept);
      }
      const idsAfter = new Set(walkTree(result.tree).map((visit) => visit.node.id));
      expect(ids.filter((id) => !idsAfter.has(id) && !gone.has(id))).toEqual([]);
      if (drawn.kind === 'drop') return true;
      const open = findVisit(result.tree, String(result.ids[0]))?.parent?.children.filter(
        (child) => !child.passes,
      );
      const at = open?.findIndex(({ id }) => id === result.ids[0]) ?? -1;
      const named = open?.findIndex(({ id }) => id === beside) ?? -1;
      if (drawn.spot === 'after' && named !== -1) expect(at).toBe(named + 1);
      if (drawn.spot === 'before' && named !== -1) expect(at + result.ids.length).toBe(named);
      if (drawn.spot === null) expect(at + result.ids.length).toBe(open?.length);
      return true;
    }),
  );
});
