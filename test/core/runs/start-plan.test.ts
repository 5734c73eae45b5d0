import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findHolder } from '../../../src/core/runs/free-id.ts';
import type { KnownRun, StartInput, StartPlan } from '../../../src/core/runs/start-plan.ts';
import { checkSameGoal, planStart, refuseNoGoal } from '../../../src/core/runs/start-plan.ts';

const none = { branches: [], archives: [], records: [], history: [] };

function run(run_id: string, more: Partial<KnownRun> = {}): KnownRun {
  return { run_id, state: 'open', place: 'branch', goals: [`goal of ${run_id}`], ...more };
}

/** Known runs hold their ids by where they are. */
function plan(fields: Partial<StartInput>): StartPlan {
  const known = fields.known ?? [];
  const at = (places: readonly string[]): string[] =>
    known.filter(({ place }) => places.includes(place)).map(({ run_id }) => run_id);
  return planStart({
    goalId: null,
    goal: 'another goal',
    branch: 'main',
    shortHead: '0a1b2c3d',
    known,
    held: {
      ...none,
      branches: at(['branch', 'background', 'at-work']),
      archives: at(['none']),
      history: at(['head']),
    },
    isNew: false,
    ...fields,
  });
}

const open = run('open');
const complete = run('complete', { state: 'complete' });
const finished = run('finished', { state: 'finished', place: 'none' });
const merged = run('merged', { state: 'finished', place: 'head' });
const elsewhere = run('elsewhere', { state: 'elsewhere', goals: [] });

describe('an open run of this id goes on', () => {
  test('on its branch at once, else by switching to it, which says when it has another goal', () => {
    const known = [complete, open];
    expect(plan({ goalId: 'open', known, branch: 'runner/open' })).toEqual({ kind: 'resume', runId: 'open' });
    expect(plan({ goalId: 'open', known, goal: 'goal of open' })).toEqual({
      kind: 'switch',
      runId: 'open',
      notes: [],
    });
    expect(plan({ goalId: 'open', known })).toMatchObject({
      kind: 'switch',
      notes: ["run 'open' works for another goal than the one that .runner/GOAL.md held on 'main'"],
    });
  });

  test.each(['background', 'at-work'] as const)('in a work tree of its own only from there: %s', (place) => {
    const known = [run('open', { place })];
    expect(plan({ goalId: 'open', known, branch: 'runner/open' })).toEqual({ kind: 'resume', runId: 'open' });
    expect(plan({ goalId: 'open', known, goal: 'goal of open' })).toMatchObject({ kind: 'refuse' });
    expect(plan({ goalId: 'open', known })).toMatchObject({ kind: 'begin', runId: 'open-2' });
  });

  test('where its branch is gone and this one holds its files, the branch is made again', () => {
    const known = [run('gone', { place: 'head' })];
    expect(plan({ goalId: 'gone', known })).toEqual({
      kind: 'revive',
      runId: 'gone',
      notes: ['branch runner/gone was gone and is made again from here'],
    });
  });
});

describe('a goal that a run has already is named and needs --new', () => {
  test.each([
    ['main', open, "git switch runner/open && runner loop, or leave 'open' behind"],
    ['runner/open', open, "put 'id: open' back into .runner/GOAL.md, or leave 'open' behind"],
    ['main', run('open', { place: 'head' }), "put 'id: open' back"],
    ['main', run('open', { place: 'none' }), 'runner run show open, or'],
    ['main', run('open', { place: 'background' }), 'runner run resume open, or'],
    ['main', run('open', { place: 'at-work' }), 'runner run attach open, or'],
  ])('unfinished, on %s', (branch, known, hint) => {
    const found = plan({ branch, known: [complete, known], goal: 'goal of open' });
    expect(found).toMatchObject({
      kind: 'refuse',
      code: 'RUN_UNFINISHED',
      message: "run 'open' has this goal and is unfinished",
      hint: expect.stringContaining(hint),
    });
    expect(found).toHaveProperty('hint', expect.stringMatching(/: runner start --new$/));
  });

  test.each([
    ['complete', complete, 'runner finish complete, or do the goal once more: runner start --new'],
    ['finished', finished, 'write the next goal into .runner/GOAL.md, then: runner start (or do this'],
    ['finished', merged, 'write the next goal'],
  ])('%s', (state, known, hint) => {
    for (const goalId of [null, 'new', known.run_id]) {
      expect(plan({ goalId, known: [elsewhere, known], goal: `goal of ${known.run_id}` })).toMatchObject({
        kind: 'refuse',
        code: 'RUN_COMPLETE',
        message: `run '${known.run_id}' is ${state}: it has done this goal`,
        hint: expect.stringContaining(hint),
      });
    }
  });

  test('of several, the run of this branch is named first, then that of the id', () => {
    const known = ['a', 'b', 'c'].map((id) => run(id, { state: 'complete', goals: ['same'] }));
    const named = (fields: Partial<StartInput>): unknown => plan({ known, goal: 'same', ...fields });
    expect(named({ branch: 'runner/b', goalId: 'c' })).toMatchObject({
      message: expect.stringMatching(/'b'/),
    });
    expect(named({ goalId: 'c' })).toMatchObject({ message: expect.stringMatching(/'c'/) });
    expect(named({})).toMatchObject({ message: expect.stringMatching(/'a'/) });
  });

  test('an abandoned run is in nobody’s way', () => {
    const known = [run('old', { state: 'abandoned', place: 'none' })];
    expect(plan({ known, goal: 'goal of old' })).toMatchObject({ kind: 'begin', runId: 'run-0a1b2c3d' });
  });
});

