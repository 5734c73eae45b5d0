/**
 * Run branches for `start` (§11): lists them, switches to one, makes a new one. Nothing moves before `runFinishStart`, which
 * may be repeated after a crash at any point.
 */
import { join } from 'node:path';
import { RunnerError } from '../../core/errors.ts';
import { compareCodePoints } from '../../core/tree/tree-walk.ts';
import type { RefTip, RunBranch } from '../../ports/git.ts';
import { gitError } from './errors.ts';
import { ensurePrivateDir, lockIndex, makeIndexOf, withScratch, writeTree } from './index-lock.ts';
import { clearOwnLocks, withRefMark } from './locks.ts';
import { linesOf } from './quoted-path.ts';
import { makeCommit } from './record.ts';
import { isAncestor, listRefs, moveRef, refCommit, removeRef, treeOf } from './refs.ts';
import { headCommit, headRef } from './repo.ts';
import type { Repo } from './repo.ts';
import { stageFromDisk } from './runner-files.ts';
import { removeRunner } from './staging.ts';

const localPattern = /^refs\/heads\/(runner\/([^/]+))$/;
const remotePattern = /^refs\/remotes\/(.+)\/(runner\/([^/]+))$/;

export async function loadRunBranches(repo: Repo): Promise<readonly RunBranch[]> {
  const refs = await listRefs(repo, ['refs/heads/runner/*', 'refs/remotes/**/runner/*']);
  const local = refs.flatMap(parseLocal);
  const known = new Set(local.map((branch) => branch.run_id));
  const remote = refs.flatMap(parseRemote).filter((branch) => !known.has(branch.run_id));
  // `origin/feature/runner/x` is a branch of origin, not a run of a remote named `origin/feature`.
  const names = remote.length === 0 ? [] : linesOf(await repo.git.ask(['remote']));
  return [...local, ...remote.filter((branch) => names.includes(branch.remote ?? ''))].toSorted(
    compareBranches,
  );
}

function parseLocal(ref: RefTip): readonly RunBranch[] {
  const [, branch, run_id] = localPattern.exec(ref.name) ?? [];
  return branch === undefined || run_id === undefined
    ? []
    : [{ run_id, branch, commit: ref.id, remote: null }];
}

function parseRemote(ref: RefTip): readonly RunBranch[] {
  const [, remote, branch, run_id] = remotePattern.exec(ref.name) ?? [];
  return remote === undefined || branch === undefined || run_id === undefined
    ? []
    : [{ run_id, branch, commit: ref.id, remote }];
}

/** The same run on several remotes: `origin` first. */
function compareBranches(a: RunBranch, b: RunBranch): number {
  const rank = (branch: RunBranch): string => (branch.remote === 'origin' ? '' : (branch.remote ?? ''));
  return compareCodePoints(a.run_id, b.run_id) || compareCodePoints(rank(a), rank(b));
}

export async function runSwitch(repo: Repo, { branch, remote }: RunBranch): Promise<void> {
  const args =
    remote === null
      ? ['checkout', '--quiet', branch, '--']
      : ['checkout', '--quiet', '-b', branch, '--track', `refs/remotes/${remote}/${branch}`];
  const answer = await repo.git.run(args, { writes: true, accept: [1] });
  if (answer.code === 1) {
    const error = gitError({ args, cwd: repo.top, stderr: answer.stderr, reason: null });
    throw new RunnerError({
      code: 'GIT_DIRTY',
      message: `git cannot switch to ${branch}: ${answer.stderr.trim().split('\n')[0] ?? ''}`,
      hint: `keep your changes first: git stash --include-untracked && git switch ${branch}`,
      details: error.details,
    });
  }
}

export async function makeStartCommit(
  repo: Repo,
  { parent, message }: { readonly parent: string; readonly message: string },
): Promise<string | null> {
  return withScratch(repo, async (folder) => {
    const index = join(folder, 'index');
    await repo.git.run(['read-tree', parent], { index });
    await removeRunner(repo, index);
    await stageFromDisk(repo, index);
    const tree = await writeTree(repo, index);
    if (tree === (await treeOf(repo, parent))) return null;

    return makeCommit(repo, { tree, parent, sign: false, message });
  });
}

export interface FinishRequest {
  readonly branch: string;
  readonly commit: string;
}

export async function runFinishStart(repo: Repo, request: FinishRequest): Promise<void> {
  const { branch, commit } = request;
  const tip = await refCommit(repo, `refs/heads/${branch}`);
  if (tip !== null && tip !== commit) {
    if (await isAncestor(repo, { ancestor: commit, descendant: tip })) {
      // It was finished before, and the run or a person has gone on from there.
      return;
    }
    await checkForward(repo, { ...request, tip });
  }
  await clearOwnLocks(repo, branch);
  if (await isAt(repo, commit)) {
    await install(repo, { ...request, tip });
    return;
  }
  await moveBranch(repo, { ...request, tip });
  throw new RunnerError({
    code: 'GIT_WRONG_BRANCH',
    message: `HEAD has moved on since ${branch} was begun; the branch is made, your files are as they were`,
    hint: `git switch ${branch}`,
  });
}

interface Finishing extends FinishRequest {
  /** Where the branch is; null: not made yet. */
  readonly tip: string | null;
}

async function checkForward(repo: Repo, request: FinishRequest & { readonly tip: string }): Promise<void> {
  if (!(await isAncestor(repo, { ancestor: request.tip, descendant: request.commit }))) {
    throw new RunnerError({
      code: 'GIT_FAILED',
      message: `the branch ${request.branch} has other commits now; starting the run would drop them`,
      hint: `git switch ${request.branch}`,
    });
  }
}

/** The files on disk are those of the new commit only when HEAD is where it was made, or already on it. */
async function isAt(repo: Repo, commit: string): Promise<boolean> {
  const head = await headCommit(repo);
  return head === commit || head === (await refCommit(repo, `${commit}^`));
}

/** The lock comes first: from then on only the refs can fail, and then they are put back. */
async function install(repo: Repo, finishing: Finishing): Promise<void> {
  await ensurePrivateDir(repo);
  const lock = await lockIndex(repo, await makeIndexOf(repo, finishing.commit));
  try {
    await moveBranch(repo, finishing);
    await moveHead(repo, finishing);
  } catch (error) {
    await lock.release();
    throw error;
  }
  lock.install();
}

async function moveBranch(repo: Repo, { branch, commit, tip }: Finishing): Promise<void> {
  const move = { ref: `refs/heads/${branch}`, to: commit, from: tip ?? '', reason: 'runner: start' };
  if (tip !== commit) await withRefMark(repo, () => moveRef(repo, move));
}

/** A branch we have just made does not stay behind when HEAD cannot be put on it (§11). */
async function moveHead(repo: Repo, { branch, commit, tip }: Finishing): Promise<void> {
  const ref = `refs/heads/${branch}`;
  if ((await headRef(repo)) === ref) return;

  try {
    const args = ['symbolic-ref', '-m', 'runner: start', 'HEAD', ref];
    await withRefMark(repo, () => repo.git.run(args, { writes: true }));
  } catch (error) {
    if (tip === null) await removeRef(repo, { ref, from: commit });
    else if (tip !== commit)
      await moveRef(repo, { ref, to: tip, from: commit, reason: 'runner: start taken back' });

    throw error;
  }
}
