/**
 * Begins a run or continues a known one: id, branch, bootstrap commit (§11). The branch comes last and in one journalled move,
 * so a failure never leaves a half-made branch behind.
 */
import { needsBaseline } from '../core/iteration/baseline.ts';
import { startCommitMessage } from '../core/iteration/commit-message.ts';
import { RunnerError } from '../core/errors.ts';
import { freshState, goalTemplate, memoryFiles } from '../core/iteration/initial-files.ts';
import { runnerFiles } from '../core/iteration/runner-files.ts';
import type { KnownRun, StartPlan } from '../core/iteration/start-plan.ts';
import { planStart } from '../core/iteration/start-plan.ts';
import { parseRunState } from '../core/iteration/run-state-schema.ts';
import { parseTree } from '../core/tree/tree-schema.ts';
import type { RunState } from '../core/types.ts';
import type { RunBranch } from '../ports/git.ts';
import type { Ports } from '../ports/ports.ts';
import { runBaseline } from './baseline.ts';
import type { BaselineGround, BaselineOutcome } from './baseline.ts';
import { extended, init, isInitialised, keepTree } from './init.ts';
import { requireClean, requireReady } from './preflight.ts';
import { finishStart, recover } from './recover.ts';
import { restoreMissing } from './restore-missing.ts';
import { withLock } from './with-lock.ts';

export interface StartOutcome {
  readonly run_id: string;
  readonly branch: string;
  readonly resumed: boolean;
  readonly commit: string | null;
  readonly guard_baseline: RunState['guard_baseline'];
  readonly agent: string;
  /** Which login the agent will use; null: it has none of its own. */
  readonly credential: string | null;
  readonly warnings: readonly string[];
}

/** A run whose id was chosen and recorded before, and whose branch is checked out: where it came from is known (§13). */
export interface ReservedRun extends Pick<RunState, 'base_branch' | 'base_commit'> {
  readonly run_id: string;
}

export interface StartOptions {
  readonly isNew: boolean;
  readonly reserved?: ReservedRun | null;
}

export async function start(ports: Ports, options: StartOptions): Promise<StartOutcome> {
  return withLock(ports, 'runner start', async () => {
    await recoverFirst(ports);
    await ports.judge.sweep();
    requireUninterrupted(ports);
    return startLocked(ports, options);
  });
}

/** An iteration whose branch was gone is closed by now: that is told, and another run can begin. */
async function recoverFirst(ports: Ports): Promise<void> {
  try {
    await recover(ports);
  } catch (error) {
    const isClosed = (await ports.journal.recall()).kind === 'none';
    if (!(error instanceof RunnerError) || error.code !== 'GIT_WRONG_BRANCH' || !isClosed) throw error;
    ports.reporter.report({ type: 'note', message: error.message });
  }
}

function requireUninterrupted(ports: Ports): void {
  const signal = ports.interrupts.current();
  if (signal === null) return;
  throw new RunnerError({
    code: 'INTERRUPTED',
    message: `stopped by ${signal}`,
    hint: 'runner start',
    signal,
  });
}

async function startLocked(ports: Ports, options: StartOptions): Promise<StartOutcome> {
  const { prefix } = await ports.git.locate();
  await ports.git.checkSetup();
  const { branch, commit: head, dirty } = await requireReady(ports);
  const ours = `${prefix}.runner/`;
  requireClean(dirty.filter(({ path }) => !path.startsWith(ours)));
  const putBack = await restoreMissing(ports, head);
  const reserved = options.reserved ?? null;
  if (reserved !== null) {
    const run = { runId: reserved.run_id, from: branch, parent: head, resumed: false };
    const begun = await begin(ports, run, reserved);
    return { ...begun, warnings: [...putBack, ...begun.warnings] };
  }
  const branches = await ports.git.listRunBranches();
  const plan = planStart({
    goalId: await goalIdOf(ports),
    branch,
    shortHead: await ports.git.shortHead(),
    known: await describeRuns(ports, branches),
    isNew: options.isNew,
  });
  const started = await carryOut(ports, { plan, head, branch, branches });
  return { ...started, warnings: [...putBack, ...started.warnings] };
}

async function goalIdOf(ports: Ports): Promise<string | null> {
  const source = await ports.workspace.load('GOAL.md');
  return source.kind === 'missing' ? null : (await ports.goals.load()).id;
}

async function describeRuns(ports: Ports, branches: readonly RunBranch[]): Promise<KnownRun[]> {
  const runs: KnownRun[] = [];
  for (const { run_id, commit } of branches) {
    const state = await ports.git.loadText({ commit, path: '.runner/state/run_state.json' });
    const known = state.kind === 'text' ? parseRunState(state.text) : null;
    // Another project folder of the repository has runs of its own; what cannot be read may be ours.
    const isOurs = known !== null && (!known.ok || known.state.run_id === run_id);
    const parsed = parseTree(await ports.git.loadText({ commit, path: '.runner/state/tree.json' }));
    runs.push({ run_id, complete: isOurs ? parsed.ok && parsed.tree.passes : null });
  }
  return runs;
}

