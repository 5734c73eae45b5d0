/**
 * Git repositories inside the work tree that are not submodules: found, and their `.git` moved into the git folder so
 * that their files are ordinary work (§5). It never touches a submodule or an ignored folder.
 */
import { cpSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { diskError, errorCode } from '../../files/disk-error.ts';
import { failpoint } from '../../files/failpoint.ts';
import { ensureDir } from '../../files/files.ts';
import { lookAt } from '../../files/look-at.ts';
import { linesOf, shownPath, unquotePath } from '../quoted-path.ts';
import { gitElsewhere, workPath } from '../repo.ts';
import type { Repo } from '../repo.ts';
import { listRunnerFiles } from '../runner-files.ts';
import { foldersOf } from '../status.ts';

/** Paths the work tree's `.gitmodules` names. */
export async function listSubmodules(repo: Repo): Promise<ReadonlySet<string>> {
  const file = join(repo.top, '.gitmodules');
  if (lookAt(file)?.isFile() !== true) return new Set();

  const { stdout } = await repo.git.run(
    ['config', '-z', '--file', file, '--get-regexp', String.raw`^submodule\..*\.path$`],
    { accept: [1, 3, 128] },
  );
  const records = stdout.toString('latin1').split('\0');
  return new Set(records.map((record) => record.slice(record.indexOf('\n') + 1).replace(/\/$/, '')));
}

/** Repositories among folders of the work tree and in `.runner/`: git looks past a `.git` among files it tracks. Sorted. */
export async function findNested(repo: Repo, folders: readonly string[]): Promise<readonly string[]> {
  const all = [...realFolders(repo, folders), ...listRunnerFiles(repo).gitFolders];
  const found = all.filter((folder) => lookAt(workPath(repo, `${folder}/.git`)) !== null);
  const submodules = found.length === 0 ? new Set<string>() : await listSubmodules(repo);
  const isNested = await Promise.all(
    found.map(async (folder) => !submodules.has(folder) || !(await hasCommit(repo, folder))),
  );
  return [...new Set(found.filter((_, at) => isNested[at] === true))].toSorted();
}

/** A link in a folder's place leads out of the work tree; what lies behind it is not ours. `folders`: parents first. */
function realFolders(repo: Repo, folders: readonly string[]): readonly string[] {
  const real = new Set(['']);
  return folders.filter((folder) => {
    const parent = folder.slice(0, Math.max(0, folder.lastIndexOf('/')));
    const isReal = real.has(parent) && lookAt(workPath(repo, folder))?.isDirectory() === true;
    if (isReal) real.add(folder);

    return isReal;
  });
}

/** A submodule without a commit cannot be staged: git refuses the whole work tree for it. */
async function hasCommit(repo: Repo, folder: string): Promise<boolean> {
  const git = gitElsewhere(repo, { cwd: join(repo.top, shownPath(folder)), gitDir: null });
  const asked = ['rev-parse', '--quiet', '--verify', 'HEAD^{commit}'];
  return (await git.ask(asked, { accept: [1, 128] })) !== '';
}

/** What git lists as one untracked name with a slash at its end. */
async function listUntracked({ git }: Repo, index: string): Promise<readonly string[]> {
  const answer = await git.ask(['ls-files', '--others', '--exclude-standard', '--', ':/'], { index });
  const names = linesOf(answer).map(unquotePath);
  return names.filter((name) => name.endsWith('/')).map((name) => name.slice(0, -1));
}

/** Repeats until none is left: moving one `.git` can reveal repositories inside it. Returns notes. */
export async function absorbNested(
  repo: Repo,
  request: { readonly index: string; readonly folders: readonly string[]; readonly iter: number },
): Promise<readonly string[]> {
  const notes: string[] = [];
  for (;;) {
    const untracked = await listUntracked(repo, request.index);
    const folders = foldersOf([...untracked, ...request.folders].map((folder) => `${folder}/x`));
    const nested = await findNested(repo, folders);
    if (nested.length === 0) return notes;

    for (const folder of nested) notes.push(await moveGitFolder(repo, { folder, iter: request.iter }));
  }
}

/** Repositories that the agent's own commits hold as bare links: their files would be in no commit at all. */
export async function absorbLinks(
  repo: Repo,
  range: { readonly baseline: string; readonly head: string; readonly iter: number },
): Promise<readonly string[]> {
  if (range.baseline === range.head) return [];

  const answer = await repo.git.ask(['diff-tree', '-r', '--no-renames', range.baseline, range.head]);
  const links = linesOf(answer)
    .filter((line) => /^:(?!160000)\d+ 160000 /.test(line))
    .map((line) => unquotePath(line.slice(line.indexOf('\t') + 1)));
  const submodules = links.length === 0 ? new Set<string>() : await listSubmodules(repo);
  const notes: string[] = [];
  for (const folder of links) {
    const isReal = realFolders(repo, foldersOf([`${folder}/x`])).includes(folder);
    const holdsGit = isReal && lookAt(workPath(repo, `${folder}/.git`)) !== null;
    if (!submodules.has(folder) && holdsGit)
      notes.push(await moveGitFolder(repo, { folder, iter: range.iter }));
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
  const name = shownPath(folder.slice(folder.lastIndexOf('/') + 1))
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
  return `the folder "${shownPath(folder)}" was a git repository of its own; its files are ordinary work now, and its .git is kept in the git folder under runner/nested/${iter}/${place}`;
}

/** Names that are not UTF-8 rule out the helpers that take text. */
function moveBytes(from: Buffer, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (errorCode(error) !== 'EXDEV') throw error;

    cpSync(from.toString('utf8'), to, { recursive: true, verbatimSymlinks: true });
    rmSync(from, { recursive: true });
  }
}
