import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  limitsOf,
  listRows,
  openIterationOf,
  progressOf,
  stateOf,
  workByNode,
} from '../../../src/core/views/overview.ts';
import type { RowsInput } from '../../../src/core/views/overview.ts';
import { selectNext } from '../../../src/core/tree/selector.ts';
import { walkTree } from '../../../src/core/tree/tree-walk.ts';
import { configWith, journalBase, runStateWith } from '../../support/facts.ts';
import { metaWith } from '../../support/iteration-metas.ts';
import { arbTree, node } from '../../support/trees.ts';

const tree = node('root', {
  children: [
    node('a', { passes: true, children: [node('a.1', { passes: true, attempts: 1 })] }),
    node('b', { order: 1, attempts: 3 }),
    node('c', { order: 2, children: [node('c.1', { attempts: 1 }), node('c.2', { order: 1 })] }),
  ],
});

function rowsOf(fields: Partial<RowsInput> = {}) {
  const selection = selectNext({ tree, runState: runStateWith(), onStuck: 'defer' });
  return listRows({ tree, selection, work: new Map(), depthMax: null, isOpenOnly: false, ...fields });
}

test('the state of every node', () => {
  expect(walkTree(tree).map((visit) => [visit.node.id, stateOf(visit.node)])).toEqual([
    ['root', 'derived'],
    ['a', 'passed'],
    ['a.1', 'passed'],
    ['b', 'stuck'],
    ['c', 'derived'],
    ['c.1', 'retrying'],
    ['c.2', 'open'],
  ]);
});

describe('progress', () => {
  test('counts leaves', () => {
    expect(progressOf(tree)).toEqual({ nodes: 7, leaves: 4, passed: 1, retrying: 1, stuck: 1 });
  });

  test('everything has passed exactly when nothing is left to select', () => {
    fc.assert(
      fc.property(arbTree(), (any) => {
        const { leaves, passed, retrying, stuck, nodes } = progressOf(any);
        const selection = selectNext({ tree: any, runState: runStateWith(), onStuck: 'stop' });
        expect(passed === leaves).toBe(selection.kind === 'complete');
        expect(passed + retrying + stuck).toBeLessThanOrEqual(leaves);
        expect(leaves).toBeLessThanOrEqual(nodes);
      }),
    );
  });
});

test('what was spent is added up by node, and what is not known stays unknown', () => {
  const work = workByNode([
    metaWith({ node_id: 'a', tokens: 5, cost_usd: null }),
    metaWith({ node_id: 'b', tokens: null, cost_usd: 0.5 }),
    metaWith({ node_id: 'a', tokens: null, cost_usd: null, mode: 'repair' }),
  ]);
  expect([...work]).toEqual([
    ['a', { iterations: 2, total_ms: 125_000, tokens: 5, cost_usd: null }],
    ['b', { iterations: 1, total_ms: 62_500, tokens: null, cost_usd: 0.5 }],
  ]);
  expect(workByNode([])).toEqual(new Map());
});

describe('rows', () => {
  test('parents before children, with what was spent and what is next', () => {
    const work = workByNode([metaWith({ node_id: 'c.1' })]);
    const rows = rowsOf({ work });
    expect(rows.map(({ path, depth }) => `${depth} ${path}`)).toEqual([
      '1 root',
      '2 root/a',
      '3 root/a/a.1',
      '2 root/b',
      '2 root/c',
      '3 root/c/c.1',
      '3 root/c/c.2',
    ]);
    expect(rows.filter(({ is_next }) => is_next).map((row) => row.node.id)).toEqual(['c.1']);
    expect(rows.map((row) => row.work.iterations)).toEqual([0, 0, 0, 0, 0, 1, 0]);
  });

  test('nothing is next when the run is stuck, complete or has to be repaired', () => {
    for (const selection of [
      { kind: 'complete' },
      { kind: 'stuck', leaf: { node: node('b'), path: 'root/b' } },
      {
        kind: 'repair',
        leaf: { node: node('b'), path: 'root/b' },
        repair: { node_id: 'b', count: 0, sha256: '' },
      },
    ] as const)
      expect(rowsOf({ selection }).some(({ is_next }) => is_next)).toBe(false);
  });

  test('what is too deep is counted where it is cut off', () => {
    const shown = (fields: Partial<RowsInput>) =>
      rowsOf(fields).map((row) => [row.node.id, row.hidden] as const);
    expect(shown({ depthMax: 2 })).toEqual([
      ['root', 0],
      ['a', 1],
      ['b', 0],
      ['c', 2],
    ]);
    expect(shown({ depthMax: 1 })).toEqual([['root', 6]]);
    expect(shown({ depthMax: 2, isOpenOnly: true })).toEqual([
      ['root', 0],
      ['b', 0],
      ['c', 2],
    ]);
    expect(rowsOf({ tree: { ...tree, passes: true }, isOpenOnly: true })).not.toContainEqual(
      expect.objectContaining({ state: 'passed' }),
    );
  });

  test('every node is shown or counted, once', () => {
    fc.assert(
      fc.property(arbTree(), fc.integer({ min: 1, max: 9 }), fc.boolean(), (any, depthMax, isOpenOnly) => {
        const selection = selectNext({ tree: any, runState: runStateWith(), onStuck: 'stop' });
        const rows = listRows({ tree: any, selection, work: new Map(), depthMax, isOpenOnly });
        const wanted = walkTree(any).filter((visit) => !isOpenOnly || !visit.node.passes);
        expect(rows.reduce((sum, row) => sum + 1 + row.hidden, 0)).toBe(wanted.length);
        expect(rows.every(({ depth }) => depth <= depthMax)).toBe(true);
      }),
    );
  });
});

test('limits: what is used and what may be', () => {
  const state = runStateWith({ next_iter: 4, totals: { tokens: null, cost_usd: 1.5, seconds: 60 } });
  const config = configWith({ max_iterations: 9, limits: { max_tokens: 1000, max_cost_usd: 5 } });
  expect(limitsOf(state, config)).toEqual({
    iterations: { used: 3, max: 9 },
    seconds: { used: 60, max: null },
    tokens: { used: null, max: 1000 },
    cost_usd: { used: 1.5, max: 5 },
  });
});

test('of the journal only what people want to know is told', () => {
  expect(openIterationOf({ ...journalBase, phase: 'agent' })).toEqual({
    run_id: journalBase.run_id,
    iter: journalBase.iter,
    node_id: journalBase.node_id,
    node_path: journalBase.node_path,
    purpose: journalBase.purpose,
    phase: 'agent',
    started_at: journalBase.started_at,
  });
});
