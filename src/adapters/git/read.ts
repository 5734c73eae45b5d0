/** Questions about commits, trees and the index. Reads only, except for the diff file it is told to write. */
import { isUtf8 } from 'node:buffer';
import { join } from 'node:path';
import { treeBytesMax } from '../../core/limits.ts';
import { compareCodePoints } from '../../core/tree/tree-walk.ts';
import type { SourceText } from '../../core/types.ts';
import { saveFile } from '../files/files.ts';
import type { GitAnswer } from './command.ts';
import { gitError } from './errors.ts';
import { isOddCommit } from './hook-commit.ts';
import { textOf } from './repo.ts';
import type { Repo } from './repo.ts';
import { splitNul } from './status.ts';
import { firstInvalidByte } from '../files/utf8-bytes.ts';

export interface TreeRange {
  readonly from: string;
  readonly to: string;
}

export async function listChangedPaths(repo: Repo, range: TreeRange): Promise<readonly string[]> {
  const args = ['diff-tree', '-r', '-z', '--no-renames', '--name-only', range.from, range.to];
  const { stdout } = await repo.git(args);
  return splitNul(stdout)
    .map((name) => name.toString('utf8'))
    .toSorted(compareCodePoints);
}

export interface BaselineFile {
  /** Relative to `.runner/`. */
  readonly path: string;
  readonly oid: string;
  readonly mode: string;
}

/** Files of `.runner/` in a commit; a name that is no UTF-8 was never the runner's and is left to the work. */
export async function listBaselineFiles(repo: Repo, commit: string): Promise<readonly BaselineFile[]> {
  const folder = `${repo.prefix}.runner/`;
  const { stdout } = await repo.git(['ls-tree', '-r', '-z', '--full-tree', commit, '--', folder]);
  return splitNul(stdout).map((entry) => {
    const text = entry.toString('utf8');
    const tab = text.indexOf('\t');
    const [mode = '', , oid = ''] = text.slice(0, tab).split(' ');
    return { path: text.slice(tab + 1 + folder.length), oid, mode };
  });
}

export interface DiffRequest extends TreeRange {
  readonly file: string;
  readonly bytesMax: number;
  /** With the bytes of files that are no text, for a patch that is the only place where they are kept. */
  readonly binary?: boolean;
}

export async function saveTreeDiff(
  repo: Repo,
  { file, binary }: DiffRequest,
  { patch }: Diff,
): Promise<void> {
  // What can be made again is synced with the rest of the log.
  const isDurable = binary === true;
  await saveFile(file, patch, { root: join(repo.top, repo.prefix), isDurable });
}

export interface DiffRange extends TreeRange {
  readonly bytesMax: number;
  readonly binary?: boolean;
}

export interface Diff {
  readonly patch: Buffer;
  readonly cut: boolean;
  /** Which paths it is about, sorted; null when that is not known for sure. */
  readonly paths: readonly string[] | null;
  /** What the later tree has in it that the earlier one has not: files and folders; null when the list was cut. */
  readonly ids: readonly string[] | null;
}

/**
 * The same bytes for the same trees, however git's output comes: a patch that is too long ends with a whole line and says so. git is
 * stopped at the limit, so that a huge change costs neither memory nor disk.
 */
export async function readDiff(repo: Repo, { from, to, bytesMax, binary }: DiffRange): Promise<Diff> {
  // As much again for the list in front of the patch.
  const allMax = 2 * bytesMax;
  const { stdout: all, cut: isStopped } = await repo.git(
    [
      ...['diff-tree', '-r', '-t', '--raw', '-p', '--no-renames'],
      ...['--no-ext-diff', '--no-textconv', '--no-color'],
      ...(binary === true ? ['--binary'] : []),
      ...[from, to],
    ],
    { stdoutBytesMax: allMax, isRoutine: true },
  );
  // How much comes before git is stopped is chance.
  const stdout = all.subarray(0, allMax);
  const { paths, ids, end } = splitRaw(stdout);
  const whole = stdout.subarray(end);
  const cut = isStopped || whole.length > bytesMax;
  const note = Buffer.from(`# cut here: the diff is larger than ${bytesMax} bytes\n`);
  const room = Math.max(0, bytesMax - note.length);
  const head = whole.subarray(0, whole.subarray(0, room).lastIndexOf(0x0a) + 1);
  return { patch: cut ? Buffer.concat([head, note]) : whole, cut, paths, ids };
}

