/**
 * Puts git in order after a session (§5 "Git after a session"): HEAD, branch, locks, unfinished operations, nested
 * repositories, index. Every commit stays reachable, and no file of the work is touched.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listPaths } from '../../../core/text/path-list.ts';
import { compareCodePoints } from '../../../core/tree/tree-walk.ts';
import type { RefTip, SettleRequest, Settled } from '../../../ports/git.ts';
import { moveAside, saveFile } from '../../files/files.ts';
import { lookAt } from '../../files/look-at.ts';
import { iterationWords } from '../expected-commit.ts';
import { undoOddCommit } from '../hook-commit.ts';
import { removeOwnIndexLock, sweepScratch } from '../index-lock.ts';
import { clearDeadLocks } from '../locks.ts';
import { absorbLinks } from './nested.ts';
import { listWatchedRefs, reportOthers } from './other-refs.ts';
import { isAncestor, moveRef, removeRef, saveRescue } from '../refs.ts';
import { branchOf, headCommit, headRef, shortId } from '../repo.ts';
import type { Repo } from '../repo.ts';
import { runSwitchBack } from '../switch-back.ts';
import { endUnfinished } from './unfinished.ts';
import type { WorkIndex } from '../work-index.ts';
import { clearWork } from '../work-walk.ts';

export async function runSettle(repo: Repo, work: WorkIndex, request: SettleRequest): Promise<Settled> {
  removeOwnIndexLock(repo);
  sweepScratch(repo);
  work.distrust();
  const { baseline, iter } = request;
  const cleared = await clearWork(repo, iter);
  const { gitFolders } = cleared;
  const notes = [
    ...cleared.notes,
    ...(await clearDeadLocks(repo, { branch: request.branch, place: String(iter) })),
    ...(await repairHead(repo, request)),
    ...(await endUnfinished(repo, request)),
  ];
  // A commit that hooks changed, and that was not checked yet, is not the session's.
  await undoOddCommit(repo, iterationWords(request));
  const refs = await listWatchedRefs(repo);
  const branch = await settleBranch(repo, { request, refs });
  const { head } = branch;
  notes.push(...branch.notes, ...(await settleHead(repo, { request, refs, head })));
  notes.push(...(await absorbLinks(repo, { baseline, head, iter })));
  // Staged changes, conflicts and flags that hide files are gone; the files themselves stay as they are.
  await work.putUsersBack(head);
  const looked = request.exact === true ? null : await work.load({ commit: head, iter, gitFolders });
  notes.push(...(looked?.notes ?? []), ...(await reportOthers(repo, { request, refs })));
  return {
    head,
    work_tree: looked?.tree ?? null,
    notes: notes.toSorted(compareCodePoints),
    refs: notes.length === 0 ? refs : await listWatchedRefs(repo),
  };
}

/** Without a readable HEAD git does not even see a repository. */
async function repairHead(repo: Repo, request: SettleRequest): Promise<readonly string[]> {
  const path = join(repo.gitDir, 'HEAD');
  const found = lookAt(path);
  const isReadable =
    found?.isSymbolicLink() === true ||
    (found?.isFile() === true &&
      /^(?:ref: refs\/\S+|[0-9a-f]{40,64})\s*$/.test(readFileSync(path, 'latin1')));
  if (isReadable) return [];

  await moveAside({ from: path, toDir: repo.files.quarantine(String(request.iter)), root: repo.gitDir });
  await saveFile(path, `ref: refs/heads/${request.branch}\n`, { root: repo.gitDir });
  return [`HEAD was not readable for git and was put back on ${request.branch}`];
}

interface BranchSettling {
  readonly request: SettleRequest;
  readonly refs: readonly RefTip[];
}

