import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type * as z from 'zod';
import { amount, argv, choice, filled, flag, must, whole } from '../../../src/core/text/schema-fields.ts';

/** Null: allowed. */
function told(schema: z.ZodType, value: unknown): string | null {
  return schema.safeParse(value).error?.issues[0]?.message ?? null;
}

describe('every kind of value says what must be, then what is there', () => {
  test.each([
    [whole(1, 5), 5, null],
    [whole(1, 5), 6, 'must be a whole number from 1 to 5, not 6'],
    [whole(1, 5), 1.5, 'must be a whole number from 1 to 5, not 1.5'],
    [whole(1, 5), Number.NaN, 'must be a whole number from 1 to 5, not NaN'],
    [whole(1, 5), undefined, 'is missing; must be a whole number from 1 to 5'],
    [amount(0, 9), 0.1, null],
    [amount(0, 9), 0, 'must be a number above 0, at most 9, not 0'],
    [choice(['stop', 'defer']), 'stop', null],
    [choice(['stop', 'defer']), 'stpo', 'must be one of "stop", "defer", not "stpo"; did you mean "stop"?'],
    [choice(['stop', 'defer']), 'other', 'must be one of "stop", "defer", not "other"'],
    [choice(['stop', 'defer']), 3, 'must be one of "stop", "defer", not 3'],
    [filled('a name'), ' ', null],
    [filled('a name'), '', 'must be a name (text that is not empty), not ""'],
    [filled('a name'), 'a\0', String.raw`must be a name (text that is not empty), not "a\u0000"`],
    [flag(), false, null],
    [flag(), 'no', 'must be true or false, not "no"'],
    [argv('["a"]'), ['a', ''], null],
    [argv('["a"]'), [], 'must be a list of texts, first the program, e.g. ["a"], not []'],
    [argv('["a"]'), [' '], 'must be a list of texts, first the program, e.g. ["a"], not [" "]'],
    [
      argv('["a"]'),
      { a: { b: {} } },
      'must be a list of texts, first the program, e.g. ["a"], not {"a":"…"}',
    ],
    [flag(), null, 'must be true or false, not null'],
    [flag(), 'x'.repeat(99), `must be true or false, not "${'x'.repeat(59)}…`],
  ])('%#', (schema, value, message) => {
    expect(told(schema, value)).toBe(message);
  });
});

test('no value makes a message throw or grow without end', () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      expect(must('short').error({ input: value }).length).toBeLessThan(99);
    }),
  );
});
