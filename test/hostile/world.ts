/**
 * The world an attack runs in: a repository with history, refs and stashes of a person, a home, a folder nobody may touch, and a started
 * run. Each kind is built once and copied for every attack; nothing of the machine but PATH leaks in.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import type { World } from './case.ts';
import { agentWords, tools } from './words.ts';

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  readonly isLate: boolean;
  readonly seconds: number;
}

export interface RunRequest {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limitSecs: number;
}

/** Runs to its end, or is killed when its time is up; what it left behind does not hold us. */
export async function runProgram({ program, args, cwd, env, limitSecs }: RunRequest): Promise<Ran> {
  const startedMs = performance.now();
  const child = execa(program, args, {
    cwd,
    env,
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
    timeout: limitSecs * 1000,
    killSignal: 'SIGKILL',
  });
  let drain: NodeJS.Timeout | null = null;
  child.once('exit', () => {
    drain = setTimeout(() => [child.stdout, child.stderr].forEach((stream) => stream.destroy()), 1000);
  });
  const { exitCode, stdout, stderr, timedOut } = await child;
  clearTimeout(drain ?? undefined);
  const seconds = (performance.now() - startedMs) / 1000;
  return { code: exitCode ?? null, out: stdout, err: stderr, isLate: timedOut, seconds };
}

const root = process.env['RUNNER_HOSTILE_ROOT'] ?? fileURLToPath(new URL('../../', import.meta.url));
/** The product, and the build whose protections can be switched off. */
export const programs = {
  product: join(root, 'bin', 'runner.js'),
  test: join(root, '.cache', 'test-dist', 'bin', 'runner.js'),
};
const justFolder = join(root, 'node_modules', 'rust-just-linux-x64', 'bin');

const usualFiles: Readonly<Record<string, string>> = {
  'check.sh': 'set -e\nfor t in tests/*.sh; do sh "$t"; done\ngrep -qx good app.txt\n',
  'tests/base.sh': 'test -f app.txt\n',
  'app.txt': 'good\n',
  'other.txt': 'old\n',
  'Data.txt': 'upper\n',
  'tool.sh': 'echo tool\n',
  'notes.txt': 'notes\n',
  '.gitignore': 'out/\nnode_modules/\n.env\n.venv/\n',
};

/** Refs and stash entries of a person, each with a commit of its own. */
const personsRefs = `
made() { git commit-tree -p HEAD -m "$1" "HEAD^{tree}"; }
git branch other "$(made other)"
git branch runner/another "$(made another)"
git tag light "$(made light)"
git tag -a -m heavy heavy "$(made heavy)"
git notes add -m "a note" HEAD
git update-ref refs/custom/thing "$(made custom)"
git update-ref refs/remotes/origin/main "$(made remote)"
git update-ref refs/runner/rescue/old/1 "$(made rescued)"
git update-ref refs/runner/archive/old "$(made archived)"
notes="$(git ls-files | grep notes.txt)"
for n in 1 2 3; do echo "stash $n" >> "$notes"; git stash push -q -m "stash $n"; done
`;

const leaf = (id: string, order: number): object => ({
  ...{ id, order, title: `task ${id}`, goal: `do ${id}`, acceptance: [], passes: false, attempts: 0 },
  ...{ max_attempts: 9, children: [] },
});
const tree = {
  ...leaf('root', 0),
  children: ['a', 'b', 'c', 'd', 'e'].map((id, order) => leaf(id, order)),
};

export type Place = ReturnType<typeof openPlace>;

/** Hands on a world that is there. */
export function openPlace(base: string, world: World) {
  const home = join(base, 'home');
  const top = join(base, 'repo');
  const dir = join(top, world.prefix ?? '');
  const own = (world.path ?? []).map((folder) => folder.replace('@', base));
  const env = {
    PATH: [...own, join(base, 'bin'), justFolder, process.env['PATH'] ?? ''].join(':'),
    HOME: home,
    TMPDIR: join(base, 'tmp'),
    GIT_CONFIG_NOSYSTEM: '1',
    LANG: 'C.UTF-8',
  };
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), text);
  };
  const shell = (words: string, cwd = top): Promise<Ran> =>
    runProgram({ program: 'sh', args: ['-c', words], cwd, env, limitSecs: 60 });
  const playAgent = (words: string): void => {
    const places = `PROJECT_TOP='${top}'; PROJECT_DIR='${dir}'\n`;
    put('home/agent.sh', `${agentWords}${places}${words}\n`);
  };
  const step = (request: StepRequest): Promise<Ran> =>
    runProgram({
      program: process.execPath,
      args: [request.program, 'step'],
      cwd: dir,
      env: { ...env, ...request.env },
      limitSecs: request.limitSecs,
    });
  return { base, home, top, dir, env, world, put, shell, playAgent, step };
}

