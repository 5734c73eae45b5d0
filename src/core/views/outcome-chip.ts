/** An iteration in one word with one colour: what became of it, no matter who decided. A red guard is red, also when the agent said done. Pure. */
import { outcomeNames } from '../iteration/outcome-row.ts';
import type { OutcomeName } from '../iteration/outcome-row.ts';
import type { AgentStatus, GuardStatus } from '../types.ts';
import type { FailureKind } from '../agents/failure.ts';

/** `good`: passed. `bad`: nothing came of it, or the guard is red. `doubtful`: it goes on. */
export type ChipTone = 'good' | 'bad' | 'doubtful' | 'split' | 'busy';

export interface Chip {
  readonly tone: ChipTone;
  readonly label: string;
}

/** Null: not known yet. */
export interface ChipInput {
  readonly status: AgentStatus | null;
  readonly guard: GuardStatus | null;
  /** Name of the row of the §5 table; missing or empty: not told. */
  readonly outcome?: string | null;
  readonly failure?: FailureKind | null;
  readonly is_running?: boolean;
}

const chips: Readonly<Record<OutcomeName, readonly [ChipTone, string]>> = {
  interrupted: ['doubtful', 'interrupted'],
  'out-of-time': ['bad', 'out of time'],
  undone: ['doubtful', 'cut off'],
  blocked: ['bad', 'agent blocked'],
  'agent-failed': ['bad', 'agent failed'],
  'tree-invalid': ['bad', 'invalid tree'],
  'no-answer': ['bad', 'no answer'],
  malformed: ['bad', 'rules broken'],
  'plan-used-up': ['bad', 'not split'],
  retry: ['doubtful', 'retry'],
  decomposed: ['split', 'split'],
  'empty-change-asked': ['doubtful', 'no change yet'],
  'empty-change-rejected': ['bad', 'no change'],
  'guard-not-started': ['bad', 'guard not started'],
  'guard-cut-off': ['bad', 'guard cut off'],
  'guard-fail': ['bad', 'guard failed'],
  'ratchet-fail': ['bad', 'old guard failed'],
  'clone-fail': ['bad', 'clone failed'],
  'bytes-fail': ['bad', 'other bytes'],
  'counterfactual-fail': ['bad', 'proves nothing'],
  'review-no-verdict': ['bad', 'no review'],
  'review-fail': ['bad', 'review failed'],
  pass: ['good', 'passed'],
  repaired: ['good', 'tree repaired'],
  'repair-fruitless': ['bad', 'repair failed'],
};

export function chipOf(input: ChipInput): Chip {
  const { status, outcome, is_running } = input;
  if (status === null)
    return is_running === true ? { tone: 'busy', label: 'running' } : { tone: 'bad', label: 'unfinished' };

  const name = outcomeNames.find((each) => each === outcome) ?? nameBy(input);
  const [tone, label] = chips[name];
  return { tone, label };
}

/** Of a record that does not tell: by what it holds. */
function nameBy({ status, guard, failure }: ChipInput): OutcomeName {
  if (guard === 'pass') return 'pass';
  if (guard === 'fail') return 'guard-fail';
  if (status === 'decomposed') return 'decomposed';
  return failure === null || failure === undefined ? 'retry' : 'agent-failed';
}
