/**
 * The §5 outcome table as one pure function: the facts of an iteration in, everything the runner records out. `step`, REPAIR
 * and recovery all end here, so only this file decides the outcome of an iteration.
 */
import { assert } from '../errors.ts';
import type { FailureKind } from '../agents/failure.ts';
import { renderLastRecord } from './last-record.ts';
import { decideEnded } from './outcome-judged.ts';
import type { Outcome, OutcomeInput, Row, Stop } from './outcome-row.ts';
import { endOf, runnerError, undone } from './outcome-row.ts';
import { parseReview } from './review.ts';
import type { SessionFacts } from '../agents/session.ts';
import { indexTree, walkTree } from '../tree/tree-walk.ts';
import type { RunState, SignalName, TreeNode } from '../types.ts';
import { addSpent, addUsage, spentOf, totalsAfter, unknownUsage } from '../agents/usage.ts';

export function decide(input: OutcomeInput): Outcome {
  return finish(input, decideRow(input));
}

function decideRow(input: OutcomeInput): Row {
  const signal = interruptOf(input);
  if (signal !== null) {
    const stop = { kind: 'interrupted', signal } as const;
    return { ...undone(input, 'interrupted'), message: `interrupted by ${signal}`, stop };
  }

  const late = outOfTimeOf(input);
  if (late !== null) return outOfTime(input, late);
  const end = endOf(input);
  if (end.kind === 'paused') {
    const message = 'paused while it waited for the agent; what was written is kept';
    return { ...undone(input, 'interrupted'), message, stop: { kind: 'paused' } };
  }
  if (end.kind === 'undone') {
    const message = 'the runner died while the agent was running; its work is kept';
    return { ...undone(input, 'undone'), message };
  }

  if (end.kind === 'blocked') {
    const stop = { kind: 'error', code: 'AGENT_BLOCKED', message: end.reason, hint: end.fix } as const;
    return { ...undone(input, 'blocked'), message: end.reason, errorLog: runnerError(end.reason), stop };
  }
  if (end.kind === 'failed') {
    const { reason } = end;
    return {
      ...undone(input, 'agent-failed'),
      message: reason,
      errorLog: runnerError(reason),
      failures: 'count',
      judged: true,
    };
  }
  assert(input.judgement !== null, 'a session that ended by itself was judged');
  return decideEnded(input, input.judgement);
}

function interruptOf(input: OutcomeInput): SignalName | null {
  const end = endOf(input);
  if (end.kind === 'interrupted') return end.signal;
  return input.guard?.end.kind === 'interrupted' ? input.guard.end.signal : null;
}

function outOfTimeOf(input: OutcomeInput): { readonly where: string; readonly seconds: number } | null {
  const end = endOf(input);
  if (end.kind === 'out_of_time')
    return { where: input.session.end === end ? 'agent' : 'review', seconds: end.seconds };

  const guard = input.guard?.end;
  return guard?.kind === 'out_of_time' ? { where: 'guard', seconds: guard.seconds } : null;
}

function outOfTime(input: OutcomeInput, late: { readonly where: string; readonly seconds: number }): Row {
  const told = `out of time in the ${late.where} after ${late.seconds} s`;
  const row: Row = {
    ...undone(input, 'out-of-time'),
    told: { summary: null, error: told, guardOutput: null },
    errorLog: runnerError(told),
    message: told,
    failures: 'count',
  };
  if (input.config.on_timeout === 'continue') return row;
  return {
    ...row,
    stop: {
      kind: 'error',
      code: 'ITERATION_TIMEOUT',
      message: `iteration ${input.iter} ran ${told} (iteration_timeout_secs = ${input.config.iteration_timeout_secs})`,
      hint: `runner config set iteration_timeout_secs ${input.config.iteration_timeout_secs * 2}, or: runner config set on_timeout continue, then: runner loop`,
    },
  };
}

