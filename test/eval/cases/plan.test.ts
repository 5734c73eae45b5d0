import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { trialKeyText } from '../../../src/eval/cases/names.ts';
import {
  joinShards,
  parseShard,
  planTrials,
  remainingTrials,
  selectCases,
} from '../../../src/eval/cases/plan.ts';
import type { Batch, Variant } from '../../../src/eval/cases/types.ts';
import { codex, oracle } from '../../support/eval-samples.ts';

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

function plan(ids: readonly string[], variants: readonly Variant[], repeats: number): Batch['plan'] {
  return { cases: ids.map((id) => ({ id, hash: '' })), variants, repeats, record: false };
}

const plans = fc
  .record({
    ids: fc.uniqueArray(fc.stringMatching(/^[a-z0-9]{1,6}$/), { maxLength: 9 }),
    variants: fc.subarray<Variant>([codex, oracle, { kind: 'agent', agent: 'claude', model: 'm' }], {
      minLength: 1,
    }),
    repeats: fc.integer({ min: 1, max: 5 }),
  })
  .map(({ ids, variants, repeats }) => plan(ids, variants, repeats));

describe('which trials there are', () => {
  test('case by case, repeat by repeat, variant by variant', () => {
    const trials = planTrials(plan(['b', 'a'], [codex, oracle], 2), { shards: null, hashOf });
    expect(trials.map(trialKeyText)).toEqual([
      'b\ncodex\n1',
      'b\noracle\n1',
      'b\ncodex\n2',
      'b\noracle\n2',
      'a\ncodex\n1',
      'a\noracle\n1',
      'a\ncodex\n2',
      'a\noracle\n2',
    ]);
  });

  test('shards: every trial in exactly one, none has two more than another, the order of cases and variants does not count', () => {
    fc.assert(
      fc.property(plans, fc.integer({ min: 1, max: 7 }), (made, of) => {
        const all = planTrials(made, { shards: null, hashOf }).map(trialKeyText);
        const dealt = Array.from({ length: of }, (_, index) =>
          planTrials(made, { shards: [{ index: index + 1, of }], hashOf }).map(trialKeyText),
        );
        expect(dealt.flat().toSorted()).toEqual(all.toSorted());
        const sizes = dealt.map((shard) => shard.length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
        const turned = { ...made, cases: made.cases.toReversed(), variants: made.variants.toReversed() };
        for (const [index, shard] of dealt.entries()) {
          expect(shard).toEqual(all.filter((key) => shard.includes(key)));
          const again = planTrials(turned, { shards: [{ index: index + 1, of }], hashOf });
          expect(again.map(trialKeyText).toSorted()).toEqual(shard.toSorted());
        }
      }),
    );
  });

  test('several shards together, and the hash decides', () => {
    const made = plan(['a', 'b', 'c', 'd'], [codex], 1);
    const ids = (shards: Batch['shards'], hash = hashOf): readonly string[] =>
      planTrials(made, { shards, hashOf: hash }).map(({ case_id }) => case_id);
    const both = [
      { index: 1, of: 3 },
      { index: 3, of: 3 },
    ];
    expect([...ids(both), ...ids([{ index: 2, of: 3 }])].toSorted()).toEqual(['a', 'b', 'c', 'd']);
    expect(ids([{ index: 1, of: 2 }], (text) => text)).toEqual(['a', 'c']);
    expect(ids([{ index: 1, of: 2 }], (text) => (text.startsWith('a') ? 'z' : text))).toEqual(['b', 'd']);
    // Without a hash to go by, the trials themselves decide.
    expect(ids([{ index: 1, of: 2 }], () => '')).toEqual(['a', 'c']);
  });

  test('what is left: planned and not done, whatever else was done', () => {
    const [first, ...rest] = planTrials(plan(['a', 'b'], [codex], 1), { shards: null, hashOf });
    expect(first === undefined ? [] : remainingTrials([first, ...rest], [first])).toEqual(rest);
    fc.assert(
      fc.property(plans, fc.infiniteStream(fc.boolean()), (made, coins) => {
        const planned = planTrials(made, { shards: null, hashOf });
        const done = planned.filter(() => coins.next().value === true);
        const other = { case_id: 'none', variant: codex, repeat: 1 };
        const left = remainingTrials(planned, [...done, other]);
        expect(left).toEqual(planned.filter((trial) => !done.includes(trial)));
      }),
    );
  });
});

test.each([
  ['1/1', { index: 1, of: 1 }],
  ['2/5', { index: 2, of: 5 }],
  ['5/5', { index: 5, of: 5 }],
  ['10000/10000', { index: 10_000, of: 10_000 }],
  ['0/5', null],
  ['6/5', null],
  ['1/0', null],
  ['1/10001', null],
  ['1', null],
  ['a/b', null],
  ['1/5/2', null],
  [' 1/5', null],
  ['-1/5', null],
])('shard %j', (text, shard) => expect(parseShard(text)).toEqual(shard));

describe('shards that come together', () => {
  const [one, two, three] = [1, 2, 3].map((index) => ({ index, of: 3 }));
  test.each([
    [null, null, null],
    [null, [one], null],
    [[one], null, null],
    [[two], [one], [one, two]],
    [[one], [one], [one]],
    [[one, two], [three], null],
    [[two], [{ index: 1, of: 2 }], [{ index: 1, of: 2 }, two]],
  ] as const)('%j and %j make %j', (a, b, joined) => {
    expect(joinShards(a as Batch['shards'], b as Batch['shards'])).toEqual(joined);
  });
});

describe('which cases are meant', () => {
  const cases = [
    { case: { id: 'fix-bug', tags: ['js', 'small'] } },
    { case: { id: 'new-cli', tags: ['js'] } },
    { case: { id: 'calc', tags: ['go'] } },
  ];
  test.each([
    [[], [], ['fix-bug', 'new-cli', 'calc']],
    [['calc', 'fix-bug'], [], ['fix-bug', 'calc']],
    [[], ['small', 'go'], ['fix-bug', 'calc']],
    [['new-cli', 'calc'], ['js'], ['new-cli']],
    [[], ['rust'], []],
  ])('ids %j, tags %j: %j', (ids, tags, wanted) => {
    const selected = selectCases(cases, { ids, tags });
    expect(selected.ok && selected.cases.map((item) => item.case.id)).toEqual(wanted);
  });

  test('an unknown id is told, with the nearest', () => {
    const ask = (id: string) => selectCases(cases, { ids: ['calc', id], tags: [] });
    expect(ask('fix-bugs')).toEqual({ ok: false, unknown: 'fix-bugs', near: 'fix-bug' });
    expect(ask('zzz')).toEqual({ ok: false, unknown: 'zzz', near: null });
  });
});
