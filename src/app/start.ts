/**
 * Begins a run or continues a known one: id, branch, bootstrap commit (§11, §12). The branch comes last and in one journalled move,
 * so a failure never leaves a half-made branch behind.
 */
import { configInForce, kindInForce, listGuardWays } from '../core/config/in-force.ts';
import { needsBaseline } from '../core/iteration/baseline.ts';
import { startCommitMessage } from '../core/iteration/commit-message.ts';
import { RunnerError } from '../core/errors.ts';
import { isPlaceholder } from '../core/iteration/initial-files.ts';
import { findHolder } from '../core/runs/free-id.ts';
import type { StartPlan } from '../core/runs/start-plan.ts';
import { planStart, refuseNoGoal } from '../core/runs/start-plan.ts';
import { reviewConfig } from '../core/iteration/review.ts';
import type { Config, Goal, RunState } from '../core/types.ts';
import type { Ports } from '../ports/ports.ts';
import { runBaseline } from './baseline.ts';
import type { BaselineGround, BaselineOutcome } from './baseline.ts';
import { requireClean, requireReady } from './preflight.ts';
import { finishStart, recover } from './recover.ts';
import { checkDefaults, resolveDefaults } from './runs/resolve-defaults.ts';
import { restoreMissing } from './restore-missing.ts';
import { loadHeldIds } from './runs/held-ids.ts';
import { loadKnownRuns } from './runs/known-runs.ts';
import type { Origin, StartedFiles } from './start-files.ts';
import { saveStartFiles } from './start-files.ts';
import { withLock } from './with-lock.ts';

export interface StartOutcome {
  readonly run_id: string;
  readonly branch: string;
  readonly resumed: boolean;
  readonly commit: string | null;
  readonly guard_baseline: RunState['guard_baseline'];
  readonly agent: string;
  /** Which login the agent will use; null: it has none of its own, or its program is missing. */
  readonly credential: string | null;
  /** Null: no review. */
  readonly reviewer: { readonly agent: string; readonly credential: string | null } | null;
  readonly warnings: readonly string[];
}

/** A run whose id was chosen and recorded before, and whose branch is checked out: where it came from is known (§13). */
export interface ReservedRun extends Pick<RunState, 'base_branch' | 'base_commit'> {
  readonly run_id: string;
}

export interface StartOptions {
  readonly isNew: boolean;
  /** What GOAL.md is to hold; missing: what it holds already. */
  readonly goalText?: string | null;
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
  await checkDefaults(ports);
  const { branch, commit: head, dirty } = await requireReady(ports);
  const ours = `${prefix}.runner/`;
  requireClean({ branch, dirty: dirty.filter(({ path }) => !path.startsWith(ours)) });
  const putBack = await restoreMissing(ports, head);
  const goalText = options.goalText ?? null;
  const goal = await loadGoal(ports, goalText);
  const { run, notes } = await choose(ports, { goal, head, branch, options });
  const origin = await originOf(ports, { run, goal, reserved: options.reserved ?? null });
  const started = await begin(ports, { ...run, goalText, origin });
  return { ...started, warnings: [...putBack, ...notes, ...started.warnings] };
}

async function loadGoal(ports: Ports, text: string | null): Promise<Goal | null> {
  if (text !== null) return ports.goals.parse(text);
  const source = await ports.workspace.load('GOAL.md');
  return source.kind === 'missing' ? null : ports.goals.load();
}

interface Chosen {
  readonly runId: string;
  /** What is checked out, and where it points. */
  readonly from: string;
  readonly parent: string;
  readonly resumed: boolean;
  /** Whether the id must still be free when the branch is made. */
  readonly isFresh: boolean;
}

interface Choice {
  readonly goal: Goal | null;
  readonly head: string;
  /** What is checked out. */
  readonly branch: string;
  readonly options: StartOptions;
}

async function choose(
  ports: Ports,
  { goal, head, branch, options }: Choice,
): Promise<{ readonly run: Chosen; readonly notes: readonly string[] }> {
  const here = { from: branch, parent: head };
  const reserved = options.reserved ?? null;
  if (reserved !== null)
    return { run: { ...here, runId: reserved.run_id, resumed: false, isFresh: false }, notes: [] };
  const { known, held } = await loadKnownRuns(ports, head);
  if (goal === null || isPlaceholder(goal.body)) throw new RunnerError(refuseNoGoal(known, goal === null));
  const plan = planStart({
    goalId: goal.id,
    goal: ports.hasher.sha256(goal.body),
    branch,
    shortHead: await ports.git.shortHead(),
    known,
    held,
    isNew: options.isNew,
  });
  return carryOut(ports, plan, here);
}

async function carryOut(
  ports: Ports,
  plan: StartPlan,
  here: Pick<Chosen, 'from' | 'parent'>,
): Promise<{ readonly run: Chosen; readonly notes: readonly string[] }> {
  switch (plan.kind) {
    case 'refuse':
      throw new RunnerError(plan);
    case 'switch':
      return { run: await switchTo(ports, plan.runId), notes: plan.notes };
    case 'resume':
      return { run: { ...here, runId: plan.runId, resumed: true, isFresh: false }, notes: [] };
    case 'revive':
      return { run: { ...here, runId: plan.runId, resumed: true, isFresh: false }, notes: plan.notes };
    case 'begin':
      return { run: { ...here, runId: plan.runId, resumed: false, isFresh: true }, notes: plan.notes };
  }
}

