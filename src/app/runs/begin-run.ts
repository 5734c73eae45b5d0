/**
 * Makes a background run (§13): id, record, branch and work tree, and in it what the run starts from. The checkout of the person is only
 * read. Nothing is at work yet when this returns; the caller starts the run's process.
 */
import { RunnerError } from '../../core/errors.ts';
import { isPlaceholder } from '../../core/iteration/initial-files.ts';
import { reviewConfig } from '../../core/iteration/review.ts';
import { parseRunState } from '../../core/iteration/run-state-schema.ts';
import { goalTitle } from '../../core/runs/goal-title.ts';
import { nextTicket } from '../../core/runs/run-turn.ts';
import type { RunRecord } from '../../core/runs/record.ts';
import { checkNewId, nameOf, proposeId } from '../../core/runs/run-name.ts';
import { checkSameGoal } from '../../core/runs/start-plan.ts';
import type { Config, Goal } from '../../core/types.ts';
import type { GitPort, GitSnapshot } from '../../ports/git.ts';
import type { FoundRecord, RepositoryLock, RunRecords } from '../../ports/runs.ts';
import type { Clock, Hasher } from '../../ports/sessions.ts';
import type { ConfigStore, GoalStore } from '../../ports/stores.ts';
import type { WorkTrees } from '../../ports/work-trees.ts';
import { requireCommit } from '../preflight.ts';
import { loadHeldIds } from './held-ids.ts';
import { loadKnownRuns } from './known-runs.ts';

export interface BeginPorts {
  readonly git: GitPort;
  readonly configs: ConfigStore;
  readonly goals: GoalStore;
  readonly records: RunRecords;
  readonly lock: RepositoryLock;
  readonly workTrees: WorkTrees;
  readonly clock: Clock;
  readonly hasher: Hasher;
  /** Contract: throws AGENT_MISSING when the agent's program is not on this machine, wherever the run works. */
  requireAgent(config: Config): Promise<void>;
  /** Contract: the folder for the work tree of a run, outside the repository, without links. Throws when it would be inside. */
  placeOf(runId: string, config: Config): string;
  /** Contract: people's files of `.runner/` are in the work tree as in the checkout; GOAL.md is this text if one is given. */
  layFiles(worktree: string, goal: string | null): Promise<readonly string[]>;
}

export interface BeginRequest {
  /** Instead of GOAL.md. */
  readonly goal: string | null;
  /** Where that text is from, relative to the project folder; null: from no file. */
  readonly goalFile: string | null;
  readonly name: string | null;
  /** Also for a goal that another run has. */
  readonly isNew: boolean;
  readonly push: string | null;
  /** The values of flags, by their RUNNER_* variables. */
  readonly settings: Readonly<Record<string, string>>;
  readonly by: string;
  /** Asks a person, who gets the proposal; null: it is taken. */
  readonly ask: ((proposal: string) => Promise<string>) | null;
}

export interface BegunRun {
  readonly record: RunRecord;
  readonly notes: readonly string[];
  /** People's files that were taken as they are on disk, relative to `.runner/`. */
  readonly laid: readonly string[];
  /** Uncommitted changes of the checkout that the run does not have. */
  readonly left_out: readonly string[];
}

export async function beginRun(ports: BeginPorts, request: BeginRequest): Promise<BegunRun> {
  const { prefix } = await ports.git.locate();
  await ports.git.checkSetup();
  const snapshot = await ports.git.snapshot();
  const commit = requireCommit(snapshot.head);
  const goal = request.goal === null ? await ports.goals.load() : await ports.goals.parse(request.goal);
  requireGoal(goal.body);
  if (!request.isNew) await requireNewGoal(ports, { goal, branch: snapshot.branch ?? '', commit });
  const config = await ports.configs.load();
  await requireAgents(ports, config);
  const title = goalTitle(goal.body);
  const name = await chooseName(ports, { ...request, title });
  const facts = {
    title,
    goal_sha256: ports.hasher.sha256(goal.body),
    prefix,
    agent: config.agent.name,
    model: config.agent.model,
    push: request.push,
    settings: { ...request.settings },
    iterations: { used: 0, max: config.max_iterations },
    ...(await originOf(ports, snapshot, commit)),
  };
  const record = await ports.lock.hold('runner run start', async () => {
    const held = await loadHeldIds(ports);
    const run_id = name.isGiven ? name.id : proposeId(nameOf(title), held);
    const problem = checkNewId(run_id, held);
    if (problem !== null) throw taken(problem, proposeId(run_id, held));
    const made = await makeRecord(
      ports,
      { ...facts, run_id, worktree: ports.placeOf(run_id, config) },
      request,
    );
    await makeWorkTree(ports, made, commit);
    return made;
  });
  const { notes, laid } = await fill(ports, record, request.goal);
  const goalPath = request.goalFile === null ? null : `${prefix}${request.goalFile}`;
  const left_out = snapshot.dirty
    .map(({ path }) => path)
    .filter((path) => !path.startsWith(`${prefix}.runner/`) && path !== goalPath);
  return { record, notes, laid, left_out };
}

function requireGoal(body: string): void {
  if (!isPlaceholder(body)) return;
  throw new RunnerError({
    code: 'GOAL_PLACEHOLDER',
    message: 'there is no goal yet in .runner/GOAL.md, so there is nothing to work on',
    hint: 'describe the goal in .runner/GOAL.md, or give it: runner run start --goal <file>',
  });
}

