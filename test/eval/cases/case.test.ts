import fc from 'fast-check';
import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../../src/core/config/config.ts';
import { parseEvalCase } from '../../../src/eval/cases/case.ts';
import type { EvalCase } from '../../../src/eval/cases/types.ts';
import { caseText } from '../../support/eval-samples.ts';

const full = `
fixture = "fixtures/slugs"
history = "h.bundle"
[case]
id = "fix-failing-test"
goal = """
Make it green.
"""
description = "one failing test"
tags = ["js", "small"]
timeout_secs = 600
requires = ["node"]
[config]
max_iterations = 30
justfile = "ci:\\n  node --test\\n"
[config.guard]
command = ["node", "--test"]
[agent]
name = "claude"
model = "m"
[env]
LANG = "C"
[files]
"src/x.js" = "x"
"README.md" = ""
[oracle]
script = "fix.oracle.json"
[[setup]]
cmd = ["npm", "ci"]
[hidden]
fixture = "hid"
[hidden.files]
"t.js" = "t"
[paths]
"/app" = "workspace"
"/tests" = "hidden"
[[checks]]
type = "file_exists"
path = "src"
[[checks]]
type = "file_contains"
path = "a"
text = "t"
[[checks]]
type = "file_contains"
path = "a"
pattern = "^t"
[[checks]]
type = "command_succeeds"
cmd = ["node", "--test"]
[[checks]]
type = "command_fails"
cmd = ["false"]
timeout_secs = 5
env = { A = "b" }
[[checks]]
type = "runner_completed"
[[checks]]
type = "max_iterations_used"
max = 5
[[checks]]
type = "tree"
passes = true
[[checks]]
type = "tree"
min_nodes = 1
max_nodes = 9
max_depth = 3
`;

function problemsOf(text: string): readonly string[] {
  const parsed = parseEvalCase(parse(text));
  return parsed.ok ? [] : parsed.problems.map(({ key, message }) => `${key}: ${message}`);
}

const noTree = { type: 'tree', passes: null, min_nodes: null, max_nodes: null, max_depth: null };

describe('a case', () => {
  test('[ancestor: eval_case parses_valid_case] everything it can say, with what may be left out filled in', () => {
    const wanted: EvalCase = {
      id: 'fix-failing-test',
      goal: 'Make it green.\n',
      description: 'one failing test',
      tags: ['js', 'small'],
      timeout_secs: 600,
      requires: ['node'],
      fixture: 'fixtures/slugs',
      history: 'h.bundle',
      setup: [{ cmd: ['npm', 'ci'], timeout_secs: 600, env: {} }],
      hidden: { fixture: 'hid', files: { 't.js': 't' } },
      paths: { '/app': 'workspace', '/tests': 'hidden' },
      files: { 'src/x.js': 'x', 'README.md': '' },
      justfile: 'ci:\n  node --test\n',
      config: { max_iterations: 30, guard: { command: ['node', '--test'] } },
      agent: { name: 'claude', model: 'm' },
      env: { LANG: 'C' },
      oracle: { script: 'fix.oracle.json' },
      checks: [
        { type: 'file_exists', path: 'src' },
        { type: 'file_contains', path: 'a', text: 't', pattern: null },
        { type: 'file_contains', path: 'a', text: null, pattern: '^t' },
        { type: 'command_succeeds', cmd: ['node', '--test'], timeout_secs: 60, env: {} },
        { type: 'command_fails', cmd: ['false'], timeout_secs: 5, env: { A: 'b' } },
        { type: 'runner_completed' },
        { type: 'max_iterations_used', max: 5 },
        { ...noTree, passes: true } as EvalCase['checks'][number],
        { ...noTree, min_nodes: 1, max_nodes: 9, max_depth: 3 } as EvalCase['checks'][number],
      ],
    };
    expect(parseEvalCase(parse(full))).toEqual({ ok: true, case: wanted });
  });

  test('the least it can say', () => {
    expect(parseEvalCase(parse(caseText()))).toEqual({
      ok: true,
      case: {
        id: 'alpha',
        goal: 'make it work',
        description: null,
        tags: [],
        timeout_secs: 3600,
        requires: [],
        fixture: null,
        history: null,
        setup: [],
        hidden: { fixture: null, files: {} },
        paths: {},
        files: {},
        justfile: null,
        config: {},
        agent: {},
        env: {},
        oracle: null,
        checks: [{ type: 'runner_completed' }],
      },
    });
  });

  test('[ancestor: eval_config applies_guard_override] [ancestor: eval_config preserves_guard_when_no_override] its settings are settings of config.toml, and only those it names', () => {
    const parsed = parseEvalCase(parse(full));
    const given = parsed.ok ? { ...parsed.case.config, agent: parsed.case.agent } : null;
    expect(parseConfig(given)).toMatchObject({
      ok: true,
      config: { guard: { command: ['node', '--test'] } },
    });
    const least = parseEvalCase(parse(caseText({ more: '[config]\nmax_iterations = 3\n' })));
    expect(least).toMatchObject({ case: { config: { max_iterations: 3 } } });
    expect(parseConfig(least.ok ? least.case.config : null)).toMatchObject({
      ok: true,
      config: { max_iterations: 3, guard: { command: ['just', 'ci'] } },
    });
  });
});