describe('any other goal begins a run', () => {
  test('with the id of the goal or of HEAD, and says which runs it leaves unfinished', () => {
    expect(plan({ goalId: 'new' })).toEqual({ kind: 'begin', runId: 'new', notes: [] });
    const known = ['a', 'b', 'c', 'd'].map((id) => run(id));
    expect(plan({ known, branch: 'runner/d' })).toEqual({
      kind: 'begin',
      runId: 'run-0a1b2c3d',
      notes: [
        "left unfinished: run 'd' (git switch runner/d), 'a' (git switch runner/a), 'b' (git switch runner/b) and 1 more",
      ],
    });
  });

  test.each([
    [complete, 'a branch has it'],
    [elsewhere, 'a branch has it'],
    [finished, 'a finished or abandoned run had it'],
    [merged, 'a run in the history of this branch had it'],
  ])('with the next free id, when a run has the wanted one: %j', (known, why) => {
    const { run_id } = known;
    expect(plan({ goalId: run_id, known: [known] })).toEqual({
      kind: 'begin',
      runId: `${run_id}-2`,
      notes: [`the id '${run_id}' is not free (${why}): this run is '${run_id}-2'`],
    });
  });

  test('an id that only a background run has is not free either', () => {
    const held = { ...none, records: ['x'] };
    const found = plan({ goalId: 'x', known: [run('x', { place: 'none' })], held });
    expect(found).toMatchObject({
      kind: 'begin',
      runId: 'x-2',
      notes: [expect.stringContaining('a background run has it')],
    });
  });
});

test('a background run of a goal that another run has is named with its own command', () => {
  const check = (branch: string, known: KnownRun) =>
    checkSameGoal(
      { goalId: null, goal: `goal of ${known.run_id}`, branch, known: [known] },
      'runner run start',
    );
  expect(check('main', complete)?.hint).toBe(
    'runner finish complete, or do the goal once more: runner run start --new',
  );
  expect(check('main', open)?.hint).toMatch(/^git switch runner\/open .*: runner run start --new$/);
  expect(check('runner/open', open)?.hint).toMatch(/^runner loop, or leave 'open' behind/);
  expect(check('main', { ...open, state: 'abandoned' })).toBeNull();
});

test('--new always begins another run, with a free id', () => {
  const states = ['open', 'complete', 'finished', 'abandoned', 'elsewhere'] as const;
  const runs = fc.uniqueArray(
    fc.record({
      run_id: fc.constantFrom('a', 'a-2', 'b', 'run-0a1b2c3d'),
      state: fc.constantFrom(...states),
      place: fc.constantFrom('branch' as const, 'head' as const, 'none' as const),
      goals: fc.subarray(['g', 'h']),
    }),
    { selector: ({ run_id }) => run_id },
  );
  fc.assert(
    fc.property(runs, fc.constantFrom(null, 'a', 'b'), fc.boolean(), (known, goalId, isNew) => {
      const held = { ...none, branches: known.map(({ run_id }) => run_id) };
      const found = plan({ known, held, goalId, goal: 'g', isNew });
      if (isNew) expect(found.kind).toBe('begin');
      if (found.kind === 'begin') expect(findHolder(found.runId, held)).toBe(null);
      if (found.kind === 'switch' || found.kind === 'resume' || found.kind === 'revive')
        expect(known).toContainEqual(expect.objectContaining({ run_id: goalId, state: 'open' }));
    }),
  );
});

test('without a goal the runs that are there are named', () => {
  expect(refuseNoGoal([], false)).toMatchObject({
    code: 'GOAL_PLACEHOLDER',
    hint: 'describe a goal in .runner/GOAL.md, then: runner start (or: runner start --goal <file>)',
  });
  expect(refuseNoGoal([], true).hint).toMatch(/^runner init, then describe a goal/);
  expect(refuseNoGoal([complete, open], true).hint).toMatch(
    /^git switch runner\/open && runner loop continues/,
  );
  expect(refuseNoGoal([finished, complete], true).hint).toMatch(/^runner finish complete; or describe/);
});
