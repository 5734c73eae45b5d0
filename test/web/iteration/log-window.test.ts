import fc from 'fast-check';
import { expect, test } from 'vitest';
import { appendLog, emptyLog, linesOf, prependLog } from '../../../src/web/iteration/log-window.ts';
import type { LogWindow } from '../../../src/web/iteration/log-window.ts';

const encoder = new TextEncoder();

function textOf(log: LogWindow): string {
  return linesOf(log)
    .map((line) => line.map((span) => span.text).join(''))
    .join('\n');
}

const arbText = fc
  .array(fc.constantFrom('a', 'ä', '😀', 'word ', '\n'), { maxLength: 60 })
  .map((parts) => parts.join(''));

test('a file that grows by any pieces shows what is in it', () => {
  fc.assert(
    fc.property(arbText, fc.array(fc.nat(80), { maxLength: 6 }), (text, cuts) => {
      const bytes = encoder.encode(text);
      const places = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].toSorted(
        (a, b) => a - b,
      );
      let log = emptyLog;
      places.slice(1).forEach((end, at) => {
        const start = places[at] ?? 0;
        log = appendLog(log, start, bytes.subarray(start, end), end);
      });
      expect(textOf(log)).toBe(text.replace(/\n$/u, ''));
      expect(log.end).toBe(bytes.length);
      expect(log.start).toBe(0);
    }),
  );
});

test('opened at the end and paged back to the beginning, it is whole', () => {
  fc.assert(
    fc.property(arbText, fc.integer({ min: 5, max: 30 }), (text, page) => {
      const bytes = encoder.encode(text);
      fc.pre(bytes.length > 0);
      const first = Math.max(0, bytes.length - page);
      let log = appendLog(emptyLog, first, bytes.subarray(first), bytes.length);
      for (let rounds = 0; log.start > 0 && rounds < 200; rounds += 1) {
        const start = Math.max(0, log.start - page);
        log = prependLog(log, start, bytes.subarray(start, log.start));
      }
      expect(log.start).toBe(0);
      // Lines longer than a page come in parts.
      expect(textOf(log).replaceAll('\n', '')).toBe(text.replaceAll('\n', ''));
    }),
  );
});

test('what is far above is let go', () => {
  const many = encoder.encode('line\n'.repeat(30_000));
  let log = appendLog(emptyLog, 0, many, many.length);
  log = appendLog(log, many.length, many, 2 * many.length);
  expect(linesOf(log)).toHaveLength(30_000);
  expect(log.start).toBe(many.length);
});
