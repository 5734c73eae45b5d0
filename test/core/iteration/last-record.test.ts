import { describe, expect, test } from 'vitest';
import { renderGuardOutput, renderLastRecord } from '../../../src/core/iteration/last-record.ts';
import { lastRecordBytesMax } from '../../../src/core/limits.ts';
import { byteLength } from '../../../src/core/text/shorten.ts';
import type { LastRecord } from '../../../src/core/types.ts';

function recordWith(fields: Partial<LastRecord>): LastRecord {
  return { iter: 3, summary: null, error: null, guard_output: null, ...fields };
}

function fileBytes(record: LastRecord): number {
  return byteLength(`${JSON.stringify(record, null, 2)}\n`);
}

describe('renderLastRecord (§2: at most 32 KiB)', () => {
  test('keeps short texts and nulls as they are', () => {
    const record = { iter: 3, summary: 'did "it"\n', error: null, guard_output: '1 failed\n\n2 passed' };
    expect(renderLastRecord(record)).toEqual(record);
    expect(renderLastRecord(recordWith({}))).toEqual(recordWith({}));
  });

  test('shortens each text in the middle, by itself', () => {
    const long = (mark: string): string => `${mark} head ${'x'.repeat(100_000)} ${mark} tail`;
    const kept = renderLastRecord(
      recordWith({ summary: long('s'), error: long('e'), guard_output: long('g') }),
    );
    for (const [mark, text] of [
      ['s', kept.summary],
      ['e', kept.error],
      ['g', kept.guard_output],
    ] as const)
      expect(text).toMatch(new RegExp(`^${mark} head x+\\n\\[… \\d+ bytes left out …\\]\\nx+ ${mark} tail$`));

    expect(byteLength(kept.summary ?? '')).toBeLessThanOrEqual(4096);
    expect(byteLength(kept.error ?? '')).toBeLessThanOrEqual(6144);
    expect(byteLength(kept.guard_output ?? '')).toBeLessThanOrEqual(20_480);
    expect(byteLength(kept.guard_output ?? '')).toBeGreaterThan(20_000);
  });

  test.each(['"', '\\', '\n', '\t', 'é', '🙂', 'a "quoted" line\n'])(
    'the file fits although JSON writes %j longer than it is',
    (piece) => {
      const text = piece.repeat(20_000);
      const kept = renderLastRecord(recordWith({ summary: text, error: text, guard_output: text }));
      expect(fileBytes(kept)).toBeLessThanOrEqual(lastRecordBytesMax);
      expect(fileBytes(kept)).toBeGreaterThan(lastRecordBytesMax / 2);
    },
  );

  test('what the agent wrote becomes plain text', () => {
    const kept = renderLastRecord(recordWith({ summary: 'a\u001B[31mb\u0000\r\nc', error: '\u202Eevil' }));
    expect(kept).toEqual(recordWith({ summary: 'ab\nc', error: 'evil' }));
  });
});

describe('renderGuardOutput (§6)', () => {
  test('the reason first, then the log as plain lines', () => {
    const output = '10%\r100%\n\u001B[31mFAIL\u001B[0m a\r\n\n';
    expect(renderGuardOutput({ reason: 'exit code 1', output })).toBe('exit code 1\n\n100%\nFAIL a');
  });

  test.each(['', '\n \n', '\u001B[2J'])('a log that shows nothing (%j) leaves the reason', (output) => {
    expect(renderGuardOutput({ reason: 'timed out', output })).toBe('timed out');
  });
});
