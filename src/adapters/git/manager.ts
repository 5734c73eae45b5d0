/** The GitManager port: one repository, opened at the first call, and each method handed to the file that knows how. */
import { RunnerError } from '../../core/errors.ts';
import type { GitManager, TreeOrigin } from '../../ports/git-manager.ts';
import { runCommit, runFinishCommit } from './commit.ts';
import { makeFileCommit, runFileCommit } from './commit-file.ts';
import { saveWorkDiff, withTrees } from './intact.ts';
import type { Origin } from './intact.ts';
import {
  findIterationCommit,
  listBaselineFiles,
  listBootstrapPaths,
  listChangedPaths,
  loadBlob,
  loadBlobText,
  loadLastSubject,
  listTreePaths,
  loadTreeDiff,
  readDiff,
} from './read.ts';
import type { BaselineFile, BlobRequest, Diff, DiffRange, TreeRange } from './read.ts';
import { checkLocks, checkSetup } from './ready.ts';
import { baselineOf, readSnapshot } from './made.ts';
import type { MadeCommit } from './made.ts';
import { isAncestor, loadWatchedRefs } from './refs.ts';
import type { KnownRefs } from './refs.ts';
import { headCommit, headRef, loadRepo } from './repo.ts';
import type { Repo, RepoRequest } from './repo.ts';
import { loadWholeTree, runRescue } from './rescue.ts';
import { runRestore } from './restore.ts';
import { stampIndex } from './index-lock.ts';
import { prepareObjects } from './index-file.ts';
import { runSettle } from './settle.ts';
import type { InstalledIndex } from './settle.ts';
import { loadDirtySubmodules, loadSnapshot } from './snapshot.ts';
import { loadRunBranches, makeStartCommit, runFinishStart, runSwitch } from './start.ts';
import { beginLook, loadWorkTree, stopLook } from './work-index.ts';

/** What one process remembers; everything can be found out again. */
interface Memory {
  repo: Repo | null;
  /** Refs before the session, for the report of what changed. */
  refs: KnownRefs | null;
  /** The last commit of ours: as long as nothing differs from it, git need not be asked. */
  made: MadeCommit | null;
  /** Whether nothing has been asked since that commit. */
  isFresh: boolean;
  /** Paths of the last diff. */
  changed: ChangedPaths | null;
  /** The next diff, worked out beforehand; null in the end when that failed. */
  ahead: (DiffRange & { readonly diff: Promise<Diff | null> }) | null;
  /** The last iteration put in order: from then on nested repositories are the session's or the guard's. */
  iter: number | null;
  /** The user's index as we left it. */
  installed: InstalledIndex | null;
  isSetUp: boolean;
  runnerFiles: { readonly commit: string; readonly files: readonly BaselineFile[] } | null;
}

interface ChangedPaths extends TreeRange {
  readonly paths: readonly string[];
}

interface Opened {
  readonly memory: Memory;
  readonly open: () => Promise<Repo>;
}

export function gitManager(request: RepoRequest): GitManager {
  const memory: Memory = {
    repo: null,
    refs: null,
    made: null,
    isFresh: false,
    changed: null,
    ahead: null,
    iter: null,
    installed: null,
    isSetUp: false,
    runnerFiles: null,
  };
  const open = async (): Promise<Repo> => (memory.repo ??= await loadRepo(request));
  const opened: Opened = { memory, open };
  return { ...looking(opened), ...reading(opened), ...recording(opened), ...starting(opened) };
}

