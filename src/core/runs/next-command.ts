/** The command that leads on with a run, for hints (§12). A hint typed into a shell must work, so nothing here is guessed. */
import { shellWord } from '../text/shell-word.ts';
import type { RunRow } from './run-list.ts';

/** Null: it has ended. */
export function nextCommand(row: RunRow): string | null {
  const { run_id, state, branch, background, checkout } = row;
  if (state === 'finished' || state === 'abandoned') return null;
  if (background?.is_alive === true) return `runner run attach ${run_id}`;
  if (state === 'complete') return `runner finish ${run_id}`;
  if (background !== null) return `runner run resume ${run_id}`;
  if (checkout !== null) return `cd ${shellWord(checkout)} && runner loop`;
  return branch === null ? `runner abandon ${run_id}` : `git switch ${branch} && runner loop`;
}

/** One line about a run that is somewhere else. */
export function renderElsewhere(row: RunRow): string {
  const { run_id, title, state, branch, leaves, background } = row;
  const name = title === '' ? run_id : `${run_id} (${title})`;
  const how = background === null || state === 'complete' ? state : `${state}, ${background.status}`;
  const count = leaves === null ? '' : `, ${leaves.passed}/${leaves.all} passed`;
  const where = branch === null ? '' : ` on ${branch}`;
  return `run ${name} is ${how}${where}${count}: ${nextCommand(row) ?? `runner run show ${run_id}`}`;
}
