/** The rows of the §5 table for a session that ended by itself: its tree, its answer and the guard decide. */
import { assert } from '../errors.ts';
import { renderGuardOutput } from './last-record.ts';
import type { Outcome, OutcomeInput, OutcomeName, Row } from './outcome-row.ts';
import { rejectedAfter, runnerError, undone } from './outcome-row.ts';
import { parseReview, renderFindings } from './review.ts';
import type { GuardCheck, ReviewRun } from '../agents/session.ts';
import { applyAttempt, applyPass } from './state-updater.ts';
import type { Judgement } from './verdict.ts';
import { renderViolations } from './verdict.ts';

type Accepted = Extract<Judgement, { kind: 'accepted' }>;

export function decideEnded(input: OutcomeInput, judgement: Judgement): Row {
  switch (judgement.kind) {
    case 'repaired':
      return repaired(input, judgement);
    case 'fruitless':
      return fruitless(input, judgement);
    case 'tree_invalid':
      return input.purpose === 'plan'
        ? planUsedUp(input, renderViolations(judgement.violations))
        : treeInvalid(input, judgement);
    case 'no_answer':
      return input.purpose === 'plan' ? planUsedUp(input, judgement.error) : noAnswer(input, judgement.error);
    case 'malformed':
      return input.purpose === 'plan'
        ? planUsedUp(input, renderViolations(judgement.violations))
        : malformed(input, renderViolations(judgement.violations));
    case 'accepted':
      return accepted(input, judgement);
  }
}

function judgedRow(input: OutcomeInput, name: OutcomeName): Row {
  return { ...undone(input, name), failures: 'reset', judged: true };
}

function agentError(text: string): NonNullable<Outcome['errorLog']> {
  return { file: 'agent_error.log', text: `${text}\n` };
}

/** For people, who are shown the first line. Sessions are told in the words that recorded runs have. */
function withViolations(what: string, violations: string): string {
  return `${what}: ${violations.replace(/^- /u, '')}`;
}

function treeInvalid(input: OutcomeInput, judgement: Extract<Judgement, { kind: 'tree_invalid' }>): Row {
  const what = 'tree.json is not a valid tree';
  const violations = renderViolations(judgement.violations);
  const again = input.record.invalid_trees > 0;
  const source = input.session.agent_tree;
  const row: Row = {
    ...judgedRow(input, 'tree-invalid'),
    tree: again ? applyAttempt(input.before, input.nodeId) : input.before,
    told: { summary: null, error: `${what}:\n${violations}`, guardOutput: null },
    record: { invalid_trees: input.record.invalid_trees + 1 },
    errorLog: agentError(withViolations(what, violations)),
    message: 'tree.json is not a valid tree; it is dropped (tree.max_repairs = 0)',
    failures: judgement.answered ? 'reset' : 'same',
  };
  if (input.config.tree.max_repairs === 0) return { ...row, tree: applyAttempt(row.tree, input.nodeId) };
  return {
    ...row,
    repair: {
      node_id: input.nodeId,
      count: 0,
      sha256: input.sha256(source.kind === 'text' ? source.text : ''),
    },
    rejected: rejectedAfter(input.session),
    message: 'tree.json is not a valid tree; a repair session comes next',
  };
}

function noAnswer(input: OutcomeInput, error: string): Row {
  const shown =
    input.session.answer.kind === 'missing' ? 'the agent exited with 0 but gave no answer' : error;
  return {
    ...judgedRow(input, 'no-answer'),
    told: { summary: null, error, guardOutput: null },
    errorLog: agentError(shown),
    message: shown,
    failures: 'count',
  };
}

function malformed(input: OutcomeInput, violations: string): Row {
  const what = 'The last answer broke the rules';
  return {
    ...judgedRow(input, 'malformed'),
    tree: applyAttempt(input.before, input.nodeId),
    told: { summary: null, error: `${what}:\n${violations}`, guardOutput: null },
    errorLog: agentError(withViolations(what, violations)),
    message: withViolations('malformed', violations.split('\n', 1).join('')),
  };
}

/** `on_stuck = "decompose"` allows one planning session; anything but `decomposed` uses it up (§4). */
function planUsedUp(input: OutcomeInput, why: string): Row {
  return {
    ...judgedRow(input, 'plan-used-up'),
    record: { decompose_used: true },
    errorLog: agentError(withViolations(`the planning session did not decompose '${input.nodeId}'`, why)),
    message: `the planning session did not decompose '${input.nodeId}'`,
    stop: { kind: 'stuck' },
  };
}

function accepted(input: OutcomeInput, judgement: Accepted): Row {
  const { output } = judgement;
  if (output.status === 'decomposed') return decomposed(input, judgement);
  if (input.purpose === 'plan') return planUsedUp(input, `it answered ${output.status}`);
  return output.status === 'retry' ? retry(input, judgement, null) : done(input, judgement);
}

function decomposed(input: OutcomeInput, judgement: Accepted): Row {
  return {
    ...judgedRow(input, 'decomposed'),
    status: 'decomposed',
    tree: judgement.tree,
    summary: judgement.output.summary,
    record: { decompose_used: input.purpose === 'plan' || input.record.decompose_used },
    message: `'${input.nodeId}' was decomposed`,
  };
}

function retry(input: OutcomeInput, judgement: Accepted, why: string | null): Row {
  const changed = judgement.textChanged
    ? 'The last session changed the title, goal or acceptance of this node.'
    : null;
  return {
    ...judgedRow(input, 'retry'),
    tree: applyAttempt(judgement.tree, input.nodeId),
    summary: judgement.output.summary,
    told: { summary: judgement.output.summary, error: why ?? changed, guardOutput: null },
    marks: judgement.textChanged ? ['changed-goal'] : [],
    message: why ?? 'the agent asked for another session',
  };
}

