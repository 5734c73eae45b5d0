/** A background run on stdout, for `run start`: when it has begun, or with --wait when it has ended. */
import type { BegunRun } from '../../app/runs/begin-run.ts';
import type { RunRecord } from '../../core/runs/record.ts';
import { word } from './fields.ts';
import { printLine } from './report.ts';
import type { Settings } from './streams.ts';

export function printRun(
  settings: Settings,
  record: RunRecord,
  { laid, left_out, notes }: Pick<BegunRun, 'laid' | 'left_out' | 'notes'>,
): void {
  const { run_id, status, reason, title, branch, base_branch, base_commit, worktree } = record;
  const { agent, model, iterations, leaves, errors } = record;
  const done = `iterations=${iterations.used} passed=${leaves.passed}/${leaves.all}`;
  printLine(
    settings,
    `run: id=${word(run_id)} status=${status} reason=${word(reason)} branch=${word(branch)} worktree=${word(worktree)} ${done}`,
    {
      command: 'run start',
      ...{ run_id, status, reason, title, branch, base_branch, base_commit, worktree },
      ...{ agent, model, iterations, leaves, errors, laid, left_out, notes },
    },
  );
}
