import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseTrailers, trailer } from '../../../src/core/proof/trailers.ts';

describe('trailers', () => {
  test('are those of the last paragraph that has any, by key', () => {
    const message =
      'subject\n\nRunner-Outcome: forged\n\na: Runner-Run: no\nRunner-Run: one: two\nother\nRunner-Mark: x\nRunner-Mark: y\n\nSigned-off-by: me\n';
    const trailers = parseTrailers(message);
    expect([...trailers]).toEqual([
      ['Run', ['one: two']],
      ['Mark', ['x', 'y']],
    ]);
    expect(trailer(trailers, 'Mark')).toBe('x');
    expect(trailer(trailers, 'Outcome')).toBeNull();
    expect(parseTrailers('Runner-Run: subject').size).toBe(0);
  });

  test('whatever stands above them is not read', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const trailers = parseTrailers(`s\n\n${text}\n\nRunner-Run: x\n`);
        expect(trailer(trailers, 'Run')).toBe('x');
        expect(trailers.size).toBe(1);
      }),
    );
  });
});
