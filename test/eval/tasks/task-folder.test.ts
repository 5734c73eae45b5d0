/** Task folders of other benchmarks become cases that the parser takes. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { parseEvalCase } from '../../../src/eval/cases/case.ts';
import { renderCaseText } from '../../../src/eval/tasks/case-text.ts';
import { importTask, taskKind } from '../../../src/eval/tasks/task-folder.ts';
import type { TaskFolder } from '../../../src/eval/tasks/task-folder.ts';
import { tempFolder } from '../../support/project.ts';

function folder(name: string, files: Readonly<Record<string, string>>): TaskFolder {
  const toml = files['task.toml'];
  return {
    name,
    files: Object.keys(files),
    read: (path) => files[path] ?? null,
    toml: toml === undefined ? null : parse(toml),
  };
}

const bench = {
  'task.yaml': `instruction: |-
  Write "hello" to /app/out.txt.
  A second line with \\ and """.
tags: [file-operations, "two words"]
category: easy things
difficulty: easy
max_agent_timeout_sec: 90.5
max_test_timeout_sec: 30
`,
  Dockerfile: 'FROM debian\nWORKDIR /app\nCOPY start.txt missing.txt ./\nRUN echo made > made.txt\n',
  'docker-compose.yaml': 'services: { client: {}, db: {} }\n',
  'start.txt': '',
  'run-tests.sh': '#!/bin/bash\n# uv\npython3 -m pytest "$TEST_DIR/test_outputs.py"\n',
  'solution.sh': 'echo hello > /app/out.txt\n',
  'tests/test_outputs.py': '',
};

const harbor = {
  'task.toml':
    '[task]\nname = "org/Name"\nkeywords = ["k"]\n[metadata]\ntags = ["t"]\n[verifier]\ntimeout_sec = 12.0\nenv = { A = "b" }\n[agent]\ntimeout_sec = 60.0\n',
  'instruction.md': '# Do it\n',
  'environment/Dockerfile': 'FROM x\nWORKDIR /work\nCOPY . /work\n',
  'tests/test.sh': 'echo 1 > /logs/verifier/reward.txt\n',
};

function draftOf(task: TaskFolder) {
  const imported = importTask(task);
  if (!imported.ok) throw new Error(imported.problem);
  const parsed = parseEvalCase(parse(renderCaseText(imported.draft)));
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return { ...imported, case: parsed.case };
}

test('a task of Terminal-Bench', () => {
  const { case: found, copies, draft } = draftOf(folder('Hello World!', bench));
  expect(found).toMatchObject({
    id: 'hello-world-',
    goal: 'Write "hello" to /app/out.txt.\nA second line with \\ and """.\n\nWhere this text says `/app`, it means the root of this repository.\n',
    tags: ['imported', 'terminal-bench', 'file-operations', 'two-words', 'easy-things', 'easy'],
    timeout_secs: 91,
    requires: ['bash', 'python3', 'pytest'],
    fixture: 'imported/hello-world-/work',
    setup: [{ cmd: ['sh', '-c', 'echo made > made.txt'], timeout_secs: 600 }],
    hidden: { fixture: 'imported/hello-world-/tests' },
    oracle: { command: ['bash', '/solution/solution.sh'], fixture: 'imported/hello-world-/solution' },
    paths: { '/app': 'workspace', '/tests': 'hidden', '/logs': 'scratch', '/solution': 'oracle' },
    checks: [
      {
        type: 'command_succeeds',
        cmd: ['bash', '/tests/run-tests.sh'],
        timeout_secs: 30,
        env: { TEST_DIR: '/tests' },
      },
    ],
  });
  expect(copies).toEqual([
    { from: 'start.txt', to: 'work', isInto: true },
    { from: 'tests', to: 'tests', isInto: true },
    { from: 'run-tests.sh', to: 'tests', isInto: true },
    { from: 'solution.sh', to: 'solution', isInto: true },
  ]);
  expect(draft.notes).toEqual([
    'the image debian is not used: this machine must have its programs',
    'left out: missing.txt, which is not in the folder',
    'left out: the services of docker-compose.yaml (client, db)',
  ]);
});

test('a task of Harbor', () => {
  const { case: found, copies } = draftOf(folder('sum', harbor));
  expect(found).toMatchObject({
    id: 'sum',
    goal: '# Do it\n',
    tags: ['imported', 'harbor', 'k', 't'],
    timeout_secs: 60,
    fixture: 'imported/sum/work',
    setup: [],
    oracle: null,
    paths: { '/work': 'workspace', '/tests': 'hidden', '/logs': 'scratch' },
    checks: [
      {
        timeout_secs: 12,
        env: { A: 'b' },
        cmd: ['sh', '-c', expect.stringContaining('bash /tests/test.sh;')],
      },
    ],
  });
  expect(copies).toEqual([
    { from: 'environment', to: 'work', isInto: true },
    { from: 'tests', to: 'tests', isInto: true },
  ]);
});

describe('what cannot be imported is told', () => {
  const without = (files: Readonly<Record<string, string>>, name: string) =>
    Object.fromEntries(Object.entries(files).filter(([path]) => path !== name));
  test.each([
    ['a', {}, 'there is neither task.yaml nor task.toml with instruction.md'],
    ['---', bench, "'---' cannot be the id of a case"],
    ['a', { ...bench, 'task.yaml': ': : :' }, 'task.yaml has no instruction'],
    ['a', without(bench, 'run-tests.sh'), 'there is no run-tests.sh'],
    ['a', without(harbor, 'tests/test.sh'), 'there is no tests/test.sh'],
    ['a', { ...harbor, 'instruction.md': ' \n' }, 'instruction.md is empty or cannot be read'],
  ])('%s %#', (name, files, problem) => {
    expect(importTask(folder(name, files))).toEqual({ ok: false, problem });
  });
  test('task.toml that is no TOML', () => {
    const broken = { ...folder('a', harbor), toml: null };
    expect(importTask(broken)).toEqual({ ok: false, problem: 'task.toml cannot be read' });
  });
});

test('older and poorer tasks: descriptions, no tests folder, no solution or only a list of commands', () => {
  const { case: found, draft } = draftOf(
    folder('old', {
      'task.yaml': 'descriptions: [{ key: base, description: Do it. }]\nmax_agent_timeout_sec: -1\n',
      'run-tests.sh': 'true\n',
      'solution.yaml': '',
    }),
  );
  expect(found).toMatchObject({
    goal: 'Do it.\n',
    timeout_secs: 3600,
    oracle: null,
    fixture: null,
    requires: ['bash'],
  });
  expect(draft.notes).toEqual(['left out: solution.yaml; only solution.sh is an oracle']);
  expect(taskKind({ files: ['task.toml'] })).toBeNull();
});

test('whatever an instruction says, the case says it again', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const instruction = `x${text.replaceAll('\r', '')}y`;
      fc.pre(!instruction.includes('\u0000') && Buffer.from(instruction).toString() === instruction);
      const { case: found } = draftOf(folder('any', { ...harbor, 'instruction.md': instruction }));
      expect(found.goal).toBe(
        instruction.includes('/work')
          ? `${instruction}\n\nWhere this text says \`/work\`, it means the root of this repository.\n`
          : `${instruction}\n`,
      );
    }),
  );
});

test.each([
  [{ 'reward.txt': '1\n' }, true],
  [{ 'reward.txt': '1.0', 'reward.json': '{"reward": 0}' }, true],
  [{ 'reward.txt': '0', 'reward.json': '{"reward": 1}' }, false],
  [{ 'reward.json': '{ "style": 0.25,\n  "reward": 1 }' }, true],
  [{ 'reward.json': '{"reward": 0.75, "style": 1}' }, false],
  [{ 'reward.json': '{"a": 1, "b": 1.5e0}' }, true],
  [{ 'reward.json': '{"a": 1, "b": 0}' }, false],
  [{ 'reward.json': '{}' }, false],
  [{ 'reward.json': 'no JSON' }, false],
  [{}, false],
])('the verifier of Harbor wrote %j: solved is %s', (files, isSolved) => {
  const logs = tempFolder('reward');
  mkdirSync(join(logs, 'verifier'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(logs, 'verifier', name), text);
  const [check] = draftOf(folder('t', harbor)).case.checks;
  const cmd = check?.type === 'command_succeeds' ? check.cmd : [];
  const [program = '', ...args] = cmd.map((word) =>
    word.replaceAll('/logs', logs).replace('bash /tests/test.sh', 'true'),
  );
  expect(spawnSync(program, args).status === 0).toBe(isSolved);
});