async function switchTo(ports: Ports, runId: string): Promise<Chosen> {
  const target = (await ports.git.listRunBranches()).find(({ run_id }) => run_id === runId);
  if (target === undefined) {
    throw new RunnerError({
      code: 'GIT_WRONG_BRANCH',
      message: `branch runner/${runId} does not exist`,
      hint: 'git branch -a --list "*runner/*"',
    });
  }
  await ports.git.switchTo(target);
  const { commit: parent } = await requireReady(ports);
  return { runId, from: target.branch, parent, resumed: true, isFresh: false };
}

/** A run that begins on the branch of another inherits where that one came from (§12). */
async function originOf(
  ports: Ports,
  found: { readonly run: Chosen; readonly goal: Goal | null; readonly reserved: ReservedRun | null },
): Promise<Origin | null> {
  const { run, goal, reserved } = found;
  if (run.resumed) return null;
  const goal_sha256 = goal === null ? null : ports.hasher.sha256(goal.body);
  if (reserved !== null)
    return { base_branch: reserved.base_branch, base_commit: reserved.base_commit, goal_sha256 };
  const { run_id, base_branch, base_commit } = await ports.runStates.load();
  const isInherited = run_id !== null && run.from === `runner/${run_id}`;
  return isInherited
    ? { base_branch, base_commit, goal_sha256 }
    : { base_branch: run.from, base_commit: run.parent, goal_sha256 };
}

interface Begun extends Chosen {
  readonly goalText: string | null;
  readonly origin: Origin | null;
}

async function begin(ports: Ports, run: Begun): Promise<StartOutcome> {
  const { runId } = run;
  const branch = `runner/${runId}`;
  const { warnings, undo } = await saveStartFiles(ports, run);
  const written = await ports.configs.load();
  const { resolved } = await ports.runStates.load();
  const fresh = await resolveDefaults(ports, written);
  // A run that goes on on its branch keeps what it has, also if that is nothing. A start that was cut off resolved nothing.
  const isOnBranch = run.resumed && run.from === branch;
  const defaults = isOnBranch ? resolved : (resolved ?? fresh.defaults);
  const config = configInForce(written, defaults);
  await ports.sandbox.check(config);
  const { id: root_id } = await ports.trees.load();
  const ways = listGuardWays(written, kindInForce(written, defaults?.sandbox ?? 'none'));
  const ground = { run_id: runId, branch: run.from, head: run.parent, config, root_id, ways };
  const baseline = await takeBaseline(ports, { ground, defaults }, undo);
  const { guard_baseline } = baseline;
  const commit = await ports.git.buildStartCommit({ parent: run.parent, message: startCommitMessage(runId) });
  const agent = await lookAtAgent(ports, config);
  const reviewing = reviewConfig(config);
  const reviewer = reviewing && (await lookAtAgent(ports, reviewing));
  const tip = commit ?? run.parent;
  if (commit !== null || run.from !== branch) await makeBranch(ports, run, { branch, commit: tip });
  return {
    run_id: runId,
    branch,
    resumed: run.resumed,
    commit,
    guard_baseline,
    agent: config.agent.name,
    credential: agent.credential,
    reviewer: reviewer && { agent: reviewer.name, credential: reviewer.credential },
    warnings: [...warnings, ...baseline.warnings, ...agent.warnings, ...(reviewer?.warnings ?? [])],
  };
}

interface LookedAt {
  readonly name: string;
  readonly credential: string | null;
  readonly warnings: readonly string[];
}

/** An agent that is missing stops the first session, not the start; its login says nothing then. */
async function lookAtAgent({ executor }: Ports, config: Config): Promise<LookedAt> {
  const { name } = config.agent;
  try {
    const warning = await executor.warn(config);
    const credential = await executor.describeCredential(config);
    return { name, credential, warnings: warning === null ? [] : [warning] };
  } catch (error) {
    if (!(error instanceof RunnerError)) throw error;
    return { name, credential: null, warnings: [`${error.message}: ${error.hint}`] };
  }
}

/** Under the repository's lock: meanwhile another work tree may have begun a run of this id. */
async function makeBranch(
  ports: Ports,
  { runId, isFresh }: Begun,
  made: { readonly branch: string; readonly commit: string },
): Promise<void> {
  await ports.repositoryLock.hold('runner start', async () => {
    if (isFresh && findHolder(runId, await loadHeldIds(ports)) !== null) {
      throw new RunnerError({
        code: 'RUN_UNFINISHED',
        message: `another run took the id '${runId}' meanwhile`,
        hint: 'runner start --new',
      });
    }
    await ports.journal.save({ version: 1, kind: 'start', run_id: runId, ...made });
    await finishStart(ports, made);
  });
}

async function takeBaseline(
  ports: Ports,
  { ground, defaults }: { readonly ground: BaselineGround; readonly defaults: RunState['resolved'] },
  undo: StartedFiles['undo'],
): Promise<Pick<BaselineOutcome, 'guard_baseline' | 'warnings'>> {
  const runState = await ports.runStates.load();
  const { guard_baseline } = runState;
  if (!needsBaseline({ config: ground.config, runState })) {
    if (JSON.stringify(runState.resolved) !== JSON.stringify(defaults))
      await ports.runStates.save({ ...runState, resolved: defaults });
    return { guard_baseline, warnings: [] };
  }
  const { way, ...taken } = await runBaseline(ports, ground);
  // A run that has not begun leaves no id behind: committed, it would pass for one that has.
  if (ports.interrupts.current() !== null) await undo();
  requireUninterrupted(ports);
  await ports.runStates.save({
    ...runState,
    resolved: defaults && { ...defaults, ...way },
    guard_baseline: taken.guard_baseline,
    guard_checkout: taken.guard_checkout,
  });
  return taken;
}
