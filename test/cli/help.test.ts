/** `help`: commands and topics. What it lists is what the code and real sessions have. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { errorCodes } from '../../src/core/errors.ts';
import { configKeys } from '../../src/core/settings.js';
import { exitCodes } from '../../src/cli/exit-codes.ts';
import { run } from '../../src/cli/run.ts';
import { expectOutput } from '../support/output-schema.ts';
import type { Ran } from '../support/project.ts';
import { bareProject, project, repositoryRoot } from '../support/project.ts';
import { readRefusal } from '../support/refusals.ts';

/** In this process: it looks at no file and starts nothing. */
async function help(...args: readonly string[]): Promise<Ran> {
  const said = { out: '', err: '' };
  const streams = {
    out: (text: string) => (said.out += text),
    err: (text: string) => (said.err += text),
    columns: () => null,
    rows: () => null,
    onResize: () => () => {},
    outColumns: () => null,
    send: async () => true,
  };
  const code = await run(['help', ...args], { env: {}, streams, entryFile: '' });
  return { code, signal: undefined, out: said.out, err: said.err.trimEnd() };
}

interface Environment {
  readonly settings: readonly { readonly name: string }[];
  readonly read: readonly { readonly name: string }[];
  readonly session: readonly { readonly name: string; readonly guard: boolean }[];
}

async function json<T>(...args: readonly string[]): Promise<T> {
  const ran = await help(...args, '--json');
  expect(ran, ran.err).toMatchObject({ code: 0, err: '' });
  const value: unknown = JSON.parse(ran.out);
  expectOutput('help', value);
  return value as T;
}

test('of the program and of a command: as --help', async () => {
  const p = await bareProject();
  const whole = await p.run('--help');
  expect(await p.run('help')).toEqual(whole);
  expect(await p.run('help', 'step')).toEqual(await p.run('step', '--help'));
  expect(await json('step')).toMatchObject({
    topic: 'step',
    text: expect.stringMatching(/^Usage: runner step /),
  });
  expect(await json()).toMatchObject({ topic: null, text: expect.stringContaining('Commands:') });
});

test('exit-codes: every exit and every error', async () => {
  const value = await json<Record<string, readonly Record<string, unknown>[]>>('exit-codes');
  expect(value['exit_codes']?.map(({ exit }) => exit)).toEqual(Object.values(exitCodes));
  expect(value['error_codes']?.map(({ code }) => code).toSorted()).toEqual(errorCodes.toSorted());
  const { out } = await help('exit-codes');
  expect(out).toMatch(/^ {2}64 {3}wrong usage$/m);
  for (const code of errorCodes) expect(out).toMatch(new RegExp(`^  ${code} +\\d+ +\\S`, 'm'));
});

test('config: every key with default, bounds, variable and flag', async () => {
  const value = await json<{ readonly settings: readonly Record<string, unknown>[] }>('config');
  expect(value.settings.map(({ key }) => key)).toEqual(configKeys.map(({ key }) => key));
  expect(value.settings.find(({ key }) => key === 'agent.model')).toEqual({
    key: 'agent.model',
    default: null,
    allowed: 'text',
    variable: 'RUNNER_AGENT_MODEL',
    flag: '--model <name>',
    means: expect.stringContaining('Model'),
  });
  const { out } = await help('config');
  expect(out).toContain(
    '\nmax_iterations = 50\n  Iterations a run may use in total.\n  allowed: 1 to 1000000\n  variable: RUNNER_MAX_ITERATIONS, flag: --max-iterations <n>\n',
  );
  expect(out).toContain('\nagent.bin (not set)\n');
});

describe('environment', () => {
  test('what agent and guard really get is what is listed', async () => {
    const list = 'env | cut -d= -f1 | grep ^RUNNER_ | sort >';
    const p = await project({
      agent: `name = "command"\nmodel = "m"\neffort = "high"\ncommand = ["sh", "-c", '''${list} ../agent.txt; echo x > x.txt; printf '{"status":"done","summary":"s","children":null}' > "$RUNNER_OUTPUT"''']`,
      guard: ['sh', '-c', `${list} ../guard.txt`],
    });
    const slot = { RUNNER_SLOT: '0', RUNNER_PORT_BASE: '20000' };
    const step = await p.runWith({ RUNNER_MAX_ITERATIONS: '9', ...slot }, 'step');
    expect(step.out, step.err).toContain('guard=pass');
    const { session, settings } = await json<Environment>('environment');
    const names = (all: readonly { readonly name: string }[]): string =>
      all
        .map(({ name }) => `${name}\n`)
        .toSorted()
        .join('');
    expect(p.read('../agent.txt')).toBe(names(session));
    expect(p.read('../guard.txt')).toBe(names(session.filter(({ guard }) => guard)));
    expect(settings).toHaveLength(configKeys.length);
    const { out } = await help('environment');
    for (const { name } of [...session, ...settings]) expect(out).toContain(`  ${name} `);
  });

  test('every variable the code asks for by name is listed', async () => {
    const known = await json<Environment>('environment');
    const listed = new Set([...known.settings, ...known.read, ...known.session].map(({ name }) => name));
    // For tests, and for hooks that git starts; git itself documents where its settings are.
    const internal = new Set([
      ...['RUNNER_FAILPOINT', 'RUNNER_FAILPOINT_LOG', 'RUNNER_TEST_OFF'],
      ...['GIT_INDEX_FILE', 'GIT_CONFIG_GLOBAL', 'XDG_CONFIG_HOME'],
      // The sandbox sets it; its battery reads it inside.
      'CARGO_HOME',
    ]);
    const folder = join(repositoryRoot, 'src');
    const asked = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => [...readFileSync(join(folder, file), 'utf8').matchAll(/\benv\['([A-Z_]+)'\]/g)])
      .map((match) => match[1] ?? '');
    expect(asked).toContain('TERM');
    expect([...new Set(asked)].filter((name) => !listed.has(name) && !internal.has(name))).toEqual([]);
  });
});

test.each([
  ['enviroment', 'environment'],
  ['exit-code', 'exit-codes'],
  ['selct', 'select'],
])('unknown %s: did you mean %s', async (word, near) => {
  const ran = await help(word);
  expect(ran).toMatchObject({ code: 64, out: '' });
  expect(readRefusal(ran)).toMatchObject({
    code: 'USAGE',
    message: `there is no command or topic '${word}' (did you mean ${near}?)`,
    hint: `runner help ${near}`,
  });
});

test.each(['xyzzy', 'constructor', 'play-script'])('unknown %s', async (word) => {
  expect(readRefusal(await help(word))).toMatchObject({ code: 'USAGE', hint: 'runner --help' });
});

test('the bare program prints its help', async () => {
  const p = await bareProject();
  const [bare, asked] = [await p.run(), await p.run('--help')];
  expect(bare).toMatchObject({ code: 0, err: '' });
  expect(bare.out).toBe(asked.out);
  expect(bare.out).toContain('First steps:');
});
