/**
 * Hides cases, results and other trials from an agent where bubblewrap can: the runner of a trial gets its own view of files and
 * processes, in which those folders are empty. What cannot be hidden so is told, never guessed.
 */
import { mkdir, realpath, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { replaceFile } from '../../adapters/files/replace-file.ts';
import { gitClient } from '../../adapters/git/client.ts';
import { findProgram } from '../../adapters/processes/program-path.ts';
import { runProcess } from '../../adapters/processes/process.ts';
import { makeTempFolder } from '../../adapters/files/temp-folder.ts';
import type { Env } from '../../core/types.ts';
import { listPaths, planTemps, tempFolders, tempVariables } from '../cases/own-temps.ts';
import type { Temps } from '../cases/own-temps.ts';
import type { Clock, Hasher, Interrupts } from '../../ports/sessions.ts';
import { isBelow } from './place.ts';
import type { EvalFolders } from './place.ts';

export interface HiddenCall {
  readonly trialDir: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Words that may name files an agent needs. */
  readonly words: readonly string[];
  /** Agent or runner make a sandbox of their own in the view. */
  readonly bringsSandbox: boolean;
}

/** `options` are for standard input: no command line in the view names what it hides. */
export interface HiddenView {
  readonly argv: readonly string[];
  readonly options: string;
}

/** Puts a command of a trial into its view; null: nothing can be hidden here. */
export type Hide = ((call: HiddenCall) => Promise<HiddenView>) | null;

export interface HideRequest {
  readonly place: EvalFolders;
  /** The program that trials run. */
  readonly program: readonly string[];
  readonly env: Env;
  readonly clock: Clock;
  readonly hasher: Hasher;
  readonly interrupts: Interrupts;
}

export type HideAnswer =
  | { readonly ok: true; readonly hide: Exclude<Hide, null> }
  | { readonly ok: false; readonly why: string };

/** Its own helpers must outlive the signals that ask the runner to stop; the runner itself takes them again. */
const wrapper = 'trap "" HUP INT TERM; exec 3<&0 </dev/null; exec "$@"';

/** Tries it once with these very folders. */
export async function prepareHide(request: HideRequest): Promise<HideAnswer> {
  const { place, env, program } = request;
  const bwrap = await findProgram('bwrap', { cwd: place.root, pathEnv: env['PATH'] });
  if (bwrap === null) return { ok: false, why: 'the program bwrap was not found' };
  const folders = await secretFolders(request);
  const needed = [program.at(-1) ?? '', program[0] ?? '', env['HOME'] ?? '/'];
  const kept = folders.find((folder) => needed.some((path) => isBelow(path, folder)));
  if (kept !== undefined) return { ok: false, why: `${kept} also holds what trials need` };
  const hide: Exclude<Hide, null> = async (call) => ({
    argv: ['sh', '-c', wrapper, 'sh', bwrap, '--args', '3', '--', ...call.argv],
    options: (await optionsOf(call, { request, folders })).map((word) => `${word}\0`).join(''),
  });
  const isAble = await tryOut(request, hide);
  return isAble ? { ok: true, hide } : { ok: false, why: 'bwrap cannot make a view of its own here' };
}

async function optionsOf(
  call: HiddenCall,
  { request, folders }: { readonly request: HideRequest; readonly folders: readonly string[] },
): Promise<readonly string[]> {
  const { trialDir, bringsSandbox } = call;
  const { place, program } = request;
  const temps = await ownTemps(call, { program, folders });
  const sources = temps.emptied.map((_, index) => join(trialDir, 'tmp', String(index)));
  for (const source of sources) await mkdir(source, { recursive: true });
  const binds = [
    ...temps.emptied.map((path, index) => ({ path, source: sources[index] ?? path })),
    ...temps.kept.map((path) => ({ path, source: path })),
  ].toSorted((a, b) => a.path.length - b.path.length);
  const hidden = [...folders, place.trialsDir].filter((folder) => !temps.isGone(folder));
  return [
    // When the runner dies, so does everything in its view.
    ...['--dev-bind', '/', '/', '--unshare-pid', '--die-with-parent', '--proc', '/proc'],
    // Root, too, must not unmount what hides the folders. In a further namespace they are locked.
    ...['--unshare-user', '--cap-drop', 'ALL', ...(bringsSandbox ? nesting() : ['--disable-userns'])],
    ...binds.flatMap(({ path, source }) => ['--bind', source, path]),
    ...hidden.flatMap((folder) => ['--tmpfs', folder]),
    ...['--bind', trialDir, trialDir],
  ];
}

/** Without it root cannot map itself into a namespace. */
function nesting(): readonly string[] {
  return process.getuid?.() === 0 ? ['--cap-add', 'CAP_SETFCAP'] : [];
}

/** Repeats must not find what earlier ones left there. */
async function ownTemps(
  { env, words }: HiddenCall,
  { program, folders }: { readonly program: readonly string[]; readonly folders: readonly string[] },
): Promise<Temps> {
  const { own, others } = splitVariables(env);
  const entry = await realOf(program.at(-1) ?? '');
  const needed = await realPaths([
    ...program,
    dirname(dirname(entry ?? '/')),
    ...listPaths([...others, ...words]),
  ]);
  return planTemps({
    temps: await realPaths([...tempFolders, ...own]),
    needed: needed.filter((path) => !folders.some((folder) => isBelow(path, folder))),
  });
}

function splitVariables(env: HiddenCall['env']): {
  readonly own: readonly string[];
  readonly others: readonly string[];
} {
  const isTemp = ([name]: readonly [string, string]): boolean => tempVariables.includes(name);
  const all = Object.entries(env);
  const values = (entries: typeof all): readonly string[] => entries.map(([, value]) => value);
  return { own: values(all.filter(isTemp)), others: values(all.filter((entry) => !isTemp(entry))) };
}

async function realPaths(paths: readonly string[]): Promise<readonly string[]> {
  const real = await Promise.all([...new Set(paths)].filter((path) => path.startsWith('/')).map(realOf));
  return real.filter((path) => path !== null);
}

function realOf(path: string): Promise<string | null> {
  return realpath(path).catch(() => null);
}

/** Cases, everything below `eval/`, and the repositories that have them in their history. */
async function secretFolders({ place, env }: HideRequest): Promise<readonly string[]> {
  const found = [place.casesDir, dirname(place.resultsDir)];
  for (const folder of [place.casesDir, place.root]) {
    const git = gitClient({ cwd: folder, gitDir: null, env: definedOf(env) });
    const answer = await git
      .run(['rev-parse', '--path-format=absolute', '--git-common-dir'], { accept: [128] })
      .catch(() => null);
    const gitDir = answer?.code === 0 ? answer.stdout.toString('utf8').trim() : '';
    if (gitDir !== '') found.push(gitDir);
  }
  const unique = [...new Set(await realPaths(found))];
  // One inside another is hidden with it.
  return unique.filter((folder) => !unique.some((other) => other !== folder && isBelow(folder, other)));
}

async function tryOut(request: HideRequest, hide: Exclude<Hide, null>): Promise<boolean> {
  const folder = await makeTempFolder('runner-eval-hide-');
  const env = definedOf(request.env);
  try {
    const call = { trialDir: folder, argv: ['true'], env, words: [], bringsSandbox: false };
    const { argv, options } = await hide(call);
    const stdinFile = join(folder, 'view');
    await replaceFile(stdinFile, options, { root: folder });
    const { exitCode } = await runProcess({
      argv,
      cwd: folder,
      env,
      stdinFile,
      stdoutFile: `${folder}/out`,
      stderrFile: `${folder}/err`,
      deadlineMs: request.clock.monotonicMs() + 10_000,
      idleTimeoutMs: null,
      diskBytesMax: 1_000_000,
      cookie: request.hasher.cookie(),
      graceMs: 1000,
      clock: request.clock,
      interrupts: request.interrupts,
    });
    return exitCode === 0;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export function definedOf(env: Env): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );
}
