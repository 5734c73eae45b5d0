/**
 * How much a run can still use at most (§15 `plan`): iterations, hours and tokens, from tree, attempts and limits; and about how much, by
 * what its sessions took so far. A sum, not a forecast: splits make new leaves, and only `max_iterations` ends them.
 */
import { walkTree } from '../tree/tree-walk.ts';
import type { Config, RunState, TreeNode } from '../types.ts';

export interface Spending {
  readonly open_leaves: number;
  /** Attempts that open leaves have left. */
  readonly attempts: number;
  /** At most; null: no limit is set. */
  readonly iterations: number;
  readonly seconds: number;
  readonly tokens: number | null;
  readonly cost_usd: number | null;
  /** By the mean of the iterations so far, for one session on each open leaf; null: nothing is known. */
  readonly expected: { readonly seconds: number | null; readonly tokens: number | null };
}

export function planSpending(input: {
  readonly tree: TreeNode;
  readonly runState: RunState;
  readonly config: Config;
}): Spending {
  const { tree, runState, config } = input;
  const open = walkTree(tree).filter(({ node }) => !node.passes && node.children.length === 0);
  const { totals, next_iter } = runState;
  const { limits } = config;
  const left = Math.max(0, config.max_iterations - next_iter + 1);
  const iterations = open.length === 0 && runState.repair === null ? 0 : left;
  const each = iterationSeconds(config);
  const past = next_iter - 1;
  const mean = (sum: number | null): number | null =>
    sum === null || past === 0 ? null : Math.round((sum / past) * Math.min(open.length, iterations));
  // A limit is looked at before an iteration, so the last one may go past it.
  const seconds = Math.min(
    iterations * each,
    limitLeft(limits.max_run_secs, totals.seconds, each) ?? Infinity,
  );
  return {
    open_leaves: open.length,
    attempts: open.reduce((sum, { node }) => sum + node.max_attempts - node.attempts, 0),
    iterations,
    seconds,
    tokens: iterations === 0 ? 0 : limitLeft(limits.max_tokens, totals.tokens ?? 0, 0),
    cost_usd: iterations === 0 ? 0 : limitLeft(limits.max_cost_usd, totals.cost_usd ?? 0, 0),
    expected: { seconds: mean(totals.seconds), tokens: mean(totals.tokens) },
  };
}

function limitLeft(max: number | null, used: number, last: number): number | null {
  return max === null ? null : Math.max(0, max - used) + (used < max ? last : 0);
}

/** Agent and guard share a budget; each further run of the guard has a limit of its own, and so has each command of setup (§14). */
function iterationSeconds({ iteration_timeout_secs, guard, automation }: Config): number {
  const clones = (guard.checkout === 'off' ? 0 : 2) + (guard.counterfactual === 'off' ? 0 : 1);
  const runs = clones + (guard.policy === 'ratchet' ? 1 : 0);
  const setup = clones * automation.setup.length * automation.setup_timeout_secs;
  return iteration_timeout_secs + runs * (guard.timeout_secs ?? iteration_timeout_secs) + setup;
}

/** One line for people. */
export function renderSpending(plan: Spending): string {
  const { iterations, open_leaves, attempts, tokens, cost_usd, expected } = plan;
  const most = [
    `${iterations} ${iterations === 1 ? 'iteration' : 'iterations'}`,
    `${duration(plan.seconds)} without waits`,
    ...(tokens === null ? [] : [`${tokens} tokens`]),
    ...(cost_usd === null ? [] : [`$${cost_usd.toFixed(2)}`]),
  ];
  const about = [
    ...(expected.seconds === null ? [] : [duration(expected.seconds)]),
    ...(expected.tokens === null ? [] : [`${expected.tokens} tokens`]),
  ];
  const leaves = `${open_leaves} open ${open_leaves === 1 ? 'leaf' : 'leaves'} with ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;
  const told =
    about.length === 0 ? '' : `; about ${about.join(' and ')} if each takes one session like those before`;
  return `at most ${most.join(', ')}; ${leaves}${told}`;
}

function duration(seconds: number): string {
  return seconds < 3600 ? `${Math.ceil(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}
