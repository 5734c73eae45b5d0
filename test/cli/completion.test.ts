/** `runner completion` in the real shells, and what `runner complete` offers them for a table of every kind of argument. */
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandGroups, commandTable, commonOptions } from '../../src/cli/table/command-table.ts';
import type { CommandRow } from '../../src/cli/table/row.ts';
import { readLine } from '../../src/cli/completion/offer.ts';
import { plantBatch } from '../support/eval-results.ts';
import { caseText, sampleBatch } from '../support/eval-samples.ts';
import { expectOutput } from '../support/output-schema.ts';
import { bareProject, entryFile, project, tempFolder, unstartedProject } from '../support/project.ts';
import { listInstalled, shells } from '../support/shells.ts';

const installed = await listInstalled();

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

/** Words as most shells split them; `<node>` stands for ids to read, `:files` for paths. */
const offers: readonly (readonly [line: string, offered: readonly string[]])[] = [
  ['', ['completion', 'config', 'edit', 'explain', 'join', 'log', 'retry', 'step']],
  ['co', ['completion', 'config']],
  ['sec', []],
  ['secret ', []],
  ['config ', ['get', 'list', 'set']],
  ['config nothing ', []],
  ['--json config --quiet l', ['list']],
  ['config list --sh', ['--show-origin']],
  ['config list -', ['--show-origin', ...long(), '-C', '-h']],
  ['-', [...long(), '--version', '-C', '-V', '-h']],
  ['config get agent.m', ['agent.max_failures', 'agent.max_wait_secs', 'agent.model']],
  ['config set on_', ['on_stuck', 'on_timeout']],
  ['config set on_stuck s', ['stop']],
  ['config set git.sign ', ['false', 'true']],
  ['config set max_iterations ', []],
  ['config set nothing ', []],
  ['step --agent co', ['codex', 'command', 'copilot']],
  ['step --agent=co', ['codex', 'command', 'copilot']],
  ['step --agent = co', ['codex', 'command', 'copilot']],
  ['edit --reporter =', ['github', 'none']],
  ['step --agent=codex --q', ['--quiet']],
  ['step --nothing=co', []],
  ['edit --reporter ', ['github', 'none']],
  ['edit --reporter ""', ['github', 'none']],
  ['edit "root" --from-file bro', [':files']],
  ['edit --from-file=bro', [':files']],
  ['retry root.', ['<node>']],
  ['retry --max-attempts 3 root.2', ['<node>']],
  ['retry --max-attempts ', []],
  ['retry root.1 ', []],
  ['log --node root.1', ['<node>']],
  ['explain TREE', ['<node>', 'TREE_INVALID']],
  ['-C bro', [':folders']],
  ['config list -C bro', [':folders']],
  ['completion ', ['bash', 'zsh']],
  ['completion bash ', []],
  ['join bro', [':folders']],
  ['join broken x bro', [':folders']],
];

function long(): readonly string[] {
  return ['--help', '--json', '--no-input', '--quiet', '--verbose'];
}

function offered(line: string, table: readonly CommandRow[] = planted): readonly string[] {
  const { offer, typed } = readLine(
    { table, common: commonOptions, groups: commandGroups },
    line.split(/ +/u),
  );
  const words = offer.words.map(({ word }) => word).filter((word) => word.startsWith(typed));
  if (offer.ids !== 'none') words.push(`<${offer.ids}>`);
  if (offer.paths !== 'none') words.push(`:${offer.paths}`);
  return words.toSorted();
}

describe('what is offered', () => {
  test.each(offers)('%j', (line, words) => {
    expect(offered(line)).toEqual(words.toSorted());
  });

  test('the flag in front of a value, and the folder of -C', () => {
    const commands = { table: planted, common: commonOptions, groups: {} };
    expect(readLine(commands, ['step', '--agent=co'])).toMatchObject({
      lead: '--agent=',
      typed: 'co',
      folder: '.',
    });
    expect(readLine(commands, ['-C', '"my dir"', 'retry', "'ro"])).toMatchObject({
      lead: '',
      typed: 'ro',
      folder: 'my dir',
    });
    expect(readLine(commands, [])).toMatchObject({ typed: '' });
  });

  test('every command and every flag of the program', () => {
    for (const row of commandTable) {
      const parts = row.name.split(' ');
      const above = parts
        .slice(0, -1)
        .map((part) => `${part} `)
        .join('');
      expect(offered(above, commandTable).includes(parts.at(-1) ?? ''), row.name).toBe(!('isHidden' in row));
      if ('isHidden' in row) continue;
      const flags = row.options.map((option) => /--[\w-]+/u.exec(option.flags)?.[0] ?? '');
      expect(offered(`${row.name} --`, commandTable), row.name).toEqual([...flags, ...long()].toSorted());
    }
  });
});

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
    { ...leaf, id: 'root.3', order: 2, title: 'Done', passes: true },
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

