/**
 * What goes into the private work index: everything outside `.runner/` as it is on disk, staged by git itself. It changes no file of the
 * work, except that the `.git` of a repository inside it is moved aside.
 */
import { readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RunnerError } from '../../core/errors.ts';
import { shellWord } from '../../core/text/shell-word.ts';
import { lookAt } from '../files/look-at.ts';
import { gitError, isOutOfTime } from './errors.ts';
import { copyIndex, dropPrivate, userIndexFile, writeTree } from './index-lock.ts';
import { absorbNested, findNested, listSubmodules } from './settle/nested.ts';
import { joinPaths, linesOf, shownPath, unquotePath } from './quoted-path.ts';
import { workPath } from './repo.ts';
import type { Repo } from './repo.ts';
import { clearWork, findLargest } from './work-walk.ts';

/** About 10,000 files. Comparing the contents of more takes longer than waiting for the next second. */
const comparedBytesMax = 1_000_000;
const clockStepMs = 20;

export interface Work {
  /** Tree id of everything outside `.runner/` on disk. */
  readonly tree: string;
  /** What had to be put in order for it. */
  readonly notes: readonly string[];
}

export interface LookRequest {
  /** What it tracks is part of the work, also where it is ignored. */
  readonly commit: string | null;
  /** Repositories found inside are moved aside under this number. */
  readonly iter: number;
  /** Folders with a `.git`, when the work tree was walked just now. */
  readonly gitFolders?: readonly string[];
}

/** With its cache of file states, so that unchanged files need not be read. Only while no session can have written to it. */
export async function seedFromUser(repo: Repo): Promise<void> {
  const index = repo.files.index;
  if (lookAt(userIndexFile(repo))?.isFile() === true) await copyIndex(userIndexFile(repo), index);

  await removeRunner(repo, index);
}

/** Entries that stay the same keep their cached file state. */
export async function seedFromCommit(repo: Repo, commit: string | null): Promise<void> {
  const index = repo.files.index;
  const args = ['read-tree', ...(commit === null ? ['--empty'] : ['--reset', commit])];
  await repo.git.run(args, { index, writes: true });
  await removeRunner(repo, index);
  await removeStrayLinks(repo);
}

