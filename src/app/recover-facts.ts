/**
 * What an unfinished iteration is judged on (§7): settings, tree and run state of B, with the flags and environment of this process.
 * Nothing that decides is taken from the journal.
 */
import type { JournalEntry } from '../core/agents/session.ts';
import { configInForce } from '../core/config/in-force.ts';
import { RunnerError } from '../core/errors.ts';
import { baseOf } from '../core/iteration/journal-text.ts';
import { parseLastRecord } from '../core/iteration/last-file.ts';
import { parseRunState } from '../core/iteration/run-state-schema.ts';
import { selectNext } from '../core/tree/selector.ts';
import { parseTree } from '../core/tree/tree-schema.ts';
import type { RunState, TreeNode } from '../core/types.ts';
import type { Ports } from '../ports/ports.ts';
import type { Ground } from './iteration.ts';
import { workOf } from './plan.ts';

/** Null: the session was about something that B does not call for, so it is not judged. */
export async function loadFacts<T extends JournalEntry>(ports: Ports, entry: T): Promise<T | null> {
  const { facts, work } = await loadBaseline(ports, entry);
  const isSame = work !== null && work.nodeId === entry.node_id && work.purpose === entry.purpose;
  return isSame ? { ...entry, ...facts } : null;
}

/** The same iteration as if its session had given no answer. */
export async function unjudged(
  ports: Ports,
  entry: JournalEntry,
): Promise<Extract<JournalEntry, { phase: 'agent' }>> {
  const { facts, work, tree } = await loadBaseline(ports, entry);
  const node_id = work?.nodeId ?? tree.id;
  const purpose = work?.purpose ?? 'execute';
  const node_path = work?.leaf?.path ?? node_id;
  return { ...baseOf(entry), ...facts, node_id, node_path, purpose, phase: 'agent' };
}

async function loadBaseline(ports: Ports, entry: JournalEntry) {
  const { run_id, iter, branch, baseline: commit } = entry;
  await ports.git.requireTrueFiles(commit);
  const tree = await requireTree(ports, entry, commit);
  const run_state = await loadState(ports, commit);
  if (run_state?.run_id !== run_id || run_state.next_iter !== iter || branch !== `runner/${run_id}`) {
    throw new RunnerError({
      code: 'RUN_UNFINISHED',
      message: `the journal says that iteration ${iter} of run ${run_id} began at ${commit.slice(0, 8)}, but that commit says otherwise`,
      hint: 'git stash -u, then: rm "$(git rev-parse --git-dir)/runner/journal.jsonl"',
    });
  }
  const text = await ports.git.loadText({ commit, path: '.runner/state/config.toml' });
  const written = await ports.configs.parse(text.kind === 'text' ? text.text : '');
  const config = configInForce(written, run_state.resolved);
  const selection = selectNext({ tree, runState: run_state, onStuck: config.on_stuck });
  const work = selection.kind === 'leaf' || selection.kind === 'repair' ? workOf(selection) : null;
  const baseline_tree = await ports.git.baselineTreeId({ commit, is_index_plain: false });
  return { tree, work, facts: { config, run_state, baseline_tree } };
}

/** A new process counts failures in a row from zero (§1). */
async function loadState(ports: Ports, commit: string): Promise<RunState | null> {
  const source = await ports.git.loadText({ commit, path: '.runner/state/run_state.json' });
  const parsed = source.kind === 'text' ? parseRunState(source.text) : null;
  return parsed?.ok === true ? { ...parsed.state, failures_in_a_row: 0 } : null;
}

/** The budget of a whole iteration; returns its end. */
export function limitTime(ports: Ports, { config }: JournalEntry): number {
  const ms = config.iteration_timeout_secs * 1000;
  ports.git.limitCalls(ms);
  return ports.clock.monotonicMs() + ms;
}

export async function becameDirty(
  ports: Ports,
  { dirty_submodules_before: before }: JournalEntry,
): Promise<readonly string[]> {
  return (await ports.git.dirtySubmodules()).filter((path) => !before.includes(path));
}

export async function groundAt(ports: Ports, entry: JournalEntry, commit: string): Promise<Ground> {
  const last = await ports.git.loadText({ commit, path: `.runner/nodes/${entry.node_id}/last.json` });
  const before = await requireTree(ports, entry, commit);
  return {
    journal: baseOf(entry),
    commit,
    before,
    last: last.kind === 'text' ? parseLastRecord(last.text) : null,
    own: null,
    refs: null,
    recovered: true,
  };
}

export async function treeAt(ports: Ports, commit: string): Promise<TreeNode | null> {
  const parsed = parseTree(await ports.git.loadText({ commit, path: '.runner/state/tree.json' }));
  return parsed.ok ? parsed.tree : null;
}

async function requireTree(ports: Ports, entry: JournalEntry, commit: string): Promise<TreeNode> {
  const tree = await treeAt(ports, commit);
  if (tree !== null) return tree;
  throw new RunnerError({
    code: 'TREE_INVALID',
    message: `commit ${commit} holds no valid .runner/state/tree.json, so iteration ${entry.iter} cannot be finished`,
    hint: `git log --oneline -- .runner/state/tree.json`,
  });
}
