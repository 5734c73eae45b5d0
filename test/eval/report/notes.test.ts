/** What comes before any rate. */
import { expect, test } from 'vitest';
import {
  compareNotes,
  incompleteNote,
  listNotes,
  noteLines,
  noteText,
} from '../../../src/eval/report/notes.ts';
import { comparisonOf, reportOf } from '../../support/reports.ts';
import type { TrialRecord } from '../../../src/eval/cases/types.ts';
import { variantLabel } from '../../../src/eval/cases/names.ts';
import { codex, trialsOf } from '../../support/trials.ts';

test('nothing, where all have ended and were judged', () => {
  expect(noteLines(reportOf(trialsOf('a', 'SFT-')))).toEqual([]);
  expect(compareNotes(comparisonOf(trialsOf('a', 'S'), trialsOf('a', 'F')).comparison)).toEqual([]);
});

test('shards, what is missing with the command that goes on, and errors of each variant', () => {
  const trials = [...trialsOf('a', 'SEE'), ...trialsOf('a', 'E', { variant: { ...codex, agent: 'claude' } })];
  expect(noteLines({ ...reportOf(trials), shards: [{ index: 1, of: 2 }] })).toEqual([
    'This batch covers only shard 1/2 of its plan.',
    'Incomplete: 2 of 6 planned trials have no result. Continue with: runner eval run --resume --batch first',
    'Missing: 2 trials of claude.',
    '1 harness error in 1 trial of claude: not judged, and not in its rate.',
    '2 harness errors in 3 trials of codex: not judged, and not in its rate.',
  ]);
});

test('of both sides of a comparison', () => {
  const { comparison } = comparisonOf(trialsOf('a', 'SE'), trialsOf('a', 'SS'));
  expect(compareNotes({ a: comparison.a, b: { ...comparison.b, missing: 1 } }).map(noteText)).toEqual([
    '1 harness error in 2 trials of old: not judged, and not in its rate.',
    'Incomplete: new lacks 1 planned trial.',
  ]);
});

const agents = ['one', 'two', 'three', 'four'];

function trialsOfMany(letters: string): readonly TrialRecord[] {
  return agents.flatMap((agent) => trialsOf('a', letters, { variant: { ...codex, agent } }));
}

test('of four variants on they are folded; every one is among the lines', () => {
  const [, ...more] = trialsOfMany('SE');
  const report = reportOf(more, { plan: { ...planOf(more), repeats: 3 } });
  expect(listNotes(report)).toEqual([
    {
      text: 'Incomplete: 5 of 12 planned trials have no result. Continue with:',
      command: 'runner eval run --resume --batch first',
      parts: [],
    },
    {
      text: 'Trials are missing in 4 variants.',
      command: null,
      parts: [
        'Missing: 1 trial of four.',
        'Missing: 2 trials of one.',
        'Missing: 1 trial of three.',
        'Missing: 1 trial of two.',
      ],
    },
    {
      text: '4 harness errors in 4 variants: not judged, and not in their rates.',
      command: null,
      parts: [
        '1 harness error in 2 trials of four: not judged, and not in its rate.',
        '1 harness error in 1 trial of one: not judged, and not in its rate.',
        '1 harness error in 2 trials of three: not judged, and not in its rate.',
        '1 harness error in 2 trials of two: not judged, and not in its rate.',
      ],
    },
  ]);
  expect(noteLines(report)).toHaveLength(9);
  expect(noteLines(report)[0]).toBe(incompleteNote(report));
  const three = trialsOfMany('E').slice(0, 3);
  expect(listNotes(reportOf(three)).map(({ parts }) => parts)).toEqual([[], [], []]);
});

test('a variant without any result is named, and a long name is cut', () => {
  const agent = 'x'.repeat(200);
  const trials = [...trialsOf('a', 'S'), ...trialsOf('a', 'E', { variant: { ...codex, agent } })];
  const plan = { ...planOf(trials), repeats: 1 };
  const other = { ...codex, agent: 'other' };
  const notes = noteLines(reportOf(trials, { plan: { ...plan, variants: [...plan.variants, other] } }));
  expect(notes[1]).toBe('Missing: 1 trial of other.');
  expect(notes[2]).toBe(`1 harness error in 1 trial of ${'x'.repeat(80)}…: not judged, and not in its rate.`);
});

function planOf(trials: readonly TrialRecord[]) {
  const variants = new Map(trials.map(({ meta }) => [variantLabel(meta.variant), meta.variant]));
  return {
    cases: [{ id: 'a', hash: 'a'.repeat(64) }],
    variants: [...variants.values()],
    repeats: 1,
    record: false,
  };
}