function finish(input: OutcomeInput, row: Row): Outcome {
  const failures = failuresAfter(input.runState.failures_in_a_row, row.failures);
  const { runState, config } = input;
  const usage = addUsage(input.session.usage, input.review?.usage ?? unknownUsage);
  const totals = totalsAfter(runState.totals, { usage, seconds: input.seconds });
  const node = addSpent(input.record, spentOf(usage));
  return {
    name: row.name,
    status: row.status,
    guard: row.guard,
    tree: row.tree,
    runState: {
      ...runState,
      next_iter: input.iter + 1,
      last_status: row.status,
      last_summary: row.summary,
      last_guard: row.guard,
      failures_in_a_row: failures,
      judged_sessions: runState.judged_sessions + (row.judged ? 1 : 0),
      totals,
      guard_checkout: input.guard?.checkout ?? runState.guard_checkout,
      repair: row.repair === undefined ? runState.repair : row.repair,
      nodes: nodesAfter(input, { ...row, record: { ...row.record, ...node } }),
    },
    last: lastAfter(input, row),
    forgetLast: finishedLeaves({ before: input.before, after: row.tree }),
    rejected: row.rejected ?? { action: 'keep' },
    errorLog: row.errorLog ?? null,
    marks: row.marks ?? [],
    message: row.message,
    stop:
      row.stop ??
      stopAfterFailures({ failures, counted: row.failures === 'count', max: config.agent.max_failures, row }),
    spent: {
      iteration: spentOf(usage),
      node,
      run: { tokens: totals.tokens, cost_usd: totals.cost_usd },
    },
    failure: failureOf(input),
  };
}

function failureOf(input: OutcomeInput): FailureKind | null {
  const end = endOf(input);
  if (end.kind === 'blocked' || end.kind === 'failed') return end.failure;
  if (end.kind === 'out_of_time') return 'timed_out';
  const isUnanswered = input.judgement?.kind === 'no_answer';
  return isUnanswered || (end.kind === 'exited' && lacksVerdict(input.review)) ? 'malformed' : null;
}

function lacksVerdict(review: OutcomeInput['review']): boolean {
  return review !== null && !parseReview(review.answer).ok;
}

function failuresAfter(before: number, change: Row['failures']): number {
  if (change === 'reset') return 0;
  return change === 'count' ? before + 1 : before;
}

function stopAfterFailures(input: {
  readonly failures: number;
  readonly counted: boolean;
  readonly max: number;
  readonly row: Row;
}): Stop | null {
  if (!input.counted || input.failures < input.max) return null;
  return {
    kind: 'error',
    code: 'AGENT_FAILING',
    message: `the agent failed ${input.failures} times in a row (agent.max_failures): ${input.row.message}`,
    hint: 'runner log --failed, then: runner loop',
  };
}

/** A repair works on no node, so it makes no record of its own; a passed node needs none any more. */
function nodesAfter(input: OutcomeInput, row: Row): RunState['nodes'] {
  const { [input.nodeId]: _known, ...others } = input.runState.nodes;
  if (row.forgetRecord === true) return others;
  if (input.purpose === 'repair' && !Object.hasOwn(input.runState.nodes, input.nodeId)) return others;
  return { ...others, [input.nodeId]: { ...input.record, ...row.record } };
}

/** The output of the last failed guard stays until a newer one replaces it (§6). */
function lastAfter(input: OutcomeInput, row: Row): Outcome['last'] {
  if (row.told === null) return { action: 'keep' };
  const guardOutput = row.told.guardOutput ?? input.last?.guard_output ?? null;
  return {
    action: 'write',
    record: renderLastRecord({
      iter: input.iter,
      summary: row.told.summary,
      error: withNotes(row.told.error, input.session),
      guard_output: guardOutput,
    }),
  };
}

/** What the runner undid and what the agent was refused, added to the other notes. */
function withNotes(error: string | null, { protected_paths, denials }: SessionFacts): string | null {
  const lines = [
    ...(error === null ? [] : [error]),
    ...(protected_paths.length === 0
      ? []
      : [`These files are protected (guard.policy) and were put back: ${protected_paths.join(', ')}`]),
    ...(denials.length === 0
      ? []
      : [
          'The last session was refused the following; find another way:',
          ...denials.map((what) => `- ${what}`),
        ]),
  ];
  return lines.length === 0 ? null : lines.join('\n');
}

function finishedLeaves(trees: { readonly before: TreeNode; readonly after: TreeNode }): string[] {
  const after = walkTree(trees.after);
  return walkTree(trees.before)
    .filter(({ node }, at) => {
      if (!isOpenLeaf(node)) return false;
      // Most nodes are where they were; an index of a large tree takes time.
      const visit = after[at]?.node.id === node.id ? after[at] : indexTree(trees.after).get(node.id);
      return visit === undefined || !isOpenLeaf(visit.node);
    })
    .map(({ node }) => node.id);
}

function isOpenLeaf(node: TreeNode): boolean {
  return !node.passes && node.children.length === 0;
}
