/**
 * Remembers what steers git before a session and keeps it in force (§14): before every call of git it looks whether something changed,
 * puts it back, and hands out the pinned settings. The copies are in memory, and on disk for the time after a crash.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { RefTip } from '../../../ports/git.ts';
import { placeName } from '../../files/state-home.ts';
import { isOff } from '../../files/test-switch.ts';
import { mayBeAlive } from '../../processes/process-table.ts';
import { loadSettings, savePins } from './pins.ts';
import type { Pins, Settings } from './pins.ts';
import { stampPaths, withAccepted } from './kept.ts';
import { copyOwn, copyShared } from './places.ts';
import { gitFolderId, restoreSteering } from './put-back.ts';
import type { GitPlace } from './put-back.ts';
import { openStore, pinned, plainGit, record, recordActive, watched } from './state.ts';
import type { Active, State, SteeringOptions, Where } from './state.ts';
import {
  commonDirOf,
  dropSession,
  dropShared,
  findSession,
  findStores,
  hasOthers,
  hasReaching,
  hasReachingSessions,
  loadShared,
  saveShared,
  storeFolder,
  withStoreLock,
} from './store.ts';

export interface Steering {
  /** Contract: before the first call of git in a process: what an open or dead session changed is put back. */
  begin(): Promise<void>;
  /** Contract: from here on what steers git stays as it is now; after a crash it is put back. */
  remember(where: Omit<GitPlace, 'gitFolder'>): Promise<void>;
  /** Contract: until the next `remember` what changes is a person's, unless a session of another run can write there. */
  wallOff(): Promise<void>;
  /** Contract: refs before a session, also for the time after a crash. */
  keepRefs(refs: readonly RefTip[]): Promise<void>;
  refsBefore(): readonly RefTip[] | null;
  /** Contract: everything is as remembered; what was there instead is kept under this name. */
  restore(place: string): Promise<void>;
  /** Contract: what was done since the last call, one note each. */
  takeNotes(): readonly string[];
  /** Contract: whether a session of a process that died was found. */
  isLeft(): boolean;
  /** Contract: whether the remembered settings name author and committer. */
  hasIdentity(): boolean;
  /** Contract: told with the next notes. */
  note(notes: readonly string[]): void;
  /** Contract: when the session began; null: not known. */
  sinceMs(): number | null;
  /** Contract: put back for the last time; what a person changes from now on stays. */
  forget(): Promise<readonly string[]>;
  /** Contract: what the next call of git must use; null: nothing is remembered. */
  pins(): Promise<Pins | null>;
}

export function steering(options: SteeringOptions): Steering {
  const state: State = {
    options,
    active: null,
    stamp: '',
    isBusy: false,
    notes: [],
    refs: null,
    lostRefs: null,
    known: null,
    sinceMs: null,
    isWalledOff: false,
    tempFolder: null,
  };
  return {
    begin: () => (isOff('settings') ? Promise.resolve() : begin(state)),
    remember: (where) => (isOff('settings') ? Promise.resolve() : remember(state, where)),
    wallOff: async () => {
      state.isWalledOff = true;
      await recordActive(state);
    },
    keepRefs: async (refs) => {
      state.refs = refs;
      await recordActive(state);
    },
    refsBefore: () => state.lostRefs,
    restore: async (place) => {
      if (state.active !== null) state.active = await restore(state, state.active, place);
    },
    takeNotes: () => takeNotes(state),
    isLeft: () => state.active !== null && state.active.settings === null,
    hasIdentity: () => Object.keys(state.active?.settings?.identity ?? {}).length === 4,
    note: (notes) => void state.notes.push(...notes),
    sinceMs: () => state.sinceMs,
    forget: () => forget(state),
    pins: async () => {
      const { active, isBusy, stamp } = state;
      if (active !== null && !isBusy && stamp !== stampPaths(watched(active)))
        state.active = await restore(state, active, 'calls');
      return pinned(state.active);
    },
  };
}

