import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  liveStatuses,
  parseRunRecord,
  renderRunRecord,
  runRecordJsonSchema,
  runStatuses,
  trueStatus,
} from '../../../src/core/runs/record.ts';

const small = {
  version: 1,
  run_id: 'search-1',
  status: 'queued',
  branch: 'runner/search-1',
  base_commit: 'abc',
  started_at: '2026-11-18T00:00:00.000Z',
  updated_at: '2026-11-18T00:00:00.000Z',
};

test('the shipped schema is made of the code', () => {
  const shipped = readFileSync('schemas/run_record/v1.schema.json', 'utf8');
  expect(JSON.parse(shipped)).toEqual(runRecordJsonSchema());
});

test('what is left out gets its default, and a record reads back as it was written', () => {
  const parsed = parseRunRecord(JSON.stringify(small));
  if (!parsed.ok) throw new Error(parsed.problems.join('\n'));
  expect(parsed.record).toMatchObject({
    owner: null,
    iterations: { used: 0, max: 0 },
    audit: [],
    errors: [],
  });
  expect(parseRunRecord(renderRunRecord(parsed.record))).toEqual(parsed);
});

test('every problem is named', () => {
  const wrong = parseRunRecord(JSON.stringify({ ...small, status: 'busy', run_id: '', extra: 1 }));
  expect(wrong.ok ? [] : wrong.problems.map((problem) => problem.replace(/:.*/s, ''))).toEqual([
    '',
    'run_id',
    'status',
  ]);
  const broken = parseRunRecord('{');
  expect(broken.ok ? [] : broken.problems).toHaveLength(1);
});

test('a run at work whose process is gone has crashed; every other status is as it says', () => {
  fc.assert(
    fc.property(fc.constantFrom(...runStatuses), fc.boolean(), (status, isAlive) => {
      const crashed = { status: 'failed', reason: 'crashed' };
      const said = { status, reason: 'why' };
      const isLost = !isAlive && liveStatuses.has(status);
      expect(trueStatus(said, isAlive)).toEqual(isLost ? crashed : said);
    }),
  );
});
