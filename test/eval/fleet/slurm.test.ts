/** The script for `sbatch`; that Slurm takes it is seen by `npm run test:slurm`. */
import { expect, test } from 'vitest';
import { renderSlurm } from '../../../src/eval/fleet/slurm.ts';
import { evalWork, runsWork } from '../../support/fleet-works.ts';

test('an array with one task for each part, queued again when a machine fails', () => {
  const lines = renderSlurm(evalWork).split('\n');
  expect(lines.slice(0, 7)).toEqual([
    '#!/bin/sh',
    '#SBATCH --job-name=runner-Night_1',
    '#SBATCH --array=1-4',
    '#SBATCH --requeue',
    '#SBATCH --open-mode=append',
    '#SBATCH --output=fleet-Night_1-%a.log',
    '#SBATCH --signal=B:TERM@120',
  ]);
  expect(lines).toContain('task="$SLURM_ARRAY_TASK_ID"');
  expect(lines).toContain('#   runner eval merge fleet/Night_1/*');
  const runs = renderSlurm(runsWork);
  expect(runs).toContain('#SBATCH --array=1-2\n');
  expect(runs).toContain('dir="$base/fleet/runs/$run-$SLURM_ARRAY_JOB_ID-${SLURM_RESTART_COUNT:-0}"\n');
});
