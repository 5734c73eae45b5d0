/** Malformed run states and goals in place of run_state.json and GOAL.md: refused by name and place, nothing changed. */
import { expect, test } from 'vitest';
import type { BadInput } from '../support/bad-input.ts';
import { notJson, notPlainFiles, refuseAll } from '../support/bad-input.ts';
import { project } from '../support/project.ts';
import { template } from '../support/template.ts';

const started = template(() => project());

function state(fields: Record<string, unknown>): string {
  return JSON.stringify({ run_id: 'test', next_iter: 1, ...fields });
}

const wrongFields: readonly (readonly [string, unknown])[] = [
  ['run_id', 1],
  ['next_iter', 0],
  ['next_iter', '1'],
  ['next_iter', 1.5],
  ['last_status', 'Done'],
  ['last_summary', []],
  ['last_guard', 'passed'],
  ['failures_in_a_row', -1],
  ['judged_sessions', null],
  ['totals', 1],
  ['totals.tokens', -1],
  ['totals.seconds', '3'],
  ['guard_baseline', 'blue'],
  ['repair', {}],
  ['repair.count', 'x'],
  ['nodes', []],
  ['nodes.root.base', 1],
  ['nodes.root.confirm_asked', 'no'],
];

function nested(path: readonly string[], value: unknown): Record<string, unknown> {
  const [first = '', ...rest] = path;
  return { [first]: rest.length === 0 ? value : nested(rest, value) };
}

const states: readonly BadInput[] = [
  { name: 'null', put: 'null', says: /run_state\.json/ },
  { name: 'a list', put: '[]', says: /run_state\.json/ },
  { name: 'no next_iter', put: '{"run_id": "test"}', says: 'next_iter: ' },
  { name: 'an unknown key', put: state({ version: 1 }), says: /version/ },
  ...wrongFields.map(([key, value]) => ({
    name: `${key} = ${JSON.stringify(value)}`,
    put: state(nested(key.split('.'), value)),
    says: new RegExp(`^${key.split('.')[0]}`, 'm'),
  })),
];

const goals: readonly BadInput[] = [
  { name: 'no closing line', put: '---\nid: test\n', says: 'line 1, column ' },
  { name: 'a byte order mark', put: '\ufeff---\nid: test\n---\n', says: 'line 1, column ' },
  { name: 'no YAML', put: '---\nid: [\n---\n', says: /line [23], column / },
  { name: 'a list', put: '---\n- id: test\n---\n', says: 'line 2, column ' },
  { name: 'one word', put: '---\ntest\n---\n', says: 'line 2, column ' },
  { name: 'the id twice', put: '---\nid: test\nid: test\n---\n', says: 'line 3, column ' },
  { name: 'the id as a list', put: '---\nid: [test]\n---\n', says: 'line 2, column 5: id must be one word' },
  {
    name: 'the id as an alias',
    put: '---\na: &x test\nid: *x\n---\n',
    says: 'line 3, column 5: id must be one word',
  },
  { name: 'the id on two lines', put: '---\nid: |\n  a\n  b\n---\n', says: 'line 2, column ' },
  {
    name: 'a slash in the id',
    put: '---\nid: a/b\n---\n',
    says: "line 2, column 5: id must be [A-Za-z0-9._-] only (got 'a/b')",
  },
  { name: 'dots in the id', put: '---\nid: a..b\n---\n', says: "line 2, column 5: id must not contain '..'" },
  { name: '.lock', put: '---\nid: a.lock\n---\n', says: 'line 2, column 5: id must not end with' },
  { name: 'a dash first', put: "---\nid: '-a'\n---\n", says: 'line 2, column 5: id must not start with' },
  {
    name: 'a long id',
    put: `---\nid: ${'a'.repeat(101)}\n---\n`,
    says: 'line 2, column 5: id must have at most 100 characters',
  },
  { name: 'an id in other letters', put: '---\nid: ünï\n---\n', says: 'line 2, column 5: id must be' },
  {
    name: 'an escape code in the id',
    put: '---\nid: "\\e[31mred"\n---\n',
    says: 'line 2, column 5: id must be',
  },
  { name: 'a tab for indentation', put: '---\na:\n\tb: 1\n---\n', says: 'line 3, column ' },
  {
    name: 'a hundred thousand lists deep',
    put: `---\na: ${'['.repeat(100_000)}${']'.repeat(100_000)}\n---\n`,
    says: /line \d+, column /,
  },
  {
    name: 'a hundred thousand maps deep',
    put: `---\na: ${'{a: '.repeat(100_000)}1${'}'.repeat(100_000)}\n---\n`,
    says: /line \d+, column /,
  },
  { name: '2 MB', put: `---\nid: test\n---\n${'x'.repeat(2_000_000)}`, says: /20000\d\d bytes/ },
];

/** The reader of files and the one of JSON are the same for all files; tree.json gets every case. */
const stateInputs = [
  ...notPlainFiles.slice(0, 4),
  ...notJson.filter((_, index) => index % 4 === 0),
  ...states,
];
const goalInputs = [...notPlainFiles.slice(4), ...goals];

test(`${stateInputs.length} malformed run states`, async () => {
  const projects = [await started(), await started()];
  const file = '.runner/state/run_state.json';
  const commands = ['select', 'validate'];
  expect(
    await refuseAll({ projects, file, code: 'RUN_STATE_INVALID', commands, inputs: stateInputs }),
  ).toEqual([]);
});

test(`${goalInputs.length} malformed goals`, async () => {
  const projects = [await started(), await started()];
  const commands = ['validate'];
  expect(
    await refuseAll({
      projects,
      file: '.runner/GOAL.md',
      code: 'GOAL_INVALID',
      commands,
      inputs: goalInputs,
    }),
  ).toEqual([]);
});
