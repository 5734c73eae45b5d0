/** A job array of Slurm, for `sbatch`: one task for each shard or run, queued again when its machine fails. */
import { fleetName, renderNext, renderWork, taskCount } from './work-script.ts';
import type { FleetWork } from './work-script.ts';

/** Seconds before the time limit of a job at which the runner is asked to stop: it commits what there is. */
const graceSecs = 120;

export function renderSlurm(work: FleetWork): string {
  const name = fleetName(work);
  const script = renderWork(work, {
    base: '"$PWD"',
    task: '"$SLURM_ARRAY_TASK_ID"',
    attempt: '$SLURM_ARRAY_JOB_ID-${SLURM_RESTART_COUNT:-0}',
  });
  return [
    '#!/bin/sh',
    `#SBATCH --job-name=runner-${name}`,
    `#SBATCH --array=1-${taskCount(work)}`,
    '#SBATCH --requeue',
    '#SBATCH --open-mode=append',
    `#SBATCH --output=fleet-${name}-%a.log`,
    `#SBATCH --signal=B:TERM@${graceSecs}`,
    '# Submit it in the project folder, which all machines must share:',
    '#   sbatch <this file>',
    '# When all tasks are done:',
    ...renderNext(work).map((line) => `#   ${line}`),
    script,
  ].join('\n');
}
