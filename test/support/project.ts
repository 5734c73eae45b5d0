/**
 * A throw-away project driven through the built `runner`, as a person would: real git, real files, real processes. The home folder is
 * empty and private, so nothing of the machine leaks in.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, inject, onTestFinished } from 'vitest';
import type { RunState, TreeNode } from '../../src/core/types.ts';
import { auditWhenOver } from './audited.ts';
import { runProgram } from './spawner.ts';

export const repositoryRoot = fileURLToPath(new URL('../..', import.meta.url));
export const entryFile = join(repositoryRoot, 'bin', 'runner.js');

export interface ScriptStep {
  readonly note?: string;
  readonly actions?: readonly unknown[];
  readonly answer?: unknown;
}

export interface ProjectOptions {
  /** Files of the first commit, by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Steps of the scripted agent. */
  readonly script?: readonly ScriptStep[];
  /** TOML laid under the default test config: top-level lines and sections. */
  readonly config?: string;
  /** Guard argv; default passes. */
  readonly guard?: readonly string[];
  /** `guard.checkout`. */
  readonly checkout?: string;
  /** Agent section; default is the scripted agent. */
  readonly agent?: string;
  readonly tree?: TreeNode;
  readonly goal?: string;
  /** Project folder inside the repository, `''` or ending in `/`. */
  readonly prefix?: string;
  /** Makes the repository in the empty folder where git runs; default is `git init`. */
  readonly make?: (made: Pick<Project, 'base' | 'top' | 'git' | 'put'>) => Promise<unknown>;
}

export interface Ran {
  readonly code: number | undefined;
  readonly signal: string | undefined;
  readonly out: string;
  readonly err: string;
}

export type Project = Awaited<ReturnType<typeof project>>;

/** Without the programs of this checkout, which npm puts first: it may be where no sandbox looks (`/tmp`). */
const machinePath = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((folder) => !folder.startsWith(join(repositoryRoot, 'node_modules')))
  .join(delimiter);

/** Environment of every process: the machine's PATH and nothing else of it. */
export function cleanEnv(home: string, extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    PATH: machinePath,
    HOME: home,
    TMPDIR: tmpdir(),
    GIT_CONFIG_NOSYSTEM: '1',
    LANG: 'C.UTF-8',
    ...extra,
  };
}

/** Made and removed with the test. `keep` by env RUNNER_KEEP=1 leaves the folder for a look. */
export function tempFolder(name: string): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `runner-${name}-`)));
  onTestFinished(() => {
    if (process.env['RUNNER_KEEP'] === undefined) rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

export function answer(status: string, summary = `${status} it`, children: unknown = null): unknown {
  return { status, summary, children };
}

export function child(title: string): unknown {
  return { title, goal: `${title} goal`, acceptance: [`${title} works`] };
}

export function write(path: string, content: string): unknown {
  return { write: { path, content } };
}

/** A repository with one commit on `main`; nothing of the runner yet. */
export async function bareProject(options: ProjectOptions = {}) {
  const made = openProject({ base: tempFolder('project'), prefix: options.prefix ?? '' });
  const { git, put } = made;
  auditWhenOver({ ...made, entry: entryFile });
  mkdirSync(made.home, { recursive: true });
  mkdirSync(made.top, { recursive: true });
  await (options.make?.(made) ?? git('init', '-q', '-b', 'main'));
  mkdirSync(made.dir, { recursive: true });
  await git('config', 'user.name', 'Test Person');
  await git('config', 'user.email', 'person@test.invalid');
  put('README.md', '# test\n');
  for (const [path, text] of Object.entries(options.files ?? {})) put(path, text);
  await git('add', '-A');
  await git('commit', '-q', '-m', 'first commit');
  return made;
}

/** What `step` and `loop` say before they look at anything; one test reads it (test/cli/step.test.ts), the others what follows. */
const firstLine = /^(?:step|loop): checking the run and the repository(?:\n|$)/;

/** What a run can use at most, which `start` and `loop` say; test/cli/plan.test.ts reads it. */
const planLine = /^plan: at most .*(?:\n|$)/m;

/** The hands on a project that is already there: `base` holds `repo` and `home`. */
export function openProject({ base, prefix }: { readonly base: string; readonly prefix: string }) {
  const home = join(base, 'home');
  const top = join(base, 'repo');
  const dir = join(top, prefix);
  const env = cleanEnv(home);
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  };
  const git = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await runProgram({ program: 'git', args, cwd: top, env });
    if (code !== 0) throw new Error(`git ${args.join(' ')} ended with ${code}: ${stderr}`);
    return stdout;
  };
  const start = (args: readonly string[], extra: Readonly<Record<string, string>> = {}) =>
    execa(process.execPath, [entryFile, ...args], {
      cwd: dir,
      env: { ...env, ...extra },
      extendEnv: false,
      reject: false,
      stdin: 'ignore',
      // A busy machine may need longer than execa's five seconds for a clean stop.
      forceKillAfterDelay: false,
    });
  const runWith = async (
    extra: Readonly<Record<string, string>>,
    ...args: readonly string[]
  ): Promise<Ran> => {
    const all = { ...env, ...extra };
    const ran = await runProgram({
      program: process.execPath,
      args: [entryFile, ...args],
      cwd: dir,
      env: all,
    });
    const { code, signal, stdout: out, stderr: err } = ran;
    return {
      code: code ?? undefined,
      signal: signal ?? undefined,
      out,
      err: err.replace(firstLine, '').replace(planLine, ''),
    };
  };
  const read = (path: string): string => readFileSync(join(dir, path), 'utf8');
  return {
    base,
    top,
    dir,
    home,
    env,
    put,
    read,
    git,
    start,
    runWith,
    run: (...args: readonly string[]) => runWith({}, ...args),
    commitAll: async (message = 'person commits') => {
      await git('add', '-A');
      await git('commit', '-q', '-m', message);
    },
    tree: () => JSON.parse(read('.runner/state/tree.json')) as TreeNode,
    runState: () => JSON.parse(read('.runner/state/run_state.json')) as RunState,
    log: (iter: number, name: string, run = 'test') => read(`.runner/iterations/${run}/${iter}/${name}`),
    meta: (iter: number, run = 'test') =>
      JSON.parse(read(`.runner/iterations/${run}/${iter}/meta.json`)) as Record<string, unknown>,
    subjects: async () => (await git('log', '--format=%s')).split('\n'),
    status: () => git('status', '--porcelain', '--untracked-files=all'),
  };
}