/** The list in front of the patch: one line a path, then an empty one. Where it was cut there is no patch. */
function splitRaw(stdout: Buffer): Pick<Diff, 'paths' | 'ids'> & { readonly end: number } {
  const gap = stdout.indexOf('\n\n');
  const end = gap === -1 ? stdout.length : gap + 2;
  const lines = stdout
    .subarray(0, gap === -1 ? 0 : gap)
    .toString('utf8')
    .split('\n');
  const names = gap === -1 ? [] : lines.filter(isOfFile).map((line) => line.slice(line.indexOf('\t') + 1));
  const isWhole = gap !== -1 || stdout.length === 0;
  // A name that git quotes is left to a call of its own.
  const isSure = isWhole && !names.some((name) => name.startsWith('"'));
  return {
    paths: isSure ? names.toSorted(compareCodePoints) : null,
    ids: isWhole ? lines.flatMap(newId) : null,
    end,
  };
}

/** Folders are listed for their ids alone. */
function isOfFile(line: string): boolean {
  return !/^:(?:040000 |\d+ 040000 )/.test(line);
}

/** Of a line `:<mode> <mode> <id> <id> <what>`; none for a file that is gone, or for a submodule, whose commits are elsewhere. */
function newId(line: string): readonly string[] {
  const id = /^:\d+ (?!160000)\d+ [0-9a-f]+ ([0-9a-f]+) /.exec(line)?.[1] ?? '';
  return /[1-9a-f]/.test(id) ? [id] : [];
}

/** Files and folders of the later tree that the earlier one does not have. */
export async function listNewIds(repo: Repo, { from, to }: TreeRange): Promise<readonly string[]> {
  const { stdout } = await repo.git(['diff-tree', '-r', '-t', '-z', '--no-renames', from, to]);
  // Every other record is a name, which may look like anything.
  return splitNul(stdout).flatMap((record, at) => (at % 2 === 0 ? newId(record.toString('latin1')) : []));
}

/** As text; bytes that are none become U+FFFD. A tree that nothing refers to may have been cleaned away, hence `orFrom`. */
export async function loadTreeDiff(
  repo: Repo,
  range: DiffRange & { readonly orFrom: string },
): Promise<string> {
  const { patch } = await readDiff(repo, range).catch(() => readDiff(repo, { ...range, from: range.orFrom }));
  return patch.toString('utf8');
}

/** Git's words for "there is no such file", also when a folder stands there. */
const absent = /does not exist|exists on disk, but not in|: bad file/;

export interface BlobRequest {
  /** `<commit>:<path>` or `:0:<path>`, from the top. */
  readonly name: string;
  /** As a hook was given it: git names it relative to the top. */
  readonly index?: string | undefined;
}

export async function loadBlob(repo: Repo, request: BlobRequest): Promise<Buffer | null> {
  return (await askBlob(repo, { ...request, kind: 'blob' }))?.stdout ?? null;
}

/** The same rules as for a file on disk. */
export async function loadBlobText(repo: Repo, request: BlobRequest): Promise<SourceText> {
  const answer = await askBlob(repo, { ...request, kind: 'blob', bytesMax: treeBytesMax });
  if (answer === null) {
    return { kind: 'missing' };
  }
  if (answer.cut) {
    const size = await askBlob(repo, { ...request, kind: '-s' });
    return { kind: 'too_large', bytes: Number(size?.stdout.toString('latin1')), bytesMax: treeBytesMax };
  }
  if (!isUtf8(answer.stdout)) {
    const at = firstInvalidByte(answer.stdout);
    return { kind: 'unreadable', message: `${request.name} in git is not valid UTF-8 (byte ${at})` };
  }
  return { kind: 'text', text: answer.stdout.toString('utf8') };
}

