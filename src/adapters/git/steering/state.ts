/** What the runner knows of the session whose settings it keeps, in memory and as a record on disk; and git as it runs beside that. */
import { join } from 'node:path';
import type { RefTip } from '../../../ports/git.ts';
import { makeTempFolder } from '../../files/temp-folder.ts';
import type { Env } from '../../../core/types.ts';
import type { GitLimits } from '../call-limit.ts';
import { gitClient } from '../client.ts';
import type { Git } from '../client.ts';
import type { Copy } from './kept.ts';
import { pinsOf } from './pins.ts';
import type { Pins, Settings } from './pins.ts';
import type { GitPlace } from './put-back.ts';
import { ensureStore, saveSession, storeFolder } from './store.ts';

export interface Active {
  readonly where: GitPlace;
  readonly shared: Copy;
  readonly own: Copy;
  /** Null: taken over from a process that died, or being joined; the user's own settings are in force then. */
  readonly settings: Settings | null;
  /** Private files: pinned settings. */
  readonly folder: string;
}

export interface SteeringOptions {
  readonly projectDir: string;
  readonly env: Env;
  readonly limits: GitLimits;
}

export type Where = Omit<GitPlace, 'gitFolder'>;

export interface State {
  readonly options: SteeringOptions;
  active: Active | null;
  /** Of everything that counts, as it was when it was last in order. */
  stamp: string;
  /** While it is put back, calls of git must not start that again. */
  isBusy: boolean;
  /** Not told yet. */
  notes: string[];
  /** Refs before the session, in this process. */
  refs: readonly RefTip[] | null;
  /** Refs before the session of a process that died. */
  lostRefs: readonly RefTip[] | null;
  known: { readonly stamp: string; readonly settings: Settings } | null;
  sinceMs: number | null;
  /** The session cannot write what is remembered. */
  isWalledOff: boolean;
  /** Instead of the state folder, when that cannot be written. */
  tempFolder: string | null;
}

export async function recordActive(state: State): Promise<void> {
  const { active } = state;
  if (active === null || active.settings === null) return;
  const folder = await openStore(state, active.where.commonDir);
  if (folder !== null) await record(state, folder, active);
}

export function pinned(active: Active | null): Pins | null {
  return active === null || active.settings === null ? null : pinsOf(active.folder, active.settings);
}

/** Without a look of its own at what steers it. */
export function plainGit({ options }: State, { top, gitDir }: Where, pins: Pins | null): Git {
  const { env, limits } = options;
  return gitClient({ cwd: top, gitDir, env, limits, pins: () => Promise.resolve(pins) });
}

/** Null: the state folder cannot be written, so there is no help after a crash. */
export async function openStore(state: State, commonDir: string): Promise<string | null> {
  const folder = storeFolder(state.options.env, commonDir);
  try {
    ensureStore(folder);
    return folder;
  } catch {
    if (state.tempFolder === null) {
      state.tempFolder = await makeTempFolder('runner-steering-');
      state.notes.push(`${folder} cannot be written: after a crash git's settings could not be put back`);
    }
    return null;
  }
}

export async function record(
  { refs, lostRefs, sinceMs, isWalledOff }: State,
  folder: string,
  { where, own }: Active,
): Promise<void> {
  await saveSession(folder, { ...where, own, refs: refs ?? lostRefs, sinceMs, isWalledOff });
}

/** The files and folders whose every change counts, and our private ones. */
export function* watched({ shared, own, settings, folder }: Active): Generator<string> {
  for (const copy of [shared, own]) for (const [path, { place }] of copy) if (place === 'whole') yield path;

  for (const name of settings?.files.keys() ?? []) yield join(folder, name);
}
