import { describe, expect, test } from 'vitest';
import { chooseRun } from '../../../src/core/runs/run-choice.ts';

describe('chooseRun', () => {
  const known = [
    { run_id: 'a', is_complete: false },
    { run_id: 'b', is_complete: true },
  ];
  test.each([
    ['a name', { word: 'a', branch: null }, 'a'],
    ['a branch', { word: 'runner/a', branch: null }, 'a'],
    ['what is checked out', { word: null, branch: 'runner/a' }, 'a'],
    ['the only complete one', { word: null, branch: 'main' }, 'b'],
  ])('%s', (_name, where, run_id) => {
    expect(chooseRun({ command: 'finish', known, ...where })).toEqual({ ok: true, run_id });
  });

  test('refuses what is not there, and what is not clear', () => {
    const choose = (word: string | null, runs = known) =>
      chooseRun({ command: 'update', word, branch: 'main', known: runs });
    expect(choose('c')).toMatchObject({ ok: false, code: 'RUN_UNKNOWN', hint: 'runner runs --all' });
    expect(choose(null)).toMatchObject({ ok: false, hint: 'runner update a, or: runner update b' });
    expect(choose(null, [])).toMatchObject({ ok: false, hint: 'runner start' });
    expect(chooseRun({ command: 'finish', word: null, branch: null, known: known.slice(0, 1) })).toEqual({
      ok: true,
      run_id: 'a',
    });
  });
});
