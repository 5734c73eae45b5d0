/** What `start` writes into `.runner/` before a run begins (§10, §11). What can fail is read first, so a refusal leaves no id behind. */
import { freshState, memoryFiles } from '../core/iteration/initial-files.ts';
import { runnerFiles } from '../core/iteration/runner-files.ts';
import type { RunState, SourceText } from '../core/types.ts';
import type { Ports } from '../ports/ports.ts';
import { extended, init, isInitialised, keepReplaced, keepTree } from './init.ts';

/** Where a run came from (§12). */
export type Origin = Pick<RunState, 'base_branch' | 'base_commit' | 'goal_sha256'>;

export interface StartFiles {
  readonly runId: string;
  /** Text that GOAL.md gets first; null: it stays. */
  readonly goalText: string | null;
  /** Null: a run that goes on keeps what it has. */
  readonly origin: Origin | null;
}

export interface StartedFiles {
  readonly warnings: readonly string[];
  /** Contract: GOAL.md and the files of the run are as before the id was written. */
  readonly undo: () => Promise<void>;
}

/** A different id than run_state's gets a fresh tree; config, memory and sidecars of people are kept (§10). */
export async function saveStartFiles(ports: Ports, files: StartFiles): Promise<StartedFiles> {
  const { workspace } = ports;
  const { runId, goalText } = files;
  if (await isInitialised(workspace)) await checkKept(ports, runId);
  if (goalText !== null) {
    await keepReplaced(workspace, 'GOAL.md', { name: 'goal', ending: 'md', by: goalText });
    await workspace.save('GOAL.md', goalText);
  }
  const warnings: string[] = [];
  if (!(await isInitialised(workspace))) {
    const made = await init(ports, { force: false });
    if (made.warning !== null) warnings.push(made.warning);
    await checkKept(ports, runId);
  }
  await refreshOwnFiles(ports);
  const undo = await keepRunFiles(ports);
  await ports.goals.saveId(runId);
  await saveState(ports, files);
  return { warnings, undo };
}

/** Everything that the id changes. */
async function keepRunFiles({ workspace, sidecars }: Ports): Promise<StartedFiles['undo']> {
  const last = (await sidecars.listIds()).map((id) => `nodes/${id}/last.json`);
  const state = ['tree.json', 'tree.rejected.json', 'run_state.json'].map((name) => `state/${name}`);
  const kept = new Map<string, SourceText>();
  for (const path of ['GOAL.md', ...last, ...state]) kept.set(path, await workspace.load(path));
  return async () => {
    for (const [path, source] of kept) {
      if (source.kind === 'text') await workspace.save(path, source.text);
      if (source.kind === 'missing') await workspace.remove(path);
    }
  };
}

/** Config, and the tree if the run keeps it: both must be valid before the id is written. */
async function checkKept(ports: Ports, runId: string): Promise<void> {
  await ports.configs.load();
  const { run_id } = await ports.runStates.load();
  if (run_id === null || run_id === runId) await ports.trees.load();
}

async function saveState(ports: Ports, { runId, origin }: StartFiles): Promise<void> {
  const { workspace } = ports;
  const state = await ports.runStates.load();
  if (state.run_id !== null && state.run_id !== runId) {
    const { max_attempts_default } = await ports.configs.load();
    await keepTree(workspace);
    for (const id of await ports.sidecars.listIds()) await ports.sidecars.removeLast(id);
    await ports.trees.removeRejected();
    for (const [path, text] of Object.entries(freshState({ runId, maxAttempts: max_attempts_default })))
      await workspace.save(path, text);
  }
  if (origin !== null)
    await ports.runStates.save({ ...(await ports.runStates.load()), run_id: runId, ...origin });
}

async function refreshOwnFiles(ports: Ports): Promise<void> {
  const { workspace } = ports;
  for (const [path, text] of Object.entries({ ...memoryFiles, ...runnerFiles() })) {
    const source = await workspace.load(path);
    const isMemory = path in memoryFiles;
    if (isMemory && source.kind !== 'missing') continue;
    const wanted = await extended(workspace, path, text);
    if (source.kind !== 'text' || source.text !== wanted) await workspace.save(path, wanted);
  }
}
