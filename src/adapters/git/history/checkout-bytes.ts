/**
 * Compares the work on disk with what a checkout of it would write (§14), as far as `.gitattributes` files that changed since B are
 * the reason. git converts the files, in scratch folders; nothing in the work tree, the user's index or refs is touched. Files are stored
 * and checked out again, with the attributes of now and with those of B: the stored blob alone would miss conversions on the way in
 * (`text` on a file with CRLF), and a file that a checkout changed before (autocrlf) is no fault of the session.
 */
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TreeRange } from '../../../ports/git-history.ts';
import { lookAt } from '../../files/look-at.ts';
import { isOff } from '../../files/test-switch.ts';
import { listChanged } from './history.ts';
import { withScratch } from '../index-lock.ts';
import { joinPaths, linesOf, shownPath, unquotePath } from '../quoted-path.ts';
import { workPath } from '../repo.ts';
import type { Repo } from '../repo.ts';

/** All that decides how a blob becomes a file and back; macros such as `binary` are resolved by git. */
const attributes = ['text', 'crlf', 'eol', 'ident', 'filter', 'working-tree-encoding'];

interface Scratch {
  /** Indexes of the work, with its own attributes and with those of B. */
  readonly now: string;
  readonly before: string;
  /** A work tree without attribute files, so that those of the index count. */
  readonly empty: string;
}

export async function listOtherBytes(
  repo: Repo,
  range: Pick<TreeRange, 'from' | 'to'>,
): Promise<readonly string[]> {
  if (isOff('bytes') || !(await listChanged(repo, range)).some(isAttributesFile)) return [];
  return withScratch(repo, async (folder) => {
    const scratch = {
      now: join(folder, 'now.index'),
      before: join(folder, 'before.index'),
      empty: join(folder, 'empty'),
    };
    mkdirSync(scratch.empty);
    const entries = await makeIndexes(repo, scratch, range);
    const paths = await listReread(repo, scratch, entries);
    if (paths.length === 0) return [];
    const outs = { now: join(folder, 'now'), before: join(folder, 'before') };
    await checkOut(repo, { index: scratch.now, empty: scratch.empty, to: outs.now, paths });
    await stageCopies(repo, { scratch, folder: join(folder, 'copies'), paths });
    await checkOut(repo, { index: scratch.before, empty: scratch.empty, to: outs.before, paths });
    return paths
      .filter((path) => {
        const now = formOf(inFolder(outs.now, path));
        return now !== formOf(workPath(repo, path)) && now !== formOf(inFolder(outs.before, path));
      })
      .map(shownPath);
  });
}

function isAttributesFile(path: string): boolean {
  return path === '.gitattributes' || path.endsWith('/.gitattributes');
}

interface Entry {
  readonly line: string;
  /** As latin1 text. */
  readonly path: string;
}

/** Returns the entries of the work. */
async function makeIndexes(
  { git }: Repo,
  { now, before }: Scratch,
  { from, to }: Pick<TreeRange, 'from' | 'to'>,
): Promise<readonly Entry[]> {
  const list = async (tree: string): Promise<readonly Entry[]> => {
    const { stdout } = await git.run(['ls-tree', '-r', '--full-tree', tree]);
    return linesOf(stdout.toString('latin1')).map((line) => ({
      line: line.replace(/\t.*$/s, ''),
      path: unquotePath(line.slice(line.indexOf('\t') + 1)),
    }));
  };
  const entries = await list(to);
  const old = (await list(from)).filter(({ path }) => isAttributesFile(path));
  for (const index of [now, before]) await git.run(['read-tree', to], { index });
  const noId = '0'.repeat(to.length);
  const gone = entries.filter(({ path }) => isAttributesFile(path)).map(({ path }) => `0 ${noId}\t${path}\0`);
  const back = old.map(({ line, path }) => `${line}\t${path}\0`);
  const input = Buffer.from([...gone, ...back].join(''), 'latin1');
  await git.run(['update-index', '--add', '--replace', '-z', '--index-info'], { index: before, input });
  return entries;
}

/** Files that git reads or writes in another way than with the attributes of B. */
async function listReread(
  { git }: Repo,
  { now, before, empty }: Scratch,
  entries: readonly Entry[],
): Promise<readonly string[]> {
  const files = entries.filter(({ line, path }) => line.startsWith('100') && !isAttributesFile(path));
  const input = joinPaths(files.map(({ path }) => path));
  const ask = async (index: string): Promise<readonly string[]> => {
    const args = ['check-attr', '--cached', '--stdin', '-z', ...attributes];
    const { stdout } = await git.run(args, { index, input, workTree: empty });
    // Path, name and value of each attribute of each file, in the order in which they were asked for.
    const values = stdout
      .toString('latin1')
      .split('\0')
      .filter((_, at) => at % 3 === 2);
    return files.map((_, at) =>
      values.slice(at * attributes.length, (at + 1) * attributes.length).join('\0'),
    );
  };
  const [after, old] = [await ask(now), await ask(before)];
  return files.filter((_, at) => after[at] !== old[at]).map(({ path }) => path);
}

/** A file that git cannot write, because of its encoding say, is missing then. */
async function checkOut(
  { git }: Repo,
  request: {
    readonly index: string;
    readonly empty: string;
    readonly to: string;
    readonly paths: readonly string[];
  },
): Promise<void> {
  const args = ['checkout-index', '--force', '--quiet', `--prefix=${request.to}/`, '-z', '--stdin'];
  const { index, empty, paths } = request;
  await git.run(args, { index, workTree: empty, input: joinPaths(paths), accept: [1, 128] });
}

/** What git would have stored of these files with the attributes of B. */
async function stageCopies(
  repo: Repo,
  {
    scratch,
    folder,
    paths,
  }: { readonly scratch: Scratch; readonly folder: string; readonly paths: readonly string[] },
): Promise<void> {
  mkdirSync(folder);
  for (const path of paths) {
    const copy = inFolder(folder, path);
    mkdirSync(inFolder(folder, dirname(path)), { recursive: true });
    if (lookAt(workPath(repo, path))?.isFile() === true) copyFileSync(workPath(repo, path), copy);
  }
  const args = ['update-index', '--add', '--replace', '-z', '--stdin'];
  const input = joinPaths(paths);
  await repo.git.run(args, { index: scratch.before, workTree: folder, input, accept: [128] });
}

function inFolder(folder: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, 'latin1')]);
}

/** Bytes and mode of a file; null: there is none. */
function formOf(path: Buffer): string | null {
  const found = lookAt(path);
  if (found?.isFile() !== true) return null;
  const mode = (found.mode & 0o100) === 0 ? '-' : 'x';
  return `${mode} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`;
}