function done(input: OutcomeInput, judgement: Accepted): Row {
  const { guard } = input;
  if (guard === null) return emptyChange(input, judgement);
  const { end } = guard;
  assert(
    end.kind !== 'interrupted' && end.kind !== 'out_of_time',
    'earlier rows of the table handle these ends',
  );
  switch (end.kind) {
    case 'passed':
      return input.review === null ? passed(input, judgement) : reviewed(input, judgement, input.review);
    case 'not_started':
      return guardNotStarted(input, end.reason);
    case 'cut_off':
      return cutOff(input, judgement);
    case 'failed':
      return guardFailed(input, judgement, { ...end, by: end.by ?? 'guard', output: guard.output });
  }
}

/** §9 `guard.empty_change`: reject acts as a retry, confirm asks once without using an attempt. */
function emptyChange(input: OutcomeInput, judgement: Accepted): Row {
  const why =
    'The last session said done, but nothing outside .runner/ differs from before the first session on this node.';
  const row = retry(input, judgement, why);
  if (input.config.guard.empty_change === 'reject') return { ...row, name: 'empty-change-rejected' };
  return {
    ...row,
    name: 'empty-change-asked',
    tree: judgement.tree,
    record: { confirm_asked: true },
    message: 'done without any change; the next session is asked to change something or to confirm',
  };
}

function passed(input: OutcomeInput, judgement: Accepted): Row {
  const empty = input.record.base !== null && input.record.base === input.workTree;
  return {
    ...judgedRow(input, 'pass'),
    status: 'done',
    guard: 'pass',
    tree: applyPass(judgement.tree, input.nodeId),
    summary: judgement.output.summary,
    forgetRecord: true,
    marks: empty && input.record.confirm_asked ? ['confirmed-empty-change'] : [],
    message: `'${input.nodeId}' passed`,
  };
}

/** A review can only take the pass away; one without a verdict is the reviewer's failure, and no pass (§9). */
function reviewed(input: OutcomeInput, judgement: Accepted, review: ReviewRun): Row {
  const parsed = parseReview(review.answer);
  if (!parsed.ok) {
    const isMissing = review.answer.kind === 'missing';
    const why = isMissing ? 'the reviewer exited with 0 but gave no answer' : parsed.error;
    const text = `the review gave no verdict: ${why}`;
    return {
      ...judgedRow(input, 'review-no-verdict'),
      errorLog: agentError(text),
      message: text,
      failures: 'count',
    };
  }
  if (parsed.output.verdict === 'pass') return passed(input, judgement);
  return {
    ...judgedRow(input, 'review-fail'),
    status: 'done',
    guard: 'fail',
    tree: applyAttempt(judgement.tree, input.nodeId),
    summary: judgement.output.summary,
    told: {
      summary: judgement.output.summary,
      error: renderFindings(parsed.output),
      guardOutput: null,
    },
    message: 'the review did not accept the work',
  };
}

function guardNotStarted(input: OutcomeInput, reason: string): Row {
  const text = `the guard could not be started: ${reason}`;
  return {
    ...judgedRow(input, 'guard-not-started'),
    errorLog: runnerError(text),
    message: text,
    stop: {
      kind: 'error',
      code: 'GUARD_NOT_STARTED',
      message: text,
      hint: 'fix the program or set guard.command in .runner/state/config.toml, commit it, then: runner loop',
    },
  };
}

function cutOff(input: OutcomeInput, judgement: Accepted): Row {
  const why = 'The guard was cut off by a crash of the runner twice; its result is unknown.';
  return {
    ...judgedRow(input, 'guard-cut-off'),
    tree: applyAttempt(judgement.tree, input.nodeId),
    summary: judgement.output.summary,
    told: { summary: judgement.output.summary, error: why, guardOutput: null },
    errorLog: runnerError(why),
    message: why,
  };
}

function guardFailed(
  input: OutcomeInput,
  judgement: Accepted,
  failure: { readonly reason: string; readonly output: string; readonly by: GuardCheck },
): Row {
  return {
    ...judgedRow(input, `${failure.by}-fail`),
    status: 'done',
    guard: 'fail',
    tree: applyAttempt(judgement.tree, input.nodeId),
    summary: judgement.output.summary,
    told: {
      summary: judgement.output.summary,
      error: null,
      guardOutput: renderGuardOutput(failure),
    },
    message: failure.reason,
  };
}

function repaired(input: OutcomeInput, judgement: Extract<Judgement, { kind: 'repaired' }>): Row {
  return {
    ...judgedRow(input, 'repaired'),
    tree: judgement.tree,
    repair: null,
    rejected: { action: 'remove' },
    message: 'the tree is valid again',
    failures: judgement.answered ? 'reset' : 'same',
  };
}

function fruitless(input: OutcomeInput, judgement: Extract<Judgement, { kind: 'fruitless' }>): Row {
  const text = withViolations(
    'The repair session left no valid tree',
    renderViolations(judgement.violations),
  );
  const pending = input.runState.repair;
  assert(pending !== null, 'a repair session has a repair to make');
  const count = pending.count + 1;
  const row: Row = {
    ...judgedRow(input, 'repair-fruitless'),
    errorLog: agentError(text),
    failures: judgement.answered ? 'reset' : 'same',
    message: `repair ${count} of ${input.config.tree.max_repairs} was fruitless`,
  };
  if (count < input.config.tree.max_repairs) return { ...row, repair: { ...pending, count } };
  return {
    ...row,
    tree: applyAttempt(input.before, input.nodeId),
    repair: null,
    rejected: { action: 'remove' },
    message: `${row.message}; the rejected tree is dropped`,
  };
}
