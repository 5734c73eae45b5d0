/**
 * Git repositories inside the work tree that are not submodules: found, and their `.git` moved into the git folder so
 * that their files are ordinary work (§5). It never touches a submodule or an ignored folder.
 */
import { readdirSync, renameSync, cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { diskError, errorCode } from '../files/disk-error.ts';
import { RunnerError } from '../../core/errors.ts';
import { failpoint } from '../files/failpoint.ts';
import { ensureDir } from '../files/files.ts';
import { gitCommand } from './command.ts';
import { lookAt } from '../files/look-at.ts';
import { workPath } from './repo.ts';
import type { Repo } from './repo.ts';
import { listRunnerFiles } from './runner-files.ts';
import { splitNul } from './status.ts';

/** Names as latin1 text hold every byte and can be keys; `shown` is for people. */
function shown(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** A path of the work tree as bytes, whatever they are. */

function exists(path: Buffer): boolean {
  return lookAt(path) !== null;
}

/** Paths the work tree's `.gitmodules` names. */
export async function loadSubmodulePaths(repo: Repo): Promise<ReadonlySet<string>> {
  const file = join(repo.top, '.gitmodules');
  if (lookAt(file)?.isFile() !== true) {
    return new Set();
  }
  const { stdout } = await repo.git(
    ['config', '-z', '--file', file, '--get-regexp', String.raw`^submodule\..*\.path$`],
    { accept: [1, 3, 128] },
  );
  const values = splitNul(stdout).map((record) => record.subarray(record.indexOf(0x0a) + 1));
  return new Set(values.map((value) => value.toString('latin1').replace(/\/$/, '')));
}

/** Folders, relative to the top. `index` is the private one: what the agent staged does not count. */
async function findNested(repo: Repo, index: string): Promise<readonly string[]> {
  const { stdout } = await repo.git(
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ':/'],
    { index },
  );
  const names = splitNul(stdout).map((name) => name.toString('latin1'));
  // git lists a whole repository as one name with a slash, but looks past a `.git` among files it tracks.
  const found = new Set(names.filter((name) => name.endsWith('/')).map((name) => name.slice(0, -1)));
  for (const folder of realFolders(repo, foldersOf(names))) {
    if (exists(workPath(repo, `${folder}/.git`))) {
      found.add(folder);
    }
  }
  for (const folder of listRunnerFiles(repo).gitFolders) {
    found.add(folder);
  }
  return keepNested(repo, found);
}

/** Whether `findNested` finds anything, for an index that holds all of the work: then no other folder has to be looked at. */
export async function hasNested(
  repo: Repo,
  { folders, index }: { readonly folders: readonly string[] | null; readonly index: string },
): Promise<boolean> {
  if (folders === null) {
    return (await findNested(repo, index)).length > 0;
  }
  const found = folders.filter((folder) => exists(workPath(repo, `${folder}/.git`)));
  return (await keepNested(repo, [...found, ...listRunnerFiles(repo).gitFolders])).length > 0;
}

async function keepNested(repo: Repo, found: Iterable<string>): Promise<readonly string[]> {
  const candidates = [...found].filter((folder) => holdsGit(repo, folder));
  const submodules = candidates.length === 0 ? new Set<string>() : await loadSubmodulePaths(repo);
  const nested = await Promise.all(
    candidates.map(async (folder) => !submodules.has(folder) || !(await hasCommit(repo, folder))),
  );
  return candidates.filter((_, at) => nested[at] === true).toSorted();
}

/** A link in a folder's place leads out of the work tree; what lies behind it is not ours. */
function realFolders(repo: Repo, folders: Iterable<string>): readonly string[] {
  const real = new Set(['']);
  // A parent sorts before its children.
  return [...folders].toSorted().filter((folder) => {
    const parent = folder.slice(0, Math.max(0, folder.lastIndexOf('/')));
    const isReal = real.has(parent) && lookAt(workPath(repo, folder))?.isDirectory() === true;
    if (isReal) {
      real.add(folder);
    }
    return isReal;
  });
}

function holdsGit(repo: Repo, folder: string): boolean {
  const isReal = realFolders(repo, foldersOf([`${folder}/x`])).includes(folder);
  return isReal && exists(workPath(repo, `${folder}/.git`));
}

/** Before a session nested repositories are the user's own and not ours to move. */
export async function checkNested(repo: Repo, index: string): Promise<void> {
  const nested = await findNested(repo, index);
  if (nested.length > 0) {
    throw new RunnerError({
      code: 'GIT_UNSUPPORTED',
      message: 'git repositories inside the work tree that are not submodules cannot be part of a commit',
      hint: 'ignore them in .gitignore, add them with git submodule add, or move them away',
      details: nested.map(shown),
    });
  }
}

function foldersOf(names: readonly string[]): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const name of names) {
    let end = name.lastIndexOf('/', name.length - 2);
    while (end > 0 && !folders.has(name.slice(0, end))) {
      folders.add(name.slice(0, end));
      end = name.lastIndexOf('/', end - 1);
    }
  }
  return folders;
}

