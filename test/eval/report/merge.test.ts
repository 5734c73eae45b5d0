import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planMerge } from '../../../src/eval/report/merge.ts';
import type { MergeResult, ResultSet } from '../../../src/eval/report/merge.ts';
import { trialKeyText } from '../../../src/eval/cases/names.ts';
import { planTrials } from '../../../src/eval/cases/plan.ts';
import type { Batch, Shard, TrialMeta, TrialRecord } from '../../../src/eval/cases/types.ts';
import { codex, oracle, sampleBatch, sampleChecks, sampleMeta } from '../../support/eval-samples.ts';

const nothing: ResultSet = { batches: [], trials: [] };

function record(change: Partial<TrialMeta> = {}): TrialRecord {
  const meta = sampleMeta(change);
  return { meta, checks: sampleChecks, dir: `/r/${meta.case_id}/${meta.eval_run_id}`, logs: [] };
}

const runId = (letters: string): string => `eval-20260131_235959-${letters}`;

/** What it comes to, in short. */
function told(result: MergeResult): unknown {
  if (!result.ok) return result.message;
  return result.plan.batches.map(({ batch, copies, kept, duplicates }) => ({
    id: batch.batch_id,
    shards: batch.shards,
    copies: copies.map(({ meta }) => `${meta.batch_id} ${meta.case_id} ${meta.eval_run_id.slice(-6)}`),
    kept,
    duplicates,
  }));
}

describe('batches', () => {
  const one: ResultSet = { batches: [sampleBatch({ shards: [{ index: 1, of: 2 }] })], trials: [record()] };
  const two: ResultSet = {
    batches: [
      sampleBatch({ shards: [{ index: 2, of: 2 }], created_at: '2026-01-30T00:00:00Z', runner_version: '9' }),
    ],
    trials: [record({ eval_run_id: runId('zzzzzz'), repeat: 2 })],
  };

  test('of one id come together: the shards of both, the earlier beginning', () => {
    const result = planMerge({ target: nothing, sources: [one, two], batch_id: null });
    expect(told(result)).toEqual([
      {
        id: 'night',
        shards: null,
        copies: ['night alpha abc123', 'night alpha zzzzzz'],
        kept: 0,
        duplicates: 0,
      },
    ]);
    expect(result.ok && result.plan.batches[0]?.batch).toMatchObject({
      created_at: '2026-01-30T00:00:00Z',
      runner_version: '9',
    });
  });

  test('of several ids stay apart, sorted; a name makes them one', () => {
    const other: ResultSet = {
      batches: [sampleBatch({ batch_id: 'dawn', shards: [{ index: 2, of: 2 }] })],
      trials: [record({ batch_id: 'dawn', eval_run_id: runId('dddddd'), repeat: 2 })],
    };
    const sources = [one, other];
    expect(told(planMerge({ target: nothing, sources, batch_id: null }))).toEqual([
      { id: 'dawn', shards: [{ index: 2, of: 2 }], copies: ['dawn alpha dddddd'], kept: 0, duplicates: 0 },
      { id: 'night', shards: [{ index: 1, of: 2 }], copies: ['night alpha abc123'], kept: 0, duplicates: 0 },
    ]);
    expect(told(planMerge({ target: nothing, sources, batch_id: 'all' }))).toEqual([
      { id: 'all', shards: null, copies: ['all alpha abc123', 'all alpha dddddd'], kept: 0, duplicates: 0 },
    ]);
  });

  test('of different plans do not come together, and it is said what differs', () => {
    const { plan } = sampleBatch();
    const changed: readonly [Partial<Batch['plan']>, string][] = [
      [{ cases: [{ id: 'alpha', hash: 'b' }] }, 'cases differ'],
      [{ variants: [oracle] }, 'variants differ'],
      [{ repeats: 3 }, 'repeats differ'],
      [{ record: true }, 'record differ'],
    ];
    for (const [change, detail] of changed) {
      const other = { batches: [sampleBatch({ plan: { ...plan, ...change } })], trials: [] };
      expect(planMerge({ target: nothing, sources: [one, other], batch_id: null })).toEqual({
        ok: false,
        message: "the batch 'night' was made by different plans",
        details: [detail],
      });
    }
  });

  test('of the target that nothing comes to are not touched', () => {
    const target = {
      batches: [sampleBatch({ batch_id: 'old' })],
      trials: [record({ batch_id: 'old', case_id: 'b' })],
    };
    expect(told(planMerge({ target, sources: [one], batch_id: null }))).toMatchObject([{ id: 'night' }]);
  });
});

