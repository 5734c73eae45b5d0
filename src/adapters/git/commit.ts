/**
 * One commit of a known tree plus the tracked files of `.runner/` (§5). The branch moves only from the given parent, and
 * until it has moved neither the branch nor the user's index is changed.
 */
import { RunnerError } from '../../core/errors.ts';
import type { CommitRequest, CommitResult } from '../../ports/git-manager.ts';
import { failpoint } from '../files/failpoint.ts';
import { dropExpected, runHookCommit, undoOddCommit } from './hook-commit.ts';
import type { PreparedCommit } from './hook-commit.ts';
import { commitIndexFile, dropPrivate, ensurePrivateDir, lockIndex } from './index-lock.ts';
import { composeIndex } from './index-file.ts';
import { gitObject } from './index-trees.ts';
import { clearOwnLocks, withRefMark } from './locks.ts';
import { saveObjects } from './objects.ts';
import { moveRef, refCommit } from './refs.ts';
import { headRef, textOf } from './repo.ts';
import type { Repo } from './repo.ts';
import type { StagedFile } from './runner-files.ts';
import { loadSetup } from './setup.ts';
import { holdWorkTree, makeIndexOf } from './work-index.ts';
import { saveWorkRecord } from './work-record.ts';

export async function runCommit(
  repo: Repo,
  request: CommitRequest,
  held: readonly StagedFile[],
): Promise<{ readonly result: CommitResult; readonly files: readonly StagedFile[] | null }> {
  await ensurePrivateDir(repo);
  await checkOnBranch(repo, request.branch);
  await clearOwnLocks(repo, request.branch);
  const index = commitIndexFile(repo);
  try {
    await undoOddCommit(repo);
    await holdWorkTree(repo, request.work_tree);
    const { tree, files } = await composeIndex(repo, { from: repo.files.index, to: index, held });
    const result = request.run_hooks
      ? await runHookCommit(repo, { ...request, index, tree })
      : await runPlainCommit(repo, { ...request, index, tree });
    if (result.kind === 'committed') {
      // Outside `.runner/` the new commit is what the work index holds.
      saveWorkRecord(repo, { commit: result.commit, tree: request.work_tree });
    }
    return { result, files };
  } finally {
    [index, `${index}.lock`, `${index}.new`].forEach(dropPrivate);
  }
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
  await installCommit(repo, {
    branch: prepared.branch,
    from: prepared.parent,
    commit,
    index: prepared.index,
  });
  return { kind: 'committed', commit };
}

export async function makeCommit(
  repo: Repo,
  commit: Pick<PreparedCommit, 'tree' | 'parent' | 'sign' | 'message'>,
): Promise<string> {
  const { tree, parent, sign } = commit;
  const { identity } = repo.memory;
  const message = `${commit.message.replace(/\n$/, '')}\n`;
  failpoint('commit:before');
  const { isPlain, idBytes } = await loadSetup(repo);
  if (identity === null || sign || !isPlain) {
    const args = ['commit-tree', ...(sign ? ['-S'] : []), '-p', parent, '-F', '-', tree];
    return textOf((await repo.git(args, { input: Buffer.from(message), writes: true })).stdout);
  }
  const now = `${Math.floor(Date.now() / 1000)} ${identity.zone}`;
  const lines = [`tree ${tree}`, `parent ${parent}`, `author ${identity.author} ${now}`];
  const text = `${lines.join('\n')}\ncommitter ${identity.committer} ${now}\n\n${message}`;
  const object = gitObject('commit', Buffer.from(text), idBytes);
  saveObjects(repo, [object]);
  return object.oid;
}

interface Installation {
  readonly branch: string;
  /** Where the branch must still point. */
  readonly from: string;
  readonly commit: string;
  readonly index: string;
}

/** The lock comes first: from then on only the move of the branch can fail, and then nothing has changed. */
export async function installCommit(repo: Repo, installation: Installation): Promise<void> {
  const { branch, from, commit, index } = installation;
  const ref = `refs/heads/${branch}`;
  const lock = await lockIndex(repo, index);
  try {
    await withRefMark(repo, () => moveRef(repo, { ref, to: commit, from, reason: 'runner: commit' }));
  } catch (error) {
    await lock.release();
    throw error;
  }
  await lock.install().catch(async (error: unknown) => {
    await moveRef(repo, { ref, to: from, from: commit, reason: 'runner: commit taken back' });
    throw error;
  });
}

/** After a crash behind the commit (§7). When the branch has gone on, its index is no longer ours to set. */
export async function runFinishCommit(
  repo: Repo,
  { branch, commit }: { readonly branch: string; readonly commit: string },
): Promise<void> {
  const ref = `refs/heads/${branch}`;
  if ((await headRef(repo)) !== ref || (await refCommit(repo, ref)) !== commit) {
    return;
  }
  await clearOwnLocks(repo, branch);
  await dropExpected(repo);
  const answer = await repo.git(['diff-index', '--cached', '--quiet', commit, '--'], { accept: [1] });
  if (answer.code === 1) {
    await (await lockIndex(repo, await makeIndexOf(repo, commit))).install();
  }
}
