/** The logs of a guard's runs, in the order in which they are made. */
import type { IterationMeta } from '../../core/agents/session.ts';
import type { IterationFileName } from '../../core/views/iteration-files.ts';

export const guardLogs = [
  { file: 'guard.log', label: 'In place' },
  { file: 'guard.ratchet.log', label: 'With the guard as it was' },
  { file: 'setup.log', label: 'Setup of the clone' },
  { file: 'guard.clone.log', label: 'In a clone' },
  { file: 'guard.counterfactual.log', label: 'Without the change' },
] as const satisfies readonly { readonly file: IterationFileName; readonly label: string }[];

/** A guard's log is opened wholly up to this size, so that its first error can be found. */
export const guardBytes = 2 * 1024 * 1024;

/** One that a limit cut off is skipped, too, but ran. */
export function hasNotRun({ guard, duration_ms }: Pick<IterationMeta, 'guard' | 'duration_ms'>): boolean {
  return guard === 'skipped' && duration_ms.guard === 0;
}
