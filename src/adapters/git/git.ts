/** The git port: opens one repository at the first call and passes each method to the file that implements it. */
import { RunnerError } from '../../core/errors.ts';
import { compareCodePoints } from '../../core/tree/tree-walk.ts';
import type { Env } from '../../core/types.ts';
import type { GitPort, RefTip } from '../../ports/git.ts';
import type { RunEndings } from '../../ports/endings.ts';
import type { ProofHistory } from '../../ports/proof.ts';
import type { Judge } from '../../ports/judge.ts';
import type { Interrupts } from '../../ports/sessions.ts';
import { withWorkTreeLast } from '../processes/search-path.ts';
import { loadRunBranches, makeStartCommit, runFinishStart, runSwitch } from './branches.ts';
import { callTimeoutMs } from './call-limit.ts';
import type { GitLimits } from './call-limit.ts';
import { loadBlobs } from './history/blobs.ts';
import { listOtherBytes } from './history/checkout-bytes.ts';
import { runEndings } from './endings/endings.ts';
import { proofHistory } from './history/proof-history.ts';
import { hasMessageLine, listFileVersions } from './history/branch-lines.ts';
import { makeFileCommit, runFileCommit } from './file-commit.ts';
import {
  findIterationCommit,
  findOwnCommit,
  listChanged,
  listTreePaths,
  loadDiff,
  loadLastSubject,
  saveDiff,
} from './history/history.ts';
import { listArchived, listRecordedRuns } from './history/held-ids.ts';
import { judgeClone } from './judge-clone.ts';
import { checkForeignLocks } from './locks.ts';
import { checkSetup, loadDirtySubmodules, loadSnapshot } from './look.ts';
import { listWatchedRefs } from './settle/other-refs.ts';
import { reading } from './history/reading.ts';
import { loadPushAddress, runPush } from './remote/push.ts';
import { shownPath } from './quoted-path.ts';
import { runCommit, runFinishCommit } from './record.ts';
import { dropHold, holdTree, isAncestor, isWhole, moveRef, refCommit } from './refs.ts';
import { asBytes, headCommit, loadRepo } from './repo.ts';
import type { Repo } from './repo.ts';
import { listDiffering, listRescues } from './history/rescue-list.ts';
import { loadRunTips } from './history/run-tips.ts';
import { loadWholeTree, runRescue } from './rescue.ts';
import { runRestore } from './restore.ts';
import { listCommitted } from './runner-files.ts';
import { runSettle } from './settle/settle.ts';
import { requireSound } from './sound.ts';
import { steering } from './steering/steering.ts';
import type { Steering } from './steering/steering.ts';
import type { LookRequest } from './staging.ts';
import { listToolFiles } from './history/tool-files.ts';
import { listTreeFiles, loadBlobTexts, makeLaidTree } from './history/tree-files.ts';
import { workIndex } from './work-index.ts';
import type { WorkIndex } from './work-index.ts';
import { clearWork } from './work-walk.ts';

export interface GitAdapterOptions {
  readonly projectDir: string;
  readonly env: Env;
  readonly interrupts?: Interrupts;
}

interface Opened {
  readonly repo: Repo;
  readonly work: WorkIndex;
}

interface Shared {
  readonly limits: GitLimits;
  readonly steering: Steering;
  readonly open: () => Promise<Opened>;
  /** Where a look at the work begins: the last iteration put in order, else HEAD. */
  readonly look: (opened: Opened) => Promise<LookRequest>;
  readonly settled: (place: LookRequest) => void;
}

/** The git port, and the judge's clones and the ends of runs of the same repository. */
export interface GitAdapter extends GitPort {
  readonly judge: Judge;
  readonly endings: RunEndings;
  readonly proof: ProofHistory;
}

export function gitAdapter({ projectDir, interrupts, ...options }: GitAdapterOptions): GitAdapter {
  const env = withWorkTreeLast(options.env, projectDir);
  const limits: GitLimits = { timeoutMs: callTimeoutMs, interrupts: interrupts ?? null };
  let opened: Promise<Opened> | null = null;
  let place: LookRequest | null = null;
  const steers = steering({ projectDir, env, limits });
  const open = async (): Promise<Opened> => {
    // Only who may run sessions puts things back; other commands read.
    if (interrupts !== undefined) await steers.begin();
    const pins = (): ReturnType<Steering['pins']> => steers.pins();
    const sinceMs = (): number | null => steers.sinceMs();
    const repo = await loadRepo({ projectDir, env, limits, pins, sinceMs });
    // A dead session may have left a pipe that `git status` would wait for.
    if (steers.isLeft()) steers.note((await clearWork(repo, 0)).notes);
    return { repo, work: workIndex(repo) };
  };
  const shared: Shared = {
    limits,
    steering: steers,
    open: () => (opened ??= open()),
    look: async ({ repo }) => place ?? { commit: await headCommit(repo), iter: 0 },
    settled: (now) => {
      place = now;
    },
  };
  return {
    ...reading(async () => (await shared.open()).repo, env),
    ...looking(shared),
    ...settling(shared),
    ...recording(shared),
    ...history(shared),
    ...branches(shared),
    judge: judgeClone(shared.open),
    endings: runEndings(async () => (await shared.open()).repo),
    proof: proofHistory(async () => (await shared.open()).repo),
  };
}

