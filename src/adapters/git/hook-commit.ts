/**
 * Commits with the user's hooks (§5 `git.run_hooks`). The commit counts only if its bytes, parent and subject are the expected
 * ones; any other commit is undone and kept under rescue.
 */
import { listPaths } from '../../core/text/path-list.ts';
import type { CommitRequest, CommitResult } from '../../ports/git.ts';
import { gitError } from './errors.ts';
import { dropExpected, loadExpected } from './expected-commit.ts';
import type { Expected } from './expected-commit.ts';
import { listChanged } from './history/history.ts';
import { lockIndex } from './index-lock.ts';
import { withRefMark } from './locks.ts';
import { moveRef, refCommit, saveRescue } from './refs.ts';
import type { Repo } from './repo.ts';
import { textOf } from './repo.ts';
import type { WorkIndex } from './work-index.ts';

const hooksTimeoutMs = 30 * 60 * 1000;

/** A commit whose index, tree and message are ready. */
export interface PreparedCommit extends CommitRequest {
  readonly index: string;
  readonly tree: string;
}

export function subjectOf({ message }: { readonly message: string }): string {
  return message.split('\n')[0] ?? '';
}

export async function runHookCommit(
  repo: Repo,
  work: WorkIndex,
  prepared: PreparedCommit,
): Promise<CommitResult> {
  const { branch, parent, tree } = prepared;
  const expected = { branch, parent, tree, subject: subjectOf(prepared) };
  try {
    const refusal = await runHooks(repo, prepared);
    const oddity =
      refusal === null ? await findOddity(repo, { expected, work, workTree: prepared.work_tree }) : null;
    if (refusal !== null || oddity !== null) {
      await takeBack(repo, expected);
      return { kind: 'hook_refused', output: refusal ?? oddity ?? '' };
    }
    const commit = (await refCommit(repo, `refs/heads/${branch}`)) ?? '';
    (await lockIndex(repo, prepared.index)).install();
    return { kind: 'committed', commit };
  } catch (error) {
    await takeBack(repo, expected);
    throw error;
  }
}

/** Null when git made a commit, else what the hooks said. */
async function runHooks(repo: Repo, prepared: PreparedCommit): Promise<string | null> {
  const args = [
    ...['commit', '--quiet', '--allow-empty', '--cleanup=verbatim', '--file', '-'],
    ...(prepared.sign ? ['-S'] : []),
  ];
  const answer = await withRefMark(repo, () =>
    repo.git.run(args, {
      index: prepared.index,
      input: Buffer.from(prepared.message),
      writes: true,
      hooks: true,
      cookie: prepared.cookie,
      accept: [1, 128],
      timeoutMs: hooksTimeoutMs,
    }),
  );
  if (answer.code === 128 && !/aborted by hook/.test(answer.stderr))
    throw gitError({ args, cwd: repo.top, stderr: answer.stderr, reason: null });

  const output = `${answer.stdout.toString('utf8')}${answer.stderr}`.trim();
  return answer.code === 0 ? null : output === '' ? 'a git hook silently refused the commit' : output;
}

/** What is wrong with the commit the hooks left, or null. */
async function findOddity(
  repo: Repo,
  found: { readonly expected: Expected; readonly work: WorkIndex; readonly workTree: string },
): Promise<string | null> {
  const { expected, work, workTree } = found;
  const [parents, tree = '', subject] = await describeTip(repo, expected.branch);
  if (parents !== expected.parent) return 'a git hook made other commits';

  if (tree !== expected.tree) {
    const changed = await listChanged(repo, { from: expected.tree, to: tree, whole: true });
    return `a git hook changed the files of the commit, which must be exactly the checked ones: ${listPaths(changed)}`;
  }
  if (subject !== expected.subject)
    return `a git hook changed the first line of the commit message to: ${subject ?? ''}`;

  const { tree: left } = await work.load({ commit: expected.parent, iter: 0 });
  if (left !== workTree) {
    const changed = await listChanged(repo, { from: workTree, to: left });
    return `a git hook changed files of the work tree without committing them: ${listPaths(changed)}`;
  }
  return null;
}

/** Parents, tree and subject of the branch's commit; empty when there is none. */
async function describeTip({ git }: Repo, branch: string): Promise<readonly string[]> {
  const args = ['log', '-1', '--format=%P%x00%T%x00%s', `refs/heads/${branch}`];
  const { code, stdout } = await git.run(args, { accept: [128] });
  return code === 0 ? textOf(stdout).split('\0') : [];
}

/** Moves the branch back; the hooks' version of the commit is kept. */
async function takeBack(repo: Repo, expected: Expected): Promise<void> {
  const ref = `refs/heads/${expected.branch}`;
  const tip = await refCommit(repo, ref);
  if (tip !== null && tip !== expected.parent) {
    await saveRescue(repo, { ...rescueName(expected), commit: tip });
    await moveRef(repo, { ref, to: expected.parent, from: tip, reason: 'runner: hooked commit taken back' });
  }
  await dropExpected(repo);
}

function rescueName(expected: Expected): { readonly run_id: string; readonly name: string } {
  const iter = /^chore\(loop\): run \S+ iter (\d+) /.exec(expected.subject)?.[1];
  return { run_id: expected.branch.replace(/^runner\//, ''), name: iter ?? 'hook' };
}

/**
 * After a crash while hooks ran: a commit that was never looked at, and is not the expected one, is taken back. A note of another
 * iteration, which was closed, is left alone.
 */
export async function undoOddCommit(repo: Repo, words: string): Promise<void> {
  const expected = await loadExpected(repo);
  if (expected?.subject.startsWith(words) !== true) return;

  const [parents, tree, subject] = await describeTip(repo, expected.branch);
  const isOurs = parents === expected.parent && subject === expected.subject;
  if (isOurs && tree !== expected.tree) await takeBack(repo, expected);
}
