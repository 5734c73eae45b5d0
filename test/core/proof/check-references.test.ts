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
const guard_sha256 = sha256(guardSettings(configWith()));
const references = (...files: readonly RatchetFile[]): Ratchet => ({ guard_sha256, files });

interface Case {
  readonly before?: Ratchet | null;
  readonly after: Ratchet;
  readonly isPass?: boolean;
  readonly at?: Readonly<Record<string, string>>;
  readonly atBase?: Readonly<Record<string, string>>;
  readonly touched?: readonly string[];
  readonly outside?: readonly string[];
  readonly extraMarks?: readonly string[];
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
  const step: Given = {
    input: { runState, ...judged },
    ratchet: given.after,
    outside: given.outside ?? [],
    extraMarks: given.extraMarks ?? [],
    facts: {
      touched: given.touched ?? [],
      entries: { after: map(given.at), base: map(given.atBase ?? given.at) },
    },
  };
  const { transition, facts } = iterationStep(step);
  return checkIteration(transition, facts, sha256);
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

  test.each([[[]], [mark]])(
    'a mark is free where references are not known, and of a package.json',
    (extraMarks) => {
      const after = references(file('check.sh', '2'));
      const known = { isPass: true, at: { 'check.sh': '2' }, extraMarks, outside: ['check.sh'] };
      expect(check({ ...known, after })).toBeNull();
      const [old, now] = [
        references(file('package.json', '1', ['test'])),
        references(file('package.json', '2', ['test'])),
      ];
      const scripts = { isPass: true, at: { 'package.json': '2' }, extraMarks, outside: ['package.json'] };
      expect(check({ ...scripts, before: old, after: now })).toBeNull();
    },
  );
});
