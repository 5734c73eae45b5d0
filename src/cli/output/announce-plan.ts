/** One line about what a run can still use at most, before anything is used up. */
import { renderSpending } from '../../core/views/spending.ts';
import type { Spending } from '../../core/views/spending.ts';
import type { Settings } from './streams.ts';

export function announcePlan({ json, quiet, streams }: Settings, plan: Spending | null): void {
  if (plan !== null && !json && !quiet) streams.err(`plan: ${renderSpending(plan)}\n`);
}
