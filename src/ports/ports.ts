/**
 * What the app needs from the world. Types only; every method carries its contract. Unless a contract says
 * otherwise a method throws only RunnerError, and a failed write leaves the old file as it was.
 */
import type { AnyJournal, GuardRun, IterationMeta, SessionResult } from '../core/session.ts';
import type { Config, LastRecord, RunState, SignalName, SourceText, TreeNode } from '../core/types.ts';

export interface Clock {
  /** Contract: wall clock as ISO 8601 UTC, for logs only; it never decides anything. */
  nowIso(): string;
  /** Contract: milliseconds that only grow; the one clock budgets are measured with. */
  monotonicMs(): number;
}

export interface Interrupts {
  /** Contract: the first signal that asked this process to stop, or null. */
  current(): SignalName | null;
  /** Contract: calls the listener once for the first signal (at once if it already came); returns the unsubscribe. */
  subscribe(listener: (signal: SignalName) => void): () => void;
}

export interface Lock {
  /**
   * Contract: takes the work tree's lock or throws LOCKED naming pid, start time and command of the owner. A lock of
   * a dead process is taken over. The returned function releases it and never throws.
   */
  acquire(command: string): Promise<() => Promise<void>>;
}

export interface Journal {
  /** Contract: the open entry or null; an unreadable journal throws INTERNAL naming the file and the command. */
  load(): Promise<AnyJournal | null>;
  /** Contract: durable before it returns. A large agent tree is stashed beside the entry and checked by hash on load. */
  save(entry: AnyJournal): Promise<void>;
  /** Contract: removes entry and stash; durable; fine when there is none. */
  close(): Promise<void>;
}

export interface TreeStore {
  /** Contract: strict read with the shipped schema; throws TREE_INVALID listing all violations, LAYOUT_MISSING. */
  load(): Promise<TreeNode>;
  /** Contract: whatever stands at tree.json, as judged text; never throws for what an agent left there. */
  read(): Promise<SourceText>;
  /** Contract: the rejected tree of a pending repair, or missing. */
  readRejected(): Promise<SourceText>;
  save(tree: TreeNode): Promise<void>;
  saveRejected(text: string): Promise<void>;
  removeRejected(): Promise<void>;
}

export interface RunStateStore {
  /** Contract: missing file gives the defaults; throws RUN_STATE_INVALID. */
  load(): Promise<RunState>;
  save(state: RunState): Promise<void>;
}

export interface ConfigStore {
  /** Contract: file, environment and flags merged (§9); throws CONFIG_INVALID with key, line and suggestion. */
  load(): Promise<Config>;
}

export interface GoalStore {
  /** Contract: throws LAYOUT_MISSING, GOAL_INVALID. */
  load(): Promise<{ readonly id: string | null; readonly body: string }>;
  /** Contract: writes the front-matter id; every other byte stays. */
  saveId(id: string): Promise<void>;
}

export interface Sidecars {
  loadContext(nodeId: string): Promise<string>;
  /** Contract: missing, unreadable or oversized: null; it is the runner's own file and never worth a stop. */
  loadLast(nodeId: string): Promise<LastRecord | null>;
  saveLast(nodeId: string, record: LastRecord): Promise<void>;
  removeLast(nodeId: string): Promise<void>;
  /** Contract: every folder name under `.runner/nodes/`, sorted; ids never handed out again. */
  listIds(): Promise<readonly string[]>;
}

export interface MemoryTexts {
  readonly assumptions: string;
  readonly questions: string;
  readonly feedback: string;
  readonly improvements: string;
}

export interface PromptBuilder {
  /** Contract: reads the tracked memory files; missing ones are empty. */
  loadMemory(): Promise<MemoryTexts>;
}

export interface ContextTexts {
  readonly goal: string;
  readonly history: string;
  readonly failure: string;
}

export interface ContextWriter {
  /** Contract: rewrites the three files of `.runner/context/`, removes others there, never follows a link. */
  save(texts: ContextTexts): Promise<void>;
}

export interface Activity {
  /** One readable line of what the agent or guard just did. */
  readonly line: string;
}

