/**
 * One commit of a known tree plus the files of `.runner/` (§5). The branch moves only from the given parent, and until it has moved
 * neither the branch nor the user's index is changed.
 */
import { RunnerError } from '../../core/errors.ts';
import type { CommitRequest, CommitResult } from '../../ports/git.ts';
import { failpoint } from '../files/failpoint.ts';
import { saveExpected } from './expected-commit.ts';
import { runHookCommit, subjectOf, undoOddCommit } from './hook-commit.ts';
import type { PreparedCommit } from './hook-commit.ts';
import {
  commitIndexFile,
  copyIndex,
  dropPrivate,
  ensurePrivateDir,
  lockIndex,
  makeIndexOf,
  writeTree,
} from './index-lock.ts';
import { clearOwnLocks, withRefMark } from './locks.ts';
import { dropHold, holdRef, moveRef, refCommit } from './refs.ts';
import { headRef, textOf } from './repo.ts';
import type { Repo } from './repo.ts';
import { stageDecided } from './runner-files.ts';
import { isSound, requireSound, setForgedAside } from './sound.ts';
import type { Wanted } from './sound.ts';
import type { WorkIndex } from './work-index.ts';

export async function runCommit(repo: Repo, work: WorkIndex, request: CommitRequest): Promise<CommitResult> {
  await ensurePrivateDir(repo);
  await checkOnBranch(repo, request.branch);
  await clearOwnLocks(repo, request.branch);
  const index = commitIndexFile(repo);
  try {
    await undoOddCommit(repo, subjectOf(request).replace(/ node .*/, ' node '));
    const prepared = { ...request, index, tree: await stageTrue(repo, work, { request, index }) };
    const { branch, parent, tree } = prepared;
    await saveExpected(repo, { branch, parent, tree, subject: subjectOf(prepared) });
    const result = await (request.run_hooks
      ? runHookCommit(repo, work, prepared)
      : runPlainCommit(repo, prepared));
    if (result.kind === 'committed') {
      work.noteCommit(result.commit);
      // Without hooks it went with the move of the branch. A hold that cannot be removed now goes with the next one.
      if (request.is_held && request.run_hooks) await dropHold(repo, request.run_id).catch(() => undefined);
    }
    return result;
  } finally {
    [index, `${index}.lock`].forEach(dropPrivate);
  }
}

/** The tree of the commit. What is forged in the object store is set aside, and written again from what was decided and from disk. */
async function stageTrue(
  repo: Repo,
  work: WorkIndex,
  { request, index }: { readonly request: CommitRequest; readonly index: string },
): Promise<string> {
  const paths = [repo.runnerPath];
  const stage = async (): Promise<string> => {
    await work.hold(request.work_tree);
    await copyIndex(repo.files.index, index);
    await stageDecided(repo, { index, control: request.control, files: request.files });
    return writeTree(repo, index);
  };
  const wantedOf = (root: string): readonly Wanted[] =>
    request.is_pass
      ? [{ roots: [root] }, { roots: [request.control], paths }]
      : [{ roots: [root, request.control], paths }];
  const tree = await stage();
  if (await isSound(repo, ...wantedOf(tree))) return tree;

  await setForgedAside(repo, { roots: [tree] });
  await work.rewrite(request.work_tree);
  const again = await stage();
  await requireSound(repo, ...wantedOf(again));
  return again;
}

/** On another branch the index belongs to other files. */
export async function checkOnBranch(repo: Repo, branch: string): Promise<void> {
  const ref = await headRef(repo);
  if (ref !== `refs/heads/${branch}`) {
    throw new RunnerError({
      code: 'GIT_WRONG_BRANCH',
      message: `HEAD is ${ref === null ? 'detached' : `on ${ref}`}, not on ${branch}`,
      hint: `git switch ${branch}`,
    });
  }
}

async function runPlainCommit(repo: Repo, prepared: PreparedCommit): Promise<CommitResult> {
  const commit = await makeCommit(repo, prepared);
  const { branch, parent, index, is_held: isHeld, run_id: runId } = prepared;
  const hold = isHeld ? { drop: holdRef(runId) } : {};
  await installCommit(repo, { branch, from: parent, commit, index, ...hold });
  return { kind: 'committed', commit };
}

export async function makeCommit(
  { git }: Repo,
  { tree, parent, sign, message }: Pick<PreparedCommit, 'tree' | 'parent' | 'sign' | 'message'>,
): Promise<string> {
  failpoint('commit:before');
  const args = ['commit-tree', ...(sign ? ['-S'] : []), '-p', parent, '-F', '-', tree];
  const input = Buffer.from(`${message.replace(/\n$/, '')}\n`);
  return textOf((await git.run(args, { input, writes: true })).stdout);
}

interface Installation {
  readonly branch: string;
  /** Where the branch must still point. */
  readonly from: string;
  readonly commit: string;
  readonly index: string;
  /** A ref that is no longer needed then. */
  readonly drop?: string;
}

/** The lock comes first: from then on only the move of the branch can fail, and then nothing has changed. */
export async function installCommit(repo: Repo, installation: Installation): Promise<void> {
  const { branch, from, commit, index, ...drop } = installation;
  const ref = `refs/heads/${branch}`;
  const lock = await lockIndex(repo, index);
  try {
    await withRefMark(repo, () =>
      moveRef(repo, { ref, to: commit, from, reason: 'runner: commit', ...drop }),
    );
  } catch (error) {
    await lock.release();
    throw error;
  }
  try {
    lock.install();
  } catch (error) {
    await moveRef(repo, { ref, to: from, from: commit, reason: 'runner: commit taken back' });
    throw error;
  }
}

/** After a crash behind the commit (§7). When the branch has gone on, its index is no longer ours to set. */
export async function runFinishCommit(
  repo: Repo,
  { branch, commit }: { readonly branch: string; readonly commit: string },
): Promise<void> {
  const ref = `refs/heads/${branch}`;
  await dropHold(repo, branch.replace(/^runner\//, ''));
  if ((await headRef(repo)) !== ref || (await refCommit(repo, ref)) !== commit) return;

  await clearOwnLocks(repo, branch);
  const answer = await repo.git.run(['diff-index', '--cached', '--quiet', commit, '--'], { accept: [1] });
  if (answer.code === 1) {
    await ensurePrivateDir(repo);
    (await lockIndex(repo, await makeIndexOf(repo, commit))).install();
  }
}
