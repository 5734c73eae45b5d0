/** `runner completion`: its scripts in the real shells, with the real commands and with a table of every kind of argument. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandTable, commonOptions } from '../../src/cli/command-table.ts';
import type { CommandRow } from '../../src/cli/command-table.ts';
import { completedCommands } from '../../src/cli/completion/completion.ts';
import { renderBash } from '../../src/cli/completion/bash.ts';
import { renderFish } from '../../src/cli/completion/fish.ts';
import { renderZsh } from '../../src/cli/completion/zsh.ts';
import { plantBatch } from '../support/eval-results.ts';
import { caseText, sampleBatch } from '../support/eval-samples.ts';
import { expectOutput } from '../support/output-schema.ts';
import { bareProject, entryFile, tempFolder, unstartedProject } from '../support/project.ts';
import { listInstalled, shells } from '../support/shells.ts';

const installed = await listInstalled();
const renderers = { bash: renderBash, zsh: renderZsh, fish: renderFish };

/** One of every kind, as other commands have them. */
const planted: readonly CommandRow[] = [
  {
    name: 'config list',
    args: '',
    means: "what's set",
    options: [{ flags: '--show-origin', means: 'where from' }],
  },
  { name: 'config get', args: '<key>', means: 'one value', options: [] },
  { name: 'config set', args: '<key> <value>', means: 'change: one line', options: [] },
  {
    name: 'retry',
    args: '<node>',
    means: 'more attempts',
    options: [{ flags: '--max-attempts <n>', means: 'n', takes: 'count' }],
  },
  {
    name: 'edit',
    args: '<node>',
    means: 'change a node',
    options: [
      { flags: '--from-file <file>', means: 'JSON' },
      { flags: '--reporter <name>', means: 'CI', choices: ['github', 'none'] },
    ],
  },
  {
    name: 'log',
    args: '[iter]',
    means: 'what happened',
    options: [{ flags: '--node <id>', means: 'only this' }],
  },
  { name: 'explain', args: '[node-or-code]', means: 'why', options: [] },
  {
    name: 'step',
    args: '',
    means: 'one',
    options: [{ flags: '--agent <name>', means: 'agent', sets: 'agent.name' }],
  },
  { name: 'completion', args: '<shell>', means: 'script', options: [], completes: [['bash', 'zsh']] },
  { name: 'join', args: '<dir...>', means: 'several', options: [] },
  { name: 'secret', args: '', means: '', options: [], isHidden: true },
];

const expected: readonly (readonly [line: string, offered: readonly string[]])[] = [
  ['runner co', ['completion', 'config']],
  ['runner ', ['completion', 'config', 'edit', 'explain', 'join', 'log', 'retry', 'step']],
  ['runner sec', []],
  ['runner config ', ['get', 'list', 'set']],
  ['runner config s', ['set']],
  ['runner --json config --quiet l', ['list']],
  ['runner config list --sh', ['--show-origin']],
  ['runner config get agent.m', ['agent.max_failures', 'agent.max_wait_secs', 'agent.model']],
  ['runner config set on_', ['on_stuck', 'on_timeout']],
  ['runner config set on_stuck s', []],
  ['runner step --ag', ['--agent']],
  ['runner step --agent co', ['codex', 'command', 'copilot']],
  ['runner step --agent=co', ['codex', 'command', 'copilot']],
  ['runner step --agent codex --q', ['--quiet']],
  ['runner edit --reporter ', ['github', 'none']],
  ['runner retry root.', ['root.1', 'root.2']],
  ['runner retry --max-attempts 3 root.2', ['root.2']],
  ['runner retry --max-attempts ', []],
  ['runner retry root.1 ', []],
  ['runner log --node root.1', ['root.1']],
  ['runner explain root.', ['root.1', 'root.2']],
  ['runner explain TREE', ['TREE_INVALID']],
  ['runner -C bro', ['broken']],
  ['runner config list -C bro', ['broken']],
  ['runner -C broken retry ', []],
  ['runner -C broken/none retry ', []],
  ['runner edit root --from-file bro', ['broken', 'broken.json']],
  ['runner completion ', ['bash', 'zsh']],
  ['runner join bro', ['broken']],
  ['runner join broken x bro', ['broken']],
];

