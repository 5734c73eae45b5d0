import { describe, expect, test } from 'vitest';
import { checkIteration } from '../../../src/core/proof/check-iteration.ts';
import { guardSettings } from '../../../src/core/guard/ratchet.ts';
import type { Ratchet, RatchetFile } from '../../../src/core/types.ts';
import { accepted, configWith, guardWith, runStateWith, sha256 } from '../../support/facts.ts';
import { iterationStep } from '../../support/proof-model.ts';
import type { Given } from '../../support/proof-model.ts';

const entry = (oid: string) => ({ mode: '100644', oid });
const file = (path: string, oid: string | null, scripts: readonly string[] | null = null): RatchetFile => ({
  path,
  mode: oid === null ? null : '100644',
  oid,
  scripts,
});
const hashOf = (protect: readonly string[] | null): string =>
  sha256(guardSettings(configWith({ guard: { protect } })));
const references = (...files: readonly RatchetFile[]): Ratchet => ({ guard_sha256: hashOf(null), files });

interface Case {
  readonly before?: Ratchet | null;
  readonly after: Ratchet;
  readonly isPass?: boolean;
  readonly at?: Readonly<Record<string, string>>;
  readonly atBase?: Readonly<Record<string, string>>;
  readonly touched?: readonly string[];
  readonly outside?: readonly string[];
  readonly extraMarks?: readonly string[];
  readonly protect?: readonly string[];
}

function check(given: Case) {
  const map = (entries: Readonly<Record<string, string>> = {}) =>
    new Map(Object.entries(entries).map(([path, oid]) => [path, entry(oid)]));
  const runState = runStateWith({
    next_iter: 7,
    failures_in_a_row: 2,
    judged_sessions: 4,
    ratchet: given.before ?? null,
  });
  const judged =
    given.isPass === true
      ? { judgement: accepted('done'), guard: guardWith({ kind: 'passed' }) }
      : { judgement: accepted('retry') };
  const { protect } = given;
  const settings = protect === undefined ? {} : { guard: { protect } };
  const step: Given = {
    input: { runState, config: configWith(settings), ...judged },
    ratchet: given.after,
    outside: given.outside ?? [],
    extraMarks: given.extraMarks ?? [],
    facts: {
      config: settings,
      touched: given.touched ?? [],
      entries: { after: map(given.at), base: map(given.atBase ?? given.at) },
    },
  };
  const { transition, facts } = iterationStep(step);
  return checkIteration(transition, facts, { sha256, needsWork: true });
}

const mark = ['changed-guard-files'];

describe('references of the guard’s own files', () => {
  test('stay, or move with a pass to the versions that passed', () => {
    const old = references(file('check.sh', '1'));
    expect(check({ before: old, after: old, at: { 'check.sh': '1' } })).toBeNull();
    expect(
      check({
        before: old,
        after: references(file('check.sh', '2')),
        isPass: true,
        at: { 'check.sh': '2' },
        extraMarks: mark,
        outside: ['check.sh'],
      }),
    ).toBeNull();
    expect(
      check({ before: old, after: references(file('check.sh', '2')), at: { 'check.sh': '1' } }),
    ).toMatchObject({ rule: 'run_state.ratchet' });
    const passed = references(file('check.sh', '2'));
    const at = { 'check.sh': '2' };
    expect(check({ before: old, after: passed, isPass: true, at, outside: ['check.sh'] })).toMatchObject({
      rule: 'Runner-Mark',
    });
  });

  test('of a pass are what the commit has', () => {
    const wrong = references(file('check.sh', '1'));
    expect(check({ after: wrong, isPass: true, at: { 'check.sh': '2' } })).toMatchObject({
      rule: 'run_state.ratchet',
    });
    expect(check({ after: references(file('makefile', null)), isPass: true })).toBeNull();
    expect(
      check({ after: references(file('makefile', null)), isPass: true, at: { makefile: '1' } }),
    ).toMatchObject({ found: 'makefile none none' });
  });

  test('are looked for anew for the first time, and when a person touched one', () => {
    const old = references(file('check.sh', '1'), file('lib.sh', '1'));
    expect(check({ after: references(file('check.sh', '1')), at: { 'check.sh': '1' } })).toBeNull();
    const moved = references(file('check.sh', '2'), file('lib.sh', '1'));
    const person = { before: old, touched: ['check.sh'] };
    expect(check({ ...person, after: moved, at: { 'check.sh': '2', 'lib.sh': '1' } })).toBeNull();
    const other = references(file('check.sh', '3'));
    const where = { at: { 'check.sh': '3' }, atBase: { 'check.sh': '2' } };
    expect(check({ ...person, after: other, ...where })).toMatchObject({ rule: 'run_state.ratchet' });
  });

  describe('a pass whose references were looked for anew', () => {
    /** make.inc is no file that the command names. */
    const told = {
      isPass: true,
      after: references(file('make.inc', '2')),
      at: { 'make.inc': '2' },
      atBase: { 'make.inc': '1' },
      outside: ['make.inc'],
    };
    const old = references(file('make.inc', '1'), file('check.sh', '1'));
    const globs = ['*.inc'];
    const hashed = { ...told.after, guard_sha256: hashOf(globs) };
    const matched = { ...told, protect: globs, after: hashed };

    test.each<[string, Case]>([
      ['the first ones', told],
      ['a person changed it', { ...told, before: old, touched: ['make.inc'] }],
      ['a person changed another one', { ...told, before: old, touched: ['check.sh'] }],
      ['a person set other globs', { ...matched, before: old }],
      ['a person changed what a glob matches', { ...matched, before: hashed, touched: ['make.inc'] }],
    ])('needs its mark: %s', (_name, given) => {
      expect(check(given)).toMatchObject({ rule: 'Runner-Mark' });
      expect(check({ ...given, extraMarks: mark })).toBeNull();
    });

    const absent = references(file('make.inc', null), file('check.sh', '1'));
    const another = { ...references(file('other.inc', '1')), guard_sha256: hashOf(globs) };
    test.each<[string, Case]>([
      ['nothing differs', { ...told, atBase: told.at, outside: [] }],
      ['it was not there', { ...told, atBase: {} }],
      ['it differed before', { ...told, before: old, touched: ['check.sh'], atBase: told.at, outside: [] }],
      ['it had to be absent', { ...told, before: absent, touched: ['check.sh'] }],
      ['it was away', { ...told, before: old, touched: ['check.sh'], atBase: {} }],
      ['no glob was matched with it', { ...matched, before: another, touched: ['other.inc'] }],
      ['a package.json', { ...told, after: references(file('make.inc', '2', ['test'])) }],
    ])('may have its mark: %s', (_name, given) => {
      expect(check(given)).toBeNull();
      expect(check({ ...given, extraMarks: mark })).toBeNull();
    });
  });

  test.each([[[]], [mark]])('a mark is free where a package.json differs', (extraMarks) => {
    const [old, now] = [
      references(file('package.json', '1', ['test'])),
      references(file('package.json', '2', ['test'])),
    ];
    const scripts = { isPass: true, at: { 'package.json': '2' }, extraMarks, outside: ['package.json'] };
    expect(check({ ...scripts, before: old, after: now })).toBeNull();
  });
});