/** A repository committed as a bare link hides its files from git once its `.git` is moved aside; without the entry they are files. */
async function removeStrayLinks(repo: Repo): Promise<void> {
  const { stdout } = await repo.git.run(['ls-files', '--stage'], { index: repo.files.index });
  const links = linesOf(stdout.toString('latin1'))
    .filter((line) => line.startsWith('160000 '))
    .map((line) => unquotePath(line.slice(line.indexOf('\t') + 1)))
    .filter((path) => isPlainFolder(workPath(repo, path)));
  const submodules = links.length === 0 ? new Set<string>() : await listSubmodules(repo);
  await removeEntries(
    repo,
    links.filter((path) => !submodules.has(path)),
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

async function removeEntries({ git, files }: Repo, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  const args = ['update-index', '--force-remove', '-z', '--stdin'];
  await git.run(args, { index: files.index, input: joinPaths(paths), writes: true });
}

export async function removeRunner({ git, runnerPath }: Repo, index: string): Promise<void> {
  const path = `:(top,literal)${runnerPath}`;
  const args = ['rm', '-r', '--cached', '--force', '--quiet', '--ignore-unmatch', '--', path];
  await git.run(args, { index });
}

export async function stageWork(repo: Repo, request: LookRequest): Promise<Work> {
  const { gitFolders } = request;
  const cleared = gitFolders === undefined ? await clearWork(repo, request.iter) : { gitFolders, notes: [] };
  const notes = [...cleared.notes];
  for (;;) {
    const refusal = await stageOnce(repo);
    if (refusal === null) {
      const tree = await writeTree(repo, repo.files.index);
      if (cleared.gitFolders.length === 0) return { tree, notes };
      // Also those that git has staged as a link, or looks past because it tracks files in them.
      const folders = await listFolders(repo, tree);
      if ((await findNested(repo, folders)).length === 0) return { tree, notes };

      notes.push(...(await absorb(repo, { request, folders })));
    } else {
      const absorbed = await absorb(repo, { request, folders: [] });
      if (absorbed.length === 0) throw refusal;

      notes.push(...absorbed);
    }
  }
}

async function listFolders({ git }: Repo, tree: string): Promise<readonly string[]> {
  const { stdout } = await git.run(['ls-tree', '-r', '-d', '--full-tree', '--name-only', tree]);
  return linesOf(stdout.toString('latin1')).map(unquotePath);
}

/** An index that holds them as links, or half of the work, is made again. Returns notes. */
async function absorb(
  repo: Repo,
  { request, folders }: { readonly request: LookRequest; readonly folders: readonly string[] },
): Promise<readonly string[]> {
  dropPrivate(repo.files.index);
  await seedFromCommit(repo, request.commit);
  return absorbNested(repo, { index: repo.files.index, folders, iter: request.iter });
}

function stageArgs({ runnerPath }: Repo): readonly string[] {
  return ['add', '--all', '--', ':/', `:(top,exclude,literal)${runnerPath}`];
}

/** The error when a repository inside the work tree must be moved aside first. */
async function stageOnce(repo: Repo): Promise<RunnerError | null> {
  const { isDone, stderr } = await stage(repo);
  if (isDone) return null;

  const error = gitError({ args: stageArgs(repo), cwd: repo.top, stderr, reason: null });
  if (!/does not have a commit checked out/.test(stderr)) throw error;

  return error;
}

async function stage(repo: Repo): Promise<{ readonly isDone: boolean; readonly stderr: string }> {
  const index = repo.files.index;
  const isCompared = statSync(index).size <= comparedBytesMax;
  if (isCompared) {
    // Older than every file, so git compares contents: a file rewritten in the second of the last look is seen.
    utimesSync(index, 1, 1);
  }
  const { code, stderr } = await repo.git
    .run(stageArgs(repo), { index, writes: 'many', accept: [1, 128] })
    .catch((error: unknown) => {
      throw nameLargest(repo, error);
    });
  checkOpened(repo, stderr);
  if (!isCompared) {
    // From the next second on a change has another time, which git sees without reading the file.
    await sleep(1000 - (Date.now() % 1000) + clockStepMs);
  }
  // git says so about `.runner`, which we exclude, when the project ignores it; everything else was added.
  const isOnlyIgnored = code === 1 && /^The following paths are ignored/m.test(stderr);
  return { isDone: code === 0 || isOnlyIgnored, stderr };
}

/** What git takes too long for is nearly always one huge file, which nobody would find by trying again. */
function nameLargest(repo: Repo, error: unknown): unknown {
  if (!(error instanceof RunnerError) || !isOutOfTime(error)) return error;
  const { path, bytes } = findLargest(repo);
  const name = JSON.stringify(shownPath(path));
  return new RunnerError({
    code: error.code,
    message: `${error.message}; the largest file is ${name} (${Math.ceil(bytes / 2 ** 20)} MiB)`,
    hint: `rm ${shellWord(shownPath(path))} (or add it to .gitignore), then the same command again`,
    cause: error,
  });
}

/** git goes past a folder that it cannot open, and what is in it would be in no commit. */
function checkOpened(repo: Repo, stderr: string): void {
  const [, folder, why] = /^warning: could not open directory '(.+?)\/?': (.+)$/m.exec(stderr) ?? [];
  if (folder === undefined) return;

  const path = shellWord(join(repo.top, folder));
  throw new RunnerError({
    code: 'GIT_FAILED',
    message: `git cannot look into the folder ${folder}: ${why}`,
    hint: `chmod u+rwx ${path} (or remove it, or add it to .gitignore), then the same command again`,
  });
}
