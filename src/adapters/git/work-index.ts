/**
 * The private work index: everything outside `.runner/`, kept between iterations for its cache of file states. It never
 * carries hidden flags, is never the user's index, and is rebuilt whenever it is missing, broken or touched by others.
 */
import { readdirSync } from 'node:fs';
import { gitError } from './errors.ts';
import { commitIndexFile, copyIndex, dropPrivate, ensurePrivateDir } from './index-lock.ts';
import { writeTree } from './index-file.ts';
import type { WrittenTree } from './index-file.ts';
import { stampFile } from '../files/look-at.ts';
import { absorbNested, checkNested, hasNested, loadSubmodulePaths } from './nested.ts';
import { headCommit, headCommitQuick, workPath } from './repo.ts';
import type { Repo } from './repo.ts';
import { splitNul } from './status.ts';
import { loadCommitTree } from './tree.ts';
import { removeEntries, removeSpecialEntries, stage, stageArgs } from './stage.ts';
import { forgetWorkIndex, loadRecord, noteIndex, saveWorkRecord } from './work-record.ts';
import type { KnownIndex } from './work-record.ts';

/** Only we write it, under the runner's lock: a lock or a stage beside it is from a process of ours that died. */
function dropLeftovers(repo: Repo): void {
  [`${repo.files.index}.lock`, `${repo.files.index}.new`].forEach(dropPrivate);
}

function dropWorkIndex(repo: Repo): void {
  forgetWorkIndex(repo);
  dropPrivate(repo.files.index);
  dropLeftovers(repo);
}

/**
 * Null when it was not as we left it: it is gone then, flags and all. The record is for a process that has not seen the index yet: a
 * session can write both, so that they fit each other and not the files.
 */
function takeWorkIndex(repo: Repo): KnownIndex | null {
  const { index } = repo.memory;
  const record = index === null ? loadRecord(repo) : null;
  const known = record === null ? index : noteIndex(repo, record);
  if (known === null || known.stamp !== stampFile(repo.files.index)) {
    dropWorkIndex(repo);
    return null;
  }
  dropLeftovers(repo);
  return known;
}

/** After a session that this process did not see begin, nothing in the private folder is known to be ours. */
export function distrustWorkIndex(repo: Repo): void {
  if (repo.memory.index === null && repo.memory.look === null) {
    dropWorkIndex(repo);
  }
}

/** Makes it hold exactly this tree, which may be older than what is on disk. */
export async function holdWorkTree(repo: Repo, tree: string): Promise<void> {
  await endLook(repo);
  const known = takeWorkIndex(repo);
  if (known?.tree === tree) {
    return;
  }
  const held = known === null ? null : await writeTree(repo, repo.files.index).catch(() => null);
  if (held?.tree !== tree) {
    await resetWorkIndex(repo, tree);
  }
}

async function syncWorkIndex(repo: Repo, commit: string | null): Promise<KnownIndex> {
  await endLook(repo);
  await ensurePrivateDir(repo);
  const known = takeWorkIndex(repo);
  if (known !== null && known.commit === commit) {
    return known;
  }
  await resetWorkIndex(repo, await loadCommitTree(repo, commit));
  await dropStrayLinks(repo);
  return noteIndex(repo, { commit, tree: '' });
}

/** A whole index of a commit in a file of ours, ready to become the user's; unchanged files need not be read again. */
export async function makeIndexOf(repo: Repo, commit: string): Promise<string> {
  const index = commitIndexFile(repo);
  await syncWorkIndex(repo, commit);
  await copyIndex(repo.files.index, index);
  await repo.git(['read-tree', '--reset', commit], { index, writes: true });
  return index;
}

/** Entries that stay the same keep their cached file state. */
async function resetWorkIndex(repo: Repo, tree: string): Promise<void> {
  const index = repo.files.index;
  forgetWorkIndex(repo);
  try {
    await repo.git(['read-tree', '--reset', tree], { index, writes: true });
  } catch {
    dropWorkIndex(repo);
    await repo.git(['read-tree', '--reset', tree], { index, writes: true });
  }
}

/**
 * A repository committed as a bare link, without `.gitmodules`, hides its files from git for good once its `.git` is
 * moved aside; without the entry they are ordinary files again.
 */
async function dropStrayLinks(repo: Repo): Promise<void> {
  const index = repo.files.index;
  const { stdout } = await repo.git(['ls-files', '-z', '--stage'], { index });
  const links = splitNul(stdout)
    .filter((record) => record.subarray(0, 6).toString('latin1') === '160000')
    .map((record) => record.subarray(record.indexOf(0x09) + 1).toString('latin1'));
  const left = links.filter((path) => isPlainFolder(workPath(repo, path)));
  const submodules = left.length === 0 ? new Set<string>() : await loadSubmodulePaths(repo);
  await removeEntries(
    repo,
    left.filter((path) => !submodules.has(path)),
  );
}

function isPlainFolder(path: Buffer): boolean {
  try {
    const names = readdirSync(path);
    return names.length > 0 && !names.includes('.git');
  } catch {
    return false;
  }
}

/**
 * Stages while something else is done, for the next `loadWork` that may use it; nothing where the index is not as we left it. Never
 * throws: whoever looks next is told.
 */