const leaf = {
  order: 0,
  goal: '',
  acceptance: [],
  passes: false,
  attempts: 0,
  max_attempts: 3,
  children: [],
};
const tree = {
  ...leaf,
  id: 'root',
  title: 'Root',
  children: [
    { ...leaf, id: 'root.1', title: "It's $(one): \u001b[31mred" },
    { ...leaf, id: 'root.2', order: 1, title: 'Two' },
  ],
};

/** A project with a tree, and `runner` on PATH. */
async function setting() {
  const p = await unstartedProject({ tree });
  const programs = tempFolder('programs');
  writeFileSync(join(programs, 'runner'), `#!/bin/sh\nexec '${process.execPath}' '${entryFile}' "$@"\n`);
  chmodSync(join(programs, 'runner'), 0o755);
  mkdirSync(join(p.dir, 'broken/.runner/state'), { recursive: true });
  p.put('broken/.runner/state/tree.json', '{ "id": oops');
  p.put('broken.json', '{}\n');
  return { p, cwd: p.dir, env: { ...p.env, PATH: `${programs}:${p.env['PATH']}` } };
}

/** The same with two cases and two batches. */
async function evalSetting() {
  const given = await setting();
  const { p } = given;
  p.put('eval/cases/a.toml', caseText({ id: 'fix-test', more: 'description = "It\u2019s $(one)"\n' }));
  p.put('eval/cases/b.toml', caseText({ id: 'slugs' }));
  p.put('eval/cases/c.toml', 'id = ');
  for (const [day, batch_id] of ['monday', 'tuesday'].entries())
    plantBatch(p.dir, [], { ...sampleBatch(), batch_id, created_at: `2026-02-0${day + 1}T00:00:00.000Z` });
  return given;
}

describe.each(['bash', 'zsh', 'fish'] as const)('%s', (shell) => {
  test.skipIf(!installed.has(shell))('offers every kind of argument where it belongs', async () => {
    const { cwd, env } = await setting();
    const script = renderers[shell](completedCommands({ table: planted, common: commonOptions }));
    const offered = await shells[shell]({ script, lines: expected.map(([line]) => line), cwd, env });
    expect(expected.map(([line], index) => [line, offered[index]])).toEqual(expected);
  });

  test.skipIf(!installed.has(shell))(
    'the script of the program knows every command and every flag',
    async () => {
      const { p, cwd, env } = await setting();
      const { out, err, code } = await p.run('completion', shell);
      expect({ err, code }).toEqual({ err: '', code: 0 });
      const commands = completedCommands({ table: commandTable, common: commonOptions });
      const lines = commands.flatMap(({ name }) => {
        const start = name === '' ? 'runner' : `runner ${name}`;
        return [`${start} `, `${start} --`];
      });
      const offered = await shells[shell]({ script: `${out}\n`, lines, cwd, env });
      for (const [index, { name, options, below, args }] of commands.entries()) {
        const long = options.flatMap(({ names }) => names).filter((option) => option.startsWith('--'));
        expect(offered[2 * index + 1], name).toEqual(long.toSorted());
        const words = [...below.map(({ word }) => word), ...(args[0]?.words ?? [])];
        expect(offered[2 * index], name).toEqual(expect.arrayContaining(words));
        if (words.length > 0 && (args[0]?.asked ?? 'none') === 'none')
          expect(offered[2 * index]).toHaveLength(words.length);
      }
    },
  );
});

const evalLines: readonly (readonly [line: string, offered: readonly string[]])[] = [
  ['runner help st', ['start', 'status', 'step']],
  ['runner help ex', ['exit-codes', 'explain', 'export']],
  ['runner eval ', ['clean', 'compare', 'list', 'merge', 'report', 'run']],
  ['runner eval run ', ['fix-test', 'slugs']],
  ['runner eval run slugs fi', ['fix-test']],
  ['runner eval clean sl', ['slugs']],
  ['runner eval report ', ['latest', 'monday', 'tuesday']],
  ['runner eval report --case sl', ['slugs']],
  ['runner eval compare mon', ['monday']],
  ['runner eval compare monday tu', ['tuesday']],
  ['runner eval run --resume --batch tu', ['tuesday']],
  ['runner eval run --reporter ju', ['junit']],
  ['runner -C broken eval run ', []],
  ['runner -C broken eval report ', []],
];