export interface SessionRequest {
  readonly run_id: string;
  readonly iter: number;
  readonly node_id: string;
  readonly prompt: string;
  /** Judged sessions before this one: the scripted agent plays step number `judged_sessions + 1`. */
  readonly judged_sessions: number;
  readonly cookie: string;
  readonly deadlineMs: number;
  readonly config: Config;
  readonly onActivity: (activity: Activity) => void;
}

export interface Executor {
  /** Contract: name, version and model for the records; throws AGENT_MISSING with the install hint. */
  describe(
    config: Config,
  ): Promise<{ readonly name: string; readonly version: string | null; readonly model: string | null }>;
  /**
   * Contract: one fresh session in its own process group; returns only when no process with the cookie is left (or
   * throws PROCESS_ALIVE naming it). Never throws for what the agent did. Honours interrupts and the deadline.
   * The previous answer file is removed first.
   */
  run(request: SessionRequest): Promise<SessionResult>;
}

export interface GuardRequest {
  readonly run_id: string;
  readonly iter: number;
  readonly node_id: string;
  readonly cookie: string;
  readonly deadlineMs: number;
  readonly config: Config;
  readonly onActivity: (activity: Activity) => void;
}

export interface GuardRunner {
  /** Contract: throws GUARD_MISSING when the guard's program cannot be found. */
  check(config: Config): Promise<void>;
  /** Contract: as Executor.run; only exit code 0 without a signal is `passed`. Replaces guard.log. */
  run(request: GuardRequest): Promise<GuardRun>;
}

export interface Sweeper {
  /** Contract: ends every process that carries the cookie (TERM, grace, KILL); throws PROCESS_ALIVE naming one it cannot end. */
  end(cookie: string): Promise<readonly string[]>;
}

export interface DirtyPath {
  /** Porcelain v2 XY code, `??` for untracked. */
  readonly code: string;
  /** Relative to the top of the work tree. */
  readonly path: string;
}

export interface GitSnapshot {
  /** Null: no commit yet. */
  readonly head: string | null;
  /** Null: detached. */
  readonly branch: string | null;
  /** Sorted by path by code point; dirt inside submodules is not here. */
  readonly dirty: readonly DirtyPath[];
  /** Git repositories inside the work tree that are not submodules. */
  readonly nested_repositories: readonly string[];
  readonly dirty_submodules: readonly string[];
}

export interface RunBranch {
  readonly run_id: string;
  readonly branch: string;
  readonly commit: string;
  /** Name of the remote when the branch exists only there. */
  readonly remote: string | null;
}

export interface SettleRequest {
  readonly run_id: string;
  readonly iter: number;
  readonly branch: string;
  readonly baseline: string;
}

export interface CommitRequest {
  readonly branch: string;
  /** The branch must still point here; it becomes the parent. */
  readonly parent: string;
  /** Tree id of everything outside `.runner/`. */
  readonly work_tree: string;
  readonly message: string;
  readonly run_hooks: boolean;
  readonly sign: boolean;
}

export type CommitResult =
  | { readonly kind: 'committed'; readonly commit: string }
  | { readonly kind: 'hook_refused'; readonly output: string };