const shellLines: readonly (readonly [line: string, offered: readonly string[]])[] = [
  ['runner co', ['completion', 'config']],
  ['runner config ', ['get', 'list', 'set', 'unset']],
  ['runner --json config --quiet l', ['list']],
  ['runner config list --sh', ['--show-origin']],
  ['runner step --agent co', ['codex', 'command', 'copilot']],
  ['runner step --agent=co', ['codex', 'command', 'copilot']],
  ['runner step --agent codex --q', ['--quiet']],
  ['runner retry root.', ['root.1', 'root.2']],
  ['runner explain root.', ['root.1', 'root.2', 'root.3']],
  ['runner edit root', ['root', 'root.1', 'root.2']],
  ['runner retry --max-attempts ', []],
  ['runner retry root.1 ', []],
  ['runner explain TREE', ['TREE_INVALID']],
  ['runner -C bro', ['broken']],
  ['runner -C broken retry ', []],
  ['runner -C broken/none retry ', []],
  ['runner edit root --from-file bro', ['broken', 'broken.json']],
  ['runner edit root --from-file=bro', ['broken', 'broken.json']],
  ['runner edit $(>run-by-the-shell) --js', ['--json']],
  ['runner help st', ['start', 'status', 'step']],
  ['runner help ex', ['exit-codes', 'explain', 'export']],
  ['runner eval ', ['clean', 'compare', 'fleet', 'import', 'list', 'merge', 'report', 'run']],
  ['runner eval run ', ['fix-test', 'slugs']],
  ['runner eval run slugs fi', ['fix-test']],
  ['runner eval clean sl', ['slugs']],
  ['runner eval report ', ['latest', 'monday', 'tuesday']],
  ['runner eval report --case sl', ['slugs']],
  ['runner eval compare mon', ['monday']],
  ['runner eval compare monday tu', ['tuesday']],
  ['runner eval run --resume --batch tu', ['tuesday']],
  ['runner eval run --reporter ju', ['junit']],
  ['runner -C broken eval run fix', ['fix-failing-test']],
  ['runner config set on_stuck s', ['stop']],
  ['runner -C broken eval report ', []],
];

describe.each(['bash', 'zsh', 'fish'] as const)('%s', (shell) => {
  test.skipIf(!installed.has(shell))('offers commands, flags, values, ids and paths', async () => {
    const { p, cwd, env } = await evalSetting();
    const { out, err, code } = await p.run('completion', shell);
    expect({ err, code }).toEqual({ err: '', code: 0 });
    const lines = shellLines.map(([line]) => line);
    const found = await shells[shell]({ script: `${out}\n`, lines, cwd, env });
    expect(shellLines.map(([line], index) => [line, found[index]])).toEqual(shellLines);
    expect(existsSync(join(cwd, 'run-by-the-shell'))).toBe(false);
  });
});

// There is no PowerShell to try it in: only the form of the text is checked.
test('powershell gets a script that asks the program', async () => {
  const p = await bareProject();
  const { out } = await p.run('completion', 'powershell');
  expect(out).toMatch(/^Register-ArgumentCompleter -Native -CommandName runner -ScriptBlock \{$/m);
  expect(out).toContain("& $program 'complete' '--' @words $current");
  expect(out.split("'").length % 2).toBe(1);
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

  test('complete gives the runs that a person can go on with', async () => {
    const p = await project();
    for (const words of [['finish'], ['abandon'], ['run', 'show'], ['log', '--run']]) {
      const { out } = await p.run('complete', '--', ...words, 'te');
      expect(out, words.join(' ')).toBe('test\tMake it work.');
    }
    expect((await p.run('complete', '--', 'finish', 'x')).out).toBe('');
  });

  test('complete gives ids with clean words, and is silent where there is nothing to read', async () => {
    const { p } = await evalSetting();
    const complete = async (...words: readonly string[]) => p.run('complete', '--', ...words);
    expect((await complete('retry', '')).out).toBe("root.1\tIt's $(one): red\nroot.2\tTwo");
    expect((await complete('log', '--node=root.2')).out).toBe('--node=root.2\tTwo');
    expect((await complete('eval', 'run', '')).out).toBe('fix-test\tIt’s $(one)\nslugs\t');
    expect((await complete('eval', 'report', '')).out).toMatch(/^latest\ttuesday\nmonday\t.*\ntuesday\t/);
    const home = await p.runWith({ HOME: p.dir }, 'complete', '--', '-C', '~', 'retry', 'root.2');
    expect(home.out).toBe('root.2\tTwo');
    expect((await complete('-C', '')).out).toBe(':folders');
    for (const words of [['retry'], ['eval', 'run'], ['eval', 'report']]) {
      for (const folder of ['.', 'broken', 'nowhere'])
        expect(await complete('-C', folder, ...words, 'zz')).toMatchObject({ code: 0, out: '', err: '' });
    }
  });
});