/** A session of a dead process in this work tree, or open ones of other work trees. */
async function begin(state: State): Promise<void> {
  const { env, projectDir } = state.options;
  const found = findSession(env, projectDir);
  if (found !== null && (await mayBeAlive(found.session))) return;

  if (found !== null) {
    const { folder, session } = found;
    state.lostRefs = session.refs;
    state.sinceMs = session.sinceMs;
    state.isWalledOff = session.isWalledOff === true;
    const shared = loadShared(folder) ?? new Map<string, never>();
    const left = { where: session, shared, own: session.own, settings: null, folder };
    state.active = await restore(state, left, 'recovery');
    return;
  }
  for (const folder of findStores(env, projectDir)) {
    const shared = hasReachingSessions(folder) ? loadShared(folder) : null;
    const commonDir = shared === null ? null : commonDirOf(shared);
    if (shared !== null && commonDir !== null) {
      const where = { top: projectDir, gitDir: commonDir, commonDir, gitFolder: null };
      await restore(state, { where, shared, own: new Map(), settings: null, folder }, 'other-run');
    }
    // Put back once after a crash elsewhere: what a person changes from then on stays.
    if (!(await hasOthers(folder, projectDir))) dropShared(folder);
  }
}

async function remember(state: State, place: Where): Promise<void> {
  if (state.active !== null) state.active = await restore(state, state.active, 'between');
  state.isWalledOff = false;
  const where = { ...place, gitFolder: gitFolderId(place.top) };
  const folder = await openStore(state, where.commonDir);
  await (folder === null
    ? take(state, where, null)
    : withStoreLock(folder, () => take(state, where, folder)));
}

/** A copy of what is there now, or, while another run has a session open, the copy from before that. */
async function take(state: State, where: GitPlace, store: string | null): Promise<void> {
  const joined = store !== null && (await hasReaching(store, where.top)) ? loadShared(store) : null;
  const own = copyOwn(where);
  const folder = join(store ?? state.tempFolder ?? '', `pins-${placeName(where.top)}`);
  // Another run's session may have planted something before we join.
  if (joined !== null)
    state.active = await restore(state, { where, shared: joined, own, settings: null, folder }, 'other-run');

  const settings = await loadNow(state, where);
  const shared = joined ?? copyShared(where.commonDir, settings.sources);
  const active = await restore(state, { where, shared, own, settings, folder }, 'between');
  // In recovery the work is still that of the session that died.
  if (state.lostRefs === null) state.sinceMs = Date.now();
  state.active = active;
  if (store === null) return;

  if (joined === null) await saveShared(store, shared);
  await record(state, store, active);
}

async function loadNow(state: State, where: Where): Promise<Settings> {
  const { env } = state.options;
  const local = [join(where.commonDir, 'config'), join(where.gitDir, 'config.worktree')];
  const stampOf = ({ sources }: Settings): string => stampPaths([...sources, ...local]);
  if (state.known !== null && state.known.stamp === stampOf(state.known.settings))
    return state.known.settings;

  const settings = await loadSettings(plainGit(state, where, null), { top: where.top, env });
  state.known = { stamp: stampOf(settings), settings };
  return settings;
}

async function forget(state: State): Promise<readonly string[]> {
  if (state.active === null) return takeNotes(state);

  const { where, folder: pinsFolder, settings } = await restore(state, state.active, 'end');
  state.active = null;
  const folder = await openStore(state, where.commonDir);
  if (folder !== null) {
    await withStoreLock(folder, async () => {
      dropSession(folder, where.top);
      if (!(await hasOthers(folder, where.top))) dropShared(folder);
    });
  }
  if (settings !== null) rmSync(pinsFolder, { recursive: true, force: true });
  return takeNotes(state);
}

async function restore(state: State, now: Active, place: string): Promise<Active> {
  const { env, limits } = state.options;
  const store = storeFolder(env, now.where.commonDir);
  if (state.isWalledOff && !(await hasReaching(store, now.where.top))) return accept(state, now);

  state.isBusy = true;
  try {
    if (now.settings !== null) await savePins(now.folder, now.settings);
    const { notes, accepted } = await restoreSteering({
      where: now.where,
      copies: [now.shared, now.own],
      place,
      tools: { env, limits },
      git: plainGit(state, now.where, pinned(now)),
    });
    state.notes.push(...notes);
    const updated = {
      ...now,
      shared: withAccepted(now.shared, accepted),
      own: withAccepted(now.own, accepted),
    };
    state.stamp = stampPaths(watched(updated));
    return updated;
  } finally {
    state.isBusy = false;
  }
}

/** What was changed is a person's. The pinned settings stay in force for our own calls. */
async function accept(state: State, now: Active): Promise<Active> {
  if (now.settings !== null) await savePins(now.folder, now.settings);
  const shared = copyShared(now.where.commonDir, now.settings?.sources ?? []);
  const updated = { ...now, shared, own: copyOwn(now.where) };
  state.stamp = stampPaths(watched(updated));
  return updated;
}

function takeNotes(state: State): readonly string[] {
  const { notes } = state;
  state.notes = [];
  return notes;
}