function looking({ limits, open, look, steering: steers }: Shared) {
  return {
    snapshot: async () => loadSnapshot((await open()).repo),
    remember: async () => {
      const { top, gitDir, commonDir } = (await open()).repo;
      await steers.remember({ top, gitDir, commonDir });
    },
    wallOff: () => steers.wallOff(),
    putBack: (iter: number) => steers.restore(String(iter)),
    forget: () => steers.forget(),
    listRefs: async (): Promise<readonly RefTip[]> => {
      const refs = await listWatchedRefs((await open()).repo);
      await steers.keepRefs(refs);
      return refs;
    },
    dirtySubmodules: async () => loadDirtySubmodules((await open()).repo),
    checkSetup: async () => checkSetup((await open()).repo, steers.hasIdentity()),
    checkLocks: async (branch: string | null) => checkForeignLocks((await open()).repo, branch),
    baselineTreeId: async ({ commit, is_index_plain: isUsers }: Parameters<GitPort['baselineTreeId']>[0]) =>
      (await open()).work.loadBaseline({ isUsers, commit }),
    workTreeId: async () => {
      const opened = await open();
      return (await opened.work.load(await look(opened))).tree;
    },
    wholeTreeId: async () => {
      const opened = await open();
      return loadWholeTree(opened.repo, opened.work, await look(opened));
    },
    limitCalls: (timeoutMs: number) => {
      limits.timeoutMs = timeoutMs;
    },
  } satisfies Partial<GitPort>;
}

function settling({ open, settled, steering: steers }: Shared) {
  return {
    settle: async (request) => {
      const { repo, work } = await open();
      await steers.restore(String(request.iter));
      const notes = steers.takeNotes();
      const refs_before = request.refs_before ?? steers.refsBefore();
      const done = await runSettle(repo, work, { ...request, refs_before });
      settled({ commit: done.head, iter: request.iter });
      return { ...done, notes: [...notes, ...done.notes].toSorted(compareCodePoints) };
    },
    listRescues: async () => listRescues((await open()).repo),
    differingPaths: async (request) => listDiffering((await open()).repo, request),
    restorePaths: async (request) => runRestore((await open()).repo, request),
    rescueWork: async (request) => {
      const { repo, work } = await open();
      return runRescue(repo, work, request);
    },
  } satisfies Partial<GitPort>;
}

function recording({ open }: Shared) {
  return {
    makeLaidTree: async (request) => makeLaidTree((await open()).repo, request),
    holdWork: async (request) => holdTree((await open()).repo, request),
    releaseWork: async (runId) => dropHold((await open()).repo, runId),
    commit: async (request) => {
      const { repo, work } = await open();
      return runCommit(repo, work, request);
    },
    finishCommit: async (request) => {
      const { repo, work } = await open();
      work.distrust();
      return runFinishCommit(repo, request);
    },
    hasMessageLine: async (request) => hasMessageLine((await open()).repo, request),
    listFileVersions: async (request) => listFileVersions((await open()).repo, request),
    buildFileCommit: async (request) => makeFileCommit((await open()).repo, request),
    installFileCommit: async (request) => runFileCommit((await open()).repo, request),
  } satisfies Partial<GitPort>;
}

function history({ open }: Shared) {
  return {
    changedPaths: async (range) => listChanged((await open()).repo, range),
    isWhole: async (tree) => isWhole((await open()).repo, tree),
    requireTrueFiles: async (commit) => {
      const { repo } = await open();
      await requireSound(repo, { roots: [commit], paths: [repo.runnerPath] });
    },
    listPaths: async (tree) => listTreePaths((await open()).repo, tree),
    saveDiff: async (range) => saveDiff((await open()).repo, range),
    loadDiff: async (range) => loadDiff((await open()).repo, range),
    loadBlobs: async (oids) => loadBlobs((await open()).repo, oids),
    listRunnerFiles: async (commit) => {
      const { repo } = await open();
      const root = asBytes(`${repo.runnerPath}/`);
      const files = await listCommitted(repo, commit);
      return files.map((file) => ({ ...file, path: shownPath(file.path.slice(root.length)) }));
    },
    findIteration: async (iteration) => findIterationCommit((await open()).repo, iteration),
    toolFiles: async (runId) => listToolFiles((await open()).repo, runId),
    personsSubject: async (path) => loadLastSubject((await open()).repo, path),
    isAncestor: async (pair) => isAncestor((await open()).repo, pair),
    findOwnCommit: async (request) => findOwnCommit((await open()).repo, request),
    listOtherBytes: async (range) => listOtherBytes((await open()).repo, range),
    listTreeFiles: async (request) => listTreeFiles((await open()).repo, request),
    loadBlobTexts: async (oids) => loadBlobTexts((await open()).repo, oids),
  } satisfies Partial<GitPort>;
}

function branches({ open }: Shared) {
  return {
    listRunBranches: async () => loadRunBranches((await open()).repo),
    listRunTips: async (prefixes) => loadRunTips((await open()).repo, prefixes),
    listArchived: async () => listArchived((await open()).repo),
    listRecordedRuns: async () => listRecordedRuns((await open()).repo),
    shortHead: async () => {
      const head = await headCommit((await open()).repo);
      if (head === null) {
        throw new RunnerError({
          code: 'GIT_NO_COMMIT',
          message: 'the repository has no commit yet',
          hint: 'git add -A && git commit -m "first commit"',
        });
      }
      return head.slice(0, 8);
    },
    hasBranch: async (branch) => (await refCommit((await open()).repo, `refs/heads/${branch}`)) !== null,
    makeBranch: async ({ branch, commit }) =>
      moveRef((await open()).repo, {
        ref: `refs/heads/${branch}`,
        to: commit,
        from: '',
        reason: 'runner: branch made again',
      }),
    pushAddress: async (remote) => loadPushAddress((await open()).repo, remote),
    push: async (request) => runPush((await open()).repo, request),
    switchTo: async (branch) => runSwitch((await open()).repo, branch),
    buildStartCommit: async (start) => makeStartCommit((await open()).repo, start),
    finishStart: async (start) => {
      const { repo, work } = await open();
      work.distrust();
      return runFinishStart(repo, start);
    },
  } satisfies Partial<GitPort>;
}