async function askBlob(
  repo: Repo,
  { name, index, kind, bytesMax }: BlobRequest & { readonly kind: 'blob' | '-s'; readonly bytesMax?: number },
): Promise<GitAnswer | null> {
  const args = ['cat-file', kind, name];
  const answer = await repo.git(args, {
    accept: [128],
    ...(bytesMax === undefined ? {} : { stdoutBytesMax: bytesMax }),
    ...(index === undefined ? {} : { index }),
  });
  if (answer.code === 0) {
    return answer;
  }
  if (absent.test(answer.stderr)) {
    // git says the same of a commit that is gone; taking that for "no such file" would drop the file.
    const [commit = ''] = name.split(':');
    await (commit === '' ? null : repo.git(['rev-parse', '--verify', `${commit}^{commit}`]));
    return null;
  }
  throw gitError({ args, cwd: repo.top, stderr: answer.stderr, reason: null });
}

export interface IterationRequest {
  readonly run_id: string;
  readonly iter: number;
  readonly above: string;
}

export async function findIterationCommit(repo: Repo, request: IterationRequest): Promise<string | null> {
  const start = `chore(loop): run ${request.run_id} iter ${request.iter} node `;
  const range = `${request.above}..refs/heads/runner/${request.run_id}`;
  const args = ['log', '--format=%H%x00%T%x00%s', '--fixed-strings', `--grep=${start}`, range, '--'];
  const answer = await repo.git(args, { accept: [128] });
  if (answer.code !== 0) {
    if (/unknown revision|bad revision|bad object|Invalid revision range/i.test(answer.stderr)) {
      return null;
    }
    throw gitError({ args, cwd: repo.top, stderr: answer.stderr, reason: null });
  }
  const found = answer.stdout
    .toString('utf8')
    .split('\n')
    .map((line) => line.split('\0'))
    .filter(
      ([, tree = '', subject = '']) => subject.startsWith(start) && !isOddCommit(repo, { tree, subject }),
    );
  return found.at(-1)?.[0] ?? null;
}

/** Paths, relative to the top, of the commit that started the run; the oldest when it was started again. */
export async function listBootstrapPaths(repo: Repo, runId: string): Promise<ReadonlySet<string>> {
  const subject = `chore(loop): start run ${runId}`;
  const args = [
    'log',
    '--topo-order',
    '--format=%H%x00%s',
    '--fixed-strings',
    `--grep=${subject}`,
    'HEAD',
    '--',
  ];
  const { stdout } = await repo.git(args);
  const found = stdout
    .toString('utf8')
    .split('\n')
    .map((line) => line.split('\0'))
    .filter(([, told]) => told === subject);
  const commit = found.at(-1)?.[0];
  if (commit === undefined) {
    return new Set();
  }
  return listTreePaths(repo, commit);
}

export async function listTreePaths(repo: Repo, tree: string): Promise<ReadonlySet<string>> {
  const { stdout } = await repo.git(['ls-tree', '-r', '-z', '--full-tree', '--name-only', tree]);
  return new Set(splitNul(stdout).map((name) => name.toString('utf8')));
}

/** Subject of a commit above the runner's newest one that changed the file; null when only the runner did. */
export async function loadLastSubject(repo: Repo, path: string): Promise<string | null> {
  const grep = ['--extended-regexp', String.raw`--grep=^chore\(loop\): (run \S+ iter|start run) `];
  const newest = textOf((await repo.git(['log', '-1', '--format=%H', ...grep])).stdout);
  if (newest === '') {
    return null;
  }
  const file = `:(top,literal)${repo.prefix}${path}`;
  const { stdout } = await repo.git(['log', '-1', '--format=%s', `${newest}..HEAD`, '--', file]);
  const subject = textOf(stdout);
  return subject === '' ? null : subject;
}