describe('what is refused', () => {
  test.each([
    ['', 'is missing'],
    ['id = ""\n', '""'],
    ['id = "Alpha"\n', '"Alpha"'],
    ['id = "a/b"\n', '"a/b"'],
    ['id = ".."\n', '".."'],
    ['id = "a.b"\n', '"a.b"'],
    [`id = "${'a'.repeat(65)}"\n`, '"aaa'],
    ['id = 3\n', '3'],
  ])('[ancestor: eval_case rejects_invalid_id] the id of %j', (line, said) => {
    const found = problemsOf(`[case]\n${line}goal = "g"\n[[checks]]\ntype = "runner_completed"\n`);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/^case\.id: .*lower-case letters/);
    expect(found[0]).toContain(said);
  });

  const kinds =
    'one of "file_exists", "file_contains", "command_succeeds", "command_fails", "runner_completed", "max_iterations_used", "tree"';
  test.each([
    ['', 'checks: is missing; must be a list of tables: [[checks]]'],
    ['checks = []', 'checks: must be at least one [[checks]], not []'],
    ['checks = [1]', 'checks[0]: must be a table, not 1'],
    ['checks = [[]]', 'checks[0]: must be a table, not []'],
    ['checks = [{}]', `checks[0].type: is missing; must be ${kinds}`],
    [
      'checks = [{ type = "file_exist", path = "a" }]',
      `checks[0].type: must be ${kinds}, not "file_exist"; did you mean "file_exists"?`,
    ],
    [
      'checks = [{ type = "file_exists" }]',
      'checks[0].path: is missing; must be a path (text that is not empty)',
    ],
    [
      'checks = [{ type = "file_exists", path = "/etc" }]',
      'checks[0].path: must be a path inside the workspace, not "/etc"',
    ],
    [
      'checks = [{ type = "file_exists", path = "a/../../b" }]',
      'checks[0].path: must be a path inside the workspace, not "a/../../b"',
    ],
    [
      'checks = [{ type = "file_exists", path = "a", pat = 1 }]',
      'checks[0].pat: unknown key; did you mean checks[].path?',
    ],
    ['checks = [{ type = "file_contains", path = "a" }]', 'checks[0]: must have either text or pattern'],
    [
      'checks = [{ type = "file_contains", path = "a", text = "a", pattern = "a" }]',
      'checks[0]: must have either text or pattern',
    ],
    [
      'checks = [{ type = "file_contains", path = "a", pattern = "(" }]',
      'checks[0].pattern: must be a regular expression of JavaScript (flags m and u), not "("',
    ],
    [
      'checks = [{ type = "command_succeeds", cmd = [] }]',
      'checks[0].cmd: must be a list of texts, first the program, e.g. ["node", "--test"], not []',
    ],
    [
      'checks = [{ type = "command_succeeds", cmd = "go build" }]',
      'checks[0].cmd: must be a list of texts, first the program, e.g. ["node", "--test"], not "go build"',
    ],
    [
      'checks = [{ type = "command_fails", cmd = ["a"], timeout_secs = 0 }]',
      'checks[0].timeout_secs: must be a whole number from 1 to 604800, not 0',
    ],
    [
      'checks = [{ type = "command_fails", cmd = ["a"], env = { "a b" = "c" } }]',
      'checks[0].env."a b": must be the name of an environment variable',
    ],
    ['checks = [{ type = "runner_completed", max = 1 }]', 'checks[0].max: unknown key of this type'],
    [
      'checks = [{ type = "max_iterations_used" }]',
      'checks[0].max: is missing; must be a whole number from 1 to 1000000',
    ],
    [
      'checks = [{ type = "tree" }]',
      'checks[0]: must have at least one of passes, min_nodes, max_nodes, max_depth',
    ],
  ])('[ancestor: eval_case rejects_malformed_checks] %s', (line, problem) => {
    expect(problemsOf(`${line}\n[case]\nid = "a"\ngoal = "g"\n`)).toEqual([problem]);
  });

  test.each([
    [
      'goal',
      '[case]\nid = "a"\ngoal = " \\n"\n',
      'case.goal: must be the goal (text that is not blank), not " \\n"',
    ],
    [
      'timeout',
      '[case]\nid = "a"\ngoal = "g"\ntimeout_secs = 1.5\n',
      'case.timeout_secs: must be a whole number from 1 to 604800, not 1.5',
    ],
    [
      'tags',
      '[case]\nid = "a"\ngoal = "g"\ntags = ["a,b"]\n',
      'case.tags[0]: must be a word of letters, digits and "_.+-", not "a,b"',
    ],
    ['a table that is none', 'case = 3\n', 'case: must be a table, not 3'],
  ])('%s', (_, text, problem) => {
    expect(problemsOf(`${text}[[checks]]\ntype = "runner_completed"\n`)).toEqual([problem]);
  });

  test.each([
    [
      '[config]\nmax_iteration = 3\n',
      'config.max_iteration: unknown key; did you mean config.max_iterations?',
    ],
    [
      '[config]\nmax_iterations = 0\n',
      'config.max_iterations: must be a whole number from 1 to 1000000, not 0',
    ],
    ['[config]\ncommand = ["a"]\n', 'config.command: unknown key; did you mean config.guard.command?'],
    ['[config]\nfixture = "a"\n', 'config.fixture: unknown key; did you mean fixture?'],
    ['[config.agent]\nname = "codex"\n', 'config.agent: unknown key; did you mean agent?'],
    [
      '[config.limits]\nmax_runs_secs = 3\n',
      'config.limits.max_runs_secs: unknown key; did you mean config.limits.max_run_secs?',
    ],
    ['[zzzzzzzzz]\na = 1\n', 'zzzzzzzzz: unknown key'],
    ['[agent]\nname = "command"\n', 'agent.command: must be set when agent.name is "command"'],
    ['[config.review]\nmodel = "m"\n', 'config.review.agent: must be set when review.model is set'],
    [
      '[agent]\nname = "codex"\n[config.limits]\nmax_cost_usd = 1\n',
      'config.limits.max_cost_usd: cannot be kept: the agent "codex" reports no cost',
    ],
    ['[env]\n"A-B" = "x"\n', 'env.A-B: must be the name of an environment variable'],
    ['[env]\nA = ""\n', 'env.A: must be a value (text that is not empty), not ""'],
    ['[env]\nEVAL_CASE = "x"\n', 'env.EVAL_CASE: is set by the harness itself'],
    ['[env]\n__proto__ = "x"\n', 'env.__proto__: cannot be a name'],
    ['[files]\n"../a" = "x"\n', 'files."../a": must be a path inside the workspace'],
    ['[files]\n"a/" = "x"\n', 'files."a/": must be a path inside the workspace'],
    [
      '[files]\n".git/config" = "x"\n',
      'files.".git/config": must not be in .git, which git and the runner make',
    ],
    [
      '[files]\n"./.RUNNER/x" = "x"\n',
      'files."./.RUNNER/x": must not be in .RUNNER, which git and the runner make',
    ],
    ['[files]\n"a" = "x"\n"a/b/c" = "y"\n', 'files."a/b/c": must not be below \'a\', which is a file'],
    ['[files]\n"a" = "x"\n"./a" = "y"\n', 'files.a: is there twice'],
    ['[files]\n"a" = 3\n', 'files.a: must be the text of a file, not 3'],
  ])('%j', (more, problem) => {
    expect(problemsOf(caseText({ more }))).toEqual([problem]);
  });

  test('a limit that no agent is named for is left to the run', () => {
    expect(problemsOf(caseText({ more: '[config.limits]\nmax_cost_usd = 1\n' }))).toEqual([]);
    expect(
      problemsOf(caseText({ more: '[agent]\nname = "claude"\n[config.limits]\nmax_cost_usd = 1\n' })),
    ).toEqual([]);
  });

  test('everything at once, sorted by key, and once', () => {
    expect(problemsOf('fixtur = "a"\n[case]\nid = "A"\ngoal = ""\n')).toEqual([
      'case.goal: must be the goal (text that is not blank), not ""',
      expect.stringMatching(/^case\.id: /) as unknown,
      'checks: is missing; must be a list of tables: [[checks]]',
      'fixtur: unknown key; did you mean fixture?',
    ]);
    expect(parseEvalCase(3)).toEqual({
      ok: false,
      problems: [{ key: '', path: [], message: 'must be a table, not 3' }],
    });
  });
});

