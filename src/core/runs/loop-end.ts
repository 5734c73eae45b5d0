/** How `step` and `loop` ended, for people: one sentence and the command that helps. The commands, `status` and the pages say it with these words. Pure. */
import type { ErrorCode } from '../errors.ts';
import type { Stop } from '../iteration/outcome-row.ts';
import type { LimitReached } from '../agents/usage.ts';
import type { SelectedLeaf } from '../types.ts';

export type LimitEnd =
  | { readonly kind: 'limit'; readonly next_iter: number; readonly max_iterations: number }
  | ({ readonly kind: 'run_limit' } & LimitReached);

export type LoopEnd =
  | { readonly kind: 'complete' }
  /** A person asked for it; nothing is open (§12). */
  | { readonly kind: 'paused' }
  | { readonly kind: 'stuck'; readonly leaf: SelectedLeaf }
  | LimitEnd
  | { readonly kind: 'stopped'; readonly stop: Stop };

export const endStates = ['ready', 'complete', 'paused', 'stuck', 'limit', 'stopped'] as const;

export interface EndText {
  /** `ready`: it goes on where it ended. */
  readonly state: (typeof endStates)[number];
  /** Of the error it ended with; null: none. */
  readonly code: ErrorCode | null;
  readonly sentence: string;
  readonly hint: string;
  /** The least value that helps, of the setting that the hint raises further; null: it names none. */
  readonly least: number | null;
}

export function describeEnd(end: LoopEnd & { readonly run_id: string }): EndText {
  if (end.kind === 'limit' || end.kind === 'run_limit') return { state: 'limit', ...describeLimit(end) };
  return { ...tell(end), least: null };
}

type Told = Omit<EndText, 'least'>;

function tell(end: Exclude<LoopEnd, LimitEnd> & { readonly run_id: string }): Told {
  switch (end.kind) {
    case 'complete':
      return {
        state: 'complete',
        code: null,
        sentence: 'every task has passed',
        hint: `runner finish ${end.run_id}`,
      };
    case 'paused':
      return { state: 'paused', code: null, sentence: 'paused on request', hint: 'runner loop' };
    case 'stuck': {
      const { id, title, max_attempts } = end.leaf.node;
      const times = `${max_attempts} ${max_attempts === 1 ? 'attempt' : 'attempts'}`;
      return {
        state: 'stuck',
        code: null,
        sentence: `${title} (${id}) has used its ${times}`,
        // The first says why, and how to clarify the task.
        hint: `runner explain, then: runner retry ${id}, then: runner loop`,
      };
    }
    case 'stopped':
      return describeStop(end.stop);
  }
}

function describeStop(stop: Stop): Told {
  switch (stop.kind) {
    case 'error':
      return { state: 'stopped', code: stop.code, sentence: stop.message, hint: stop.hint || 'runner loop' };
    case 'interrupted':
      return { state: 'stopped', code: null, sentence: `stopped by ${stop.signal}`, hint: 'runner loop' };
    case 'paused':
      return { state: 'paused', code: null, sentence: 'paused on request', hint: 'runner loop' };
    case 'stuck':
      return {
        state: 'stuck',
        code: null,
        sentence: 'the planning session did not split the task',
        hint: 'runner explain',
      };
  }
}

export const limitTexts = {
  max_run_secs: { code: 'RUN_TIME_LIMIT', what: 'time', unit: 'seconds' },
  max_tokens: { code: 'RUN_TOKEN_LIMIT', what: 'tokens', unit: 'tokens' },
  max_cost_usd: { code: 'RUN_COST_LIMIT', what: 'money', unit: 'cost_usd' },
} as const satisfies Record<LimitReached['limit'], { code: ErrorCode; what: string; unit: string }>;

/** The limits of a run, as the error that `step` and `loop` end with. */
export function describeLimit(
  end: LimitEnd,
): Omit<EndText, 'state' | 'code' | 'least'> & { readonly code: ErrorCode; readonly least: number } {
  if (end.kind === 'limit') {
    const { next_iter, max_iterations } = end;
    return {
      code: 'ITERATION_LIMIT',
      sentence: `the run has used its iterations (${next_iter - 1} of ${max_iterations})`,
      hint: raiseHint('max_iterations', max_iterations),
      least: next_iter,
    };
  }
  const { limit, used, max } = end;
  const { code, what, unit } = limitTexts[limit];
  return {
    code,
    sentence: `the run has used its ${what} (${unit}=${used}, limits.${limit}=${max})`,
    hint: raiseHint(`limits.${limit}`, Math.max(used, max)),
    // Reached is used up; a hundredth is the least that prices have.
    least: limit === 'max_cost_usd' ? Math.ceil(used * 100 + 1) / 100 : Math.floor(used) + 1,
  };
}

/** With as much again; `config set` commits it. */
function raiseHint(key: string, used: number): string {
  return `runner config set ${key} ${Math.ceil(used * 2)}, then: runner loop`;
}
