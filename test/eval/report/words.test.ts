/** Words for people: none of a machine, and none that reads as its opposite. */
import { expect, test } from 'vitest';
import {
  asTitle,
  leftOutWords,
  outcomeWords,
  renderTime,
  shortName,
  whyWords,
} from '../../../src/eval/report/words.ts';
import { evalOutcomes } from '../../../src/eval/report/summary.ts';
import { renderWhy } from '../../../src/eval/report/failures.ts';
import { trialsOf, trialWith } from '../../support/trials.ts';

test('a reason in plain words; a check says that it did not pass', () => {
  expect(trialsOf('a', 'TXFE').map((trial) => whyWords(renderWhy(trial)))).toEqual([
    'out of time',
    'a task used up its attempts',
    'check not passed: file_exists(a.txt)',
    'the program of a check is missing',
  ]);
  expect(whyWords('runner_completed')).toBe('check not passed: runner_completed');
  expect(whyWords('constructor')).toBe('check not passed: constructor');
  for (const outcome of ['fail', 'error', 'skipped'] as const)
    expect(whyWords(renderWhy(trialWith({ outcome }, [])))).toBe('no reason is recorded');
});

test('outcomes, titles, names and times', () => {
  expect(evalOutcomes.map((outcome) => asTitle(outcomeWords[outcome]))).toEqual([
    ...['Solved', 'Failed', 'Stuck', 'Harness error', 'Skipped'],
  ]);
  expect(shortName('x'.repeat(80))).toBe('x'.repeat(80));
  expect(shortName('x'.repeat(81))).toBe(`${'x'.repeat(80)}…`);
  expect(renderTime('2026-01-31T01:02:03.456Z')).toBe('2026-01-31 01:02 UTC');
  expect(renderTime('2026-01-31T01:02:03Z')).toBe('2026-01-31 01:02 UTC');
  expect(renderTime('yesterday')).toBe('yesterday');
});

test('why a trial was left out', () => {
  expect(leftOutWords('error in A (toolchain_missing), skipped in B (requires_missing)')).toBe(
    'harness error in A (the program of a check is missing), skipped in B (a program that the case requires is missing)',
  );
  expect(leftOutWords('not run in A, error in B')).toBe('not run in A, harness error in B');
  const twice = 'recorded more than once in error in A (timeout) x; the last one counts';
  expect(leftOutWords(twice)).toBe(twice);
});
