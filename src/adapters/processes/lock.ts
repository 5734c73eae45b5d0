/**
 * One runner per work tree (§1 promise 7). The lock file is complete from the moment it exists, and it is taken over only when
 * its exact owner is gone; it never expires by time.
 */
import { createHash, randomBytes } from 'node:crypto';
import { link, lstat, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RunnerError } from '../../core/errors.ts';
import { renderHolderHint } from '../../core/runs/holder-hint.ts';
import { shellWord } from '../../core/text/shell-word.ts';
import type { LockState } from '../../ports/machine.ts';
import type { Clock, Lock, LockHolder } from '../../ports/sessions.ts';
import { diskError, errorCode } from '../files/disk-error.ts';
import { failpoint } from '../files/failpoint.ts';
import { ensureDir, listDir, moveAside, loadText } from '../files/files.ts';
import { mayBeAlive, processOrigin, processTable } from './process-table.ts';
import { stageName } from '../files/stage.ts';
import type { NotedProcess } from './process-table.ts';

const lockBytesMax = 64 * 1024;
/** How long another process may take to finish a takeover before it is named as the owner. */
const takeoverWaitMs = 10_000;
const retryMs = 20;
const claimInfix = '.claim-';

interface Owner extends NotedProcess {
  readonly command: string;
  readonly started_at: string;
  /** Makes every lock's bytes unique. */
  readonly token: string;
}

export interface WorkTreeLock {
  readonly file: string;
  /** Trusted folder above the file: the git folder. */
  readonly root: string;
  /** Where an unreadable lock is moved to. */
  readonly quarantineDir: string;
  readonly clock: Clock;
  /** Gets a note of what was found and moved. */
  readonly onNote: (message: string) => void;
}

/** What a path holds: nothing, a lock with its owner, or something that no runner wrote. */
type Found =
  | { readonly kind: 'free' }
  | { readonly kind: 'owned'; readonly key: string; readonly owner: Owner }
  | { readonly kind: 'garbage'; readonly key: string; readonly message: string };

export function workTreeLock(place: WorkTreeLock): Lock {
  let held: Owner | null = null;
  const takeFor = async (owner: Owner): Promise<void> => {
    await ensureDir(dirname(place.file), place);
    try {
      await take(place, owner);
    } catch (cause) {
      throw diskError({ action: 'take the lock', path: place.file, cause });
    }
  };
  return {
    holder: () => holderOf(place.file),
    acquire: async (command) => {
      const owner: Owner = {
        pid: process.pid,
        start: (await processTable().processStart(process.pid)) ?? '',
        origin: processOrigin(),
        command,
        started_at: place.clock.nowIso(),
        token: randomBytes(16).toString('hex'),
      };
      await takeFor(owner);
      held = owner;
      return async () => {
        held = null;
        await release(place, owner);
      };
    },
    keep: async () => {
      const found = held === null ? null : await loadLock(place.file);
      if (held === null || (found?.kind === 'owned' && found.owner.token === held.token)) return [];

      await takeFor(held);
      return ['the lock of this runner was gone and was put back'];
    },
    check: async () => {
      const found = await loadLock(place.file);
      if (found.kind === 'owned' && (await mayBeAlive(found.owner))) throw locked(place, found.owner);
    },
  };
}

export async function holderOf(file: string): Promise<LockHolder | null> {
  const found = await loadLock(file);
  if (found.kind !== 'owned' || !(await mayBeAlive(found.owner))) return null;

  const { pid, command, started_at, origin } = found.owner;
  return { pid, command, started_at, is_here: origin === processOrigin() };
}

/** The state of the lock, for people; takes and changes nothing. */
export async function loadLockState(file: string): Promise<LockState> {
  const found = await loadLock(file);
  if (found.kind === 'free') return found;

  if (found.kind === 'garbage')
    return { kind: 'foreign', message: `no runner wrote it: ${found.message}`, file };

  const { pid, started_at, command } = found.owner;
  const owner = `pid ${pid}, started ${started_at}, command: ${command}`;
  return { kind: (await mayBeAlive(found.owner)) ? 'alive' : 'dead', owner };
}

async function take(place: WorkTreeLock, owner: Owner): Promise<void> {
  const untilMs = place.clock.monotonicMs() + takeoverWaitMs;
  failpoint('link:before:lock');
  while (!(await linkOwner(place.file, owner))) {
    const found = await loadLock(place.file);
    if (found.kind === 'owned' && (await mayBeAlive(found.owner))) throw locked(place, found.owner);

    const rival = found.kind === 'free' ? null : await takeOver({ place, owner, stale: found });
    if (rival !== null) {
      if (place.clock.monotonicMs() > untilMs) throw locked(place, rival);

      await sleep(retryMs);
    }
  }
  failpoint('link:after:lock');
  await sweepClaims(place.file);
}

/**
 * Only the one live process that holds the claim on exactly these bytes may move them away, so a slow taker can never
 * move a lock that was taken meanwhile. A dead claimant's claim is claimed in turn. Returns the live rival, if any.
 */
