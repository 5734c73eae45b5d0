/**
 * Lists the files of `.runner/` that belong in a commit: every regular file except local-only folders and unfinished writes
 * (§2), even if the project ignores `.runner`. Follows no link.
 */
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { localFolders } from '../../core/iteration/initial-files.ts';
import { ownerOf } from '../../core/iteration/ownership.ts';
import type { DecidedFiles } from '../../ports/git.ts';
import { diskError } from '../files/disk-error.ts';
import { lookAt } from '../files/look-at.ts';
import { isStageName } from '../files/stage-sweep.ts';
import { linesOf, joinPaths, unquotePath } from './quoted-path.ts';
import { asBytes, textOf, workPath } from './repo.ts';
import type { Repo } from './repo.ts';

/** Paths relative to the top as latin1 text, which holds every byte; `gitFolders` are folders with a `.git` in them. */
export interface RunnerFiles {
  readonly files: readonly string[];
  readonly gitFolders: readonly string[];
}

export function listRunnerFiles(repo: Repo): RunnerFiles {
  const files: string[] = [];
  const gitFolders: string[] = [];
  const root = asBytes(repo.runnerPath);
  const isReal = lookAt(join(repo.top, repo.runnerPath))?.isDirectory() === true;
  const pending = isReal ? [root] : [];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    for (const entry of listFolder(repo, folder)) {
      const path = `${folder}/${entry.name}`;
      const isLocal = folder === root && localFolders.some((name) => name === entry.name);
      if (entry.name === '.git') gitFolders.push(folder);
      else if (entry.isDirectory && !isLocal) pending.push(path);
      else if (entry.isFile && !isStageName(entry.name)) files.push(path);
    }
  }
  return { files: files.toSorted(), gitFolders: gitFolders.toSorted() };
}

function listFolder(
  repo: Repo,
  folder: string,
): readonly { readonly name: string; readonly isFile: boolean; readonly isDirectory: boolean }[] {
  const path = workPath(repo, folder);
  try {
    return readdirSync(path, { withFileTypes: true, encoding: 'buffer' }).map((entry) => ({
      name: Buffer.from(entry.name).toString('latin1'),
      isFile: entry.isFile(),
      isDirectory: entry.isDirectory(),
    }));
  } catch (cause) {
    throw diskError({ action: 'list', path: path.toString('utf8'), cause });
  }
}

/** As it is in a commit; the path is latin1 text, relative to the top. */
export interface IndexEntry {
  readonly path: string;
  readonly oid: string;
  readonly mode: string;
}

/** The files of `.runner/` in a commit. */
export async function listCommitted(
  { git, runnerPath }: Repo,
  commit: string,
): Promise<readonly IndexEntry[]> {
  const answer = await git.ask(['ls-tree', '-r', '--full-tree', commit, '--', `${runnerPath}/`]);
  return linesOf(answer).map((line) => {
    const tab = line.indexOf('\t');
    const [mode = '', , oid = ''] = line.slice(0, tab).split(' ');
    return { path: unquotePath(line.slice(tab + 1)), oid, mode };
  });
}

/** Everything of `.runner/` as it is on disk, into an index that has nothing of it yet. */
export async function stageFromDisk(repo: Repo, index: string): Promise<void> {
  await stage(repo, { index, entries: [], paths: listRunnerFiles(repo).files });
}

/** Everything of `.runner/` as it is in a commit, into an index that has nothing of it yet. */
export async function stageCommitted(
  repo: Repo,
  { index, commit }: { readonly index: string; readonly commit: string },
): Promise<void> {
  await stage(repo, { index, entries: await listCommitted(repo, commit), paths: [] });
}

/**
 * What an iteration commits of `.runner/`: the decided files, the agent's own as they are on disk, and all others as at `control`. Nothing
 * that somebody writes to the runner's files while the commit is made can get in.
 */
export async function stageDecided(
  repo: Repo,
  request: { readonly index: string; readonly control: string; readonly files: DecidedFiles },
): Promise<void> {
  const { index, control, files } = request;
  const root = asBytes(`${repo.runnerPath}/`);
  const isDecided = (path: string): boolean => Object.hasOwn(files, path.slice(root.length));
  const isAgents = (path: string): boolean => isAgentFile(path.slice(root.length));
  const kept = (await listCommitted(repo, control)).filter(({ path }) => !isDecided(path) && !isAgents(path));
  const decided: IndexEntry[] = [];
  for (const [path, text] of Object.entries(files)) {
    if (text === null) continue;
    decided.push({ path: `${root}${asBytes(path)}`, oid: await hashText(repo, text), mode: '100644' });
  }
  const own = listRunnerFiles(repo).files.filter((path) => isAgents(path) && !isDecided(path));
  await stage(repo, { index, entries: [...kept, ...decided], paths: own });
}

/** Ignore and attribute files decide what git stores, wherever they are. */
function isAgentFile(path: string): boolean {
  return ownerOf(path) === 'agent' && !['.gitignore', '.gitattributes'].includes(basename(path));
}

/** Stores a text as an object; returns its id. */
export async function hashText({ git }: Repo, text: string): Promise<string> {
  const args = ['hash-object', '-w', '--no-filters', '--stdin'];
  return textOf((await git.run(args, { input: Buffer.from(text), writes: true })).stdout);
}

/**
 * Files on disk go in byte for byte: a filter from the repository's own settings must not turn them into something else (§1). A name
 * with a line break, or a quote at its start, cannot be asked for like this; it is an agent's own and goes the usual way.
 */
async function stage(
  repo: Repo,
  request: {
    readonly index: string;
    readonly entries: readonly IndexEntry[];
    readonly paths: readonly string[];
  },
): Promise<void> {
  const { index, paths } = request;
  const isOdd = (path: string): boolean => path.includes('\n') || path.startsWith('"');
  const odd = paths.filter(isOdd);
  if (odd.length > 0) {
    const args = ['update-index', '--add', '-z', '--stdin'];
    await repo.git.run(args, { index, input: joinPaths(odd), writes: true });
  }
  const plain = paths.filter((path) => !isOdd(path));
  // The entries last: a file where one of their folders belongs makes way.
  const all = [...(await hashFiles(repo, plain)), ...request.entries];
  const input = joinPaths(all.map(({ path, oid, mode }) => `${mode} ${oid}\t${path}`));
  await repo.git.run(['update-index', '-z', '--index-info'], { index, input, writes: true });
}

async function hashFiles(repo: Repo, paths: readonly string[]): Promise<readonly IndexEntry[]> {
  if (paths.length === 0) return [];

  const input = Buffer.from(paths.map((path) => `${path}\n`).join(''), 'latin1');
  const args = ['hash-object', '-w', '--no-filters', '--stdin-paths'];
  const { stdout } = await repo.git.run(args, { input, writes: true });
  const oids = textOf(stdout).split('\n');
  return paths.map((path, at) => ({ path, oid: oids[at] ?? '', mode: modeOf(repo, path) }));
}

function modeOf(repo: Repo, path: string): string {
  return ((lookAt(workPath(repo, path))?.mode ?? 0) & 0o100) === 0 ? '100644' : '100755';
}
