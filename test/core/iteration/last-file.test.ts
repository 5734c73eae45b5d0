import { expect, test } from 'vitest';
import { parseLastRecord, renderLastFile } from '../../../src/core/iteration/last-file.ts';

const record = { iter: 3, summary: 's', error: null, guard_output: 'out\n' };

test('what is written reads back equal, keys in the documented order', () => {
  const { iter, ...rest } = record;
  const text = renderLastFile({ ...rest, iter });
  expect(text).toBe('{\n  "iter": 3,\n  "summary": "s",\n  "error": null,\n  "guard_output": "out\\n"\n}\n');
  expect(parseLastRecord(text)).toEqual(record);
});

test.each([
  '',
  '{',
  '[]',
  '{"iter":0,"summary":null,"error":null,"guard_output":null}',
  '{"iter":1}',
  '{"iter":1,"summary":null,"error":null,"guard_output":null,"x":1}',
])('%s is no record', (text) => {
  expect(parseLastRecord(text)).toBeNull();
});
