import { describe, expect, test } from 'vitest';
import type { StartInput, StartPlan } from '../../../src/core/iteration/start-plan.ts';
import { planStart } from '../../../src/core/iteration/start-plan.ts';

function plan(fields: Partial<StartInput>): StartPlan {
  return planStart({
    goalId: null,
    branch: 'main',
    shortHead: '0a1b2c3d',
    known: [],
    isNew: false,
    ...fields,
  });
}

const open = { run_id: 'open', complete: false };
const finished = { run_id: 'finished', complete: true };
const elsewhere = { run_id: 'elsewhere', complete: null };

describe('with an id in GOAL.md (§11)', () => {
  test('an unknown id begins a run, whatever other runs there are', () => {
    expect(plan({ goalId: 'new' })).toEqual({ kind: 'begin', runId: 'new' });
    expect(plan({ goalId: 'new', known: [open, finished] })).toEqual({ kind: 'begin', runId: 'new' });
    expect(plan({ goalId: 'new', known: [open], branch: 'runner/open' })).toEqual({
      kind: 'begin',
      runId: 'new',
    });
  });

  test('a known id goes on: on its branch at once, else by switching to it', () => {
    expect(plan({ goalId: 'open', known: [open], branch: 'runner/open' })).toEqual({
      kind: 'resume',
      runId: 'open',
    });
    expect(plan({ goalId: 'open', known: [open] })).toEqual({ kind: 'switch', runId: 'open' });
    expect(plan({ goalId: 'open', known: [finished, open], branch: 'runner/finished' })).toEqual({
      kind: 'switch',
      runId: 'open',
    });
  });

  test('an id of another project folder, and --new with a known id, ask for a new id', () => {
    const hint = expect.stringMatching(/new id, then: runner start \(or .*: runner start --new\)$/) as string;
    expect(plan({ goalId: 'elsewhere', known: [elsewhere] })).toEqual({
      kind: 'refuse',
      code: 'RUN_UNFINISHED',
      message: "the id 'elsewhere' belongs to a run of another project folder",
      hint,
    });
    expect(plan({ goalId: 'open', known: [open], isNew: true })).toEqual({
      kind: 'refuse',
      code: 'RUN_UNFINISHED',
      message: "run 'open' is known already, so it is not a new one",
      hint,
    });
  });

  test('without an id on the branch of an unfinished run the id must come back, or --new', () => {
    const older = { run_id: 'older', complete: false };
    expect(plan({ goalId: null, known: [older, open], branch: 'runner/open' })).toEqual({
      kind: 'refuse',
      code: 'RUN_UNFINISHED',
      message: 'there is an unfinished run: open, older',
      hint: "put 'id: open' back into .runner/GOAL.md, or begin another run: runner start --new",
    });
  });

  test.each(['main', 'runner/finished'])('a complete run asks for a new id, on %s', (branch) => {
    expect(plan({ goalId: 'finished', known: [finished], branch })).toEqual({
      kind: 'refuse',
      code: 'RUN_COMPLETE',
      message: "run 'finished' is complete",
      hint: expect.stringMatching(/new id .*runner start$/),
    });
  });
});

describe('without an id (§11)', () => {
  test('the id comes from HEAD', () => {
    expect(plan({})).toEqual({ kind: 'begin', runId: 'run-0a1b2c3d' });
  });

  test('starting again after a finished run works and takes the next free id', () => {
    const known = [
      { run_id: 'run-0a1b2c3d', complete: true },
      { run_id: 'run-0a1b2c3d-2', complete: true },
    ];
    expect(plan({ known })).toEqual({ kind: 'begin', runId: 'run-0a1b2c3d-3' });
  });

  test('runs of another project folder are in nobody’s way, but their ids are taken', () => {
    const known = [{ run_id: 'run-0a1b2c3d', complete: null }];
    expect(plan({ known })).toEqual({ kind: 'begin', runId: 'run-0a1b2c3d-2' });
  });

  test('an unfinished run is named with the commands that help', () => {
    const second = { run_id: 'second', complete: false };
    expect(plan({ known: [finished, open, second] })).toEqual({
      kind: 'refuse',
      code: 'RUN_UNFINISHED',
      message: 'there is an unfinished run: open, second',
      hint: 'git switch runner/open && runner loop, or begin another run: runner start --new',
    });
  });

  test('--new begins another one beside it', () => {
    expect(plan({ known: [open], isNew: true })).toEqual({ kind: 'begin', runId: 'run-0a1b2c3d' });
    const same = { run_id: 'run-0a1b2c3d', complete: false };
    expect(plan({ known: [same], isNew: true })).toEqual({ kind: 'begin', runId: 'run-0a1b2c3d-2' });
  });
});