/** The branch's commit from now on: the agent's own commits when they descend from the baseline, else the baseline. */
async function settleBranch(
  repo: Repo,
  { request, refs }: BranchSettling,
): Promise<{ readonly head: string; readonly notes: readonly string[] }> {
  const { branch, baseline } = request;
  const name = `refs/heads/${branch}`;
  const found = refs.find((ref) => ref.name === name);
  const isPlain = found !== undefined && found.symref === '';
  const isInOrder =
    isPlain &&
    (request.exact === true
      ? found.id === baseline
      : await isAncestor(repo, { ancestor: baseline, descendant: found.id }));
  if (isInOrder) return { head: found.id, notes: [] };

  const notes: string[] = [];
  if (found !== undefined)
    notes.push(...(await rescueTip(repo, { request, commit: found.id, head: baseline })));
  else notes.push(...(await clearWay(repo, { request, refs })));

  await moveRef(repo, {
    ref: name,
    to: baseline,
    from: found?.id ?? '',
    reason: 'runner: back to the baseline',
  });
  const what = found === undefined ? 'was gone and was made again' : 'had been moved and was set back';
  notes.push(`the branch ${branch} ${what} at ${shortId(baseline)}, where it was before`);
  return { head: baseline, notes };
}

/** What git cannot read as a ref, or a branch whose name is part of ours, would stop the branch from being made. */
async function clearWay(repo: Repo, { request, refs }: BranchSettling): Promise<readonly string[]> {
  const name = `refs/heads/${request.branch}`;
  const place = String(request.iter);
  const path = join(repo.commonDir, name);
  if (lookAt(path)?.isFile() === true)
    await moveAside({ from: path, toDir: repo.files.quarantine(place), root: repo.gitDir });

  const notes: string[] = [];
  for (const ref of refs.filter((other) => isInTheWay(other.name, name))) {
    const { ref: kept } = await saveRescue(repo, { run_id: request.run_id, name: place, commit: ref.id });
    await removeRef(repo, { ref: ref.name, from: ref.id });
    notes.push(`the branch ${ref.name.slice('refs/heads/'.length)} was in the way and was saved as ${kept}`);
  }
  return notes;
}

function isInTheWay(other: string, name: string): boolean {
  return other.startsWith(`${name}/`) || name.startsWith(`${other}/`);
}

interface TipRescue {
  readonly request: SettleRequest;
  readonly commit: string;
  /** What the branch holds; commits below it are safe. */
  readonly head: string;
}

async function rescueTip(repo: Repo, { request, commit, head }: TipRescue): Promise<readonly string[]> {
  if (await isAncestor(repo, { ancestor: commit, descendant: head })) return [];

  const saved = await saveRescue(repo, { run_id: request.run_id, name: String(request.iter), commit });
  return saved.isNew ? [`the commit ${shortId(commit)} was saved as ${saved.ref}`] : [];
}

async function settleHead(
  repo: Repo,
  { request, refs, head }: BranchSettling & { readonly head: string },
): Promise<readonly string[]> {
  const wanted = `refs/heads/${request.branch}`;
  if (refs.some(({ name, is_head }) => is_head && name === wanted)) return [];

  // A branch that was made again just now may have HEAD on it, too.
  const ref = await headRef(repo);
  if (ref === wanted) return [];

  const commit = await headCommit(repo);
  const notes = commit === null ? [] : await rescueTip(repo, { request, commit, head });
  await repo.git.run(['symbolic-ref', '-m', 'runner: back to the run', 'HEAD', wanted], { writes: true });
  const where = ref === null ? 'detached' : `on ${branchOf(ref)}`;
  const back = `HEAD was ${where} and was put back on ${request.branch}`;
  return [...notes, back, ...(await takeFilesBack(repo, { request, ref, commit }))];
}

/** On a branch that was there before and does not hold the baseline, the files are that branch's, not the session's work. */
async function takeFilesBack(
  repo: Repo,
  found: { readonly request: SettleRequest; readonly ref: string | null; readonly commit: string | null },
): Promise<readonly string[]> {
  const { request, ref, commit } = found;
  const { baseline } = request;
  const wasThere = request.refs_before?.some(({ name }) => name === ref) === true;
  if (!wasThere || commit === null || (await isAncestor(repo, { ancestor: baseline, descendant: commit })))
    return [];

  const paths = await runSwitchBack(repo, { baseline, commit });
  return paths.length === 0
    ? []
    : [`put back what the switch to ${branchOf(ref)} had changed: ${listPaths(paths)}`];
}
