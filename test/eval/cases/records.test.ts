import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  evalRecordSchemas,
  parseBatch,
  parseCheckResults,
  parseTrialMeta,
} from '../../../src/eval/cases/records.ts';
import type { CheckResult } from '../../../src/eval/cases/types.ts';
import { sampleBatch, sampleChecks, sampleMeta } from '../../support/eval-samples.ts';

const commandCheck: CheckResult = {
  type: 'command_succeeds',
  label: 'command_succeeds(go build .)',
  passed: false,
  detail: 'go was not found',
  command: {
    exit_code: null,
    timed_out: false,
    start_error: 'go was not found',
    log: 'checks/1.log',
    duration_ms: 0,
  },
};
const samples = {
  eval_meta: sampleMeta({ agent: null, reason: 'replay_miss', replay_misses: [1, 3], exit_code: null }),
  eval_checks: { checks: [...sampleChecks, commandCheck] },
  eval_batch: sampleBatch({ shards: [{ index: 2, of: 5 }] }),
};
const parsers = {
  eval_meta: parseTrialMeta,
  eval_checks: parseCheckResults,
  eval_batch: parseBatch,
} as const;
const names = ['eval_meta', 'eval_checks', 'eval_batch'] as const;

describe.each(names)('%s', (name) => {
  const parse = parsers[name];
  const sample = samples[name];

  test('the shipped JSON Schema is what the checks are made of, and accepts what the harness writes', () => {
    const shipped = JSON.parse(readFileSync(`schemas/${name}/v1.schema.json`, 'utf8')) as object;
    expect(shipped).toEqual(JSON.parse(JSON.stringify(evalRecordSchemas()[name])));
    const validate = new Ajv2020({ allErrors: true, strict: true }).compile(shipped);
    validate(sample);
    expect(validate.errors).toBeNull();
  });

  test('what was written is read back, and keys of later versions are ignored', () => {
    const value = name === 'eval_checks' ? samples.eval_checks.checks : sample;
    expect(parse(JSON.stringify(sample))).toEqual({ ok: true, value });
    expect(parse(JSON.stringify({ ...sample, later: 1 }))).toEqual({ ok: true, value });
  });

  test('a record without one of its keys is told by the key, and text that is no JSON by its place', () => {
    // What earlier versions did not record may be missing.
    for (const key of Object.keys(sample).filter((one) => !['settings', 'hidden'].includes(one))) {
      const found = parse(JSON.stringify({ ...sample, [key]: undefined }));
      expect(found.ok, key).toBe(false);
      expect(found.ok ? '' : found.problem).toContain(`${key}: `);
    }
    expect(parse('{"a": }')).toEqual({
      ok: false,
      problem: expect.stringMatching(/^line 1, column 7: /) as unknown,
    });
  });

  test('no text makes it throw', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(parse(text).ok).toBe(false);
      }),
    );
  });
});

test.each([
  ['case_id', '../x'],
  ['eval_run_id', 'eval-1'],
  ['outcome', null],
  ['reason', 'whatever'],
  ['start_time', 'yesterday'],
  ['batch_id', 'latest'],
  ['repeat', 0],
  ['tokens', -1],
])('a trial whose %s is %j is refused', (key, value) => {
  const found = parseTrialMeta(JSON.stringify({ ...sampleMeta(), [key]: value }));
  expect(found).toEqual({ ok: false, problem: expect.stringContaining(`${key}: `) as unknown });
});

test('records of earlier versions: without what is recorded now, and limits of the agent as errors', () => {
  const { settings: _settings, hidden: _hidden, ...old } = sampleMeta();
  const read = (change: object) => parseTrialMeta(JSON.stringify({ ...old, ...change }));
  expect(read({})).toEqual({ ok: true, value: { ...old, settings: null, hidden: null } });
  for (const reason of ['iteration_limit', 'run_limit', 'timeout'])
    expect(read({ outcome: 'error', reason })).toMatchObject({ value: { outcome: 'fail', reason } });
  for (const reason of ['loop_failed', 'start_failed', null])
    expect(read({ outcome: 'error', reason })).toMatchObject({ value: { outcome: 'error', reason } });
});
