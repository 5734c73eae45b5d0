/** What is kept under `refs/runner/rescue/` (§14), and how it differs from the work tree. Moves no ref. */
import { join } from 'node:path';
import type { RescueEntry } from '../../../ports/git-history.ts';
import { withScratch } from '../index-lock.ts';
import { joinPaths, linesOf, shownPath, unquotePath } from '../quoted-path.ts';
import { textOf } from '../repo.ts';
import type { Repo } from '../repo.ts';

const folder = 'refs/runner/rescue/';
const namePattern = /^refs\/runner\/rescue\/([^/]+)\/(?:(\d+)(?=$|[-/]))?/;

/** By name; what is no commit, or whose objects are gone, is left out. */
export async function listRescues(repo: Repo): Promise<readonly RescueEntry[]> {
  const { stdout } = await repo.git.run(['for-each-ref', '--format=%(refname)', folder]);
  const refs = linesOf(stdout.toString('utf8'));
  const entries: RescueEntry[] = [];
  for (const ref of refs) {
    const entry = await loadEntry(repo, ref);
    if (entry !== null) entries.push(entry);
  }
  return entries;
}

async function loadEntry(repo: Repo, ref: string): Promise<RescueEntry | null> {
  const format = '--format=%H%x00%P%x00%cI%x00%s';
  const args = ['log', '-1', '--shortstat', '--diff-merges=first-parent', format, ref, '--'];
  const { code, stdout } = await repo.git.run(args, { accept: [128] });
  if (code !== 0) return null;

  const [head = '', ...stat] = stdout.toString('utf8').split('\n');
  const [commit = '', parents = '', saved_at = '', subject = ''] = head.split('\0');
  const [, run_id = '', iter] = namePattern.exec(ref) ?? [];
  const count = (what: string): number => Number(new RegExp(`(\\d+) ${what}`).exec(stat.join(' '))?.[1] ?? 0);
  return {
    ref,
    run_id,
    iter: iter === undefined ? null : Number(iter),
    commit,
    parent: parents === '' ? await emptyTree(repo) : (parents.split(' ')[0] ?? ''),
    subject,
    saved_at,
    files: count('file'),
    insertions: count('insertion'),
    deletions: count('deletion'),
  };
}

async function emptyTree({ git }: Repo): Promise<string> {
  return textOf((await git.run(['hash-object', '-t', 'tree', '--stdin'], { input: Buffer.alloc(0) })).stdout);
}

/** Paths whose file on disk is there and is not what a checkout of the commit would be. */
export async function listDiffering(
  repo: Repo,
  { commit, paths }: { readonly commit: string; readonly paths: readonly string[] },
): Promise<readonly string[]> {
  if (paths.length === 0) return [];

  return withScratch(repo, async (scratch) => {
    const index = join(scratch, 'index');
    const wanted = new Set(paths);
    const { stdout } = await repo.git.run(['ls-tree', '-r', '-z', '--full-tree', commit]);
    // An index of these files alone, so that no other is read.
    const entries = stdout
      .toString('latin1')
      .split('\0')
      .filter((line) => wanted.has(shownPath(line.slice(line.indexOf('\t') + 1))));
    await repo.git.run(['update-index', '-z', '--index-info'], { index, input: joinPaths(entries) });
    const args = ['diff', '--no-ext-diff', '--no-renames', '--name-only', '--diff-filter=MT'];
    const answer = await repo.git.run(args, { index });
    return linesOf(answer.stdout.toString('latin1')).map((line) => shownPath(unquotePath(line)));
  });
}