describe.each(['bash', 'zsh', 'fish'] as const)('%s', (shell) => {
  test.skipIf(!installed.has(shell))('offers cases and batches where they are expected', async () => {
    const { p, cwd, env } = await evalSetting();
    const { out } = await p.run('completion', shell);
    const offered = await shells[shell]({
      script: `${out}\n`,
      lines: evalLines.map(([line]) => line),
      cwd,
      env,
    });
    expect(evalLines.map(([line], index) => [line, offered[index]])).toEqual(evalLines);
  });
});

// There is no PowerShell to try it in: the text is held against the table.
test('powershell gets every command, flag and value', async () => {
  const p = await bareProject();
  const { out } = await p.run('completion', 'powershell');
  expect(out).toMatch(/^Register-ArgumentCompleter -Native -CommandName runner -ScriptBlock \{$/m);
  for (const { name, options } of completedCommands({ table: commandTable, common: commonOptions })) {
    const names = options.flatMap((option) => option.names);
    expect(out).toContain(`        '${name}' = @(${names.map((option) => `'${option}'`).join(', ')})\n`);
    for (const option of names) expect(out).toContain(`'${name} ${option}' = '`);
  }
  expect(out).toContain("'step --agent' = @{ Words = @('codex', 'claude', ");
  expect(out.split("'").length % 2).toBe(1);
  // PowerShell's tables do not tell upper from lower case, and a key may stand there only once.
  for (const table of out.split('= @{\n').slice(1)) {
    const keys = [...(table.split('\n    }\n')[0] ?? '').matchAll(/^ {8}'([^']*)' = /gm)].map(
      ([, key = '']) => key.toLowerCase(),
    );
    expect(keys.length).toBeGreaterThan(0);
    expect(new Set(keys).size).toBe(keys.length);
  }
  for (const [open = '', close = ''] of ['{}', '()', '[]'])
    expect(out.split(open).length, open).toBe(out.split(close).length);
});

describe('the command itself', () => {
  test('JSON as its schema says', async () => {
    const p = await bareProject();
    const ran = await p.run('completion', 'bash', '--json');
    const value = JSON.parse(ran.out) as { script: string };
    expectOutput('completion', value);
    expect(value).toMatchObject({ command: 'completion', shell: 'bash' });
    expect(value.script.trimEnd()).toBe((await p.run('completion', 'bash')).out);
  });

  test('another shell, or none, is wrong usage', async () => {
    const p = await bareProject();
    const wrong = await p.run('completion', 'tcsh');
    expect(wrong).toMatchObject({ code: 64, out: '' });
    expect(wrong.err).toContain(
      "no completion for 'tcsh'; there is one for bash, zsh, fish, powershell [USAGE]",
    );
    expect(await p.run('completion')).toMatchObject({ code: 64, out: '' });
  });

  test('complete-node gives ids and clean titles, and is silent where there is no tree', async () => {
    const { p } = await setting();
    expect((await p.run('complete-node')).out).toBe("root\tRoot\nroot.1\tIt's $(one): red\nroot.2\tTwo");
    expect((await p.run('complete-node', '--', 'root.')).out).toMatch(/^root\.1\t.*\nroot\.2\tTwo$/);
    const silent = { code: 0, out: '', err: '' };
    expect(await p.run('complete-node', 'x')).toEqual({ ...silent, signal: undefined });
    expect(await p.run('-C', 'broken', 'complete-node')).toMatchObject(silent);
    expect(await p.run('-C', 'nowhere', 'complete-node')).toMatchObject(silent);
  });

  test('complete-case and complete-batch too', async () => {
    const { p } = await evalSetting();
    expect((await p.run('complete-case')).out).toBe('fix-test\tIt’s $(one)\nslugs\t');
    expect((await p.run('complete-batch')).out).toMatch(/^latest\ttuesday\nmonday\t.*\ntuesday\t/);
    for (const command of ['complete-case', 'complete-batch']) {
      for (const args of [
        [command, 'zz'],
        ['-C', 'nowhere', command],
        ['-C', 'broken', command],
      ])
        expect(await p.run(...args)).toMatchObject({ code: 0, out: '', err: '' });
    }
  });
});
