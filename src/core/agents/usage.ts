/**
 * Adds up the usage that agents report. Nothing is guessed: an amount that was never reported stays unknown (null). Sums stay
 * finite and can be saved and loaded, whatever was reported: whole tokens, dollars to a millionth.
 */
import type { Usage } from './session.ts';
import type { Config, RunState, RunTotals } from '../types.ts';

export const unknownUsage: Usage = {
  input_tokens: null,
  cached_input_tokens: null,
  output_tokens: null,
  cost_usd: null,
};

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input_tokens: addTokens(a.input_tokens, b.input_tokens),
    cached_input_tokens: addTokens(a.cached_input_tokens, b.cached_input_tokens),
    output_tokens: addTokens(a.output_tokens, b.output_tokens),
    cost_usd: addDollars(a.cost_usd, b.cost_usd),
  };
}

export function tokensOf(usage: Usage): number | null {
  return addTokens(usage.input_tokens, usage.output_tokens);
}

function addTokens(a: number | null, b: number | null): number | null {
  const sum = addKnown(a, b);
  return sum === null ? null : toCount(sum);
}

/** Counted in millionths, so that sums read as what was reported does. */
function addDollars(a: number | null, b: number | null): number | null {
  const sum = addKnown(a, b);
  return sum === null ? null : toCount(sum * 1e6) / 1e6;
}

function addKnown(a: number | null, b: number | null): number | null {
  if (a === null) return b;
  return b === null ? a : a + b;
}

function toCount(value: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.round(value));
}

/** Tokens and cost as records, nodes and runs keep them. */
export interface Spent {
  readonly tokens: number | null;
  readonly cost_usd: number | null;
}

export function spentOf(usage: Usage): Spent {
  return { tokens: tokensOf(usage), cost_usd: usage.cost_usd };
}

export function addSpent(a: Spent, b: Spent): Spent {
  return { tokens: addTokens(a.tokens, b.tokens), cost_usd: addDollars(a.cost_usd, b.cost_usd) };
}

export type LimitReached = {
  readonly limit: 'max_run_secs' | 'max_tokens' | 'max_cost_usd';
  readonly used: number;
  readonly max: number;
};

/** The first limit of the run that is used up; looked at before every iteration (§9). */
export function reachedLimit(limits: Config['limits'], totals: RunState['totals']): LimitReached | null {
  const rows = [
    { limit: 'max_run_secs', used: totals.seconds, max: limits.max_run_secs },
    { limit: 'max_tokens', used: totals.tokens, max: limits.max_tokens },
    { limit: 'max_cost_usd', used: totals.cost_usd, max: limits.max_cost_usd },
  ] as const;
  for (const { limit, used, max } of rows)
    if (max !== null && used !== null && used >= max) return { limit, used, max };

  return null;
}

export function totalsAfter(
  totals: RunTotals,
  iteration: { readonly usage: Usage; readonly seconds: number },
): RunTotals {
  // To the millisecond: thousands of short iterations add up to what they took.
  const seconds = toCount((totals.seconds + iteration.seconds) * 1000) / 1000;
  return { ...addSpent(totals, spentOf(iteration.usage)), seconds };
}
