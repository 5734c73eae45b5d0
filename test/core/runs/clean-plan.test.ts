import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { endOf, parseAge, planClean } from '../../../src/core/runs/clean-plan.ts';
import type { Leftover } from '../../../src/core/runs/clean-plan.ts';

describe('clean', () => {
  const archive = { commit: 'c', committed_at: '2026-01-02T00:00:00.000Z' };
  const finished = { status: 'finished', finished_at: '2026-01-01T00:00:00.000Z' } as const;
  test.each([
    ['finished', { record: finished, archive, branch: null, is_alive: false }, finished.finished_at],
    [
      'with its branch kept',
      { record: finished, archive, branch: 'c', is_alive: false },
      finished.finished_at,
    ],
    ['gone on since', { record: finished, archive, branch: 'd', is_alive: false }, null],
    ['at work', { record: finished, archive, branch: null, is_alive: true }, null],
    [
      'open',
      { record: { status: 'stuck', finished_at: null } as const, archive, branch: null, is_alive: false },
      null,
    ],
    ['without a record', { record: null, archive, branch: null, is_alive: false }, archive.committed_at],
    ['an end that was cut off', { record: null, archive, branch: 'c', is_alive: false }, null],
    ['nothing known', { record: null, archive: null, branch: null, is_alive: false }, null],
    [
      'without a time',
      { record: { status: 'abandoned', finished_at: null } as const, archive, branch: null, is_alive: false },
      archive.committed_at,
    ],
    [
      'without any time',
      {
        record: { status: 'abandoned', finished_at: null } as const,
        archive: null,
        branch: null,
        is_alive: false,
      },
      '',
    ],
  ])('%s', (_name, facts, expected) => {
    expect(endOf({ run_id: 'a', ...facts })).toBe(expected);
  });

  test('takes only what was asked for, of runs that ended before', () => {
    const kinds = fc.subarray(['worktrees', 'logs', 'archive', 'rescue'] as const);
    const runs = fc.array(fc.record({ ended_at: fc.option(fc.stringMatching(/^20[0-9]{2}$/)), kinds }));
    fc.assert(
      fc.property(kinds, fc.option(fc.stringMatching(/^20[0-9]{2}$/)), runs, (wanted, before, all) => {
        const given = all.map(({ ended_at, kinds: left }, at) => ({
          ended_at,
          leftovers: left.map((kind): Leftover => ({ run_id: String(at), kind, place: kind, bytes: 1 })),
        }));
        const { remove, keep } = planClean({ kinds: wanted, before }, given);
        const ended = given.filter(
          ({ ended_at }) => ended_at !== null && (before === null || ended_at < before),
        );
        expect(new Set([...remove, ...keep])).toEqual(new Set(ended.flatMap(({ leftovers }) => leftovers)));
        const asked: readonly string[] = wanted.length === 0 ? ['worktrees'] : wanted;
        expect(remove.every(({ kind }) => asked.includes(kind))).toBe(true);
        expect(keep.some(({ kind }) => asked.includes(kind))).toBe(false);
      }),
    );
  });

  test.each([
    ['30d', 2_592_000_000],
    ['2w', 1_209_600_000],
    ['1h', 3_600_000],
    ['5m', 300_000],
    ['0d', 0],
    ['d', null],
    ['30', null],
  ])('age %s', (text, ms) => {
    expect(parseAge(text)).toBe(ms);
  });
});
