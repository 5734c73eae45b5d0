/** The words for a selection (§4): they always fit what the selector said. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defaultConfig } from '../../../src/core/config/default-config.ts';
import { explainNode, explainSelection, listNodeChanges, stateOf } from '../../../src/core/views/explain.ts';
import { defaultRunState } from '../../../src/core/iteration/run-state.ts';
import { isStuck, selectNext } from '../../../src/core/tree/selector.ts';
import { findVisit, walkTree } from '../../../src/core/tree/tree-walk.ts';
import type { Config, RunState, TreeNode } from '../../../src/core/types.ts';
import { arbTree, node } from '../../support/trees.ts';

function inputOf(tree: TreeNode, onStuck: Config['on_stuck'] = 'stop', runState: RunState = defaultRunState) {
  const config = { ...defaultConfig, on_stuck: onStuck };
  return { tree, config, selection: selectNext({ tree, runState, onStuck }) };
}

const passed = { passes: true } as const;
const stuck = { attempts: 3 } as const;
const used = node('root', {
  children: [
    node('api', { children: [node('x', passed), node('y', { ...stuck, order: 1 })] }),
    node('web', { order: 1, children: [node('u', stuck), node('v', { order: 1, attempts: 1 })] }),
    node('end', { order: 2 }),
  ],
});

function lines(texts: readonly { readonly path: string; readonly text: string }[]): readonly string[] {
  return texts.map(({ path, text }) => `${path}: ${text}`);
}

describe('each way to choose', () => {
  test('a lone root', () => {
    expect(explainSelection(inputOf(node('root')))).toEqual({
      walk: [{ id: 'root', path: 'root', text: 'the first open leaf (0/3 attempts used)' }],
      others: [],
      others_left_out: 0,
      changes: [
        { when: 'root passes', effect: 'the tree is complete' },
        { when: 'root is decomposed', effect: 'its first child is next' },
        { when: 'root has used its 3 attempts', effect: 'on_stuck = "stop": the run ends, exit 3' },
      ],
    });
  });

  test('deferred leaves', () => {
    const found = explainSelection(inputOf(used, 'defer'));
    expect(lines(found.walk)).toEqual([
      'root: open; its children in order: 1 stuck and deferred, then web',
      'root/web: open; its children in order: 1 stuck and deferred, then v',
      'root/web/v: the first open leaf that is not stuck (1/3 attempts used)',
    ]);
    expect(lines(found.others)).toEqual([
      'root/api/y: stuck: 3/3 attempts used; deferred, because on_stuck = "defer"',
      'root/web/u: stuck: 3/3 attempts used; deferred, because on_stuck = "defer"',
      'root/end: open: 0/3 attempts used; comes after root/web/v',
    ]);
    expect(found.changes.map(({ when, effect }) => `${when}: ${effect}`)).toEqual([
      'v passes: root/end is next',
      'v is decomposed: its first child is next',
      'v has used its 3 attempts: on_stuck = "defer": the next open leaf is taken',
      'runner retry y: y comes before and is next',
      'runner retry u: u comes before and is next',
      'another order in .runner/state/tree.json, committed: siblings go by order, then by id',
    ]);
  });

  test('stuck, by every setting', () => {
    const stop = explainSelection(inputOf(used));
    expect(lines(stop.walk)).toEqual([
      'root: open; its first child is api',
      'root/api: open; its children in order: 1 passed, then y',
      'root/api/y: the first open leaf, and stuck: 3/3 attempts used; on_stuck = "stop" ends the run here',
    ]);
    expect(stop.changes.map(({ when }) => when)).toEqual([
      'runner retry y',
      'runner edit y',
      'on_stuck = "defer"',
      'on_stuck = "decompose"',
    ]);
    expect(stop.changes[2]?.effect).toBe('root/web/v is next');
    const all = node('root', { children: [node('a', stuck), node('b', { ...stuck, order: 1 })] });
    const deferred = explainSelection(inputOf(all, 'defer'));
    expect(deferred.walk.at(-1)?.text).toContain('but every other open leaf is stuck too');
    expect(deferred.changes.map(({ when }) => when)).toEqual([
      'runner retry a',
      'runner edit a',
      'on_stuck = "decompose"',
    ]);
    expect(explainSelection(inputOf(all)).changes.map(({ when }) => when)).not.toContain(
      'on_stuck = "defer"',
    );
    const record = {
      base: null,
      invalid_trees: 0,
      confirm_asked: false,
      decompose_used: true,
      tokens: null,
      cost_usd: null,
    };
    const spent = inputOf(all, 'decompose', { ...defaultRunState, nodes: { a: record } });
    expect(explainSelection(spent).walk.at(-1)?.text).toContain('is used up');
    expect(explainSelection(spent).changes.map(({ when }) => when)).toEqual([
      'runner retry a',
      'runner edit a',
    ]);
  });

  test('a planning session', () => {
    const found = explainSelection(inputOf(used, 'decompose'));
    expect(found.walk.at(-1)?.text).toBe(
      'the first open leaf, and stuck: 3/3 attempts used; on_stuck = "decompose" gives it one planning session',
    );
    expect(found.changes.map(({ effect }) => effect)).toEqual([
      'the first child of y is next',
      'the run ends stuck at y',
      'it gets attempts again and is worked on as a leaf',
    ]);
  });

  test('a repair, also when its leaf is gone; complete', () => {
    const repair = { node_id: 'y', count: 1, sha256: '' };
    const input = inputOf(used, 'stop', { ...defaultRunState, repair });
    const found = explainSelection(input);
    expect(lines(found.walk)).toEqual([
      'root/api/y: its session left a tree that was rejected; repairing it comes before any leaf (1 of 2 fruitless repairs so far)',
    ]);
    expect(found.others[0]?.text).toBe(
      'stuck: 3/3 attempts used; a rejected tree is repaired before any leaf',
    );
    expect(found.changes).toHaveLength(1);
    const gone = inputOf(used, 'stop', { ...defaultRunState, repair: { ...repair, node_id: 'gone' } });
    expect(explainSelection(gone).walk[0]).toMatchObject({ id: 'gone', path: 'gone' });
    const complete = explainSelection(inputOf(node('root', passed)));
    expect(complete).toMatchObject({
      others: [],
      walk: [{ text: 'passed, and with it every node of the tree' }],
    });
    expect(complete.changes.map(({ when }) => when)).toEqual([
      'runner finish',
      'GOAL.md gets a new goal, then: runner start',
    ]);
  });

  test('what follows when it passes', () => {
    const pass = (children: readonly TreeNode[], onStuck: Config['on_stuck']): string | undefined =>
      explainSelection(inputOf(node('root', { children }), onStuck)).changes[0]?.effect;
    const next = [node('a'), node('b', { ...stuck, order: 1 })];
    expect(pass(next, 'defer')).toBe('only stuck leaves are left');
    expect(pass(next, 'stop')).toBe('root/b is in the way, and stuck');
  });

  test('a long list is cut, and says by how much', () => {
    const children = Array.from({ length: 30 }, (_, order) => node(`n${order}`, { order }));
    const found = explainSelection(inputOf(node('root', { children })));
    expect(found.others).toHaveLength(10);
    expect(found.others_left_out).toBe(19);
  });
});

describe('any node', () => {
  test('passed, group, chosen', () => {
    expect([node('a', passed), node('a', stuck), node('a')].map(stateOf)).toEqual([
      'passed',
      'stuck',
      'open',
    ]);
    const input = inputOf(used, 'defer');
    const why = (id: string): string => {
      const visit = findVisit(used, id);
      return visit === null ? '' : explainNode(input, visit);
    };
    expect(why('x')).toBe('passed; a passed node is never worked on again');
    expect(why('api')).toBe('open; only leaves get sessions, and its first open leaf is y');
    expect(why('v')).toBe('the first open leaf that is not stuck (1/3 attempts used)');
  });

  test('what would change it', () => {
    const tree = node('root', {
      children: [
        node('a'),
        node('b', { order: 1 }),
        node('c', { order: 2 }),
        node('d', { order: 3, ...stuck }),
      ],
    });
    const of = (id: string, runState: RunState = defaultRunState): readonly string[] => {
      const visit = findVisit(tree, id);
      const changes = visit === null ? [] : listNodeChanges(inputOf(tree, 'stop', runState), visit);
      return changes.map(({ when, effect }) => `${when}: ${effect}`);
    };
    const order = 'another order in .runner/state/tree.json, committed: siblings go by order, then by id';
    expect(of('root')).toEqual([]);
    expect(of('a')[0]).toBe('a passes: root/b is next');
    expect(of('b')).toEqual(['1 open leaf before it is done: it is next', order]);
    expect(of('c')).toEqual(['2 open leaves before it are done: it is next', order]);
    expect(of('d')).toEqual(['runner retry d: it gets attempts again']);
    const repair = { node_id: 'a', count: 0, sha256: '' };
    expect(of('a', { ...defaultRunState, repair })).toEqual([order]);
    const done = node('root', passed);
    expect(listNodeChanges(inputOf(done), { node: done, parent: null, depth: 1, path: 'root' })).toEqual([]);
  });

  test('states, and the chosen leaf is the only one that does not wait, whatever the tree', () => {
    fc.assert(
      fc.property(arbTree(), fc.constantFrom('stop', 'defer', 'decompose'), (tree, onStuck) => {
        const input = inputOf(tree, onStuck);
        const { selection } = input;
        const found = explainSelection(input);
        const open = walkTree(tree).filter(
          (visit) => stateOf(visit.node) !== 'passed' && visit.node.children.length === 0,
        );
        const isLeaf = selection.kind === 'leaf' || selection.kind === 'stuck';
        expect(found.others.length + found.others_left_out).toBe(open.length - (isLeaf ? 1 : 0));
        if (isLeaf) expect(found.walk.at(-1)?.path).toBe(selection.leaf.path);
        for (const visit of open) {
          expect(stateOf(visit.node)).toBe(isStuck(visit.node) ? 'stuck' : 'open');
          const waits = /deferred, because|comes after/.test(explainNode(input, visit));
          expect(waits).toBe(!(isLeaf && visit.path === selection.leaf.path));
        }
      }),
    );
  });
});