/** A submodule without a commit cannot be staged: git refuses the whole work tree for it. */
async function hasCommit(repo: Repo, folder: string): Promise<boolean> {
  const git = gitCommand({ cwd: join(repo.top, shown(folder)), gitDir: null, env: repo.env });
  const answer = await git(['rev-parse', '--quiet', '--verify', 'HEAD^{commit}'], { accept: [1, 128] });
  return answer.code === 0;
}

export interface AbsorbRequest {
  readonly index: string;
  readonly iter: number;
}

/** Until none is left: what was hidden in a repository comes to light when its own `.git` is gone. Returns notes. */
export async function absorbNested(repo: Repo, request: AbsorbRequest): Promise<readonly string[]> {
  const notes: string[] = [];
  for (;;) {
    const nested = await findNested(repo, request.index);
    if (nested.length === 0) {
      return notes;
    }
    for (const folder of nested) {
      notes.push(await moveGitFolder(repo, { folder, iter: request.iter }));
    }
  }
}

/** Repositories that the agent's own commits hold as bare links: their files would be in no commit at all. */
export async function absorbLinks(
  repo: Repo,
  range: { readonly baseline: string; readonly head: string; readonly iter: number },
): Promise<readonly string[]> {
  if (range.baseline === range.head) {
    return [];
  }
  const { stdout } = await repo.git(['diff-tree', '-r', '-z', '--no-renames', range.baseline, range.head]);
  const records = splitNul(stdout).map((record) => record.toString('latin1'));
  const links = records.filter(
    (_, at) => at % 2 === 1 && /^:(?!160000)\d+ 160000 /.test(records[at - 1] ?? ''),
  );
  const submodules = links.length === 0 ? new Set<string>() : await loadSubmodulePaths(repo);
  const notes: string[] = [];
  for (const folder of links) {
    if (!submodules.has(folder) && holdsGit(repo, folder)) {
      notes.push(await moveGitFolder(repo, { folder, iter: range.iter }));
    }
  }
  return notes;
}

/** Returns the note. */
async function moveGitFolder(
  repo: Repo,
  { folder, iter }: { readonly folder: string; readonly iter: number },
): Promise<string> {
  const parent = repo.files.nested(iter);
  await ensureDir(parent, { root: repo.gitDir });
  const name = shown(folder.slice(folder.lastIndexOf('/') + 1))
    .replaceAll(/[^\w.-]/g, '_')
    .slice(0, 60);
  const place = `${readdirSync(parent).length + 1}-${name}`;
  const to = join(parent, place);
  await ensureDir(to, { root: repo.gitDir });
  const from = workPath(repo, `${folder}/.git`);
  failpoint('nested:before:move');
  try {
    moveBytes(from, join(to, '.git'));
  } catch (cause) {
    throw diskError({ action: 'move aside', path: from.toString('utf8'), cause });
  }
  failpoint('nested:after:move');
  return `the folder "${shown(folder)}" was a git repository of its own; its files are ordinary work now, and its .git is kept in the git folder under runner/nested/${iter}/${place}`;
}

/** Names that are not UTF-8 rule out the helpers that take text. */
function moveBytes(from: Buffer, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (errorCode(error) !== 'EXDEV') {
      throw error;
    }
    cpSync(from.toString('utf8'), to, { recursive: true, verbatimSymlinks: true });
    rmSync(from, { recursive: true });
  }
}