test('no value makes it throw, and what it refuses has a reason with a place', () => {
  fc.assert(
    fc.property(fc.anything({ maxDepth: 4 }), (value) => {
      const parsed = parseEvalCase({ case: value, checks: [value], config: value });
      if (parsed.ok) return;
      expect(parsed.problems.length).toBeGreaterThan(0);
      for (const { message } of parsed.problems) expect(message).not.toBe('');
    }),
  );
});

test.each([
  ['[oracle]\nscript = "a"\ncommand = ["b"]\n', 'oracle: must have either script or command'],
  ['[oracle]\n', 'oracle: must have either script or command'],
  ['[oracle]\nscript = "a"\nfixture = "b"\n', 'oracle: fixture goes with command'],
  ['[paths]\napp = "workspace"\n', 'paths.app: must be an absolute path like /app'],
  ['[paths]\n"/app" = "here"\n', 'paths."/app": must be one of "workspace", "hidden", "oracle", "scratch"'],
  ['[paths]\n"/s" = "oracle"\n', 'paths."/s": means the folder of the oracle, but oracle.fixture is not set'],
  ['[hidden.files]\n"../x" = ""\n', 'hidden.files."../x": must be a path inside the workspace'],
  ['[[setup]]\ncmd = []\n', 'setup[0].cmd'],
  [
    '[[setup]]\ncmd = ["a"]\nenv = { EVAL_CASE = "x" }\n',
    'setup[0].env.EVAL_CASE: is set by the harness itself',
  ],
])('%j is refused', (more, problem) => {
  expect(problemsOf(caseText({ more })).join('\n')).toContain(problem);
});

test.each([
  ['', null],
  ['fixture = "s"\n', 's'],
])('a solution that is a command, %j', (line, fixture) => {
  const parsed = parseEvalCase(parse(caseText({ more: `[oracle]\ncommand = ["a"]\n${line}` })));
  expect(parsed).toMatchObject({ ok: true, case: { oracle: { command: ['a'], fixture } } });
});
