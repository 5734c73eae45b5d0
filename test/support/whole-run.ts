/** Whole runs of random agents, guards and reviewers through the real judge, guard plan, outcome table and selector, without effects. */
import fc from 'fast-check';
import { nodeRecord, planGuard } from '../../src/core/iteration/guard-plan.ts';
import { decide } from '../../src/core/iteration/outcome.ts';
import type { Outcome } from '../../src/core/iteration/outcome-row.ts';
import type { ReviewRun } from '../../src/core/agents/session.ts';
import { selectNext } from '../../src/core/tree/selector.ts';
import { mapTree, walkTree } from '../../src/core/tree/tree-walk.ts';
import type { Config, LastRecord, RunState, Selection, TreeNode } from '../../src/core/types.ts';
import { judge } from '../../src/core/iteration/verdict.ts';
import { configWith, runStateWith, sha256 } from './facts.ts';
import type { ModelEvent } from './model.ts';
import type { Move, Played, Scene } from './moves.ts';
import { arbMove, play } from './moves.ts';
import { arbTree } from './trees.ts';

const allEnds: readonly ModelEvent['end'][] = [
  'interrupted',
  'out_of_time',
  'blocked',
  'failed',
  'failed',
  'undone',
];

export const arbConfig: fc.Arbitrary<Config> = fc
  .record({
    on_stuck: fc.constantFrom<Config['on_stuck'][]>('stop', 'defer', 'decompose'),
    on_timeout: fc.constantFrom<Config['on_timeout'][]>('stop', 'continue'),
    empty_change: fc.constantFrom<Config['guard']['empty_change'][]>('confirm', 'reject', 'allow'),
    max_failures: fc.integer({ min: 1, max: 3 }),
    max_repairs: fc.integer({ min: 0, max: 3 }),
    max_attempts_default: fc.integer({ min: 1, max: 3 }),
    allow_removal: fc.boolean(),
  })
  .map(({ empty_change, max_failures, max_repairs, allow_removal, ...top }) =>
    configWith({
      ...top,
      guard: { empty_change },
      agent: { max_failures },
      tree: { max_repairs, allow_removal },
    }),
  );

export const takenIds = ['0_.2', 'new1.1'];

export interface Run {
  readonly tree: TreeNode;
  readonly runState: RunState;
  readonly last: ReadonlyMap<string, LastRecord>;
  readonly work: string;
}

export function startRun(tree: TreeNode): Run {
  return { tree, runState: runStateWith({ next_iter: 1 }), last: new Map(), work: 'work0' };
}

export type Target = Exclude<Selection, { kind: 'complete' } | { kind: 'stuck' }>;

export function targetId(selection: Target): string {
  return selection.kind === 'repair' ? selection.repair.node_id : selection.leaf.node.id;
}

/** One iteration as `step` would do it, without its effects. */
export function iterate(
  run: Run,
  config: Config,
  at: { readonly selection: Target; readonly played: Played },
): { readonly run: Run; readonly outcome: Outcome; readonly review: ReviewRun | null } {
  const { selection, played } = at;
  const { session, workAfter } = played;
  const purpose = selection.kind === 'repair' ? 'repair' : selection.purpose;
  const nodeId = targetId(selection);
  const record = nodeRecord({ runState: run.runState, nodeId, baselineTree: run.work });
  const judgement =
    session.end.kind === 'exited'
      ? judge({
          purpose,
          before: run.tree,
          nodeId,
          agentTree: session.agent_tree,
          answer: session.answer,
          allowRemoval: config.tree.allow_removal,
          maxAttemptsDefault: config.max_attempts_default,
          takenIds,
          sha256,
        })
      : null;
  const plan = planGuard({ purpose, judgement, config, record, workTree: workAfter, dirtySubmodules: [] });
  const guard = plan.kind === 'run' ? played.guard : null;
  const review = guard?.end.kind === 'passed' ? played.review : null;
  const outcome = decide({
    purpose,
    iter: run.runState.next_iter,
    nodeId,
    before: run.tree,
    runState: run.runState,
    last: run.last.get(nodeId) ?? null,
    config,
    session,
    judgement,
    record,
    workTree: workAfter,
    guard,
    review,
    seconds: 1,
    sha256,
  });
  const last = new Map(run.last);
  if (outcome.last.action === 'write') last.set(nodeId, outcome.last.record);
  for (const id of outcome.forgetLast) last.delete(id);
  return { run: { tree: outcome.tree, runState: outcome.runState, last, work: workAfter }, outcome, review };
}

/** Names of new nodes and of new work, never used twice in one run; at most `newNodesMax` nodes are added. */
export function scenes(newNodesMax: number): (run: Run, nodeId: string) => Scene {
  let count = 0;
  return (run, nodeId) => ({
    tree: run.tree,
    nodeId,
    newId: walkTree(run.tree).length + count < newNodesMax ? () => `new${(count += 1)}` : null,
    workBefore: run.work,
    base: run.runState.nodes[nodeId]?.base ?? run.work,
    newWork: () => `work${(count += 1)}`,
  });
}

/** `step` or `loop` started anew (§1.6). */
function restarted(run: Run): Run {
  return { ...run, runState: { ...run.runState, failures_in_a_row: 0 } };
}

/** Calls `check` after every iteration; ends when the run does or the moves do. */
export function playAll(
  input: { readonly tree: TreeNode; readonly config: Config; readonly moves: readonly Move[] },
  check: (step: {
    readonly before: Run;
    readonly after: Run;
    readonly selection: Target;
    readonly played: Played;
    readonly outcome: Outcome;
    /** The review that took place. */
    readonly review: ReviewRun | null;
  }) => void,
): { readonly run: Run; readonly end: Selection } {
  const sceneOf = scenes(60);
  let run = startRun(input.tree);
  const select = (): Selection =>
    selectNext({ tree: run.tree, runState: run.runState, onStuck: input.config.on_stuck });
  for (const move of input.moves) {
    const selection = select();
    if (selection.kind === 'complete' || selection.kind === 'stuck') break;
    const played = play(move, sceneOf(run, targetId(selection)));
    const done = iterate(run, input.config, { selection, played });
    const { outcome, review } = done;
    check({ before: run, after: done.run, selection, played, outcome, review });
    run = done.outcome.stop === null ? done.run : restarted(done.run);
  }
  return { run, end: select() };
}

/** Mostly trees with much left to do, or runs would be over before anything happens. */
export function arbStart(nodesMax: number): fc.Arbitrary<TreeNode> {
  const fresh = (tree: TreeNode): TreeNode =>
    mapTree(tree, (node) =>
      node.passes ? node : { ...node, attempts: 0, max_attempts: node.max_attempts + 2 },
    );
  const size = { nodesMax, depthMax: 4 };
  return fc.oneof(
    { weight: 4, arbitrary: arbTree({ ...size, withPassed: false }).map(fresh) },
    { weight: 4, arbitrary: arbTree(size).map(fresh) },
    { weight: 1, arbitrary: arbTree(size) },
  );
}

export const arbPlay = fc.record({
  tree: arbStart(7),
  config: arbConfig,
  moves: fc.array(arbMove(allEnds), { minLength: 1, maxLength: 25, size: 'max' }),
});
