import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  batchFileName,
  batchLockName,
  batchOfFile,
  caseOfWorkspace,
  evalRunId,
  isBatchId,
  isCaseId,
  isEvalRunId,
  labelFolder,
  latestLinkName,
  newBatchId,
  splitSelector,
  suffixOf,
  trialKeyText,
  variantLabel,
  workspaceName,
} from '../../../src/eval/cases/names.ts';
import type { Variant } from '../../../src/eval/cases/types.ts';

const seed = { epochMs: Date.UTC(2026, 0, 2, 3, 4, 5, 678), suffix: 'ab12cd' };
const caseIds = fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,20}$/);
const seeds = fc.record({
  epochMs: fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) }),
  suffix: fc.stringMatching(/^[a-z0-9]{6}$/),
});
const variants: fc.Arbitrary<Variant> = fc.record({
  kind: fc.constantFrom('agent', 'oracle', 'null', 'replay'),
  agent: fc.option(fc.constantFrom('codex', 'claude', 'command')),
  model: fc.option(fc.string({ minLength: 1, unit: 'binary' })),
});

test('[ancestor: eval_workspace workspace_name_uses_expected_format] case, time in UTC, six letters', () => {
  expect(workspaceName('calculator-go', seed)).toBe('calculator-go_20260102_030405_ab12cd');
  expect(latestLinkName('calculator-go')).toBe('calculator-go_latest');
});

test('[ancestor: eval_run eval_run_id_format] the time, and six letters that tell two of one second apart', () => {
  expect(evalRunId(seed)).toBe('eval-20260102_030405-ab12cd');
  expect(evalRunId({ ...seed, suffix: 'ab12ce' })).not.toBe(evalRunId(seed));
  expect(newBatchId(seed)).toBe('20260102_030405-ab12cd');
});

test.each([
  ['alpha', true],
  ['0-a_b', true],
  ['a'.repeat(64), true],
  ['a'.repeat(65), false],
  ['', false],
  ['-a', false],
  ['_a', false],
  ['Alpha', false],
  ['a.b', false],
  ['a/b', false],
  ['..', false],
  ['alpha\n', false],
])('case id %j: %s', (name, is) => expect(isCaseId(name)).toBe(is));

test.each([
  ['nightly', true],
  ['20260102_030405-ab12cd', true],
  ['A_b-9', true],
  ['latest', false],
  ['', false],
  ['a'.repeat(65), false],
  ['a@b', false],
  ['a.b', false],
])('batch id %j: %s', (name, is) => expect(isBatchId(name)).toBe(is));

test.each([
  ['eval-20260102_030405-ab12cd', true],
  ['eval-20260102_030405', false],
  ['xeval-20260102_030405-ab12cd', false],
  ['eval-20260102_030405-ab12cdx', false],
  ['.merge-eval-20260102_030405-ab12cd', false],
])('eval run id %j: %s', (name, is) => expect(isEvalRunId(name)).toBe(is));

test.each([
  ['a_20260102_030405_ab12cd', 'a'],
  ['a_b_20260102_030405_ab12cd', 'a_b'],
  ['a_20260102_030405_ab12cd_20260102_030405_ab12cd', 'a_20260102_030405_ab12cd'],
  ['a_latest', null],
  ['a', null],
  ['a_20260102_030405_ab12cde', null],
  ['a_20260102_030405_AB12CD', null],
  ['_20260102_030405_ab12cd', null],
])('%s was made for %j', (name, id) => expect(caseOfWorkspace(name)).toBe(id));

test('a workspace belongs to its own case and to no other', () => {
  fc.assert(
    fc.property(caseIds, caseIds, seeds, (one, other, name) => {
      expect(caseOfWorkspace(workspaceName(one, name))).toBe(one);
      // Also for ids that begin alike.
      for (const id of [other, `${one}${other}`, `${one}_${other}`])
        if (id !== one) expect(caseOfWorkspace(workspaceName(id, name))).not.toBe(one);
    }),
  );
});