export interface GitManager {
  /** Contract: top of the work tree and project folder; throws GIT_MISSING, GIT_NOT_A_REPO. Reads only. */
  locate(): Promise<{ readonly top: string; readonly git_dir: string; readonly prefix: string }>;
  /** Contract: one status call. Reads only, takes no git lock. */
  snapshot(): Promise<GitSnapshot>;
  /** Contract: throws GIT_IDENTITY, GIT_LOCKED (foreign git lock, with the rm command), GIT_UNSUPPORTED (sparse checkout). */
  checkReady(): Promise<void>;
  /** Contract: tree id of everything outside `.runner/` as it is on disk now; the user's index is not touched. */
  workTreeId(): Promise<string>;
  /** Contract: the same for a commit. */
  commitTreeId(commit: string): Promise<string>;
  /** Contract: paths (relative to the top, sorted) that differ between two trees. */
  changedPaths(range: { readonly from: string; readonly to: string }): Promise<readonly string[]>;
  /** Contract: a patch of bounded size into the file. */
  saveDiff(range: {
    readonly from: string;
    readonly to: string;
    readonly file: string;
    readonly bytesMax: number;
  }): Promise<void>;
  /** Contract: bytes of a file of a commit, relative to the project folder; null when absent there. */
  loadFile(request: { readonly commit: string; readonly path: string }): Promise<Uint8Array | null>;
  /** Contract: the files under `.runner/` of a commit, paths relative to it, with their blob ids; one git call. */
  listRunnerFiles(commit: string): Promise<readonly { readonly path: string; readonly oid: string }[]>;
  /** Contract: the same as judged text. */
  loadText(request: { readonly commit: string; readonly path: string }): Promise<SourceText>;
  /**
   * Contract: after a session: HEAD and branch put back (§5), other tips saved under rescue, merge state ended, nested
   * repositories' `.git` moved aside, dead git locks of the session removed. Touches no file of the work. Idempotent. Returns the branch's
   * commit (B, or the agent's own commit above it) and one note for each thing it did, sorted.
   */
  settle(request: SettleRequest): Promise<{ readonly head: string; readonly notes: readonly string[] }>;
  /**
   * Contract: one commit of `work_tree` plus the tracked files of `.runner/` as they are on disk; moves the branch only from `parent`;
   * then the user's index equals the commit. On failure (GIT_FAILED) index and branch are as before.
   */
  commit(request: CommitRequest): Promise<CommitResult>;
  /** Contract: after a crash behind the commit: the user's index equals it, when the branch still ends there; idempotent. */
  finishCommit(request: { readonly branch: string; readonly commit: string }): Promise<void>;
  /** Contract: the commit of (run, iter) between baseline and the branch's tip, or null. */
  findIteration(request: {
    readonly run_id: string;
    readonly iter: number;
    readonly baseline: string;
  }): Promise<string | null>;
  isAncestor(request: { readonly ancestor: string; readonly descendant: string }): Promise<boolean>;
  /** Contract: saves the commit, or the work on disk on top of `parent`, under refs/runner/rescue/<run>/<n>[-k]; returns the ref. */
  rescueWork(request: {
    readonly run_id: string;
    readonly iter: number;
    readonly parent: string;
  }): Promise<string>;
  /** Contract: local and remote `runner/*` branches, sorted by id; a local one hides its remotes. */
  listRunBranches(): Promise<readonly RunBranch[]>;
  /** Contract: first 8 characters of HEAD. */
  shortHead(): Promise<string>;
  /** Contract: checks out a known run branch (tracking when remote-only) without hooks; GIT_DIRTY with git's words when it refuses. */
  switchTo(branch: RunBranch): Promise<void>;
  /** Contract: object of the bootstrap commit (HEAD's files plus `.runner/` on disk); moves nothing. Null when nothing differs from HEAD. */
  buildStartCommit(request: { readonly parent: string; readonly message: string }): Promise<string | null>;
  /** Contract: branch created or moved to the commit, HEAD on it, index equal to it; idempotent. */
  finishStart(request: { readonly branch: string; readonly commit: string }): Promise<void>;
  /** Contract: paths of the run's first bootstrap commit, relative to the top. */
  bootstrapPaths(runId: string): Promise<ReadonlySet<string>>;
  /** Contract: puts paths (relative to the top) back to their bytes and mode at the commit; what stood there was saved by the caller. */
  restorePaths(request: { readonly commit: string; readonly paths: readonly string[] }): Promise<void>;
  /** Contract: the staged text of a project file, honouring the index a hook was given; missing when not staged. */
  loadStaged(path: string): Promise<SourceText>;
}

export interface ControlFiles {
  /**
   * Contract: puts back what is not the agent's under `.runner/` as it was at the commit (§2), also a missing or non-regular
   * tree.json and any symlink; the agent's versions are moved into the iteration log. Idempotent. Returns the paths, sorted.
   */
  restore(request: {
    readonly commit: string;
    readonly run_id: string;
    readonly iter: number;
  }): Promise<readonly string[]>;
  /** Contract: copies protected files as the agent left them into the iteration log. */
  keep(request: {
    readonly run_id: string;
    readonly iter: number;
    readonly paths: readonly string[];
  }): Promise<void>;
}

