/** Questions about commits, trees and the index. Reads only, except for the diff file it is told to write. */
import { join } from 'node:path';
import { compareCodePoints } from '../../../core/tree/tree-walk.ts';
import type { GitHistory, TreeRange } from '../../../ports/git-history.ts';
import { saveFile } from '../../files/files.ts';
import { iterationWords, loadExpected } from '../expected-commit.ts';
import { linesOf, shownPath, unquotePath } from '../quoted-path.ts';
import { isAncestor } from '../refs.ts';
import type { Repo } from '../repo.ts';

function rangeArgs({ runnerPath }: Repo, { from, to, whole }: TreeRange): readonly string[] {
  return [from, to, ...(whole === true ? [] : ['--', ':/', `:(top,exclude,literal)${runnerPath}`])];
}

export async function listChanged(repo: Repo, range: TreeRange): Promise<readonly string[]> {
  const args = ['diff-tree', '-r', '--no-renames', '--name-only', ...rangeArgs(repo, range)];
  // Nothing at all is a frequent answer.
  const { stdout } = await repo.git.run(args);
  return sortedPaths(linesOf(stdout.toString('latin1')));
}

function sortedPaths(quoted: readonly string[]): readonly string[] {
  return quoted.map((path) => shownPath(unquotePath(path))).toSorted(compareCodePoints);
}

interface DiffRange extends TreeRange {
  readonly bytesMax: number;
  readonly binary?: boolean;
}

/**
 * The same bytes for the same trees, however git's output comes: a patch that is too long ends with a whole line and says so. git is
 * stopped at the limit, so that a huge change costs neither memory nor disk.
 */
async function loadPatch(
  repo: Repo,
  { bytesMax, binary, ...range }: DiffRange,
): Promise<{ readonly patch: Buffer; readonly cut: boolean }> {
  const args = ['diff-tree', ...patchArgs(binary), ...rangeArgs(repo, range)];
  const { stdout, cut } = await repo.git.run(args, { stdoutBytesMax: bytesMax });
  if (!cut) return { patch: stdout, cut };

  const note = Buffer.from(`# cut here: the diff is larger than ${bytesMax} bytes\n`);
  const room = Math.max(0, bytesMax - note.length);
  const head = stdout.subarray(0, stdout.subarray(0, room).lastIndexOf(0x0a) + 1);
  return { patch: Buffer.concat([head, note]), cut };
}

function patchArgs(binary: boolean | undefined): readonly string[] {
  const args = ['-r', '-p', '--no-renames', '--no-ext-diff', '--no-textconv', '--no-color'];
  return [...args, ...(binary === true ? ['--binary'] : [])];
}

interface Change {
  readonly paths: readonly string[];
  readonly patch: Buffer;
  readonly cut: boolean;
}

/** One call: git lists what changed, leaves a line empty and writes the patch. What is too large for that takes two. */
async function loadChange(repo: Repo, range: DiffRange): Promise<Change> {
  const args = ['diff-tree', '--raw', ...patchArgs(range.binary), ...rangeArgs(repo, range)];
  const { stdout, cut } = await repo.git.run(args, { stdoutBytesMax: range.bytesMax });
  if (cut) return { ...(await loadPatch(repo, range)), paths: await listChanged(repo, range) };

  const end = stdout.indexOf('\n\n') + 1;
  const lines = linesOf(stdout.subarray(0, end).toString('latin1'));
  const paths = sortedPaths(lines.map((line) => line.slice(line.indexOf('\t') + 1)));
  return { paths, patch: end === 0 ? stdout : stdout.subarray(end + 1), cut };
}

export async function saveDiff(
  repo: Repo,
  { file, ...range }: Parameters<GitHistory['saveDiff']>[0],
): Promise<Omit<Change, 'patch'>> {
  const { paths, patch, cut } = await loadChange(repo, range);
  // What can be made again is synced with the rest of the log.
  const isDurable = range.binary === true;
  // Logs of a background run are in the common git folder.
  const project = join(repo.top, repo.prefix);
  const root = file.startsWith(join(project, '/')) ? project : repo.commonDir;
  await saveFile(file, patch, { root, isDurable });
  return { paths, cut };
}