export function beginLook(repo: Repo): void {
  const { index, look } = repo.memory;
  if (look !== null) {
    // Nobody used it, and a session has ended since.
    look.isLatest = false;
    return;
  }
  try {
    if (index !== null && index.stamp === stampFile(repo.files.index)) {
      dropLeftovers(repo);
      const stopping = new AbortController();
      const before = lookAhead(repo, index, stopping.signal);
      before.catch(() => undefined);
      repo.memory.look = { before, isLatest: true, stop: () => stopping.abort() };
    }
  } catch {
    // The private folder is not as it should be, which the usual look says in better words.
  }
}

async function lookAhead(repo: Repo, index: KnownIndex, signal: AbortSignal): Promise<KnownIndex | null> {
  const { isDone, obstacle } = await stage(repo, signal);
  return isDone && obstacle === null ? index : null;
}

/**
 * The index as it was before; null when the work has to be looked at. What came to nothing takes the index with it. An error of git is
 * thrown, for it would take as long to come again.
 */
async function useLook(repo: Repo): Promise<KnownIndex | null> {
  const { look } = repo.memory;
  if (look === null) {
    return null;
  }
  const before = await look.before.finally(() => {
    repo.memory.look = null;
  });
  if (before === null) {
    dropWorkIndex(repo);
    return null;
  }
  noteIndex(repo, { commit: before.commit, tree: '' });
  return look.isLatest ? before : null;
}

/** For who has no use for it. */
export async function endLook(repo: Repo): Promise<void> {
  await useLook(repo).catch(() => dropWorkIndex(repo));
}

/** Before others may come: nothing is at work any more. Never throws. */
export async function stopLook(repo: Repo): Promise<void> {
  repo.memory.look?.stop();
  await endLook(repo).catch(() => undefined);
}

export interface Work {
  /** Tree id of everything outside `.runner/` on disk. */
  readonly tree: string;
  /** What had to be put in order for it. */
  readonly notes: readonly string[];
}

export async function loadWorkTree(repo: Repo, iter: number | null): Promise<string> {
  return (await loadWork(repo, { iter })).tree;
}

export interface WorkLook {
  /** The iteration whose nested repositories may be absorbed; null: they are refused. */
  readonly iter: number | null;
  /** Done while git is at work; see `SettleRequest`. */
  readonly meanwhile?: (() => Promise<unknown>) | undefined;
  /** Nothing has changed since `beginLook`. */
  readonly isExpected?: boolean;
}

export async function loadWork(repo: Repo, { iter, meanwhile, isExpected }: WorkLook): Promise<Work> {
  const commit = await headCommitQuick(repo);
  const isBegun = isExpected === true && repo.memory.look !== null;
  const begun = isBegun ? await withOther(useLook(repo), meanwhile) : null;
  const notes: string[] = [];
  let before = begun?.commit === commit ? begun : null;
  for (let other = isBegun ? undefined : meanwhile; ; before = null, other = undefined) {
    if (before === null) {
      before = await syncWorkIndex(repo, commit);
      notes.push(...(await withOther(stageAll(repo, iter), other)));
    }
    const { tree, folders } = await treeOfWork(repo, before);
    // Within a process the stamp is enough; whoever comes later needs the hash, which takes its time.
    (repo.memory.isIndexRecorded ? noteIndex : saveWorkRecord)(repo, { commit, tree });
    // git looks past a `.git` among files that it tracks.
    if (!(await hasNested(repo, { folders, index: repo.files.index }))) {
      return { tree, notes };
    }
    notes.push(...(await absorb(repo, iter)));
  }
}

/** Waits for both, whatever becomes of either. The process comes first: what is done at once would keep it from being started. */
async function withOther<T>(process: Promise<T>, other: WorkLook['meanwhile']): Promise<T> {
  const done = other === undefined ? null : new Promise(setImmediate).then(other);
  done?.catch(() => undefined);
  try {
    return await process;
  } finally {
    await done;
  }
}

/** Looks at every file as if for the first time, so that all objects of the work are written again. */
export async function renewWorkTree(repo: Repo, iter: number | null): Promise<string> {
  await endLook(repo);
  dropWorkIndex(repo);
  return loadWorkTree(repo, iter);
}

async function treeOfWork(repo: Repo, before: KnownIndex): Promise<WrittenTree> {
  const { memory } = repo;
  const isSame = before.tree !== '' && before.stamp === stampFile(repo.files.index);
  if (!isSame || memory.work?.tree !== before.tree) {
    memory.work = await writeTree(repo, repo.files.index);
  }
  return memory.work;
}

/**
 * A nested repository made by the guard, or a pipe in a file's place, must not stop the run: put right, then once more. Returns
 * notes.
 */
async function stageAll(repo: Repo, iter: number | null): Promise<readonly string[]> {
  const first = await stage(repo);
  const notes: string[] = [];
  if (first.obstacle === 'nested') {
    notes.push(...(await absorb(repo, iter)));
  } else if (first.obstacle === 'special') {
    await removeSpecialEntries(repo);
  } else if (first.isDone) {
    return notes;
  }
  const second = await stage(repo);
  if (!second.isDone) {
    throw gitError({ args: stageArgs(repo), cwd: repo.top, stderr: second.stderr, reason: null });
  }
  return notes;
}

/** Before the first session of a process nested repositories are the user's own and not ours to move. Returns notes. */
async function absorb(repo: Repo, iter: number | null): Promise<readonly string[]> {
  await resetWorkIndex(repo, await loadCommitTree(repo, await headCommit(repo)));
  if (iter !== null) {
    return absorbNested(repo, { index: repo.files.index, iter });
  }
  await checkNested(repo, repo.files.index);
  return [];
}
