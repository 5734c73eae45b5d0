import { expect, test } from 'vitest';
import { describeEnd } from '../../../src/core/runs/loop-end.ts';
import type { LoopEnd } from '../../../src/core/runs/loop-end.ts';
import { node } from '../../support/trees.ts';

const leaf = (max_attempts: number) => ({
  node: node('root.2', { title: 'Unique slugs', attempts: max_attempts, max_attempts }),
  path: 'root/root.2',
});
const stopped = (stop: Extract<LoopEnd, { kind: 'stopped' }>['stop']): LoopEnd => ({ kind: 'stopped', stop });
const blocked = { kind: 'error', code: 'AGENT_BLOCKED', message: 'codex is not logged in' } as const;

test.each<[LoopEnd, ReturnType<typeof describeEnd>]>([
  [
    { kind: 'complete' },
    {
      state: 'complete',
      code: null,
      sentence: 'every task has passed',
      hint: 'runner finish slugs',
      least: null,
    },
  ],
  [
    { kind: 'paused' },
    { state: 'paused', code: null, sentence: 'paused on request', hint: 'runner loop', least: null },
  ],
  [
    { kind: 'stuck', leaf: leaf(3) },
    {
      state: 'stuck',
      code: null,
      sentence: 'Unique slugs (root.2) has used its 3 attempts',
      hint: 'runner explain, then: runner retry root.2, then: runner loop',
      least: null,
    },
  ],
  [
    { kind: 'stuck', leaf: leaf(1) },
    {
      state: 'stuck',
      code: null,
      sentence: 'Unique slugs (root.2) has used its 1 attempt',
      hint: 'runner explain, then: runner retry root.2, then: runner loop',
      least: null,
    },
  ],
  [
    { kind: 'limit', next_iter: 51, max_iterations: 50 },
    {
      state: 'limit',
      code: 'ITERATION_LIMIT',
      sentence: 'the run has used its iterations (50 of 50)',
      hint: 'runner config set max_iterations 100, then: runner loop',
      least: 51,
    },
  ],
  [
    { kind: 'run_limit', limit: 'max_run_secs', used: 60.5, max: 60 },
    {
      state: 'limit',
      code: 'RUN_TIME_LIMIT',
      sentence: 'the run has used its time (seconds=60.5, limits.max_run_secs=60)',
      hint: 'runner config set limits.max_run_secs 121, then: runner loop',
      least: 61,
    },
  ],
  [
    { kind: 'run_limit', limit: 'max_cost_usd', used: 1.5, max: 1 },
    {
      state: 'limit',
      code: 'RUN_COST_LIMIT',
      sentence: 'the run has used its money (cost_usd=1.5, limits.max_cost_usd=1)',
      hint: 'runner config set limits.max_cost_usd 3, then: runner loop',
      least: 1.51,
    },
  ],
  [
    stopped({ ...blocked, hint: 'codex login' }),
    {
      state: 'stopped',
      code: 'AGENT_BLOCKED',
      sentence: 'codex is not logged in',
      hint: 'codex login',
      least: null,
    },
  ],
  [
    stopped({ ...blocked, hint: '' }),
    {
      state: 'stopped',
      code: 'AGENT_BLOCKED',
      sentence: 'codex is not logged in',
      hint: 'runner loop',
      least: null,
    },
  ],
  [
    stopped({ kind: 'interrupted', signal: 'SIGINT' }),
    { state: 'stopped', code: null, sentence: 'stopped by SIGINT', hint: 'runner loop', least: null },
  ],
  [
    stopped({ kind: 'paused' }),
    { state: 'paused', code: null, sentence: 'paused on request', hint: 'runner loop', least: null },
  ],
  [
    stopped({ kind: 'stuck' }),
    {
      state: 'stuck',
      code: null,
      sentence: 'the planning session did not split the task',
      hint: 'runner explain',
      least: null,
    },
  ],
])('%j', (end, expected) => {
  expect(describeEnd({ ...end, run_id: 'slugs' })).toEqual(expected);
});
