/** What a row of the §5 table may return, and the input that all rows share. */
import type { ErrorCode } from '../errors.ts';
import type { FailureKind } from '../agents/failure.ts';
import { rejectedTreeBytesMax } from '../limits.ts';
import type { GuardRun, ReviewRun, SessionEnd, SessionFacts } from '../agents/session.ts';
import { byteLength } from '../text/shorten.ts';
import type {
  AgentStatus,
  Config,
  GuardStatus,
  LastRecord,
  NodeRecord,
  Purpose,
  RunState,
  SignalName,
  TreeNode,
} from '../types.ts';
import type { Spent } from '../agents/usage.ts';
import type { Judgement } from './verdict.ts';

export interface OutcomeInput {
  readonly purpose: Purpose;
  readonly iter: number;
  readonly nodeId: string;
  readonly before: TreeNode;
  readonly runState: RunState;
  readonly last: LastRecord | null;
  readonly config: Config;
  readonly session: SessionFacts;
  /** Null exactly when the session did not end by itself (the first rows of the table). */
  readonly judgement: Judgement | null;
  readonly record: NodeRecord;
  /** Tree id of the work outside `.runner/`. */
  readonly workTree: string;
  readonly guard: GuardRun | null;
  /** Only after a guard that passed, and only with `[review]`. */
  readonly review: ReviewRun | null;
  readonly seconds: number;
  readonly sha256: (text: string) => string;
}

/** The rows of the §5 table, by the names that commits and `meta.json` carry (§15). A name is never given to another row. */
export const outcomeNames = [
  'interrupted',
  'out-of-time',
  'undone',
  'blocked',
  'agent-failed',
  'tree-invalid',
  'no-answer',
  'malformed',
  'plan-used-up',
  'retry',
  'decomposed',
  'empty-change-asked',
  'empty-change-rejected',
  'guard-not-started',
  'guard-cut-off',
  'guard-fail',
  'ratchet-fail',
  'clone-fail',
  'bytes-fail',
  'counterfactual-fail',
  'review-no-verdict',
  'review-fail',
  'pass',
  'repaired',
  'repair-fruitless',
] as const;

export type OutcomeName = (typeof outcomeNames)[number];

export type Stop =
  | { readonly kind: 'interrupted'; readonly signal: SignalName }
  | { readonly kind: 'paused' }
  | { readonly kind: 'error'; readonly code: ErrorCode; readonly message: string; readonly hint: string }
  | { readonly kind: 'stuck' };

export interface Outcome {
  readonly name: OutcomeName;
  readonly status: AgentStatus;
  readonly guard: GuardStatus;
  readonly tree: TreeNode;
  readonly runState: RunState;
  readonly last: { readonly action: 'keep' } | { readonly action: 'write'; readonly record: LastRecord };
  /** Nodes that passed, were decomposed or removed: their last.json goes. */
  readonly forgetLast: readonly string[];
  readonly rejected:
    | { readonly action: 'keep' | 'remove' }
    | { readonly action: 'write'; readonly text: string };
  readonly errorLog: { readonly file: 'runner_error.log' | 'agent_error.log'; readonly text: string } | null;
  readonly marks: readonly string[];
  /** One sentence for people: why it was recorded like this. */
  readonly message: string;
  readonly stop: Stop | null;
  /** What was used up in this iteration, and with it on the node and in the run. */
  readonly spent: { readonly iteration: Spent; readonly node: Spent; readonly run: Spent };
  /** What was wrong with the agent or the reviewer; null: nothing. */
  readonly failure: FailureKind | null;
}

/** What a row of the table says; `finish` turns it into an outcome. */
export interface Row {
  readonly name: OutcomeName;
  readonly status: AgentStatus;
  readonly guard: GuardStatus;
  readonly tree: TreeNode;
  readonly summary: string | null;
  /** What the next session on this node gets; null leaves last.json as it is. */
  readonly told: {
    readonly summary: string | null;
    readonly error: string | null;
    readonly guardOutput: string | null;
  } | null;
  readonly repair?: RunState['repair'];
  readonly rejected?: Outcome['rejected'];
  readonly record?: Partial<NodeRecord>;
  readonly forgetRecord?: boolean;
  readonly errorLog?: Outcome['errorLog'];
  readonly marks?: readonly string[];
  readonly message: string;
  readonly stop?: Stop;
  /** How the row moves "failures in a row" (§1.6). */
  readonly failures: 'same' | 'count' | 'reset';
  /** Whether the scripted agent goes on to its next step. */
  readonly judged: boolean;
}

/** How the sessions ended: the agent's, or the reviewer's when the agent's was sound. */
export function endOf({ session, review }: OutcomeInput): SessionEnd {
  return session.end.kind === 'exited' && review !== null ? review.end : session.end;
}

/** Baseline tree, no message, no attempt: what the first rows share. */
export function undone(input: OutcomeInput, name: OutcomeName): Row {
  return {
    name,
    status: 'retry',
    guard: 'skipped',
    tree: input.before,
    summary: null,
    told: null,
    message: '',
    failures: 'same',
    judged: false,
  };
}

export function runnerError(text: string): NonNullable<Outcome['errorLog']> {
  return { file: 'runner_error.log', text: `${text}\n` };
}

/** A tree that is too large, or no text at all, is only in the log (§5 REPAIR). */
export function rejectedAfter(session: SessionFacts): Outcome['rejected'] {
  const tree = session.agent_tree;
  return tree.kind === 'text' && byteLength(tree.text) <= rejectedTreeBytesMax
    ? { action: 'write', text: tree.text }
    : { action: 'remove' };
}
