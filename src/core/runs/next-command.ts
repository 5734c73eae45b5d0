/** The command that leads on with a run, for hints (§12). A hint typed into a shell must work, so nothing here is guessed. */
import { listCommands } from '../text/hint-commands.ts';
import { shellWord } from '../text/shell-word.ts';
import type { RunRecord } from './record.ts';
import type { RunRow } from './run-list.ts';

/** Null: it has ended. */
export function nextCommand(row: RunRow): string | null {
  const { run_id, state, branch, background, checkout } = row;
  if (state === 'finished' || state === 'abandoned') return null;
  if (background?.is_alive === true) return `runner run attach ${run_id}`;
  if (state === 'complete') return `runner finish ${run_id}`;
  if (background !== null) return `runner run resume ${run_id}`;
  if (checkout !== null) return `cd ${shellWord(checkout)}`;
  return branch === null ? `runner abandon ${run_id}` : `git switch ${branch}`;
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

/** What a person does outside of the runner does not go on by itself. A push is the last thing of a run. */
const isWhole = /\brunner [a-z]|\bgit push\b/u;
const everywhere = /^runner (?:run|runs|finish|abandon|clean|ui|explain [A-Z]\w*)\b/u;

/** The hint of a `step` or `loop` for a person in another checkout: its commands work in the work tree of the run. */
export function hintForRun(
  hint: string,
  { run_id, worktree, prefix }: Pick<RunRecord, 'run_id' | 'worktree' | 'prefix'>,
): string {
  const resume = `runner run resume ${run_id}`;
  const folder = worktree === null ? null : shellWord(`${worktree}/${prefix}`.replace(/\/$/u, ''));
  let placed = '';
  let rest = hint;
  for (const command of listCommands(hint)) {
    const at = rest.indexOf(command);
    placed += rest.slice(0, at) + commandForRun(command, { resume, folder });
    rest = rest.slice(at + command.length);
  }
  placed += rest;
  return isWhole.test(hint) ? placed : `${placed}, then: ${resume}`;
}

function commandForRun(
  command: string,
  { resume, folder }: { readonly resume: string; readonly folder: string | null },
): string {
  if (/^(?:\w+=\S+ )?runner loop$/u.test(command)) return resume;
  if (folder === null || everywhere.test(command)) return command;
  return command.replaceAll(/\b(runner|git) (?=[a-z])/gu, `$1 -C ${folder} `);
}
