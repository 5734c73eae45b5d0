import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { outcomeNames } from '../../../src/core/iteration/outcome-row.ts';
import { chipOf } from '../../../src/core/views/outcome-chip.ts';

describe('by the row of the table', () => {
  test.each([
    ['pass', { status: 'done', guard: 'pass' }, 'good', 'passed'],
    ['guard-fail', { status: 'done', guard: 'fail' }, 'bad', 'guard failed'],
    ['clone-fail', { status: 'done', guard: 'fail' }, 'bad', 'clone failed'],
    ['out-of-time', { status: 'retry', guard: 'skipped' }, 'bad', 'out of time'],
    ['retry', { status: 'retry', guard: 'skipped' }, 'doubtful', 'retry'],
    ['decomposed', { status: 'decomposed', guard: 'skipped' }, 'split', 'split'],
  ] as const)('%s', (outcome, record, tone, label) => {
    expect(chipOf({ outcome, ...record })).toEqual({ tone, label });
  });

  test('a red guard is red, and only a green one is green', () => {
    fc.assert(
      fc.property(fc.constantFrom(...outcomeNames, '', 'toString', null), (outcome) => {
        expect(chipOf({ outcome, status: 'done', guard: 'fail' }).label).not.toBe('');
        if (outcome?.endsWith('-fail') === true)
          expect(chipOf({ outcome, status: 'done', guard: 'fail' }).tone).toBe('bad');
      }),
    );
  });
});

describe('without it', () => {
  test.each([
    [{ status: 'done', guard: 'pass' }, 'good', 'passed'],
    [{ status: 'done', guard: 'fail', outcome: '' }, 'bad', 'guard failed'],
    [{ status: 'decomposed', guard: 'skipped' }, 'split', 'split'],
    [{ status: 'retry', guard: 'skipped' }, 'doubtful', 'retry'],
    [{ status: 'retry', guard: 'skipped', failure: null }, 'doubtful', 'retry'],
    [{ status: 'retry', guard: 'skipped', failure: 'crashed' }, 'bad', 'agent failed'],
    [{ status: null, guard: null, is_running: true }, 'busy', 'running'],
    [{ status: null, guard: null, is_running: false }, 'bad', 'unfinished'],
    [{ status: null, guard: null }, 'bad', 'unfinished'],
  ] as const)('%j', (input, tone, label) => {
    expect(chipOf(input)).toEqual({ tone, label });
  });
});
