/**
 * The private work index: everything outside `.runner/`, kept between iterations for its cache of file states. It never
 * carries hidden flags, is never the user's index, and is rebuilt whenever it is missing, broken or touched by others.
 */
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { diskError } from './disk-error.ts';
import { failpoint } from './failpoint.ts';
import { gitError } from './git-errors.ts';
import { commitIndexFile, copyIndex, ensurePrivateDir, writeTree } from './git-index.ts';
import { lookAt } from './look-at.ts';
import { absorbNested, checkNested, loadSubmodulePaths, workPath } from './git-nested.ts';
import { headCommit, headCommitQuick } from './git-repo.ts';
import type { Repo } from './git-repo.ts';
import { splitNul } from './git-status.ts';
import { readSmallFile } from './small-file.ts';
import { loadCommitTree } from './git-tree.ts';

interface IndexRecord {
  /** The commit the entries started from; what is tracked depends on it, ignored or not. */
  readonly commit: string | null;
  readonly sha256: string;
  /** What `write-tree` said of these very bytes; empty when it was not asked. */
  readonly tree: string;
}

function recordFile(repo: Repo): string {
  return join(repo.files.root, 'index.commit');
}

function hashOf(file: string): string | null {
  try {
    return lookAt(file)?.isFile() === true
      ? createHash('sha256').update(readFileSync(file)).digest('hex')
      : null;
  } catch {
    return null;
  }
}

function loadRecord(repo: Repo): IndexRecord | null {
  const text = readSmallFile(recordFile(repo), 4096);
  const [commit = '', sha256 = '', tree = ''] = (text ?? '').split('\n');
  return text === null ? null : { commit: commit === 'none' ? null : commit, sha256, tree };
}

/** Says that the work index now stands for this commit. A torn record only costs building the index anew. */
export async function saveWorkRecord(
  repo: Repo,
  { commit, tree }: { readonly commit: string | null; readonly tree: string },
): Promise<void> {
  const sha256 = hashOf(repo.files.index) ?? '';
  failpoint('write:before:index.commit');
  await rm(recordFile(repo), { force: true });
  await writeFile(recordFile(repo), `${commit ?? 'none'}\n${sha256}\n${tree}\n`, { flag: 'wx' }).catch(
    (cause: unknown) => {
      throw diskError({ action: 'write', path: recordFile(repo), cause });
    },
  );
  failpoint('write:after:index.commit');
}

/** It is built anew at the next use. */
export async function forgetWorkIndex(repo: Repo): Promise<void> {
  await rm(recordFile(repo), { force: true });
}

/** Only we write it, under the runner's lock: a lock file beside it is from a process of ours that died. */
async function dropWorkIndex(repo: Repo): Promise<void> {
  await Promise.all(
    [recordFile(repo), repo.files.index, `${repo.files.index}.lock`].map((file) => rm(file, { force: true })),
  );
}

/** Null when it was not as we left it: it is gone then, flags and all. */
async function takeWorkIndex(repo: Repo): Promise<IndexRecord | null> {
  const record = loadRecord(repo);
  if (record === null || record.sha256 !== hashOf(repo.files.index)) {
    await dropWorkIndex(repo);
    return null;
  }
  await rm(`${repo.files.index}.lock`, { force: true });
  return record;
}

/** Makes it hold exactly this tree, which may be older than what is on disk. */
export async function holdWorkTree(repo: Repo, tree: string): Promise<void> {
  const record = await takeWorkIndex(repo);
  if (record?.tree === tree) {
    return;
  }
  const held = record === null ? null : await writeTree(repo, repo.files.index).catch(() => null);
  if (held !== tree) {
    await resetWorkIndex(repo, tree);
  }
}

async function syncWorkIndex(repo: Repo, commit: string | null): Promise<void> {
  await ensurePrivateDir(repo);
  const record = await takeWorkIndex(repo);
  if (record !== null && record.commit === commit) {
    return;
  }
  await resetWorkIndex(repo, await loadCommitTree(repo, commit));
  await dropStrayLinks(repo);
  await saveWorkRecord(repo, { commit, tree: '' });
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
  await forgetWorkIndex(repo);
  try {
    await repo.git(['read-tree', '--reset', tree], { index, writes: true });
  } catch {
    await dropWorkIndex(repo);
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

async function removeEntries(repo: Repo, paths: readonly string[]): Promise<void> {
  if (paths.length > 0) {
    const input = Buffer.from(paths.map((path) => `${path}\0`).join(''), 'latin1');
    await repo.git(['update-index', '--force-remove', '-z', '--stdin'], {
      index: repo.files.index,
      input,
      writes: true,
    });
  }
}

/** Tree id of everything outside `.runner/` on disk. `iter`: the iteration whose nested repositories may be absorbed. */
export async function loadWorkTree(repo: Repo, iter: number | null): Promise<string> {
  const commit = await headCommitQuick(repo);
  await syncWorkIndex(repo, commit);
  const before = loadRecord(repo);
  await stageAll(repo, iter);
  const isSame = before !== null && before.tree !== '' && before.sha256 === hashOf(repo.files.index);
  const tree = isSame ? before.tree : await writeTree(repo, repo.files.index);
  await saveWorkRecord(repo, { commit, tree });
  return tree;
}

/** A nested repository made by the guard, or a pipe in a file's place, must not stop the run: put right, then once more. */
async function stageAll(repo: Repo, iter: number | null): Promise<void> {
  const first = await stage(repo);
  if (/adding embedded git repository|does not have a commit checked out/.test(first.stderr)) {
    await absorb(repo, iter);
  } else if (/can only add regular files/.test(first.stderr)) {
    await removeSpecialEntries(repo);
  } else if (first.isDone) {
    return;
  }
  const second = await stage(repo);
  if (!second.isDone) {
    throw gitError({ args: stageArgs(repo), cwd: repo.top, stderr: second.stderr, reason: null });
  }
}

function stageArgs(repo: Repo): readonly string[] {
  return ['add', '--all', '--', ':/', `:(top,exclude,literal)${repo.runnerPath}`];
}

async function stage(repo: Repo): Promise<{ readonly isDone: boolean; readonly stderr: string }> {
  // Without its record an index that is only half staged is not used again.
  await forgetWorkIndex(repo);
  const call = { index: repo.files.index, writes: true, accept: [1, 128] };
  const { code, stderr } = await repo.git(stageArgs(repo), call);
  // git says so about `.runner`, which we exclude, when the project ignores it; everything else was added.
  const isOnlyIgnored = code === 1 && /^The following paths are ignored/m.test(stderr);
  return { isDone: code === 0 || isOnlyIgnored, stderr };
}

/** Before the first session of a process nested repositories are the user's own and not ours to move. */
async function absorb(repo: Repo, iter: number | null): Promise<void> {
  await resetWorkIndex(repo, await loadCommitTree(repo, await headCommit(repo)));
  if (iter !== null) {
    await absorbNested(repo, { index: repo.files.index, iter });
    return;
  }
  await checkNested(repo, repo.files.index);
}

/** A pipe, socket or device where a tracked file was: for git the file is gone, but it refuses to say so. */
async function removeSpecialEntries(repo: Repo): Promise<void> {
  const { stdout } = await repo.git(['ls-files', '-z'], { index: repo.files.index });
  const names = splitNul(stdout).map((name) => name.toString('latin1'));
  await removeEntries(
    repo,
    names.filter((name) => {
      const found = lookAt(workPath(repo, name));
      return found !== null && !found.isFile() && !found.isSymbolicLink() && !found.isDirectory();
    }),
  );
}