export type LogName =
  | 'prompt.md'
  | 'output.json'
  | 'runner_error.log'
  | 'agent_error.log'
  | 'tree.before.json'
  | 'tree.agent.json'
  | 'tree.after.json';

export interface IterationLogger {
  /** Contract: makes the folder; one that exists is first renamed `<n>.old-<k>`. */
  begin(request: { readonly run_id: string; readonly iter: number }): Promise<void>;
  /** Contract: makes the folder if a crash or the agent removed it; keeps what is there. */
  reopen(request: { readonly run_id: string; readonly iter: number }): Promise<void>;
  save(name: LogName, text: string): Promise<void>;
  /** Contract: copies tree.json byte for byte as tree.agent.json, whatever it is; nothing there: no file. */
  keepAgentTree(): Promise<void>;
  /** Contract: absolute path of diff.patch, for git to write. */
  diffFile(): string;
  /** Contract: meta.json, last; marks the iteration complete. */
  finish(meta: IterationMeta): Promise<void>;
  /** Contract: whether meta.json is there. */
  isFinished(request: { readonly run_id: string; readonly iter: number }): Promise<boolean>;
}

/** `.runner/` and the project folder as plain files, for commands that make or check the layout. */
export interface Workspace {
  kind(): Promise<'missing' | 'folder' | 'other'>;
  /** Contract: a path relative to `.runner/`; never follows a link. */
  read(path: string): Promise<SourceText>;
  save(path: string, text: string): Promise<void>;
  remove(path: string): Promise<void>;
  makeFolder(path: string): Promise<void>;
  /** Contract: symlinks under `.runner/` outside the local-only folders, relative to it, sorted. */
  listLinks(): Promise<readonly string[]>;
  /** Contract: names in the project folder, sorted. */
  listProject(): Promise<readonly string[]>;
  readProject(name: string): Promise<SourceText>;
}

export interface Notifier {
  /** Contract: runs notify.command with the JSON on stdin, bounded in time; never throws; returns a warning or null. */
  send(request: { readonly command: readonly string[]; readonly payload: unknown }): Promise<string | null>;
}

export type RunEvent =
  | { readonly type: 'recovering'; readonly run_id: string; readonly iter: number; readonly phase: string }
  | { readonly type: 'recovered'; readonly run_id: string; readonly iter: number; readonly message: string }
  | {
      readonly type: 'iteration_started';
      readonly run_id: string;
      readonly iter: number;
      readonly node_id: string;
      readonly node_path: string;
      readonly purpose: string;
      readonly agent: string;
      readonly budget_ms: number;
    }
  | { readonly type: 'phase'; readonly phase: 'agent' | 'guard' | 'commit' }
  | { readonly type: 'activity'; readonly line: string }
  | { readonly type: 'note'; readonly message: string }
  | {
      readonly type: 'iteration_ended';
      readonly run_id: string;
      readonly iter: number;
      readonly node_id: string;
      readonly status: string;
      readonly guard: string;
      readonly message: string;
    };

export interface Reporter {
  /** Contract: shows people what is happening; never throws, never blocks. */
  report(event: RunEvent): void;
}

export interface Hasher {
  sha256(text: string): string;
  /** Contract: a fresh unguessable session cookie. */
  cookie(): string;
}

/** Everything `step` and `loop` act through. */
export interface Ports {
  readonly clock: Clock;
  readonly interrupts: Interrupts;
  readonly lock: Lock;
  readonly journal: Journal;
  readonly trees: TreeStore;
  readonly runStates: RunStateStore;
  readonly configs: ConfigStore;
  readonly goals: GoalStore;
  readonly sidecars: Sidecars;
  readonly prompts: PromptBuilder;
  readonly contexts: ContextWriter;
  readonly executor: Executor;
  readonly guards: GuardRunner;
  readonly sweeper: Sweeper;
  readonly git: GitManager;
  readonly controlFiles: ControlFiles;
  readonly workspace: Workspace;
  readonly logs: IterationLogger;
  readonly notifier: Notifier;
  readonly reporter: Reporter;
  readonly hasher: Hasher;
}