interface Move {
  readonly plan: StartPlan;
  readonly head: string;
  /** What is checked out. */
  readonly branch: string;
  readonly branches: readonly RunBranch[];
}

async function carryOut(ports: Ports, move: Move): Promise<StartOutcome> {
  const { plan } = move;
  switch (plan.kind) {
    case 'refuse':
      throw new RunnerError(plan);
    case 'switch':
      return switchTo(ports, plan.runId, move.branches);
    case 'resume':
    case 'begin':
      return begin(ports, {
        runId: plan.runId,
        from: move.branch,
        parent: move.head,
        resumed: plan.kind === 'resume',
      });
  }
}

async function switchTo(ports: Ports, runId: string, branches: readonly RunBranch[]): Promise<StartOutcome> {
  const target = branches.find(({ run_id }) => run_id === runId);
  if (target === undefined) {
    throw new RunnerError({
      code: 'GIT_WRONG_BRANCH',
      message: `branch runner/${runId} does not exist`,
      hint: 'git branch -a --list "*runner/*"',
    });
  }
  await ports.git.switchTo(target);
  const { commit: head } = await requireReady(ports);
  return begin(ports, { runId, from: target.branch, parent: head, resumed: true });
}

interface Begun {
  readonly runId: string;
  /** What is checked out, and where it points. */
  readonly from: string;
  readonly parent: string;
  readonly resumed: boolean;
}

async function begin(ports: Ports, run: Begun, reserved: ReservedRun | null = null): Promise<StartOutcome> {
  const { runId } = run;
  const branch = `runner/${runId}`;
  const warnings = await saveFiles(ports, runId);
  if (reserved !== null) {
    const { base_branch, base_commit } = reserved;
    const goal_sha256 = ports.hasher.sha256((await ports.goals.load()).body);
    await ports.runStates.save({ ...(await ports.runStates.load()), base_branch, base_commit, goal_sha256 });
  }
  const config = await ports.configs.load();
  const { id: root_id } = await ports.trees.load();
  const ground = { run_id: runId, branch: run.from, head: run.parent, config, root_id };
  const baseline = await takeBaseline(ports, ground);
  const { guard_baseline } = baseline;
  const commit = await ports.git.buildStartCommit({ parent: run.parent, message: startCommitMessage(runId) });
  const tip = commit ?? run.parent;
  if (commit !== null || !run.resumed) {
    await ports.journal.save({ version: 1, kind: 'start', run_id: runId, branch, commit: tip });
    await finishStart(ports, { branch, commit: tip });
  }
  return {
    run_id: runId,
    branch,
    resumed: run.resumed,
    commit,
    guard_baseline,
    agent: config.agent.name,
    credential: await ports.executor.describeCredential(config),
    warnings: [...warnings, ...baseline.warnings],
  };
}

async function takeBaseline(ports: Ports, ground: BaselineGround): Promise<BaselineOutcome> {
  const runState = await ports.runStates.load();
  const { guard_baseline } = runState;
  if (!needsBaseline({ config: ground.config, runState }))
    return { guard_baseline, guard_checkout: runState.guard_checkout, warnings: [] };

  const taken = await runBaseline(ports, ground);
  requireUninterrupted(ports);
  await ports.runStates.save({
    ...runState,
    guard_baseline: taken.guard_baseline,
    guard_checkout: taken.guard_checkout,
  });
  return taken;
}

/** A different id than run_state's gets a fresh tree; config, memory and sidecars of people are kept (§10). */
async function saveFiles(ports: Ports, runId: string): Promise<string[]> {
  const { workspace } = ports;
  const warnings: string[] = [];
  if (!(await isInitialised(workspace))) {
    const made = await init(ports, { force: false });
    if (made.warning !== null) warnings.push(made.warning);
  }
  await refreshOwnFiles(ports);
  await ports.goals.saveId(runId);
  const goal = await ports.goals.load();
  if (goal.body.trim() === (await ports.goals.parse(goalTemplate)).body.trim())
    warnings.push('.runner/GOAL.md still has the placeholder text; describe the goal before: runner loop');

  const state = await ports.runStates.load();
  if (state.run_id === runId) return warnings;
  if (state.run_id === null) {
    await ports.runStates.save({ ...state, run_id: runId });
    return warnings;
  }
  const { max_attempts_default } = await ports.configs.load();
  await keepTree(workspace);
  for (const id of await ports.sidecars.listIds()) await ports.sidecars.removeLast(id);
  await ports.trees.removeRejected();
  for (const [path, text] of Object.entries(freshState({ runId, maxAttempts: max_attempts_default })))
    await workspace.save(path, text);

  return warnings;
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
