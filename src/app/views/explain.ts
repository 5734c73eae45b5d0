/**
 * What comes next and why, with its prompt and its command (§4, §6). Read-only: no lock, no program started, nothing written,
 * so it may run at any time.
 */
import { configInForce } from '../../core/config/in-force.ts';
import { selectModel } from '../../core/agents/model-choice.ts';
import type { ModelSource } from '../../core/agents/model-choice.ts';
import { RunnerError } from '../../core/errors.ts';
import { explainNode, explainSelection, listNodeChanges } from '../../core/views/explain.ts';
import type { Change, ExplainInput, Explanation } from '../../core/views/explain.ts';
import { parseIterationSubject } from '../../core/iteration/commit-message.ts';
import { selectNext } from '../../core/tree/selector.ts';
import type { Visit } from '../../core/tree/tree-walk.ts';
import type {
  AgentStatus,
  Config,
  GuardStatus,
  LastRecord,
  RunState,
  Selection,
  TreeNode,
} from '../../core/types.ts';
import type { Executor, GuardRunner, Hasher, Lock, SessionPreview } from '../../ports/sessions.ts';
import type { Journal, TreeStore } from '../../ports/stores.ts';
import { isCommittedWork } from './dry-run.ts';
import { planNext, workOf } from '../plan.ts';
import type { Plan, Work } from '../plan.ts';
import { inspect } from '../preflight.ts';
import type { InspectPorts } from '../preflight.ts';
import { buildPrompt } from '../prompt.ts';
import type { BuiltPrompt, PromptPorts } from '../prompt.ts';

export interface ExplainPorts extends InspectPorts, PromptPorts {
  readonly trees: TreeStore;
  /** Null outside a git repository: there is no place for a session. */
  readonly session: {
    readonly executor: Pick<Executor, 'preview'>;
    readonly lock: Pick<Lock, 'check'>;
    readonly journal: Pick<Journal, 'load'>;
  } | null;
  readonly guards: Pick<GuardRunner, 'check'>;
  readonly hasher: Pick<Hasher, 'sha256'>;
}

/** What `step` would do now, as far as that is known without running it. */
export type Now =
  | { readonly kind: 'ready' }
  | { readonly kind: 'refused'; readonly error: RunnerError }
  | { readonly kind: 'recovery'; readonly what: string; readonly iter: number | null }
  | Exclude<Plan, { kind: 'work' }>;

export interface ExplainedNode {
  readonly visit: Visit;
  readonly isNext: boolean;
  readonly text: string;
  readonly changes: readonly Change[];
  readonly last: LastRecord | null;
  /** Its iterations in this run, oldest first, from the commits: they are there in every clone. */
  readonly history: readonly NodeIteration[];
}

export interface NodeIteration {
  readonly iter: number;
  readonly status: AgentStatus;
  readonly guard: GuardStatus;
}

export interface ExplainedPrompt extends BuiltPrompt {
  readonly sha256: string;
}

export interface ExplainedAgent extends SessionPreview {
  /** The table of the settings that chose its model and effort. */
  readonly model_from: ModelSource;
}

export interface Explained {
  readonly selection: Selection;
  readonly explanation: Explanation;
  /** Only when a node was asked for. */
  readonly node: ExplainedNode | null;
  /** Null: no session would work on it. An error: why the prompt cannot be built now. */
  readonly prompt: ExplainedPrompt | RunnerError | null;
  readonly agent: ExplainedAgent | null;
  readonly config: Config;
  readonly now: Now;
}

/** `findAsked`: the node to explain, given the tree; null: whatever comes next. */
export async function explain(
  ports: ExplainPorts,
  findAsked: (tree: TreeNode) => Visit | null,
): Promise<Explained> {
  const tree = await ports.trees.load();
  const asked = findAsked(tree);
  const runState = await ports.runStates.load();
  const config = configInForce(await ports.configs.load(), runState.resolved);
  const selection = selectNext({ tree, runState, onStuck: config.on_stuck });
  const input = { tree, config, selection };
  const chosen = chosenWork(selection);
  const work = asked === null ? chosen : nodeWork(chosen, asked);
  const promptOf = async (of: Work | null): Promise<Explained['prompt']> =>
    of === null ? null : tryPrompt(ports, { tree, runState, config, work: of });
  const prompt = await promptOf(work);
  return {
    selection,
    explanation: explainSelection(input),
    node: asked === null ? null : await explainAsked(ports, { ...input, runId: runState.run_id }, asked),
    prompt,
    agent: work === null ? null : await preview(ports, { tree, runState, config, work }),
    config,
    now: refusedBy(work === chosen ? prompt : await promptOf(chosen), await findNow(ports)),
  };
}

