/** Questions about commits, trees and the index. Reads only, except for the diff file it is told to write. */
import { isUtf8 } from 'node:buffer';
import { join } from 'node:path';
import { assert } from '../../../core/errors.ts';
import { treeBytesMax } from '../../../core/limits.ts';
import { compareCodePoints } from '../../../core/tree/tree-walk.ts';
import type { SourceText } from '../../../core/types.ts';
import type { GitHistory, TreeRange } from '../../../ports/git-history.ts';
import { saveFile } from '../../files/files.ts';
import { firstInvalidByte } from '../../files/utf8-bytes.ts';
import type { GitAnswer } from '../client.ts';
import { gitError } from '../errors.ts';
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
  return linesOf(stdout.toString('latin1'))
    .map((line) => shownPath(unquotePath(line)))
    .toSorted(compareCodePoints);
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
  const { stdout, cut } = await repo.git.run(
    [
      ...['diff-tree', '-r', '-p', '--no-renames', '--no-ext-diff', '--no-textconv', '--no-color'],
      ...(binary === true ? ['--binary'] : []),
      ...rangeArgs(repo, range),
    ],
    { stdoutBytesMax: bytesMax },
  );
  if (!cut) return { patch: stdout, cut };

  const note = Buffer.from(`# cut here: the diff is larger than ${bytesMax} bytes\n`);
  const room = Math.max(0, bytesMax - note.length);
  const head = stdout.subarray(0, stdout.subarray(0, room).lastIndexOf(0x0a) + 1);
  return { patch: Buffer.concat([head, note]), cut };
}

export async function saveDiff(
  repo: Repo,
  { file, ...range }: Parameters<GitHistory['saveDiff']>[0],
): Promise<{ readonly cut: boolean }> {
  const { patch, cut } = await loadPatch(repo, range);
  // What can be made again is synced with the rest of the log.
  const isDurable = range.binary === true;
  // Logs of a background run are in the common git folder.
  const project = join(repo.top, repo.prefix);
  const root = file.startsWith(join(project, '/')) ? project : repo.commonDir;
  await saveFile(file, patch, { root, isDurable });
  return { cut };
}

/** As text; invalid UTF-8 becomes U+FFFD. A tree that nothing refers to may have been pruned, hence `orFrom`. */
export async function loadDiff(repo: Repo, range: Parameters<GitHistory['loadDiff']>[0]): Promise<string> {
  const { patch } = await loadPatch(repo, range).catch(() =>
    loadPatch(repo, { ...range, from: range.orFrom }),
  );
  return patch.toString('utf8');
}

/** Git's words for "there is no such file", also when there is a folder of that name. */
const absent = /does not exist|exists on disk, but not in|: bad file/;

export interface BlobRequest {
  /** `<commit>:<path>` or `:0:<path>`, from the top. */
  readonly name: string;
  /** As a hook was given it: git names it relative to the top. */
  readonly index?: string | undefined;
}

/** `<id> blob <bytes>`, a line break, the bytes and another line break for each. */
export async function loadBlobs(
  { git }: Repo,
  oids: readonly string[],
): Promise<ReadonlyMap<string, Buffer>> {
  const blobs = new Map<string, Buffer>();
  if (oids.length === 0) return blobs;

  const input = Buffer.from(oids.map((oid) => `${oid}\n`).join(''));
  const { stdout } = await git.run(['cat-file', '--batch'], { input });
  for (let at = 0; at < stdout.length;) {
    const end = stdout.indexOf(0x0a, at);
    const [oid = '', kind, size = ''] = stdout.subarray(at, end).toString('latin1').split(' ');
    assert(kind === 'blob', `git has no blob ${oid}`);
    blobs.set(oid, stdout.subarray(end + 1, end + 1 + Number(size)));
    at = end + Number(size) + 2;
  }
  return blobs;
}

/** The same rules as for a file on disk. */
export async function loadBlobText(repo: Repo, request: BlobRequest): Promise<SourceText> {
  const answer = await askBlob(repo, { ...request, kind: 'blob', bytesMax: treeBytesMax });
  if (answer === null) return { kind: 'missing' };

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
  { git, top }: Repo,
  { name, index, kind, bytesMax }: BlobRequest & { readonly kind: 'blob' | '-s'; readonly bytesMax?: number },
): Promise<GitAnswer | null> {
  const args = ['cat-file', kind, name];
  const answer = await git.run(args, {
    accept: [128],
    ...(bytesMax === undefined ? {} : { stdoutBytesMax: bytesMax }),
    ...(index === undefined ? {} : { index }),
  });
  if (answer.code === 0) return answer;

  if (absent.test(answer.stderr)) {
    // git says the same of a commit that is gone; taking that for "no such file" would drop the file.
    const [commit = ''] = name.split(':');
    await (commit === '' ? null : git.ask(['rev-parse', '--verify', `${commit}^{commit}`]));
    return null;
  }
  throw gitError({ args, cwd: top, stderr: answer.stderr, reason: null });
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
  const newest = (await git.ask(['log', '-1', '--format=%H', ...grep])).trimEnd();
  if (newest === '') return null;

  const file = `:(top,literal)${prefix}${path}`;
  const { stdout } = await git.run(['log', '-1', '--format=%s', `${newest}..HEAD`, '--', file]);
  return stdout.toString('utf8').trimEnd() || null;
}
