/** Work trees of a repository at the end of a run (§12). git itself changes their files, and refuses what would lose one. */
import { RunnerError } from '../../../core/errors.ts';
import { shellWord } from '../../../core/text/shell-word.ts';
import type { RunPlaces, WorkTree } from '../../../ports/endings.ts';
import { lookAt } from '../../files/look-at.ts';
import type { Git, GitAnswer } from '../client.ts';
import { linesOf, shownPath, unquotePath } from '../quoted-path.ts';
import { refCommit } from '../refs.ts';
import { branchOf, gitElsewhere, textOf } from '../repo.ts';
import type { Repo } from '../repo.ts';
import { keepAside } from './kept-aside.ts';
import { findMergeBase, withRunnerOf } from './merge.ts';

export async function listWorkTrees({ git }: Repo): Promise<readonly WorkTree[]> {
  const { stdout } = await git.run(['worktree', 'list', '--porcelain', '-z']);
  return stdout
    .toString('utf8')
    .split('\0\0')
    .map((block) => block.split('\0'))
    .flatMap((lines) => {
      const valueOf = (key: string): string | undefined =>
        lines.find((line) => line.startsWith(`${key} `))?.slice(key.length + 1);
      const path = valueOf('worktree');
      if (path === undefined || lines.includes('bare')) return [];
      const branch = branchOf(valueOf('branch') ?? null);
      return [{ path, branch, is_there: lookAt(path)?.isDirectory() === true }];
    });
}

function gitAt(repo: Repo, path: string): Git {
  return gitElsewhere(repo, { cwd: path, gitDir: null });
}

export async function listChangedAt(repo: Repo, path: string): Promise<readonly string[]> {
  const args = ['status', '--porcelain', '-z', '--untracked-files=no', '--no-renames'];
  const { stdout } = await gitAt(repo, path).run(args);
  return stdout
    .toString('latin1')
    .split('\0')
    .filter((line) => line !== '')
    .map((line) => shownPath(line.slice(3)))
    .toSorted();
}

/** What git refuses to overwrite is a person's to settle. */
function requireDone(
  answer: GitAnswer,
  { path, what }: { readonly path: string; readonly what: string },
): void {
  if (answer.code === 0) return;
  const lines = answer.stderr.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('hint:'));
  throw new RunnerError({
    code: 'GIT_DIRTY',
    message: `git cannot ${what} in ${path}: ${(lines[0] ?? 'no message').replace(/^(?:error|fatal): /u, '')}`,
    hint: `git -C ${shellWord(path)} status (commit, stash or move what is in the way), then the same command again`,
    details: lines.slice(1),
  });
}

/** git moves the branch that is checked out, whichever that is by now. */
async function requireOn(git: Git, { path, branch }: Omit<WorkTree, 'is_there'>): Promise<void> {
  const { stdout } = await git.run(['symbolic-ref', '--quiet', 'HEAD'], { accept: [1] });
  if (textOf(stdout) === `refs/heads/${branch}`) return;
  throw new RunnerError({
    code: 'GIT_WRONG_BRANCH',
    message: `${path} is not on '${branch}' any more; nothing was changed there`,
    hint: `git -C ${shellWord(path)} status, then the same command again`,
  });
}

export async function runForward(
  repo: Repo,
  { path, branch, to }: Parameters<RunPlaces['forward']>[0],
): Promise<void> {
  const git = gitAt(repo, path);
  await requireOn(git, { path, branch });
  const args = ['merge', '--ff-only', '--quiet', '--no-overwrite-ignore', to];
  const answer = await git.run(args, { writes: true, accept: [1, 128] });
  requireDone(answer, { path, what: 'go forward' });
  if ((await refCommit(repo, `refs/heads/${branch}`)) === to) return;
  throw new RunnerError({
    code: 'GIT_WRONG_BRANCH',
    message: `${path} was switched while '${branch}' went forward there, so another branch may have moved`,
    hint: `git -C ${shellWord(path)} reflog shows what moved; fix it, then the same command again`,
  });
}

export async function runLeave(
  repo: Repo,
  { path, branch, commit }: Parameters<RunPlaces['leave']>[0],
): Promise<void> {
  const where = branch === null ? ['--detach', commit] : [branch];
  const args = ['checkout', '--quiet', '--no-overwrite-ignore', ...where, '--'];
  const answer = await gitAt(repo, path).run(args, { writes: true, accept: [1, 128] });
  requireDone(answer, { path, what: `switch to ${branch ?? commit.slice(0, 8)}` });
}

/**
 * Theirs is merged with the `.runner/` of where both parted, so that ours stays as it is; then the merge is told its real other
 * parent.
 */
export async function runBeginMerge(
  repo: Repo,
  { path, branch, theirs, message }: Parameters<RunPlaces['beginMerge']>[0],
): Promise<readonly string[]> {
  const git = gitAt(repo, path);
  await requireOn(git, { path, branch });
  const ours = (await git.ask(['rev-parse', '--verify', 'HEAD^{commit}'])).trim();
  const base = (await findMergeBase(repo, { ours, theirs })) ?? theirs;
  const side = await withRunnerOf(repo, theirs, base);
  const args = ['merge', '--no-commit', '--no-ff', '--no-overwrite-ignore', '-m', message.trimEnd(), side];
  const answer = await git.run(args, { writes: true, accept: [1, 128] });
  const { stdout } = await git.run(['diff', '--name-only', '--diff-filter=U', '--no-relative']);
  const conflicts = linesOf(stdout.toString('latin1')).map((line) => shownPath(unquotePath(line)));
  if (answer.code !== 0 && conflicts.length === 0) requireDone(answer, { path, what: 'merge' });
  await git.run(['update-ref', 'MERGE_HEAD', theirs], { writes: true });
  return conflicts.toSorted();
}

/** Twice forced: a locked one goes, too. Its lock is taken off first, where it is still known. Returns where the rest is kept. */
export async function runRemoveWorkTree(
  repo: Repo,
  { path, run_id }: Parameters<RunPlaces['removeWorkTree']>[0],
): Promise<string | null> {
  const kept = await keepAside(repo, { path, run_id });
  await repo.git.run(['worktree', 'unlock', path], { accept: [128] });
  await repo.git.run(['worktree', 'remove', '--force', '--force', path], { accept: [128], writes: true });
  await repo.git.run(['worktree', 'prune'], { writes: true });
  return kept;
}
