/**
 * Merged trees (§12), made by git without a work tree. Both sides get the `.runner/` of where they parted, so that only the work is
 * merged. Writes objects, moves nothing.
 */
import { join } from 'node:path';
import { RunnerError } from '../../../core/errors.ts';
import type { Merged, MergeSides, RunMerges } from '../../../ports/endings.ts';
import { withScratch, writeTree } from '../index-lock.ts';
import { joinPaths, shownPath } from '../quoted-path.ts';
import { asBytes, textOf } from '../repo.ts';
import type { Repo } from '../repo.ts';
import { hashText, stageCommitted } from '../runner-files.ts';
import { removeRunner } from '../staging.ts';

/** git's exit code for options it does not know. */
const usageCode = 129;

export async function findMergeBase({ git }: Repo, { ours, theirs }: MergeSides): Promise<string | null> {
  const { stdout } = await git.run(['merge-base', ours, theirs], { accept: [1] });
  return textOf(stdout) || null;
}

export async function mergeWork(repo: Repo, { ours, theirs }: MergeSides): Promise<Merged> {
  const base = await findMergeBase(repo, { ours, theirs });
  if (base === null) {
    throw new RunnerError({
      code: 'GIT_FAILED',
      message: `${ours.slice(0, 8)} and ${theirs.slice(0, 8)} have no commit in common`,
      hint: 'name a branch that shares history with the run: runner finish --into <branch>',
    });
  }
  const sides = [await withRunnerOf(repo, ours, base), await withRunnerOf(repo, theirs, base)];
  const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', ...sides];
  const answer = await repo.git.run(args, { accept: [1, usageCode], writes: true });
  if (answer.code === usageCode) throw await tooOld(repo);
  const [tree = '', ...paths] = answer.stdout.toString('latin1').split('\0');
  const conflicts = paths.filter((path) => path !== '').map(shownPath);
  return { tree, conflicts: answer.code === 0 ? [] : [...new Set(conflicts)].toSorted() };
}

/** A commit above this one whose `.runner/` is that of another. */
export async function withRunnerOf(repo: Repo, commit: string, other: string): Promise<string> {
  const tree = await withScratch(repo, async (folder) => {
    const index = join(folder, 'index');
    await repo.git.run(['read-tree', commit], { index, writes: true });
    await removeRunner(repo, index);
    await stageCommitted(repo, { index, commit: other });
    return writeTree(repo, index);
  });
  return commitTree(repo, { tree, parents: [commit], message: 'runner: one side of a merge\n' });
}

async function tooOld({ git }: Repo): Promise<RunnerError> {
  const version = (await git.ask(['version'])).trim();
  return new RunnerError({
    code: 'GIT_UNSUPPORTED',
    message: `merging a run needs git 2.38 or newer; this is ${version}`,
    hint: 'install a newer git (https://git-scm.com), or merge the branch yourself: git merge --squash <branch>',
  });
}

export async function layRunner(
  repo: Repo,
  { tree, files }: Parameters<RunMerges['layRunner']>[0],
): Promise<string> {
  const root = asBytes(`${repo.runnerPath}/`);
  const rows: string[] = [];
  for (const file of files) {
    const { oid, mode } = 'text' in file ? { oid: await hashText(repo, file.text), mode: '100644' } : file;
    rows.push(`${mode} ${oid}\t${root}${asBytes(file.path)}`);
  }
  return withScratch(repo, async (folder) => {
    const index = join(folder, 'index');
    await repo.git.run(['read-tree', tree], { index, writes: true });
    await removeRunner(repo, index);
    const args = ['update-index', '-z', '--index-info'];
    await repo.git.run(args, { index, input: joinPaths(rows), writes: true });
    return writeTree(repo, index);
  });
}

export async function commitTree(
  { git }: Repo,
  { tree, parents, message }: Parameters<RunMerges['makeCommit']>[0],
): Promise<string> {
  const args = ['commit-tree', ...parents.flatMap((parent) => ['-p', parent]), '-F', '-', tree];
  return textOf((await git.run(args, { input: Buffer.from(message), writes: true })).stdout);
}

export async function findFinish(
  { git }: Repo,
  { into, tip }: Parameters<RunMerges['findFinish']>[0],
): Promise<string | null> {
  const grep = ['--fixed-strings', `--grep=Runner-Tip: ${tip}`];
  const { stdout } = await git.run(['log', '-1', '--format=%H', ...grep, into, '--']);
  return textOf(stdout) || null;
}
