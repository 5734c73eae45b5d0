import { describe, expect, test } from 'vitest';
import type { GuardPlanInput } from '../../../src/core/iteration/guard-plan.ts';
import {
  failedRun,
  guardAfterHook,
  nodeRecord,
  planGuard,
  recordOf,
} from '../../../src/core/iteration/guard-plan.ts';
import { defaultRunState } from '../../../src/core/iteration/run-state.ts';
import type { Judgement } from '../../../src/core/iteration/verdict.ts';
import {
  accepted,
  configWith,
  guardWith,
  journalBase,
  recordWith,
  runStateWith,
  smallTree,
} from '../../support/facts.ts';

function plan(fields: Partial<GuardPlanInput> = {}): string {
  return planGuard({
    purpose: 'execute',
    judgement: accepted('done'),
    config: configWith(),
    record: recordWith(),
    workTree: 'changed-tree',
    dirtySubmodules: [],
    ...fields,
  }).kind;
}

describe('planGuard (§5.6)', () => {
  test('done runs the guard', () => {
    expect(plan()).toBe('run');
  });

  const refused: readonly Judgement[] = [
    accepted('retry'),
    accepted('decomposed'),
    { kind: 'tree_invalid', violations: [], answered: true },
    { kind: 'no_answer', error: '' },
    { kind: 'malformed', violations: [] },
    { kind: 'repaired', tree: smallTree(), answered: true },
    { kind: 'fruitless', violations: [], answered: true },
  ];
  test.each(refused)('$kind $output.status does not', (judgement) => {
    expect(plan({ judgement })).toBe('skip');
  });

  test('neither does a session that was not judged, a plan or a repair', () => {
    expect(plan({ judgement: null })).toBe('skip');
    expect(plan({ purpose: 'plan' })).toBe('skip');
    expect(plan({ purpose: 'repair' })).toBe('skip');
  });

  test('content of a submodule that became dirty fails without a run, naming it', () => {
    const input = {
      purpose: 'execute',
      judgement: accepted('done'),
      config: configWith(),
      record: recordWith(),
      workTree: 'base-tree',
      dirtySubmodules: ['lib/a', 'lib/b'],
    } as const;
    expect(planGuard(input)).toEqual({
      kind: 'failed',
      run: failedRun('changes inside a submodule are in no commit: lib/a, lib/b'),
    });
    expect(planGuard({ ...input, judgement: accepted('retry') })).toEqual({ kind: 'skip' });
  });
});

describe('an empty change (§9 guard.empty_change)', () => {
  const empty = { workTree: 'base-tree' };
  test.each([
    ['allow', false, 'run'],
    ['allow', true, 'run'],
    ['reject', false, 'skip'],
    ['reject', true, 'skip'],
    ['confirm', false, 'skip'],
    ['confirm', true, 'run'],
  ] as const)('%s, asked before: %s → %s', (empty_change, confirm_asked, kind) => {
    const config = configWith({ guard: { empty_change } });
    expect(plan({ ...empty, config, record: recordWith({ confirm_asked }) })).toBe(kind);
    expect(plan({ config, record: recordWith({ confirm_asked }) })).toBe('run');
  });

  test('a missing base is not empty', () => {
    const config = configWith({ guard: { empty_change: 'reject' } });
    expect(plan({ ...empty, config, record: recordWith({ base: null }) })).toBe('run');
  });
});

describe('nodeRecord', () => {
  test('the baseline is the base of a node without a record', () => {
    const found = nodeRecord({ runState: runStateWith(), nodeId: 'a', baselineTree: 'now' });
    expect(found).toEqual({
      base: 'now',
      invalid_trees: 0,
      confirm_asked: false,
      decompose_used: false,
      tokens: null,
      cost_usd: null,
    });
  });

  test('a known base stays', () => {
    const known = recordWith({ base: 'first', invalid_trees: 2 });
    const runState = runStateWith({ nodes: { a: known } });
    expect(nodeRecord({ runState, nodeId: 'a', baselineTree: 'now' })).toEqual(known);
  });

  test.each(['constructor', 'toString', 'valueOf'])('%s is a node id like any other', (nodeId) => {
    expect(nodeRecord({ runState: defaultRunState, nodeId, baselineTree: 'now' }).base).toBe('now');
  });
});

test('failedRun is a verdict without a run', () => {
  expect(failedRun('why', 'what')).toEqual({
    end: { kind: 'failed', reason: 'why' },
    exit_code: null,
    duration_ms: 0,
    output: 'what',
    log_sha256: null,
  });
  expect(failedRun('why').output).toBe('');
});

test.each([
  [null, null],
  [guardWith({ kind: 'not_started', reason: 'r' }), guardWith({ kind: 'not_started', reason: 'r' })],
])('a hook changes nothing that was no pass', (guard, expected) => {
  expect(guardAfterHook(guard, 'no')).toEqual(expected);
});

test('a hook turns a pass into a failure with its output; exit code and time stay', () => {
  const guard = { ...guardWith({ kind: 'passed' }), exit_code: 0, duration_ms: 7 };
  expect(guardAfterHook(guard, 'line too long')).toEqual({
    ...guard,
    end: { kind: 'failed', reason: 'a git hook refused or changed the commit' },
    output: 'line too long',
  });
});

test('the record of the node of an iteration, from its journal', () => {
  const known = recordWith({ tokens: 7 });
  const journal = { ...journalBase, node_id: 'a', baseline_tree: 'at B' };
  expect(recordOf({ ...journal, run_state: runStateWith({ nodes: { a: known } }) })).toBe(known);
  expect(recordOf(journal).base).toBe('at B');
});
