/** What the app needs from files. Types only; a failed write leaves the old file as it was. */
import type { ConfigLayers } from '../core/config/config-layers.ts';
import type { AnyJournal, IterationMeta } from '../core/agents/session.ts';
import type { DroppedNode } from '../core/tree/dropped.ts';
import type { Anchor } from '../core/iteration/anchor.ts';
import type { Config, Goal, LastRecord, RunState, SourceText, TreeNode } from '../core/types.ts';
import type { SessionRole } from './sessions.ts';

/** What recovery finds. `anchor`: what the runner remembers out of a session's reach; null: nothing. */
export type Recalled =
  | { readonly kind: 'none' }
  | { readonly kind: 'entry'; readonly entry: AnyJournal; readonly anchor: Anchor | null }
  /** The journal is unreadable, gone, or not what the runner wrote. */
  | { readonly kind: 'lost'; readonly anchor: Anchor | null; readonly problems: readonly string[] };

export interface Journal {
  /** Contract: the open entry as far as it can be believed (§7); never throws for what the files hold. */
  recall(): Promise<Recalled>;
  /** Contract: moves an invalid journal into the quarantine; its path there, or null when there was none. */
  setAside(): Promise<string | null>;
  /** Contract: the open entry or null; an unreadable journal throws INTERNAL naming the file and the command. */
  load(): Promise<AnyJournal | null>;
  /** Contract: the same for read-only commands: a large agent tree is not loaded, and an unreadable journal counts as none. */
  peek(): Promise<AnyJournal | null>;
  /** Contract: durable before it returns. A large agent tree is stashed beside the entry and checked by hash on load. */
  save(entry: AnyJournal): Promise<void>;
  /** Contract: removes entry and stash, durably; fine when there is none. */
  close(): Promise<void>;
}

export interface TreeStore {
  /** Contract: strict read with the shipped schema; throws TREE_INVALID listing all violations, LAYOUT_MISSING. */
  load(): Promise<TreeNode>;
  /** Contract: the content of tree.json as judged text; never throws for what an agent left there. */
  loadSource(): Promise<SourceText>;
  /** Contract: the rejected tree of a pending repair, or missing. */
  loadRejected(): Promise<SourceText>;
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
  /**
   * Contract: the same for another text of the file, a commit's say. `settings`: what that commit says was set otherwise, `key=value`;
   * flags and environment of this process do not count then.
   */
  parse(text: string, settings?: readonly string[]): Promise<Config>;
  /** Contract: what flags and environment of this process set of the keys that decide verdicts, `key=value`, in the order of the documents. */
  overrides(): readonly string[];
}

/** config.toml as text, for commands that show or change single keys. */
export interface ConfigFile {
  /** Contract: file, environment and flags, not yet merged; a missing file is an empty one. Throws CONFIG_INVALID when it is no TOML. */
  layers(): Promise<ConfigLayers>;
  /** Contract: what a text of the file means by itself; throws CONFIG_INVALID with key, line and suggestion. */
  parse(text: string): Promise<{ readonly value: unknown; readonly config: Config }>;
}

export interface GoalStore {
  /** Contract: throws LAYOUT_MISSING, GOAL_INVALID. */
  load(): Promise<Goal>;
  /** Contract: the same for a text from elsewhere, a commit say. */
  parse(text: string): Promise<Goal>;
  /** Contract: writes the front-matter id; every other byte stays. */
  saveId(id: string): Promise<void>;
}

export interface Sidecars {
  loadContext(nodeId: string): Promise<string>;
  /** Contract: missing, unreadable or oversized: null; the runner never stops for its own file. */
  loadLast(nodeId: string): Promise<LastRecord | null>;
  removeLast(nodeId: string): Promise<void>;
  /** Contract: what people dropped (§12), by id; files that the runner did not write are left out. */
  listDropped(): Promise<readonly DroppedNode[]>;
  /** Contract: every folder name under `.runner/nodes/`, sorted; ids never handed out again. */
  listIds(): Promise<readonly string[]>;
}

export interface MemoryTexts {
  readonly assumptions: string;
  readonly questions: string;
  /** A person's word, not an agent's. */
  readonly answers: string;
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
  | 'review.prompt.md'
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
  /** Contract: absolute path of review.patch: what a reviewer changed before it was taken back. */
  reviewPatchFile(): string;
  /**
   * Contract: log and answer of a session that is followed by another of its role step aside as `<name>-<k>`: executor.log,
   * output.json and tree.agent.json, or review.log, review.json and review.patch.
   */
  keepSession(role?: SessionRole): Promise<void>;
  /** Contract: no iteration came of it: its folder is renamed `<n>.old-<k>` now. */
  setAside(): Promise<void>;
  /** Contract: what has been saved so far is durable; `finish` does it anyway, this is for a moment in which something else runs. */
  sync(): Promise<void>;
  /** Contract: meta.json, last, when everything else is durable; marks the iteration complete. */
  finish(meta: IterationMeta): Promise<void>;
}

/** `.runner/` and the project folder as plain files, for commands that make or check the layout. */
export interface Workspace {
  kind(): Promise<'missing' | 'folder' | 'other'>;
  /** Contract: a path relative to `.runner/`; never follows a link. */
  load(path: string): Promise<SourceText>;
  save(path: string, text: string): Promise<void>;
  remove(path: string): Promise<void>;
  makeFolder(path: string): Promise<void>;
  /** Contract: symlinks under `.runner/` outside the local-only folders, relative to it, sorted. */
  listLinks(): Promise<readonly string[]>;
  /** Contract: removes what a crash left of unfinished writes; only files of our own naming. */
  sweep(): Promise<void>;
  /** Contract: names in the project folder, sorted. */
  listProject(): Promise<readonly string[]>;
  loadProject(name: string): Promise<SourceText>;
}
