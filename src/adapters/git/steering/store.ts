/**
 * Copies of what steers git on disk, for the time after a crash and for other runs of the repository (§14): in the user's state folder,
 * out of reach of the work tree and the git folder. The copy of what all work trees share is taken once, while no session is open.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RunnerError } from '../../../core/errors.ts';
import type { Env } from '../../../core/types.ts';
import type { RefTip } from '../../../ports/git.ts';
import { systemClock } from '../../files/clock.ts';
import { saveFile } from '../../files/files.ts';
import { listNames } from '../../files/folders.ts';
import { lookAt, realPath } from '../../files/look-at.ts';
import { loadSmallFile } from '../../files/small-file.ts';
import { placeName, stateHome } from '../../files/state-home.ts';
import { workTreeLock } from '../../processes/lock.ts';
import { mayBeAlive, processOrigin, processTable } from '../../processes/process-table.ts';
import type { NotedProcess } from '../../processes/process-table.ts';
import type { Copy, Kept, Place } from './kept.ts';

/** One work tree with a run at work, or one that died. */
export interface OpenSession extends NotedProcess {
  readonly top: string;
  readonly gitDir: string;
  readonly commonDir: string;
  /** Device and number of the folder `.git`; null where it is a file. */
  readonly gitFolder: string | null;
  /** What belongs to this work tree alone. */
  readonly own: Copy;
  readonly refs: readonly RefTip[] | null;
  /** When the session began. */
  readonly sinceMs: number | null;
  /** It cannot write the git folder or HOME, so what changes there is a person's. One that the version before left does not say. */
  readonly isWalledOff?: boolean;
}

const jsonBytesMax = 512 * 1024 * 1024;
const lockWaitMs = 20_000;
const lockPollMs = 20;

function steeringHome(env: Env): string {
  return join(stateHome(env), 'steering');
}

/** `commonDir` is what names a repository. */
export function storeFolder(env: Env, commonDir: string): string {
  return join(steeringHome(env), placeName(commonDir));
}

export function ensureStore(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
}

/** Only one process at a time takes or drops copies of a repository. */
export async function withStoreLock<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const clock = systemClock();
  const lock = workTreeLock({
    file: join(folder, 'lock'),
    root: folder,
    quarantineDir: join(folder, 'quarantine'),
    clock,
    onNote: () => undefined,
  });
  const endMs = clock.monotonicMs() + lockWaitMs;
  for (;;) {
    const release = await lock.acquire('runner').catch((error: unknown) => {
      const isTaken = error instanceof RunnerError && error.code === 'LOCKED';
      if (!isTaken || clock.monotonicMs() > endMs) throw error;
      return null;
    });
    if (release !== null) {
      try {
        return await work();
      } finally {
        await release();
      }
    }

    await sleep(lockPollMs);
  }
}

function sessionFile(folder: string, top: string): string {
  return join(folder, `session-${placeName(top)}.json`);
}

const sharedFile = (folder: string): string => join(folder, 'shared.json');

export async function saveShared(folder: string, copy: Copy): Promise<void> {
  await saveFile(sharedFile(folder), JSON.stringify(encodeCopy(copy)), { root: folder });
}

export function loadShared(folder: string): Copy | null {
  const value = loadJson(sharedFile(folder));
  return value === null ? null : decodeCopy(value as Encoded);
}

export function dropShared(folder: string): void {
  rmSync(sharedFile(folder), { force: true });
}

/** What all work trees share begins with the git folder itself. */
export function commonDirOf(shared: Copy): string | null {
  const head = [...shared.keys()].find((path) => path.endsWith('/HEAD'));
  return head === undefined ? null : head.slice(0, -'/HEAD'.length);
}

/** Of this process. */
export async function saveSession(
  folder: string,
  session: Omit<OpenSession, 'pid' | 'start' | 'origin'>,
): Promise<void> {
  const { pid } = process;
  const start = (await processTable().processStart(pid)) ?? '';
  const owner = { pid, start, origin: processOrigin() };
  const text = JSON.stringify({ ...session, ...owner, own: encodeCopy(session.own) });
  await saveFile(sessionFile(folder, session.top), text, { root: folder });
}

