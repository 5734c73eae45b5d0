/**
 * Work trees of background runs (§13.1): made outside the repository and locked, submodules filled from the objects that are here,
 * ignored files copied where `.worktreeinclude` names them. Nothing of the checkout is written, not even its index.
 */
import { constants, copyFileSync, readlinkSync, symlinkSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { RunnerError } from '../../core/errors.ts';
import type { WorkTreeRequest, WorkTrees } from '../../ports/work-trees.ts';
import { diskError, errorCode } from '../files/disk-error.ts';
import { makeFolders } from '../files/files.ts';
import { makePrivateFolder } from '../files/folders.ts';
import { lookAt } from '../files/look-at.ts';
import { keepAside } from './endings/kept-aside.ts';
import { runRemoveWorkTree } from './endings/work-trees.ts';
import { refCommit, removeRef } from './refs.ts';
import { gitElsewhere, loadRepo } from './repo.ts';
import type { Repo, RepoRequest } from './repo.ts';

const includeFile = '.worktreeinclude';

export function workTrees(request: RepoRequest): WorkTrees {
  let repo: Promise<Repo> | null = null;
  const open = (): Promise<Repo> => (repo ??= loadRepo(request));
  return {
    isThere: async (path) => isThere(await open(), path),
    add: async (wanted) => addWorkTree(await open(), wanted),
    lock: async (wanted) => lockWorkTree(await open(), wanted),
    fillSubmodules: async (path) => {
      const found = await open();
      return fillSubmodules(found, { path, modules: join(found.commonDir, 'modules'), shown: '' });
    },
    copyIncluded: async (path) => copyIncluded(await open(), path),
  };
}

async function isThere(repo: Repo, path: string): Promise<boolean> {
  return lookAt(join(path, '.git')) !== null && (await listPaths(repo)).includes(path);
}

async function listPaths({ git }: Repo): Promise<readonly string[]> {
  const { stdout } = await git.run(['worktree', 'list', '--porcelain', '-z']);
  const lines = stdout.toString('utf8').split('\0');
  return lines.filter((line) => line.startsWith('worktree ')).map((line) => line.slice('worktree '.length));
}

async function addWorkTree(repo: Repo, { path, branch, commit, reason }: WorkTreeRequest): Promise<void> {
  makePrivateFolder(dirname(path));
  const isKnown = (await refCommit(repo, `refs/heads/${branch}`)) !== null;
  const isFree = lookAt(path) === null;
  const run_id = basename(path);
  // git forgets what it knew of one that was deleted by hand.
  await keepAside(repo, { path, run_id });
  const place = isKnown ? [path, branch] : ['-b', branch, '--no-track', path, commit];
  // Forced twice: one that was deleted by hand is still known, and locked.
  const args = ['worktree', 'add', '--quiet', '--force', '--force', '--lock', '--reason', reason, ...place];
  try {
    await repo.git.run(args, { writes: true });
  } catch (error) {
    // git makes the branch before the files, and keeps it when those fail. The first error says what happened.
    if (isFree) await runRemoveWorkTree(repo, { path, run_id }).catch(() => undefined);
    if (!isKnown) await dropMade(repo, { branch, commit }).catch(() => undefined);
    throw error;
  }
}

async function dropMade(
  repo: Repo,
  { branch, commit }: Pick<WorkTreeRequest, 'branch' | 'commit'>,
): Promise<void> {
  const ref = `refs/heads/${branch}`;
  if ((await refCommit(repo, ref)) === commit) await removeRef(repo, { ref, from: commit });
}

async function lockWorkTree(
  { git }: Repo,
  { path, reason }: Pick<WorkTreeRequest, 'path' | 'reason'>,
): Promise<void> {
  // It may have been unlocked by hand.
  await git.run(['worktree', 'unlock', path], { accept: [128], writes: true });
  await git.run(['worktree', 'lock', '--reason', reason, path], { writes: true });
}

/** A linked work tree has submodules of its own, and so have those; the ones of the repository are the nearest place to get them from. */
async function fillSubmodules(
  repo: Repo,
  { path, modules, shown }: { readonly path: string; readonly modules: string; readonly shown: string },
): Promise<readonly string[]> {
  if (lookAt(join(path, '.gitmodules')) === null) return [];
  const git = gitElsewhere(repo, { cwd: path, gitDir: null });
  const asked = ['config', '--file', '.gitmodules', '-z', '--get-regexp', String.raw`^submodule\..*\.path$`];
  const { stdout } = await git.run(asked, { accept: [1] });
  const notes: string[] = [];
  for (const entry of stdout.toString('utf8').split('\0')) {
    const [key = '', folder] = entry.split('\n');
    const name = key.slice('submodule.'.length, -'.path'.length);
    const source = join(modules, name);
    if (folder === undefined || lookAt(source)?.isDirectory() !== true) continue;
    const inner = { path: join(path, folder), modules: join(source, 'modules'), shown: `${shown}${folder}` };
    try {
      const url = ['-c', `submodule.${name}.url=${source}`, '-c', `submodule.${name}.active=true`];
      const update = ['submodule', '--quiet', 'update', '--checkout', '--', folder];
      await git.run([...url, ...update], { transport: 'file', writes: true });
      notes.push(...(await fillSubmodules(repo, { ...inner, shown: `${inner.shown}/` })));
    } catch (error) {
      if (!(error instanceof RunnerError)) throw error;
      notes.push(`the submodule ${JSON.stringify(inner.shown)} could not be filled: ${error.message}`);
    }
  }
  return notes;
}

async function copyIncluded(repo: Repo, path: string): Promise<number> {
  if (lookAt(join(repo.top, includeFile))?.isFile() !== true) return 0;
  const named = ['ls-files', '-z', '--others', '--ignored', `--exclude-from=${includeFile}`];
  const { stdout: wanted } = await repo.git.run(named);
  if (wanted.length === 0) return 0;
  const ignored = ['check-ignore', '-z', '--stdin'];
  const { stdout } = await repo.git.run(ignored, { input: wanted, accept: [1] });
  const names = stdout.toString('utf8').split('\0');
  let count = 0;
  for (const name of names.filter((each) => each !== '' && !each.endsWith('/')))
    count += Number(copyOne(repo.top, path, name));

  return count;
}

/** True: there is one more file. */
function copyOne(top: string, path: string, name: string): boolean {
  const [from, to] = [join(top, name), join(path, name)];
  const found = lookAt(from);
  if (found === null || lookAt(to) !== null) return false;
  makeFolders(dirname(to), { root: path });
  try {
    if (found.isFile()) {
      copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
      return true;
    }
    const target = found.isSymbolicLink() ? readlinkSync(from) : null;
    if (target === null || isAbsolute(target) || !isBelow(resolve(dirname(from), target), top)) return false;
    symlinkSync(target, to);
    return true;
  } catch (cause) {
    // It went away, or somebody else made it meanwhile.
    if (['ENOENT', 'EEXIST'].includes(errorCode(cause))) return false;
    throw diskError({ action: 'write', path: to, bytesNeeded: found.size, cause });
  }
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(`${folder}${sep}`);
}
