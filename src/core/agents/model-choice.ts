/**
 * Which model and effort a session gets (§9): planning sessions take `[agent.plan]`, a leaf that failed often
 * `[agent.escalate]`, and what these do not set comes from `[agent]`. Clocks and earlier choices play no part.
 */
import { findNode } from '../tree/tree-walk.ts';
import type { Config, ModelChoice, Purpose, RunState, TreeNode } from '../types.ts';

/** The table of the settings that decided; `agent` also where another one sets nothing. */
export type ModelSource = 'agent' | 'agent.plan' | 'agent.escalate';

export interface ModelQuestion {
  readonly config: Config;
  readonly tree: TreeNode;
  readonly runState: Pick<RunState, 'judged_sessions'>;
  readonly purpose: Purpose;
  /** The node it works on; of a repair the one that caused it. */
  readonly nodeId: string;
}

/** The settings of the session, with the choice as `agent.model` and `agent.effort`. */
export function selectModel(question: ModelQuestion): {
  readonly config: Config;
  readonly from: ModelSource;
} {
  const { config } = question;
  const { agent } = config;
  const tables: readonly (readonly [ModelSource, ModelChoice])[] = [
    ...(isPlanning(question) ? [['agent.plan', agent.plan] as const] : []),
    ...(hasFailedOften(question) ? [['agent.escalate', agent.escalate] as const] : []),
  ];
  const found = tables.find(([, { model, effort }]) => model !== null || effort !== null);
  if (found === undefined) return { config, from: 'agent' };
  const [from, { model, effort }] = found;
  const chosen = { model: model ?? agent.model, effort: effort ?? agent.effort };
  return { config: { ...config, agent: { ...agent, ...chosen } }, from };
}

/** Until a session of the run was judged, the root's first one is still due. */
function isPlanning({ purpose, tree, runState, nodeId }: ModelQuestion): boolean {
  return purpose !== 'execute' || (nodeId === tree.id && runState.judged_sessions === 0);
}

/** A repair is about the tree, not about the leaf. */
function hasFailedOften({ config, tree, purpose, nodeId }: ModelQuestion): boolean {
  const node = purpose === 'repair' ? null : findNode(tree, nodeId);
  return node !== null && node.attempts >= config.agent.escalate.after_attempts;
}
