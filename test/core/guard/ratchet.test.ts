/** §14: which of the guard's files differ from their references, and what laying them over the work means. */
import { describe, expect, test } from 'vitest';
import type { GuardEnd } from '../../../src/core/agents/session.ts';
import {
  changedReferences,
  guardSettings,
  laidFiles,
  scriptTexts,
  standingReferences,
  withRatchet,
} from '../../../src/core/guard/ratchet.ts';
import type { RatchetFile } from '../../../src/core/types.ts';
import { configWith, guardWith } from '../../support/facts.ts';

const whole: RatchetFile = { path: 'justfile', mode: '100644', oid: 'a', scripts: null };
const none: RatchetFile = { path: 'GNUmakefile', mode: null, oid: null, scripts: null };
const pack: RatchetFile = { path: 'package.json', mode: '100644', oid: 'p', scripts: ['test'] };
const texts = new Map([
  ['p', '{"scripts": {"test": "real"}}'],
  ['q', '{"scripts": {"test": "true"}}'],
  ['r', '{"scripts": {"test": "real", "x": "y"}}'],
]);

function versions(reference: RatchetFile, now: { readonly oid: string; readonly mode?: string } | null) {
  const present = new Map(
    now === null ? [] : [[reference.path, { path: reference.path, mode: '100644', ...now }] as const],
  );
  return { references: [reference], present, texts };
}

describe('changedReferences', () => {
  test.each<readonly [RatchetFile, { readonly oid: string; readonly mode?: string } | null, boolean]>([
    [whole, { oid: 'a' }, false],
    [whole, { oid: 'b' }, true],
    [whole, { oid: 'a', mode: '100755' }, true],
    [whole, null, true],
    [none, null, false],
    [none, { oid: 'b' }, true],
    [pack, { oid: 'p' }, false],
    [pack, { oid: 'q' }, true],
    [pack, { oid: 'r' }, false],
    [pack, { oid: 'r', mode: '100755' }, false],
    [pack, { oid: 'too large' }, true],
    [{ ...pack, oid: 'gone' }, { oid: 'r' }, true],
    [pack, null, true],
  ])('%j is now %j: %s', (reference, now, isChanged) => {
    expect(changedReferences(versions(reference, now))).toEqual(isChanged ? [reference] : []);
  });
});

describe('laidFiles', () => {
  test.each<readonly [RatchetFile, { readonly oid: string; readonly mode?: string } | null, object]>([
    [whole, { oid: 'b' }, { path: 'justfile', mode: '100644', oid: 'a' }],
    [whole, null, { path: 'justfile', mode: '100644', oid: 'a' }],
    [none, { oid: 'b' }, { path: 'GNUmakefile', mode: null }],
    [
      pack,
      { oid: 'q', mode: '100755' },
      { path: 'package.json', mode: '100755', text: '{\n  "scripts": {\n    "test": "real"\n  }\n}\n' },
    ],
    [pack, null, { path: 'package.json', mode: '100644', oid: 'p' }],
    [pack, { oid: 'too large' }, { path: 'package.json', mode: '100644', oid: 'p' }],
    [{ ...pack, oid: 'gone' }, { oid: 'q' }, { path: 'package.json', mode: '100644', oid: 'gone' }],
  ])('%j over %j', (reference, now, wanted) => {
    expect(laidFiles(versions(reference, now))).toEqual([wanted]);
  });
});

test('only texts of package.json files that differ are needed', () => {
  const references = [whole, none, pack, { ...pack, path: 'web/package.json', oid: 's' }];
  const { present } = versions(pack, { oid: 'q' });
  expect(scriptTexts({ references, present })).toEqual(['p', 'q', 's']);
  expect(scriptTexts(versions(pack, { oid: 'p' }))).toEqual([]);
  expect(scriptTexts(versions(pack, { oid: 'p', mode: '100755' }))).toEqual(['p', 'p']);
});

test('references stand until settings change or a person changes one of the files', () => {
  const ratchet = { guard_sha256: 'g', files: [whole, none] };
  const standing = (guardSha256: string, ...touched: readonly string[]) =>
    standingReferences(ratchet, { guardSha256, touched: new Set(touched) });
  expect(standing('g', 'src/a.ts')).toBe(ratchet);
  expect(standing('h')).toBe(null);
  expect(standing('g', 'justfile')).toBe(null);
  expect(standing('g', 'GNUmakefile')).toBe(null);
  expect(standingReferences(null, { guardSha256: 'g', touched: new Set() })).toBe(null);
});

test('which settings decide', () => {
  const settings = (guard: object) => guardSettings(configWith({ guard }));
  expect(settings({ command: ['x'] })).not.toBe(settings({ command: ['y'] }));
  expect(settings({ protect: ['a'] })).not.toBe(settings({}));
  expect(settings({ policy: 'open' })).toBe(settings({}));
});

const interrupted: GuardEnd = { kind: 'interrupted', signal: 'SIGINT' };
const before = "the check is green, but red with the check's files as they were before: a, b";
test.each<[string, GuardEnd, GuardEnd, string]>([
  ['a pass stays one', { kind: 'passed' }, { kind: 'passed' }, 'place'],
  ['an interrupt ends it', interrupted, interrupted, 'place'],
  ['red takes it away', { kind: 'failed', reason: 'exit 1' }, failed(`${before} (exit 1)`), 'again'],
  [
    'so does one that does not start',
    { kind: 'not_started', reason: 'gone' },
    failed(`${before} (gone)`),
    'again',
  ],
  [
    'and one out of time',
    { kind: 'out_of_time', seconds: 9 },
    failed(`${before} (out of time after 9 s)`),
    'again',
  ],
  ['and one cut off', { kind: 'cut_off' }, failed(`${before} ()`), 'again'],
])('the guard on the references: %s', (_what, end, expected, output) => {
  const guard = guardWith({ kind: 'passed' }, { output: 'place', duration_ms: 5 });
  const run = guardWith(end, { output: 'again', exit_code: 7 });
  expect(withRatchet(guard, run, ['a', 'b'])).toEqual({ ...guard, end: expected, output });
});

function failed(reason: string): GuardEnd {
  return { kind: 'failed', reason, by: 'ratchet' };
}