/** What is there now. */
function looking({ memory, open }: Opened) {
  return {
    locate: async () => {
      const { top, gitDir, prefix } = await open();
      return { top, git_dir: gitDir, prefix };
    },
    headBranch: async () => {
      const ref = await headRef(await open());
      return ref === null ? null : ref.replace(/^refs\/heads\//, '');
    },
    snapshot: async () => {
      const repo = await open();
      const { made, installed, iter, refs, isFresh } = memory;
      memory.isFresh = false;
      const quick = await readSnapshot(repo, { made, installed, iter, isFresh });
      if (quick !== null && refs !== null) {
        return quick;
      }
      const branch = (await headRef(repo))?.replace(/^refs\/heads\//, '') ?? null;
      const [snapshot, known] = await Promise.all([
        loadSnapshot(repo),
        loadWatchedRefs(repo, { branch, known: null }),
      ]);
      memory.refs = known;
      return snapshot;
    },
    checkReady: async () => {
      const repo = await open();
      if (!memory.isSetUp) {
        await checkSetup(repo);
        memory.isSetUp = true;
      }
      await checkLocks(repo);
    },
    // Where no repository is open yet nothing is known that would save time.
    expectWork: () => (memory.repo === null ? undefined : beginLook(memory.repo)),
    stopExpecting: async () => {
      if (memory.repo !== null) {
        await stopLook(memory.repo);
      }
    },
    workTreeId: async () => loadWorkTree(await open(), memory.iter),
    wholeTreeId: async () => loadWholeTree(await open(), memory.iter),
    dirtySubmodules: async () => loadDirtySubmodules(await open()),
  } satisfies Partial<GitManager>;
}

/** What commits and the index hold. */
function reading({ memory, open }: Opened) {
  const originOf = ({ origin }: { readonly origin?: TreeOrigin }): Origin => ({
    trees: origin ?? null,
    iter: memory.iter,
  });
  return {
    changedPaths: async (range) => {
      const { changed } = memory;
      const isKnown = changed?.from === range.from && changed.to === range.to;
      if (isKnown) {
        return changed.paths;
      }
      const repo = await open();
      return withTrees(repo, originOf(range), () => listChangedPaths(repo, range));
    },
    isWhole: async (tree) => {
      const args = ['rev-list', '--objects', '--quiet', tree];
      return (await (await open()).git(args, { accept: [128] })).code === 0;
    },
    listPaths: async (tree) => listTreePaths(await open(), tree),
    expectDiff: (range) => {
      // What is started in this turn goes first: starting a program takes longer than many a guard runs.
      const diff = new Promise(setImmediate).then(open).then((repo) => readDiff(repo, range));
      memory.ahead = { ...range, diff: diff.catch(() => null) };
    },
    saveDiff: async (range) => {
      const known = await takeAhead(memory, range);
      const { cut, paths } = await saveWorkDiff(await open(), { ...range, known }, originOf(range));
      memory.changed = paths === null ? null : { from: range.from, to: range.to, paths };
      return { cut };
    },
    loadDiff: async (range) => {
      const repo = await open();
      return withTrees(repo, originOf(range), () => loadTreeDiff(repo, range));
    },
    listRunnerFiles: async (commit) => {
      const made = memory.made?.commit === commit ? baselineOf(await open(), memory.made) : null;
      if (made !== null) {
        return made;
      }
      if (memory.runnerFiles?.commit !== commit) {
        memory.runnerFiles = { commit, files: await listBaselineFiles(await open(), commit) };
      }
      return memory.runnerFiles.files;
    },
    loadFile: async (file) => {
      const repo = await open();
      return loadBlob(repo, committed(repo, file));
    },
    loadText: async (file) => {
      const repo = await open();
      return loadBlobText(repo, committed(repo, file));
    },
    findIteration: async (iteration) => findIterationCommit(await open(), iteration),
    personsSubject: async (path) => loadLastSubject(await open(), path),
    isAncestor: async (pair) => isAncestor(await open(), pair),
    bootstrapPaths: async (runId) => listBootstrapPaths(await open(), runId),
  } satisfies Partial<GitManager>;
}

/** What was worked out for exactly this range; it serves once. */
async function takeAhead(memory: Memory, range: DiffRange): Promise<Diff | null> {
  const { ahead } = memory;
  memory.ahead = null;
  const isMeant =
    ahead?.from === range.from &&
    ahead.to === range.to &&
    ahead.bytesMax === range.bytesMax &&
    ahead.binary === range.binary;
  return isMeant ? ahead.diff : null;
}

/** After a session: putting in order, committing, saving what would be lost. */
function recording({ memory, open }: Opened) {
  return {
    settle: async (settling) => {
      const repo = await open();
      const { installed, refs } = memory;
      memory.isFresh = false;
      const { refs: refsNow, ...settled } = await runSettle(repo, {
        ...settling,
        refsBefore: refs,
        installed,
      });
      // What was told is known from now on; what was put in order is looked at anew.
      memory.refs =
        settled.notes.length === 0
          ? refsNow
          : await loadWatchedRefs(repo, { branch: settling.branch, known: null });
      memory.iter = settling.iter;
      memory.installed = { commit: settled.head, stamp: stampIndex(repo) };
      return settled;
    },
    commit: async (commit) => {
      const repo = await open();
      const held = memory.made?.commit === commit.parent ? memory.made.files : [];
      memory.installed = null;
      memory.made = null;
      const { result, files } = await runCommit(repo, commit, held);
      if (result.kind === 'committed') {
        memory.installed = { commit: result.commit, stamp: stampIndex(repo) };
        const { branch, work_tree } = commit;
        memory.made = files === null ? null : { commit: result.commit, branch, work_tree, files };
        memory.isFresh = true;
      }
      return result;
    },
    expectCommit: async ({ parent, files }) => {
      const { repo, made } = memory;
      if (repo !== null && made?.commit === parent) {
        await prepareObjects(repo, { held: made.files, files });
      }
    },
    buildFileCommit: async (commit) => makeFileCommit(await open(), commit),
    installFileCommit: async (commit) => {
      memory.installed = null;
      await runFileCommit(await open(), commit);
    },
    finishCommit: async (commit) => runFinishCommit(await open(), commit),
    rescueWork: async (rescue) => runRescue(await open(), rescue),
    restorePaths: async (restore) => runRestore(await open(), restore),
  } satisfies Partial<GitManager>;
}

/** Run branches. */
function starting({ open }: Opened) {
  return {
    listRunBranches: async () => loadRunBranches(await open()),
    shortHead: async () => {
      const head = await headCommit(await open());
      if (head === null) {
        throw new RunnerError({
          code: 'GIT_NO_COMMIT',
          message: 'the repository has no commit yet',
          hint: 'git add -A && git commit -m "first commit"',
        });
      }
      return head.slice(0, 8);
    },
    switchTo: async (branch) => runSwitch(await open(), branch),
    buildStartCommit: async (start) => makeStartCommit(await open(), start),
    finishStart: async (start) => runFinishStart(await open(), start),
  } satisfies Partial<GitManager>;
}

function committed(repo: Repo, file: { readonly commit: string; readonly path: string }): BlobRequest {
  return { name: `${file.commit}:${repo.prefix}${file.path}` };
}