/** The same, initialised for run `test` with a scripted agent and committed; still on `main`. */
export async function unstartedProject(options: ProjectOptions = {}) {
  const made = await bareProject(options);
  // What `init` writes is the same everywhere but for the guard it proposes, and that is replaced here.
  cpSync(inject('initialised'), join(made.dir, '.runner'), { recursive: true });
  made.put('.runner/GOAL.md', `---\nid: test\n---\n\n${options.goal ?? '# Goal\n\nMake it work.\n'}`);
  const guard = options.guard ?? ['true'];
  const agent = options.agent ?? 'name = "scripted"\nscript = ".runner-script.json"';
  // The guard's clone has tests of its own; everywhere else it would only take time.
  const checkout = `checkout = "${options.checkout ?? 'off'}"\n`;
  const config = options.config ?? '';
  const given = config.includes('checkout =') ? config : config.replace('[guard]\n', `[guard]\n${checkout}`);
  const own = config.includes('[guard]') ? '' : `[guard]\ncommand = ${JSON.stringify(guard)}\n${checkout}`;
  // A sandbox has tests of its own; elsewhere it would depend on the machine.
  const sandbox = config.includes('[sandbox]') ? '' : '[sandbox]\nkind = "none"\n\n';
  made.put('.runner/state/config.toml', `${given}\n${sandbox}[agent]\n${agent}\n\n${own}`);
  made.put('.runner-script.json', renderScript(options.script ?? []));
  if (options.tree !== undefined)
    made.put('.runner/state/tree.json', `${JSON.stringify(options.tree, null, 2)}\n`);

  await made.commitAll('prepare the run');
  return made;
}

/** The same, started on branch `runner/test`. */
export async function project(options: ProjectOptions = {}) {
  const made = await unstartedProject(options);
  // The guard of a test is for its steps; how it runs before a run begins has tests of its own.
  const started = await made.run('start', '--no-baseline');
  expect(started, started.err).toMatchObject({ code: 0 });
  return made;
}

/** Every file of the last commit by its path, as git holds it; both as Latin-1, so that every byte is one character. */
export async function committedBytes({ top, env }: Project): Promise<Record<string, string>> {
  const run = async (args: readonly string[], input: string): Promise<string> => {
    const ran = await execa('git', args, { cwd: top, env, extendEnv: false, input, encoding: 'buffer' });
    return Buffer.from(ran.stdout).toString('latin1');
  };
  const rows = (await run(['ls-tree', '-r', '-z', 'HEAD'], '')).matchAll(/\d+ blob (\w+)\t([^\0]+)/g);
  const files = [...rows].map(([, id = '', name = '']) => ({ id, name }));
  const found = await run(['cat-file', '--batch'], files.map(({ id }) => `${id}\n`).join(''));
  let at = 0;
  const contents = files.map(({ name }) => {
    const start = found.indexOf('\n', at) + 1;
    const length = Number(found.slice(at, start).split(' ')[2]);
    at = start + length + 1;
    return [name, found.slice(start, start + length)];
  });
  return Object.fromEntries(contents) as Record<string, string>;
}

export async function expectSoundRepository(p: Project): Promise<void> {
  // A small threshold would make fsck take every .gitattributes for too large.
  expect(await p.git('-c', 'core.bigFileThreshold=1m', 'fsck', '--strict', '--no-dangling')).toBe('');
  expect(await p.status()).toBe('');
}

export function renderScript(steps: readonly ScriptStep[]): string {
  const full = steps.map((step) => ({ ...step, actions: step.actions ?? [] }));
  return `${JSON.stringify({ version: 1, steps: full }, null, 2)}\n`;
}
