/**
 * Hides cases, results and other trials from an agent where bubblewrap can: the runner of a trial gets its own view of files and
 * processes, in which those folders are empty. What cannot be hidden so is told, never guessed.
 */
import { realpath, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { gitClient } from '../../adapters/git/client.ts';
import { findProgram } from '../../adapters/processes/program-path.ts';
import { runProcess } from '../../adapters/processes/process.ts';
import { makeTempFolder } from '../../adapters/files/temp-folder.ts';
import type { Env } from '../../core/types.ts';
import type { Clock, Hasher, Interrupts } from '../../ports/sessions.ts';
import { isBelow } from './place.ts';
import type { EvalFolders } from './place.ts';

/** Puts a command of a trial into its view; null: nothing can be hidden here. */
export type Hide = ((trialDir: string, argv: readonly string[]) => readonly string[]) | null;

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

/** Tries it once with these very folders. */
export async function prepareHide(request: HideRequest): Promise<HideAnswer> {
  const { place, env, program } = request;
  const bwrap = await findProgram('bwrap', { cwd: place.root, pathEnv: env['PATH'] });
  if (bwrap === null) return { ok: false, why: 'the program bwrap was not found' };
  const folders = await secretFolders(request);
  const needed = [program.at(-1) ?? '', program[0] ?? '', env['HOME'] ?? '/'];
  const kept = folders.find((folder) => needed.some((path) => isBelow(path, folder)));
  if (kept !== undefined) return { ok: false, why: `${kept} also holds what trials need` };
  const hide: Exclude<Hide, null> = (trialDir, argv) => [
    // Its own helpers must outlive the signals that ask the runner to stop; the runner itself takes them again.
    ...['sh', '-c', 'trap "" HUP INT TERM; exec "$@"', 'sh', bwrap],
    ...['--dev-bind', '/', '/', '--unshare-pid', '--proc', '/proc'],
    ...[...folders, place.trialsDir].flatMap((folder) => ['--tmpfs', folder]),
    ...['--bind', trialDir, trialDir, '--'],
    ...argv,
  ];
  const isAble = await tryOut(request, hide);
  return isAble ? { ok: true, hide } : { ok: false, why: 'bwrap cannot make a view of its own here' };
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
  const real = await Promise.all(found.map((folder) => realpath(folder).catch(() => null)));
  const unique = [...new Set(real.filter((folder) => folder !== null))];
  // One inside another is hidden with it.
  return unique.filter((folder) => !unique.some((other) => other !== folder && isBelow(folder, other)));
}

async function tryOut(request: HideRequest, hide: Exclude<Hide, null>): Promise<boolean> {
  const folder = await makeTempFolder('runner-eval-hide-');
  try {
    const { exitCode } = await runProcess({
      argv: hide(folder, ['true']),
      cwd: folder,
      env: definedOf(request.env),
      stdinFile: null,
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