/** As text; invalid UTF-8 becomes U+FFFD. A tree that nothing refers to may have been pruned, hence `orFrom`. */
export async function loadDiff(repo: Repo, range: Parameters<GitHistory['loadDiff']>[0]): Promise<string> {
  const { patch } = await loadPatch(repo, range).catch(() =>
    loadPatch(repo, { ...range, from: range.orFrom }),
  );
  return patch.toString('utf8');
}

/** Commits whose subject has these words, with the given fields first and the subject last; newest first. */
async function findSubjects(
  { git }: Repo,
  { format, words, range }: { readonly format: string; readonly words: string; readonly range: string },
): Promise<readonly (readonly string[])[]> {
  const args = ['log', '--topo-order', `--format=${format}%x00%s`, '--fixed-strings', `--grep=${words}`];
  const { stdout } = await git.run([...args, range, '--']);
  return linesOf(stdout.toString('utf8')).map((line) => line.split('\0'));
}

export async function findIterationCommit(
  repo: Repo,
  { run_id, iter, above }: Parameters<GitHistory['findIteration']>[0],
): Promise<string | null> {
  const words = iterationWords({ run_id, iter });
  const branch = `refs/heads/runner/${run_id}`;
  // Also when one of them is gone.
  if (!(await isAncestor(repo, { ancestor: above, descendant: branch }))) return null;

  const expected = await loadExpected(repo);
  const found = await findSubjects(repo, { format: '%H%x00%P%x00%T', words, range: `${above}..${branch}` });
  const ours = found.find(
    ([, parents, tree, subject]) =>
      parents === expected?.parent && tree === expected?.tree && subject === expected?.subject,
  );
  return ours?.[0] ?? null;
}

/** Only the newest is looked for, which is near: sessions commit below our commits, never above. */
export async function findOwnCommit(
  { git }: Repo,
  { run_id, iter, at }: Parameters<GitHistory['findOwnCommit']>[0],
): Promise<string | null> {
  const id = run_id.replaceAll('.', String.raw`\.`);
  const words = iter > 1 ? `run ${id} iter [0-9]+ node ` : `start run ${id}$`;
  const grep = ['--extended-regexp', String.raw`--grep=^chore\(loop\): ${words}`];
  return (await git.ask(['log', '-1', '--format=%H', ...grep, at, '--'])).trimEnd() || null;
}

export async function listTreePaths({ git }: Repo, tree: string): Promise<ReadonlySet<string>> {
  const answer = await git.ask(['ls-tree', '-r', '--full-tree', '--name-only', tree]);
  return new Set(linesOf(answer).map((line) => shownPath(unquotePath(line))));
}

/** Subject of a commit above the runner's newest one that changed the file; null when only the runner did. */
export async function loadLastSubject({ git, prefix }: Repo, path: string): Promise<string | null> {
  const grep = ['--extended-regexp', String.raw`--grep=^chore\(loop\): (run \S+ iter|start run) `];
  const [newest = '', names = ''] = (await git.ask(['log', '-1', '--format=%H%n%D', ...grep])).split('\n');
  if (newest === '' || /^HEAD(?: ->|,|$)/.test(names)) return null;

  const file = `:(top,literal)${prefix}${path}`;
  // A command of ours has said itself what it changed.
  const format = '%s%x00%(trailers:key=Runner-Person,valueonly,separator=%x20)';
  const { stdout } = await git.run(['log', `--format=${format}`, `${newest}..HEAD`, '--', file]);
  const commits = stdout
    .toString('utf8')
    .split('\n')
    .map((line) => line.split('\0'));
  return commits.find(([, command = '']) => command === '')?.[0] || null;
}
