/** Why trials failed, in a few words, and where to look. */
import { expect, test } from 'vitest';
import { failedTrials, listFailures, listLogs, renderWhy } from '../../../src/eval/report/failures.ts';
import { trialsOf, trialWith } from '../../support/trials.ts';

test('the reason, else stuck, else the first check that did not pass', () => {
  expect(trialsOf('a', 'STXFE').map(renderWhy)).toEqual([
    'success',
    'timeout',
    'stuck',
    'file_exists(a.txt)',
    'toolchain_missing',
  ]);
  expect(renderWhy(trialWith({ outcome: 'fail' }, []))).toBe('fail');
});

test('together by their words, most frequent first, three results each', () => {
  const trials = failedTrials(trialsOf('a', 'SFTTTTX-E'));
  expect(listFailures(trials).map(({ why, trials: count, results }) => [why, count, results.length])).toEqual(
    [
      ['timeout', 4, 3],
      ['file_exists(a.txt)', 1, 1],
      ['stuck', 1, 1],
      ['toolchain_missing', 1, 1],
    ],
  );
});

test('logs: of checks that failed, then of the run as far as it came, none that is not there', () => {
  const command = { exit_code: 1, timed_out: false, start_error: null, log: 'checks/2.log', duration_ms: 1 };
  const check = { type: 'command_succeeds', label: 'x', passed: false, detail: 'no', command } as const;
  expect(listLogs(trialWith({}, [check, { ...check, passed: true }]))).toEqual([
    'checks/2.log',
    'runner.loop.log',
    'runner.start.log',
  ]);
  expect(listLogs({ checks: [], logs: ['setup.1.log', 'setup.2.log'] })).toEqual([
    'setup.1.log',
    'setup.2.log',
  ]);
});
