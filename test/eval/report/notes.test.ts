/** What comes before any rate. */
import { expect, test } from 'vitest';
import { compareNotes, noteLines } from '../../../src/eval/report/notes.ts';
import { comparisonOf, reportOf } from '../../support/reports.ts';
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
    '1 harness error in 1 trial of claude: not judged, and not in its rate.',
    '2 harness errors in 3 trials of codex: not judged, and not in its rate.',
  ]);
});

test('of both sides of a comparison', () => {
  const { comparison } = comparisonOf(trialsOf('a', 'SE'), trialsOf('a', 'SS'));
  expect(compareNotes({ a: comparison.a, b: { ...comparison.b, missing: 1 } })).toEqual([
    '1 harness error in 2 trials of old: not judged, and not in its rate.',
    'Incomplete: new lacks 1 planned trial.',
  ]);
});