function loadSession(folder: string, top: string): OpenSession | null {
  const value = loadJson(sessionFile(folder, top)) as
    | (Omit<OpenSession, 'own'> & { readonly own: Encoded })
    | null;
  return value === null ? null : { ...value, own: decodeCopy(value.own) };
}

export function dropSession(folder: string, top: string): void {
  rmSync(sessionFile(folder, top), { force: true });
}

/** Of living or dead processes, that could write the git folder. */
export function hasReachingSessions(folder: string): boolean {
  return listOthers(folder, '').some(({ isWalledOff }) => isWalledOff !== true);
}

/** Other work trees whose runner lives; a record of a work tree that is gone says nothing any more. */
export async function hasOthers(folder: string, top: string): Promise<boolean> {
  return hasAlive(listOthers(folder, top));
}

/** Those of them whose sessions can write the git folder. */
export async function hasReaching(folder: string, top: string): Promise<boolean> {
  return hasAlive(listOthers(folder, top).filter(({ isWalledOff }) => isWalledOff !== true));
}

async function hasAlive(sessions: readonly OpenSession[]): Promise<boolean> {
  const alive = await Promise.all(sessions.map(mayBeAlive));
  return alive.includes(true);
}

function listOthers(folder: string, top: string): readonly OpenSession[] {
  const own = sessionFile(folder, top);
  return listNames(folder)
    .filter((name) => name.startsWith('session-'))
    .map((name) => join(folder, name))
    .filter((file) => file !== own)
    .flatMap((file) => (loadJson(file) as OpenSession | null) ?? []);
}

/** The session of the work tree around a folder, found without git, which may not work there any more. */
export function findSession(env: Env, projectDir: string): { folder: string; session: OpenSession } | null {
  const home = steeringHome(env);
  const folders = listNames(home).map((name) => join(home, name));
  if (folders.length === 0) return null;

  for (const top of foldersUp(resolve(realPath(projectDir)))) {
    for (const folder of folders) {
      const session = loadSession(folder, top);
      if (session !== null) return { folder, session };
    }
  }
  return null;
}

/** The stores of the repository around a folder, as far as its `.git` says which that is. */
export function findStores(env: Env, projectDir: string): readonly string[] {
  for (const top of foldersUp(resolve(realPath(projectDir)))) {
    const path = join(top, '.git');
    const found = lookAt(path);
    if (found === null) continue;

    const named = found.isFile()
      ? /^gitdir: (.+?)\n*$/s.exec(loadSmallFile(path, 64 * 1024) ?? '')?.[1]
      : null;
    const gitDir = resolve(top, named ?? '.git');
    const common = loadSmallFile(join(gitDir, 'commondir'), 64 * 1024)?.trimEnd();
    // A main git folder has no such file; one that a session put there must not hide the store.
    const all = [gitDir, ...(common === undefined ? [] : [resolve(gitDir, common)])];
    return all
      .map((folder) => storeFolder(env, folder))
      .filter((folder) => lookAt(sharedFile(folder)) !== null);
  }
  return [];
}

function foldersUp(folder: string): readonly string[] {
  const up = dirname(folder);
  return up === folder ? [folder] : [folder, ...foldersUp(up)];
}

type Encoded = readonly (readonly [string, Place, Record<string, unknown>])[];

function encodeCopy(copy: Copy): Encoded {
  return [...copy].map(([path, { place, kept }]) => [
    path,
    place,
    kept.kind === 'file' ? { ...kept, bytes: kept.bytes?.toString('base64') ?? null } : kept,
  ]);
}

function decodeCopy(encoded: Encoded): Copy {
  return new Map(
    encoded.map(([path, place, value]) => {
      const bytes = value['bytes'];
      const kept = {
        ...value,
        ...(typeof bytes === 'string' ? { bytes: Buffer.from(bytes, 'base64') } : {}),
      };
      return [path, { place, kept: kept as Kept }] as const;
    }),
  );
}

/** Null: missing, or not whole. */
function loadJson(path: string): unknown {
  try {
    return JSON.parse(loadSmallFile(path, jsonBytesMax) ?? 'null') as unknown;
  } catch {
    return null;
  }
}