/** Two runs at work on one goal would do everything twice (§12). */
async function requireNewGoal(
  ports: BeginPorts,
  at: { readonly goal: Goal; readonly branch: string; readonly commit: string },
): Promise<void> {
  const { goal, branch, commit } = at;
  const { known } = await loadKnownRuns(ports, commit);
  const input = { goalId: goal.id, goal: ports.hasher.sha256(goal.body), branch, known };
  const refusal = checkSameGoal(input, 'runner run start');
  if (refusal !== null) throw new RunnerError(refusal);
}

/** The run would fail before its first session, when nobody looks any more. */
async function requireAgents(ports: BeginPorts, config: Config): Promise<void> {
  await ports.requireAgent(config);
  const reviewer = reviewConfig(config);
  if (reviewer !== null) await ports.requireAgent(reviewer);
}

interface ChosenName {
  readonly id: string;
  /** False: another one may be taken when somebody was faster. */
  readonly isGiven: boolean;
}

/** Without the lock: a person may take a while to answer. */
async function chooseName(
  ports: BeginPorts,
  { name, ask, title }: BeginRequest & { readonly title: string },
): Promise<ChosenName> {
  const held = await loadHeldIds(ports);
  const proposal = proposeId(nameOf(title), held);
  const given = name ?? (ask === null ? null : await ask(proposal));
  if (given === null || given === proposal) return { id: proposal, isGiven: false };
  const problem = checkNewId(given, held);
  if (problem !== null) throw taken(problem, proposal);
  return { id: given, isGiven: true };
}

function taken(problem: string, free: string): RunnerError {
  return new RunnerError({ code: 'USAGE', message: problem, hint: `runner run start --name ${free}` });
}

/** A run that begins on the branch of another inherits where that one came from (§12). */
async function originOf(
  { git }: BeginPorts,
  { branch }: GitSnapshot,
  commit: string,
): Promise<Pick<RunRecord, 'base_branch' | 'base_commit'>> {
  const plain = { base_branch: branch, base_commit: commit };
  if (branch === null || !branch.startsWith('runner/')) return plain;
  const source = await git.loadText({ commit, path: '.runner/state/run_state.json' });
  const parsed = source.kind === 'text' ? parseRunState(source.text) : null;
  if (parsed === null || !parsed.ok || parsed.state.base_commit === null) return plain;
  const { base_branch, base_commit } = parsed.state;
  return { base_branch, base_commit };
}

type Facts = Pick<
  RunRecord,
  | 'run_id'
  | 'title'
  | 'goal_sha256'
  | 'base_branch'
  | 'base_commit'
  | 'prefix'
  | 'worktree'
  | 'agent'
  | 'model'
  | 'push'
  | 'settings'
  | 'iterations'
>;

async function makeRecord(ports: BeginPorts, facts: Facts, { by }: BeginRequest): Promise<RunRecord> {
  const at = ports.clock.nowIso();
  const record: RunRecord = {
    version: 1,
    ...facts,
    status: 'queued',
    reason: null,
    owner: await ports.records.self(),
    branch: `runner/${facts.run_id}`,
    sandbox: 'none',
    slot: null,
    ticket: nextTicket(queued(await ports.records.list())),
    leaves: { passed: 0, all: 0 },
    node: null,
    last_message: null,
    errors: [],
    end: null,
    tokens: null,
    cost_usd: null,
    started_at: at,
    updated_at: at,
    finished_at: null,
    audit: [{ at, action: 'start', by }],
  };
  await ports.records.save(record);
  return record;
}

/** For the queue: a record that cannot be read waits for nobody. */
export function queued(found: readonly FoundRecord[]) {
  return found.flatMap((one) => (one.kind === 'record' ? [{ ...one.record, is_alive: one.is_alive }] : []));
}

/** Of a run whose work tree cannot be made nothing stays behind. */
async function makeWorkTree(ports: BeginPorts, record: RunRecord, commit: string): Promise<void> {
  const { branch, worktree } = record;
  try {
    await ports.workTrees.add({ path: worktree ?? '', branch, commit, reason: lockReason(record) });
  } catch (error) {
    await ports.records.remove(record.run_id);
    throw error;
  }
}

/** What `git worktree list` shows of it. */
export function lockReason({ run_id, owner }: Pick<RunRecord, 'run_id' | 'owner'>): string {
  const who = owner === null ? '' : ` pid=${owner.pid} start=${owner.start}`;
  return `runner run=${run_id}${who}`;
}

async function fill(
  ports: BeginPorts,
  record: RunRecord,
  goal: string | null,
): Promise<Pick<BegunRun, 'notes' | 'laid'>> {
  const worktree = record.worktree ?? '';
  try {
    const laid = await ports.layFiles(worktree, goal);
    const notes = await ports.workTrees.fillSubmodules(worktree);
    const count = await ports.workTrees.copyIncluded(worktree);
    const copied = count === 0 ? [] : [`copied ${count} ignored files that .worktreeinclude names`];
    return { laid, notes: [...notes, ...copied] };
  } catch (error) {
    const message = error instanceof RunnerError ? error.message : String(error);
    const at = ports.clock.nowIso();
    const failed: RunRecord = {
      ...record,
      status: 'failed',
      reason: 'start',
      owner: null,
      errors: [message],
    };
    await ports.records.save({ ...failed, updated_at: at, finished_at: at });
    throw error;
  }
}
