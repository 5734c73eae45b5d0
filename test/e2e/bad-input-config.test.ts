/** Malformed settings in place of config.toml: refused with key and line, nothing changed, no stack trace, in bounded time. */
import { expect, test } from 'vitest';
import type { BadInput } from '../support/bad-input.ts';
import { notPlainFiles, refuseAll } from '../support/bad-input.ts';
import { project } from '../support/project.ts';
import { template } from '../support/template.ts';

const started = template(() => project());

/** Every key with values of the wrong type or outside its bounds, as TOML. */
const wrongValues: Readonly<Record<string, readonly string[]>> = {
  max_iterations: ['0', '"50"', 'nan'],
  max_attempts_default: ['true'],
  iteration_timeout_secs: ['-1', '1979-05-27'],
  executor_output_limit_bytes: ['"1MB"'],
  guard_output_limit_bytes: ['{}'],
  prompt_budget_bytes: ['999'],
  on_stuck: ['"skip"', '1'],
  on_timeout: ['"Stop"'],
  agent: ['"codex"', '[[1]]'],
  'agent.name': ['"gpt"'],
  'agent.model': ['""', '[]'],
  'agent.bin': ['""', '"a\\u0000b"'],
  'agent.extra_args': ['"--x"', '[1]'],
  'agent.env': ['["A=B"]', '"HOME"'],
  'agent.command': ['[]', '["a\\u0000"]'],
  'agent.script': ['1'],
  'agent.permissions': ['"root"'],
  'agent.idle_timeout_secs': ['"never"'],
  'agent.max_failures': ['0'],
  'limits.max_run_secs': ['0', 'inf'],
  'guard.command': ['"just ci"', '[" "]', '[["just"]]'],
  'guard.timeout_secs': ['"5m"'],
  'guard.empty_change': ['"maybe"'],
  'guard.protect': ['"*.js"', '[""]'],
  'tree.allow_removal': ['"true"'],
  'tree.max_repairs': ['1001'],
  'git.run_hooks': ['0'],
  'git.sign': ['"yes"'],
  'notify.command': ['"mail"'],
};

function assign(key: string, value: string): string {
  const dot = key.indexOf('.');
  return dot === -1
    ? `${key} = ${value}\n`
    : `# one\n[${key.slice(0, dot)}]\n${key.slice(dot + 1)} = ${value}\n`;
}

const values: readonly BadInput[] = Object.entries(wrongValues).flatMap(([key, items]) =>
  items.map((item) => ({
    name: `${key} = ${item}`,
    put: assign(key, item),
    says: new RegExp(
      `line ${key.includes('.') ? 3 : 1}, column 1: ${key.replace('.', '\\.')}(?:\\[0\\])?: (?:must|"workspace")`,
      'm',
    ),
  })),
);

const unknown: readonly BadInput[] = [
  {
    name: 'a misspelt key',
    put: 'max_iteration = 5\n',
    says: 'line 1, column 1: max_iteration: unknown key; did you mean max_iterations?',
  },
  {
    name: 'a key in the wrong table',
    put: '[agent]\ncommand = ["x"]\nprotect = []\n',
    says: 'line 3, column 1: agent.protect: unknown key; did you mean guard.protect?',
  },
  { name: 'an unknown table', put: '[nothing]\nx = 1\n', says: 'line 1, column 1: nothing: unknown key' },
  { name: 'constructor', put: 'constructor = 1\n', says: /constructor.*: unknown key/ },
  {
    name: '[constructor.prototype]',
    put: '[constructor.prototype]\nx = 1\n',
    says: /constructor.*: unknown key/,
  },
  { name: '__proto__', put: '__proto__ = 1\n', says: /__proto__/ },
  { name: '[__proto__]', put: '[__proto__]\npolluted = true\n', says: /__proto__/ },
  {
    name: 'scripted without a script',
    put: '[agent]\nname = "scripted"\n',
    says: 'agent.script: must be set when agent.name is "scripted"',
  },
  {
    name: 'command without a command',
    put: '[agent]\nname = "command"\n',
    says: 'agent.command: must be set when agent.name is "command"',
  },
  {
    name: 'workspace for claude',
    put: '[agent]\nname = "claude"\npermissions = "workspace"\n[sandbox]\nkind = "none"\n',
    says: /agent\.permissions: .*cannot be enforced/,
  },
];

const syntax: readonly BadInput[] = [
  { name: 'no value', put: 'a =\n', says: 'line 1, column ' },
  { name: 'JSON', put: '{"max_iterations": 5}', says: 'line 1, column ' },
  { name: 'YAML', put: 'max_iterations: 5\n', says: 'line 1, column ' },
  { name: 'a key twice', put: 'max_iterations = 1\nmax_iterations = 2\n', says: 'line 2, column ' },
  { name: 'a table twice', put: '[agent]\n[agent]\n', says: 'line 2, column ' },
  { name: 'an open string', put: 'on_stuck = "stop\n', says: 'line 1, column ' },
  { name: 'an open list', put: '[guard]\ncommand = ["a",\n', says: /line [23], column / },
  { name: 'a wrong escape', put: 'on_stuck = "\\z"\n', says: 'line 1, column ' },
  { name: 'a lone surrogate', put: 'on_stuck = "\\ud800"\n', says: 'line 1, column ' },
  { name: 'NUL bytes', put: 'on_stuck = "\u0000"\n', says: 'line 1, column ' },
  { name: 'UTF-16', put: Buffer.from('max_iterations = 5\n', 'utf16le'), says: 'line 1, column ' },
  {
    name: 'a number too large',
    put: 'max_iterations = 99999999999999999999\n',
    says: /line 1|max_iterations/,
  },
  {
    name: '1e400',
    put: 'max_iterations = 1e400\n',
    says: 'line 1, column 1: max_iterations: must be a whole number',
  },
  { name: 'merge conflict markers', put: '<<<<<<< HEAD\n', says: 'line 1, column ' },
  { name: 'a million lists deep', put: `guard = ${'['.repeat(1_000_000)}\n`, says: /config\.toml/ },
  {
    name: 'fifty thousand inline tables deep',
    put: `guard = ${'{a='.repeat(50_000)}1${'}'.repeat(50_000)}\n`,
    says: /config\.toml/,
  },
  { name: 'a hundred thousand dots', put: `${'a.'.repeat(100_000)}b = 1\n`, says: /config\.toml/ },
  {
    name: 'thirty thousand unknown keys',
    put: Array.from({ length: 30_000 }, (_, index) => `k${index} = 1\n`).join(''),
    says: /column 1: k0: .*unknown key/,
  },
  { name: '2 MB of comments', put: '# x\n'.repeat(500_000), says: /2000000 bytes/ },
];

const inputs = [...notPlainFiles.filter((_, index) => index % 2 === 0), ...values, ...unknown, ...syntax];

test(`${inputs.length} malformed settings`, async () => {
  const projects = [await started(), await started()];
  const wrong = await refuseAll({
    projects,
    file: '.runner/state/config.toml',
    code: 'CONFIG_INVALID',
    commands: ['select', 'select', 'validate'],
    inputs,
  });
  expect(wrong).toEqual([]);
  expect(inputs.length).toBeGreaterThan(70);
  for (const p of projects) expect(await p.run('validate')).toMatchObject({ code: 0 });
});
