/** What an iteration that did not bring its node forward is told as: by the row of the §5 table, and which log has its cause. Pure. */
import type { IterationMeta } from '../agents/session.ts';
import type { OutcomeName } from '../iteration/outcome-row.ts';

export interface FailureKindText {
  /** What happened, for people. */
  readonly text: string;
  /** The log in which a program printed the cause: the guard, or an agent that failed; null: what the session reported tells it. */
  readonly log: string | null;
}

const agentLog = 'executor.log';
const own = (text: string): FailureKindText => ({ text, log: null });
const guard = (text: string, log = 'guard.log'): FailureKindText => ({ text, log });

/** Null: no failure. */
const texts: Readonly<Record<OutcomeName, FailureKindText | null>> = {
  interrupted: own('interrupted'),
  'out-of-time': own('out of time'),
  undone: own('the runner was killed during the session'),
  blocked: own('the agent could not work'),
  'agent-failed': { text: 'the agent failed', log: agentLog },
  'tree-invalid': own('the agent left a tree that is not valid'),
  'no-answer': own('the agent gave no valid answer'),
  malformed: own('the answer broke a rule'),
  'plan-used-up': own('the planning session did not split the node'),
  retry: own('the agent asked for another attempt'),
  decomposed: null,
  'empty-change-asked': own('done without a change; the next session has to confirm it'),
  'empty-change-rejected': own('done without a change'),
  'guard-not-started': own('the guard could not be started'),
  'guard-cut-off': own('the guard was cut off by a crash'),
  'guard-fail': guard('the guard failed'),
  'ratchet-fail': guard('the guard failed with its own files as they were before'),
  'clone-fail': guard('the guard failed in a fresh clone', 'guard.clone.log'),
  'bytes-fail': own('a checkout would have other bytes than the guard saw'),
  'counterfactual-fail': own('the guard stays green without the change'),
  'review-no-verdict': own('the review gave no verdict'),
  'review-fail': own('the review failed'),
  pass: null,
  repaired: null,
  'repair-fruitless': own('the repair was fruitless'),
};

/** Null: it did not fail. Records of older versions have no row. */
export function failureOf(meta: Pick<IterationMeta, 'outcome' | 'status' | 'guard'>): FailureKindText | null {
  const known = texts[meta.outcome as OutcomeName] as FailureKindText | null | undefined;
  if (known !== undefined) return known;
  if (meta.guard === 'fail') return guard('the guard failed');
  return meta.status === 'retry' ? own('not done') : null;
}

/** A line of an agent that reports its work as JSON: words in it are those of its work. */
export function isReport(line: string): boolean {
  return /^\s*\{.*\}\s*$/u.test(line);
}