test('names are accepted by the checks of names, and nothing is shorter than its parts', () => {
  fc.assert(
    fc.property(seeds, (name) => {
      expect(isEvalRunId(evalRunId(name))).toBe(true);
      expect(isBatchId(newBatchId(name))).toBe(true);
      expect(batchOfFile(batchFileName(newBatchId(name)))).toBe(newBatchId(name));
      expect(isCaseId(batchFileName(newBatchId(name)))).toBe(false);
      expect(isCaseId(batchLockName(newBatchId(name)))).toBe(false);
      expect(batchOfFile(batchLockName(newBatchId(name)))).toBeNull();
    }),
  );
});

test('any bytes give six letters or digits; too few count as zeros; the word of the link is never one', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 12 }), (bytes) => {
      expect(suffixOf(bytes)).toMatch(/^[a-z0-9]{6}$/);
    }),
  );
  expect(suffixOf(new Uint8Array())).toBe('aaaaaa');
  expect(suffixOf(new Uint8Array([35, 36, 71, 72, 0, 1]))).toBe('9a9aab');
  const latest = [...'latest'].map((letter) => letter.charCodeAt(0) - 97);
  expect(suffixOf(new Uint8Array(latest))).toBe('latesu');
});

test.each([
  ['night.batch.json', 'night'],
  ['latest.batch.json', null],
  ['.batch.json', null],
  ['night.json', null],
  ['a b.batch.json', null],
])('%s is the file of the batch %j', (name, id) => expect(batchOfFile(name)).toBe(id));

test.each<[Variant, string]>([
  [{ kind: 'agent', agent: 'codex', model: null }, 'codex'],
  [{ kind: 'agent', agent: 'codex', model: 'm/1' }, 'codex:m/1'],
  [{ kind: 'agent', agent: null, model: null }, 'default'],
  [{ kind: 'agent', agent: null, model: 'm' }, 'default:m'],
  [{ kind: 'oracle', agent: null, model: null }, 'oracle'],
  [{ kind: 'null', agent: null, model: null }, 'null'],
  [{ kind: 'replay', agent: null, model: null }, 'replay'],
  [{ kind: 'replay', agent: 'codex', model: 'm' }, 'replay:codex:m'],
])('%j is called %s', (variant, label) => expect(variantLabel(variant)).toBe(label));

function readBack(folder: string): string {
  return folder.replaceAll(/%(?:u(....)|(..))/g, (_, long?: string, short?: string) =>
    String.fromCharCode(Number.parseInt(long ?? short ?? '', 16)),
  );
}

test('folders of labels: one name, and the label can be read back, so two labels never share one', () => {
  fc.assert(
    fc.property(variants, (variant) => {
      const label = variantLabel(variant);
      const folder = labelFolder(label);
      expect(folder).toMatch(/^[A-Za-z0-9._%-]+$/);
      expect(['.', '..']).not.toContain(folder);
      expect(readBack(folder)).toBe(label);
    }),
  );
  expect(labelFolder('opencode:openai/x%2F')).toBe('opencode%3Aopenai%2Fx%252F');
  expect(labelFolder('x:\n\uD800é')).toBe('x%3A%0A%uD800%E9');
  expect(labelFolder('\u0123')).toBe('%u0123');
});

test('one text a trial', () => {
  const key = { case_id: 'a', variant: { kind: 'oracle', agent: null, model: null } as const, repeat: 2 };
  expect(trialKeyText(key)).toBe('a\noracle\n2');
});

test.each([
  ['night', { batch: 'night', variant: null }],
  ['latest@codex:m@1', { batch: 'latest', variant: 'codex:m@1' }],
  ['@', { batch: '', variant: '' }],
])('%s is split', (selector, parts) => expect(splitSelector(selector)).toEqual(parts));