export interface StepRequest {
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limitSecs: number;
}

async function must(ran: Promise<Ran>, what: string): Promise<void> {
  const { code, out, err } = await ran;
  if (code !== 0) throw new Error(`the world could not be made (${what}): ${code}\n${out}\n${err}`);
}

function copyFolder(from: string, to: string): void {
  cpSync(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
}

async function build(base: string, world: World): Promise<void> {
  const place = openPlace(base, world);
  const prefix = world.prefix ?? '';
  for (const folder of ['home', 'tmp', 'bin', 'marks', 'outside', `repo/${prefix}`])
    mkdirSync(join(base, folder), { recursive: true });

  place.put('home/.gitconfig', '[user]\n\tname = Test Person\n\temail = person@test.invalid\n');
  place.put('outside/file.txt', 'not yours\n');
  place.put('outside/folder/deep.txt', 'not yours either\n');
  for (const [name, text] of Object.entries(tools)) {
    place.put(`tools/${name}`, text);
    chmodSync(join(base, 'tools', name), 0o755);
  }
  place.put('bin/runner', `#!/bin/sh\nexec "${process.execPath}" "${programs.product}" "$@"\n`);
  chmodSync(join(base, 'bin/runner'), 0o755);
  await must(place.shell('git init -q -b main'), 'init');
  for (const [path, text] of Object.entries({ ...usualFiles, ...world.files }))
    place.put(`repo/${prefix}${path}`, text);

  await must(place.shell('git add -A && git commit -q -m first'), 'first commit');
  await must(place.shell(world.prepare ?? ':'), 'prepare');
  await must(place.shell(personsRefs), 'refs');
  await must(place.shell('runner init', place.dir), 'runner init');
  for (const [path, text] of Object.entries(world.ignored ?? {})) {
    place.put(`repo/${prefix}${path}`, text);
    chmodSync(join(base, 'repo', prefix, path), 0o755);
  }
  place.put(`repo/${prefix}.runner/GOAL.md`, '---\nid: test\n---\n\n# Goal\n\nMake it work.\n');
  place.put(`repo/${prefix}.runner/state/tree.json`, `${JSON.stringify(tree, null, 2)}\n`);
  place.put(`repo/${prefix}.runner/state/config.toml`, renderConfig(world));
  await must(place.shell('git add -A && git commit -q -m "prepare the run"'), 'commit');
  await must(place.shell('runner start', place.dir), 'runner start');
  await must(place.shell(world.started ?? ':'), 'started');
  mkdirSync(join(base, 'first'));
  for (const name of readdirSync(place.top).filter((entry) => entry !== '.git'))
    copyFolder(join(place.top, name), join(base, 'first', name));

  rmSync(join(base, 'first', prefix, '.runner'), { recursive: true });
  copyFolder(place.home, join(base, 'home-before'));
  cpSync(join(place.top, '.git/config'), join(base, 'config-before'));
}

function renderConfig(world: World): string {
  const command = JSON.stringify(world.guard ?? ['sh', 'check.sh']);
  return `iteration_timeout_secs = 20
${world.config ?? ''}
[agent]
name = "command"
command = ['sh', '-c', 'exec sh "$HOME/agent.sh"']

[guard]
command = ${command}
${world.guardLines ?? ''}
[automation]
setup = ${JSON.stringify(world.setup ?? [])}

[sandbox]
kind = "none"
`;
}

/** Copies of worlds, below one temporary folder that goes with `remove`. */
export function worldStore() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'runner-hostile-')));
  const made = new Map<string, Promise<string>>();
  let count = 0;
  const template = (world: World): Promise<string> => {
    const key = JSON.stringify(world);
    const found = made.get(key);
    if (found !== undefined) return found;

    const base = join(folder, `world-${made.size}`);
    const built = build(base, world).then(() => base);
    made.set(key, built);
    return built;
  };
  return {
    folder,
    copy: async (world: World): Promise<Place> => {
      const from = await template(world);
      count += 1;
      const base = join(folder, `copy-${count}`);
      copyFolder(from, base);
      return openPlace(base, world);
    },
    remove: (): void => removeFolder(folder),
  };
}

/** By the system's program: Node cannot remove folders deeper than a path may be long. A process of an attack may still write there. */
export function removeFolder(folder: string): void {
  if (process.env['RUNNER_KEEP'] === undefined) spawnSync('rm', ['-rf', folder], { stdio: 'ignore' });
}

/** Regular files below a folder, no links followed, `skip` names left out. */
export function listFiles(folder: string, skip: readonly string[] = []): readonly string[] {
  if (!existsSync(folder) || !lstatSync(folder).isDirectory()) return [];

  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (skip.includes(entry.name) || path.length > 3000) return [];

    return entry.isDirectory() ? listFiles(path, skip) : entry.isFile() ? [path] : [];
  });
}
