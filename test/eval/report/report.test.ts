/** What is reported of a batch: sorted, of the right case, without secrets. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { batchReport, redactTrial, reportValue } from '../../../src/eval/report/report.ts';
import { redactor } from '../../../src/core/text/redact.ts';
import { expectOutput } from '../../support/output-schema.ts';
import { fuzzCases } from '../../support/fuzz.ts';
import { noteLines } from '../../../src/eval/report/notes.ts';
import { comparisonOf, reportOf, tools } from '../../support/reports.ts';
import { arbTrials, batchWith, codex, trialsOf, trialWith } from '../../support/trials.ts';

const plan = {
  cases: [
    { id: 'a', hash: 'a'.repeat(64) },
    { id: 'b', hash: 'b'.repeat(64) },
  ],
  variants: [codex, { kind: 'oracle', agent: null, model: null } as const],
  repeats: 3,
  record: false,
};

test('sorted by case, variant, repeat and id; one case, one variant, or parts of a plan', () => {
  const batch = batchWith({ plan });
  const trials = [
    ...trialsOf('b', 'S'),
    ...trialsOf('a', 'SF').toReversed(),
    trialWith({ case_id: 'a', repeat: 1, eval_run_id: 'eval-20250131_010000-aaaaaa' }),
    trialWith({ case_id: 'a', variant: { kind: 'oracle', agent: null, model: null } }),
  ];
  const input = { batch, trials, warnings: [], case_id: null, variant: null, hashOf: tools.hashOf };
  const all = batchReport(input);
  expect([all.planned, all.missing]).toEqual([12, 8]);
  expect(
    all.trials.map(({ meta }) => [
      meta.case_id,
      meta.variant.kind,
      meta.repeat,
      meta.eval_run_id.slice(0, 9),
    ]),
  ).toEqual([
    ['a', 'agent', 1, 'eval-2025'],
    ['a', 'agent', 1, 'eval-2026'],
    ['a', 'agent', 2, 'eval-2026'],
    ['a', 'oracle', 1, 'eval-2026'],
    ['b', 'agent', 1, 'eval-2026'],
  ]);
  const one = batchReport({ ...input, case_id: 'b', variant: 'codex' });
  expect([one.planned, one.missing, one.trials.length, one.summary.overall.trials]).toEqual([3, 2, 1, 1]);
  const shard = (index: number) =>
    batchReport({ ...input, trials: [], batch: batchWith({ plan, shards: [{ index, of: 2 }] }) });
  expect([shard(1).planned, shard(1).missing, shard(2).planned]).toEqual([6, 6, 6]);
  expect(noteLines(shard(2))[0]).toBe('This batch covers only shard 2/2 of its plan.');
});

test('the JSON follows its shipped schema, whatever the trials', () => {
  const files = [{ reporter: 'junit', file: '/srv/a.xml', bytes: 12 }];
  fc.assert(
    fc.property(arbTrials, arbTrials, (a, b) => {
      expectOutput('eval-report', JSON.parse(JSON.stringify(reportValue(reportOf(a), files))));
      expectOutput('eval-compare', JSON.parse(JSON.stringify(reportValue(comparisonOf(a, b), files))));
    }),
    // Each reads every schema; a hundred thousand would take days.
    { numRuns: 8 },
  );
  const value = reportValue(reportOf(trialsOf('a', 'SE')), []);
  expect(value).toMatchObject({
    command: 'eval report',
    batch_id: 'first',
    variants: [{ rate: 1 }],
    files: [],
  });
  expect(value['overall']).not.toHaveProperty('rate');
  expect(value['trials']).toMatchObject([
    { outcome: 'success' },
    { outcome: 'error', reason: 'toolchain_missing', results: expect.any(String) },
  ]);
});

test('secrets are taken out of every text, and nothing else changes', () => {
  const secret = 'my-very-own-secret';
  const trial = trialWith(
    {
      errors: [`with ${secret}`],
      workspace: secret,
      tags: [secret],
      variant: { kind: 'agent', agent: secret, model: secret, settings: { a: secret }, command: secret },
      settings: { 'agent.bin': secret },
      agent: { name: secret, version: secret, model: secret },
    },
    [{ type: 'file_exists', label: secret, passed: false, detail: secret }],
  );
  const redact = redactor([secret]).redact;
  const clean = redactTrial({ ...trial, dir: `/x/${secret}` }, redact);
  expect(JSON.stringify(clean)).not.toContain(secret);
  const unknown = trialWith(
    { workspace: null, agent: null, variant: { kind: 'oracle', agent: null, model: null } },
    [],
  );
  expect(redactTrial(unknown, redact)).toEqual(unknown);
  expect(clean.meta).toMatchObject({ case_id: 'fix-bug', outcome: 'success', errors: ['with [redacted]'] });
  fc.assert(
    fc.property(arbTrials, (trials) => {
      expect(trials.map((one) => redactTrial(one, (text) => text))).toEqual(trials);
    }),
    fuzzCases(50),
  );
});
