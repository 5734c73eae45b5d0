/** §14: files that programs take their orders from without being told. How they are found is in guard-files.test.ts. */
import { expect, test } from 'vitest';
import { settingsOf, takeoversOf } from '../../../src/core/guard/program-files.ts';

test.each(['cargo', 'nox', 'pytest', 'tox'])('%s has settings', (program) => {
  expect(settingsOf(program).length).toBeGreaterThan(0);
});

test.each(['sh', 'python3', '', 'constructor'])('%j has none', (program) => {
  expect(settingsOf(program)).toEqual([]);
});

test('another runner of cargo, whatever it is told', () => {
  expect(takeoversOf('cargo', [])).toEqual(settingsOf('cargo'));
});

test.each<readonly [string, readonly string[], string | null]>([
  ['python', ['-m', 'pytest', '-q'], 'pytest'],
  ['python3.12', ['-Bm', 'a.b'], 'a'],
  ['python3', ['-B', '-X', 'dev', '-m', 'x'], 'x'],
  ['python3', ['-m'], null],
  ['python3', ['-m', '../x'], null],
  ['python3', ['check.py'], null],
  ['pythonista', ['-m', 'x'], null],
  ['node', ['-m', 'x'], null],
])('%s %j runs a module of the folder: %s', (program, words, module) => {
  const wanted = module === null ? [] : [module, `${module}.py`, `${module}/__init__.py`];
  expect(takeoversOf(program, words)).toEqual(wanted);
});
