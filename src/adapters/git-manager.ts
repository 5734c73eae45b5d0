/** The GitManager port: one repository, opened at the first call, and each method handed to the file that knows how. */
import { RunnerError } from '../core/errors.ts';
import type { GitManager } from '../ports/git-manager.ts';
import { runCommit, runFinishCommit } from './git-commit.ts';
import { makeFileCommit, runFileCommit } from './git-commit-file.ts';
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
  saveTreeDiff,
} from './git-read.ts';
import type { BaselineFile, BlobRequest } from './git-read.ts';
import { checkLocks, checkSetup } from './git-ready.ts';
import { isAncestor, listRefs } from './git-refs.ts';
import { headCommit, loadRepo } from './git-repo.ts';
import type { Repo, RepoRequest } from './git-repo.ts';
import { loadWholeTree, runRescue } from './git-rescue.ts';
import { runRestore } from './git-restore.ts';
import { stampIndex } from './git-index.ts';
import { runSettle, watchedRefs } from './git-settle.ts';
import type { InstalledIndex } from './git-settle.ts';
import { loadDirtySubmodules, loadSnapshot } from './git-snapshot.ts';
import { loadRunBranches, makeStartCommit, runFinishStart, runSwitch } from './git-start.ts';
import { loadWorkTree } from './git-work-index.ts';

/** What one process remembers; everything can be found out again. */
interface Memory {
  repo: Repo | null;
  /** Refs before the session, for the report of what changed. */
  refs: ReadonlyMap<string, string> | null;
  /** The last iteration put in order: from then on nested repositories are the session's or the guard's. */
  iter: number | null;
  /** The user's index as we left it. */
  installed: InstalledIndex | null;
  isSetUp: boolean;
  runnerFiles: { readonly commit: string; readonly files: readonly BaselineFile[] } | null;
}

interface Opened {
  readonly memory: Memory;
  readonly open: () => Promise<Repo>;
  readonly env: RepoRequest['env'];
}

export function gitManager(request: RepoRequest): GitManager {
  const memory: Memory = {
    repo: null,
    refs: null,
    iter: null,
    installed: null,
    isSetUp: false,
    runnerFiles: null,
  };
  const open = async (): Promise<Repo> => (memory.repo ??= await loadRepo(request));
  const opened: Opened = { memory, open, env: request.env };
  return { ...looking(opened), ...reading(opened), ...recording(opened), ...starting(opened) };
}

/** What is there now. */
function looking({ memory, open }: Opened) {
  return {
    locate: async () => {
      const { top, gitDir, prefix } = await open();
      return { top, git_dir: gitDir, prefix };
    },
    snapshot: async () => {
      const repo = await open();
      const [snapshot, refs] = await Promise.all([loadSnapshot(repo), listRefs(repo, watchedRefs)]);
      memory.refs = new Map(refs.map((ref) => [ref.name, ref.commit]));
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
    workTreeId: async () => loadWorkTree(await open(), memory.iter),
    wholeTreeId: async () => loadWholeTree(await open(), memory.iter),
    dirtySubmodules: async () => loadDirtySubmodules(await open()),
  } satisfies Partial<GitManager>;
}

/** What commits and the index hold. */
function reading({ memory, open, env }: Opened) {
  return {
    changedPaths: async (range) => listChangedPaths(await open(), range),
    listPaths: async (tree) => listTreePaths(await open(), tree),
    saveDiff: async (range) => saveTreeDiff(await open(), range),
    loadDiff: async (range) => loadTreeDiff(await open(), range),
    listRunnerFiles: async (commit) => {
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
    loadStaged: async (path) => {
      const repo = await open().catch(noRepository);
      const index = env['GIT_INDEX_FILE'];
      return repo === null
        ? { kind: 'missing' as const }
        : loadBlobText(repo, { name: `:0:${repo.prefix}${path}`, index });
    },
    findIteration: async (iteration) => findIterationCommit(await open(), iteration),
    personsSubject: async (path) => loadLastSubject(await open(), path),
    isAncestor: async (pair) => isAncestor(await open(), pair),
    bootstrapPaths: async (runId) => listBootstrapPaths(await open(), runId),
  } satisfies Partial<GitManager>;
}

/** After a session: putting in order, committing, saving what would be lost. */
function recording({ memory, open }: Opened) {
  return {
    settle: async (settling) => {
      const repo = await open();
      const { installed, refs } = memory;
      const settled = await runSettle(repo, { ...settling, refsBefore: refs, installed });
      memory.iter = settling.iter;
      memory.installed = { commit: settled.head, stamp: stampIndex(repo) };
      return settled;
    },
    commit: async (commit) => {
      const repo = await open();
      memory.installed = null;
      const result = await runCommit(repo, commit);
      if (result.kind === 'committed') {
        memory.installed = { commit: result.commit, stamp: stampIndex(repo) };
      }
      return result;
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

function noRepository(error: unknown): null {
  if (error instanceof RunnerError && (error.code === 'GIT_NOT_A_REPO' || error.code === 'GIT_MISSING')) {
    return null;
  }
  throw error;
}