describe('trials', () => {
  const night = (...trials: readonly TrialRecord[]): ResultSet => ({ batches: [sampleBatch()], trials });

  test('one record of each: what is there stays, else the first that was named', () => {
    const [a, b, c] = ['aaaaaa', 'bbbbbb', 'cccccc'].map((letters) =>
      record({ eval_run_id: runId(letters) }),
    );
    const made = [a, b, c] as [TrialRecord, TrialRecord, TrialRecord];
    const merge = (target: ResultSet, sources: readonly ResultSet[]): unknown =>
      told(planMerge({ target, sources, batch_id: null }));
    expect(merge(nothing, [night(made[1]), night(made[0], made[2])])).toMatchObject([
      { copies: ['night alpha bbbbbb'], kept: 0, duplicates: 2 },
    ]);
    expect(merge(night(made[2]), [night(made[0])])).toMatchObject([{ copies: [], kept: 1, duplicates: 1 }]);
    // Again the same, or the same folder twice: nothing new, and nothing twice.
    expect(merge(night(made[0]), [night(made[0]), night(made[0])])).toMatchObject([
      { copies: [], kept: 1, duplicates: 0 },
    ]);
  });

  test('variants and repeats are trials of their own', () => {
    const trials = [
      record({ eval_run_id: runId('aaaaaa') }),
      record({ eval_run_id: runId('bbbbbb'), variant: oracle }),
      record({ eval_run_id: runId('cccccc'), repeat: 2 }),
    ];
    expect(told(planMerge({ target: nothing, sources: [night(...trials)], batch_id: null }))).toMatchObject([
      { copies: { length: 3 }, duplicates: 0 },
    ]);
  });

  test('a folder that is taken by another record is refused', () => {
    const taken = "alpha/eval-20260131_235959-abc123 is there already, as another record of the batch 'old'";
    const target = { batches: [sampleBatch({ batch_id: 'old' })], trials: [record({ batch_id: 'old' })] };
    expect(told(planMerge({ target, sources: [night(record())], batch_id: null }))).toBe(taken);
    expect(told(planMerge({ target, sources: [night(record())], batch_id: 'old' }))).toMatchObject([
      { kept: 1 },
    ]);
    const two = [night(record()), night(record({ outcome: 'fail' }))];
    expect(told(planMerge({ target: nothing, sources: two, batch_id: null }))).toContain('is there already');
  });

  test('without a batch they are left, and told', () => {
    const orphan = record({ batch_id: 'lost', eval_run_id: runId('oooooo') });
    const result = planMerge({ target: nothing, sources: [night(record(), orphan)], batch_id: null });
    expect(result.ok && result.plan.orphans).toEqual(['/r/alpha/eval-20260131_235959-oooooo']);
    expect(told(result)).toMatchObject([{ copies: ['night alpha abc123'] }]);
  });
});

test('shards of any plan, in any order and some twice, make the whole of it', () => {
  const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
  fc.assert(
    fc.property(
      fc.record({
        ids: fc.uniqueArray(fc.stringMatching(/^[a-z]{1,4}$/), { minLength: 1, maxLength: 6 }),
        repeats: fc.integer({ min: 1, max: 4 }),
        of: fc.integer({ min: 1, max: 5 }),
        turn: fc.nat({ max: 4 }),
        isNamed: fc.boolean(),
      }),
      ({ ids, repeats, of, turn, isNamed }) => {
        const plan = {
          cases: ids.map((id) => ({ id, hash: id })),
          variants: [codex, oracle],
          repeats,
          record: false,
        };
        const shardSet = (shard: Shard): ResultSet => {
          const batch_id = isNamed ? `shard-${shard.index}` : 'night';
          return {
            batches: [sampleBatch({ batch_id, plan, shards: [shard] })],
            trials: planTrials(plan, { shards: [shard], hashOf }).map((key, at) =>
              record({
                ...key,
                batch_id,
                eval_run_id: runId(`s${shard.index}${String(at).padStart(4, '0')}`),
              }),
            ),
          };
        };
        const sets = Array.from({ length: of }, (_, index) => shardSet({ index: index + 1, of }));
        const turned = [...sets.slice(turn % of), ...sets.slice(0, turn % of), ...sets.slice(0, 1)];
        const result = planMerge({ target: nothing, sources: turned, batch_id: isNamed ? 'all' : null });
        const [whole, ...rest] = result.ok ? result.plan.batches : [];
        expect(rest).toEqual([]);
        expect(whole?.batch.shards).toBeNull();
        expect(whole?.duplicates).toBe(0);
        const keys = whole?.copies.map(({ meta }) => trialKeyText(meta)).toSorted();
        expect(keys).toEqual(planTrials(plan, { shards: null, hashOf }).map(trialKeyText).toSorted());
      },
    ),
  );
});
