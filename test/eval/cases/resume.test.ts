import { describe, expect, test } from 'vitest';

import { changedCases, checkResume } from '../../../src/eval/cases/resume.ts';
import type { GivenPlan } from '../../../src/eval/cases/resume.ts';
import type { Batch, Variant } from '../../../src/eval/cases/types.ts';

const oracle: Variant = { kind: 'oracle', agent: null, model: null };
const codex: Variant = { kind: 'agent', agent: 'codex', model: null };
const nothing: GivenPlan = { cases: null, variants: null, repeats: null, record: null, shard: null };

const batch: Batch = {
  version: 1,
  batch_id: 'b',
  created_at: '2026-01-01T00:00:00.000Z',
  runner_version: '1.0.0',
  plan: {
    cases: [
      { id: 'one', hash: '1' },
      { id: 'two', hash: '2' },
    ],
    variants: [oracle, codex],
    repeats: 2,
    record: false,
  },
  shards: [{ index: 1, of: 2 }],
};

describe('checkResume', () => {
  test.each<Partial<GivenPlan>>([
    {},
    { cases: ['two', 'one'] },
    { variants: [codex, oracle] },
    { repeats: 2 },
    { record: false },
    { shard: { index: 1, of: 2 } },
  ])('%j is the plan', (given) => {
    expect(checkResume(batch, { ...nothing, ...given })).toBeNull();
  });

  test.each<readonly [Partial<GivenPlan>, string]>([
    [{ cases: ['one'] }, "other cases: the batch 'b' was started with one, two"],
    [{ variants: [oracle] }, "other agents: the batch 'b' was started with oracle, codex"],
    [{ repeats: 3 }, "--repeat 3: the batch 'b' was started with --repeat 2"],
    [{ record: true }, "--record: the batch 'b' was started with no --record"],
    [{ shard: { index: 2, of: 2 } }, "--shard 2/2: the batch 'b' was started with --shard 1/2"],
  ])('%j is not', (given, message) => {
    expect(checkResume(batch, { ...nothing, ...given })).toBe(message);
  });

  test('a shard of a batch that was begun whole', () => {
    expect(checkResume({ ...batch, shards: null }, { ...nothing, shard: { index: 1, of: 2 } })).toContain(
      'no --shard',
    );
  });
});

test('cases that are gone or have another hash', () => {
  const now = new Map([['one', { hash: '1' }]]);
  expect(changedCases(batch.plan, now)).toEqual(['two']);
  expect(changedCases(batch.plan, now.set('two', { hash: 'x' }))).toEqual(['two']);
  expect(changedCases(batch.plan, now.set('two', { hash: '2' }))).toEqual([]);
});
