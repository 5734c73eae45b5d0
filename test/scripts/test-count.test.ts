/** The last line of CI: real counts, and never "0 failed" for a red run. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';

const script = path.join(import.meta.dirname, '../../scripts/test-count.mjs');

function lastLine(suites: readonly object[] | null, exitCode: number): string | undefined {
  const folder = mkdtempSync(path.join(tmpdir(), 'runner-count-'));
  const file = path.join(folder, 'results.json');
  if (suites !== null) writeFileSync(file, JSON.stringify({ testResults: suites }));
  const { stdout } = spawnSync(process.execPath, [script, file, String(exitCode)], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  return stdout.trimEnd().split('\n').at(-1);
}

const suite = (status: string, ...tests: readonly string[]): object => ({
  status,
  assertionResults: tests.map((outcome) => ({ status: outcome })),
});

test.each([
  [
    'all green',
    [suite('passed', 'passed', 'passed'), suite('passed', 'passed', 'skipped')],
    0,
    '3 passed, 0 failed',
  ],
  ['a red test', [suite('failed', 'passed', 'failed')], 1, '1 passed, 1 failed'],
  ['a file that did not load', [suite('passed', 'passed'), suite('failed')], 1, '1 passed, 1 failed'],
  ['a failed hook', [suite('failed', 'skipped', 'skipped')], 1, '0 passed, 1 failed'],
  ['coverage too low', [suite('passed', 'passed')], 1, '1 passed, 1 failed'],
  ['no results at all', null, 2, '0 passed, 1 failed'],
] as const)('%s', (_name, suites, exitCode, line) => {
  expect(lastLine(suites, exitCode)).toBe(line);
});