/** A prompt that cannot be made is where `step` would end. */
function refusedBy(prompt: Explained['prompt'], now: Now): Now {
  return now.kind === 'ready' && prompt instanceof RunnerError ? { kind: 'refused', error: prompt } : now;
}

function chosenWork(selection: Selection): Work | null {
  return selection.kind === 'leaf' || selection.kind === 'repair' ? workOf(selection) : null;
}

/** A leaf that is not next is shown as if it were. */
function nodeWork(chosen: Work | null, { node, path }: Visit): Work | null {
  if (node.passes || node.children.length > 0) return null;
  if (chosen?.leaf?.path === path) return chosen;
  return { purpose: 'execute', leaf: { node, path }, nodeId: node.id };
}

async function explainAsked(
  ports: ExplainPorts,
  input: ExplainInput & { readonly runId: string | null },
  visit: Visit,
): Promise<ExplainedNode> {
  return {
    visit,
    isNext: input.selection.kind === 'leaf' && input.selection.leaf.path === visit.path,
    text: explainNode(input, visit),
    changes: listNodeChanges(input, visit),
    last: await ports.sidecars.loadLast(visit.node.id),
    history: await loadHistory(ports, input.runId, visit.node.id),
  };
}

async function loadHistory(
  { git, session }: ExplainPorts,
  runId: string | null,
  nodeId: string,
): Promise<readonly NodeIteration[]> {
  if (session === null || runId === null) return [];
  // Every iteration changes it.
  const path = '.runner/state/run_state.json';
  const versions = await git.listFileVersions({ path, at: 'HEAD' });
  // By number: a session may have copied a subject below the runner's commit.
  const found = new Map<number, NodeIteration & { readonly node_id: string }>();
  for (const { subject } of versions) {
    const iteration = parseIterationSubject(subject);
    if (iteration?.run_id === runId) found.set(iteration.iter, iteration);
  }
  return [...found.values()].filter(({ node_id }) => node_id === nodeId);
}

interface Session {
  readonly tree: TreeNode;
  readonly runState: RunState;
  readonly config: Config;
  readonly work: Work;
}

async function tryPrompt(
  ports: ExplainPorts,
  { tree, runState, config, work }: Session,
): Promise<ExplainedPrompt | RunnerError> {
  try {
    const { body } = await ports.goals.load();
    const prefix = ports.session === null ? '' : (await ports.git.locate()).prefix;
    const isAt = (workTree: string): Promise<boolean> =>
      isCommittedWork(ports.git, { workTree, commit: 'HEAD' });
    const ground = { config, runState, tree, goalBody: body, prefix, isAt };
    const built = await buildPrompt(ports, { ground, work });
    return { ...built, sha256: ports.hasher.sha256(built.text) };
  } catch (error) {
    if (error instanceof RunnerError) return error;
    throw error;
  }
}

async function preview(
  { session }: ExplainPorts,
  { tree, runState, config: settings, work }: Session,
): Promise<ExplainedAgent | null> {
  if (session === null) return null;
  const { purpose, nodeId } = work;
  const { config, from } = selectModel({ config: settings, tree, runState, purpose, nodeId });
  const previewed = await session.executor.preview({
    role: 'agent',
    config,
    run_id: runState.run_id ?? '',
    iter: runState.next_iter,
    node_id: work.nodeId,
    judged_sessions: runState.judged_sessions,
  });
  return { ...previewed, model_from: from };
}

async function findNow(ports: ExplainPorts): Promise<Now> {
  try {
    await ports.session?.lock.check();
    const open = (await ports.session?.journal.load()) ?? null;
    if (open !== null)
      return { kind: 'recovery', what: open.kind, iter: open.kind === 'iteration' ? open.iter : null };

    const inspected = await inspect(ports, { fresh: true });
    const plan = planNext(inspected);
    if (plan.kind !== 'work') return plan;
    const problem = (await preview(ports, { ...inspected, work: plan.work }))?.problem ?? null;
    if (problem !== null) return { kind: 'refused', error: problem };
    await ports.guards.check(inspected.config);
    return { kind: 'ready' };
  } catch (error) {
    if (error instanceof RunnerError) return { kind: 'refused', error };
    throw error;
  }
}
