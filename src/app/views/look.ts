/**
 * The current state for read-only commands: tree, run state, effective settings, and who is at work. While an iteration is open
 * the files on disk are the session's, so tree and run state come from B and the journal, as for the runner itself (§7).
 */
import { configInForce } from '../../core/config/in-force.ts';
import { RunnerError } from '../../core/errors.ts';
import { openIterationOf } from '../../core/views/overview.ts';
import type { OpenIteration } from '../../core/views/overview.ts';
import { selectNext } from '../../core/tree/selector.ts';
import type { JournalEntry } from '../../core/agents/session.ts';
import { parseTree } from '../../core/tree/tree-schema.ts';
import type { Config, RunState, Selection, TreeNode } from '../../core/types.ts';
import type { GitPort } from '../../ports/git.ts';
import type { Lock, LockHolder } from '../../ports/sessions.ts';
import type { PauseFlag, RunNotes } from '../../ports/steer.ts';
import type { ConfigStore, Journal, RunStateStore, TreeStore } from '../../ports/stores.ts';

/** What belongs to a git work tree; a project outside of one has nothing of it. */
export interface WorkTreePorts {
  readonly git: Pick<GitPort, 'headBranch' | 'loadText' | 'snapshot' | 'toolFiles'>;
  readonly lock: Pick<Lock, 'holder'>;
  readonly journal: Journal;
  readonly loadNote: RunNotes['load'];
  readonly isPausing: PauseFlag['isSet'];
  /** Project folder inside the work tree, `''` or ending in `/`. */
  readonly prefix: string;
}

export interface LookPorts {
  readonly trees: TreeStore;
  readonly runStates: RunStateStore;
  readonly configs: ConfigStore;
  /** Null outside a git repository. */
  readonly workTree: WorkTreePorts | null;
}

/** Who is at work. `iteration` without a `holder` was left open by a crash. */
export interface Activity {
  readonly holder: LockHolder | null;
  readonly entry: JournalEntry | null;
  readonly iteration: OpenIteration | null;
}

export interface Look extends Activity {
  readonly tree: TreeNode;
  readonly runState: RunState;
  /** As it is in force. */
  readonly config: Config;
  /** `sandbox.kind` as it is written; while a runner works, the kind in force. */
  readonly sandboxSetting: Config['sandbox']['kind'];
  readonly selection: Selection;
}

export async function loadActivity(workTree: WorkTreePorts | null): Promise<Activity> {
  if (workTree === null) return { holder: null, entry: null, iteration: null };
  const first = await loadEntry(workTree);
  const holder = await workTree.lock.holder();
  // One that ended between the two looks has closed its journal.
  const entry = first !== null && holder === null ? await loadEntry(workTree) : first;
  return { holder, entry, iteration: entry === null ? null : openIterationOf(entry) };
}

/** All projects of a work tree share the journal; an iteration of another project is ignored here. */
async function loadEntry({ journal, prefix }: WorkTreePorts): Promise<JournalEntry | null> {
  const entry = await journal.peek();
  return entry?.kind === 'iteration' && entry.prefix === prefix ? entry : null;
}

export async function loadLook(ports: LookPorts): Promise<Look> {
  const activity = await loadActivity(ports.workTree);
  const { holder, entry } = activity;
  const tree = await loadTree(ports, entry);
  const runState = entry?.run_state ?? (await ports.runStates.load());
  // While a runner works, the file on disk may be the session's.
  const written = entry !== null && holder !== null ? entry.config : await ports.configs.load();
  const config = configInForce(written, runState.resolved);
  const sandboxSetting = written.sandbox.kind;
  const selection = selectNext({ tree, runState, onStuck: config.on_stuck });
  return { ...activity, tree, runState, config, sandboxSetting, selection };
}

async function loadTree(ports: LookPorts, entry: JournalEntry | null): Promise<TreeNode> {
  const baseline = await loadBaselineTree(ports, entry);
  if (baseline !== null) return baseline;
  return ports.trees.load().catch(async (error: unknown) => {
    // An iteration may have begun since, and its session may be in the middle of writing.
    const isTree = error instanceof RunnerError && error.code === 'TREE_INVALID';
    const now = isTree ? (await loadActivity(ports.workTree)).entry : null;
    const begun = await loadBaselineTree(ports, now);
    if (begun !== null) return begun;
    throw error;
  });
}

/** Null: no open iteration, or its baseline is no longer there. */
async function loadBaselineTree(
  { workTree }: LookPorts,
  entry: JournalEntry | null,
): Promise<TreeNode | null> {
  if (workTree === null || entry === null) return null;
  const source = await workTree.git.loadText({ commit: entry.baseline, path: '.runner/state/tree.json' });
  const parsed = parseTree(source);
  return parsed.ok ? parsed.tree : null;
}