async function takeOver(request: {
  readonly place: WorkTreeLock;
  readonly owner: Owner;
  readonly stale: Exclude<Found, { readonly kind: 'free' }>;
}): Promise<Owner | null> {
  const { place, owner, stale } = request;
  for (let key = stale.key; ;) {
    const claim = `${place.file}${claimInfix}${key}`;
    if (await linkOwner(claim, owner)) break;

    const found = await loadLock(claim);
    if (found.kind === 'owned' && (await mayBeAlive(found.owner))) return found.owner;

    if (found.kind === 'free') return null;

    ({ key } = found);
  }
  failpoint('rename:before:lock');
  // A claim can also be won after the takeover is over and its claims are swept; then the file holds other bytes.
  const now = await loadLock(place.file);
  if (now.kind !== 'free' && now.key === stale.key) await moveStale(place, stale);

  failpoint('rename:after:lock');
  return null;
}

/** A claim names the stale lock's exact bytes, so it is void once the lock is taken. */
async function sweepClaims(file: string): Promise<void> {
  const folder = dirname(file);
  for (const entry of await listDir(folder)) {
    if (entry.name.startsWith(`${basename(file)}${claimInfix}`))
      await rm(join(folder, entry.name), { force: true, recursive: true });
  }
}

async function moveStale(
  place: WorkTreeLock,
  stale: Exclude<Found, { readonly kind: 'free' }>,
): Promise<void> {
  if (stale.kind === 'owned') {
    const aside = join(dirname(place.file), stageName());
    await rename(place.file, aside);
    await rm(aside);
    place.onNote(
      `took over the lock of a runner that is gone (pid ${stale.owner.pid}, ${stale.owner.command})`,
    );
    return;
  }
  // A runner's lock is complete by construction, so no runner wrote this one; it is kept in case a person did.
  const to = await moveAside({ from: place.file, toDir: place.quarantineDir, root: place.root });
  place.onNote(`moved a lock that no runner wrote to ${String(to)}: ${stale.message}`);
}

/** Puts a complete file at the path; false when the path exists. */
async function linkOwner(path: string, owner: Owner): Promise<boolean> {
  for (;;) {
    const stage = join(dirname(path), stageName());
    await writeFile(stage, `${JSON.stringify(owner, null, 2)}\n`, { flag: 'wx', flush: true, mode: 0o644 });
    try {
      await link(stage, path);
      return true;
    } catch (error) {
      if (errorCode(error) === 'EEXIST') return false;

      // The owner of the lock sweeps stages; ours may have gone with them.
      if (errorCode(error) !== 'ENOENT') throw error;
    } finally {
      await rm(stage, { force: true });
    }
  }
}

async function loadLock(path: string): Promise<Found> {
  const source = await loadText(path, { bytesMax: lockBytesMax });
  if (source.kind === 'missing') return { kind: 'free' };

  if (source.kind === 'text') {
    const key = keyOf(source.text);
    const owner = parseOwner(source.text);
    return owner === null
      ? { kind: 'garbage', key, message: 'its text is not that of a lock' }
      : { kind: 'owned', key, owner };
  }
  const stats = await lstat(path, { bigint: true }).catch(() => null);
  if (stats === null) return { kind: 'free' };

  const message = source.kind === 'too_large' ? 'it is too large for a lock' : source.message;
  return { kind: 'garbage', key: keyOf(`${stats.dev} ${stats.ino} ${stats.ctimeNs}`), message };
}

function keyOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

function parseOwner(text: string): Owner | null {
  try {
    const value = JSON.parse(text) as Partial<Record<keyof Owner, unknown>> | null;
    const texts = [value?.start, value?.origin, value?.command, value?.started_at, value?.token];
    const isOwner = Number.isSafeInteger(value?.pid) && texts.every((field) => typeof field === 'string');
    return isOwner ? (value as Owner) : null;
  } catch {
    // Not JSON: as little a lock as any other text.
    return null;
  }
}

function locked(place: WorkTreeLock, owner: Owner): RunnerError {
  const isHere = owner.origin === processOrigin();
  const where = isHere ? '' : ` on another host or container (${owner.origin})`;
  return new RunnerError({
    code: 'LOCKED',
    message: `another runner works here${where}: pid ${owner.pid}, started ${owner.started_at}, command: ${owner.command}`,
    hint: isHere ? renderHolderHint(owner, null) : `if it is gone: rm ${shellWord(place.file)}`,
  });
}

/** Removes only our own lock. Never throws: the lock of an ended process is taken over anyway. */
async function release(place: WorkTreeLock, owner: Owner): Promise<void> {
  try {
    const found = await loadLock(place.file);
    if (found.kind === 'owned' && found.owner.token === owner.token) {
      failpoint(`remove:before:${basename(place.file)}`);
      await rm(place.file);
      failpoint(`remove:after:${basename(place.file)}`);
    }
  } catch {
    // See above.
  }
}
