/** Every run of the repository, and one of them (§12, §13). Reads only. */
import { RunnerError } from '../../core/errors.ts';
import { listRuns } from '../../core/runs/run-list.ts';
import type { RunRow } from '../../core/runs/run-list.ts';
import type { RunRecord } from '../../core/runs/record.ts';
import { suggest } from '../../core/text/suggest.ts';
import type { GitPort } from '../../ports/git.ts';
import type { RunFiles, RunRecords, RunSize } from '../../ports/runs.ts';

export interface RunListPorts {
  readonly records: Pick<RunRecords, 'list'>;
  readonly git: Pick<GitPort, 'listRunTips'>;
}

export type SizedRun = RunRow & RunSize;

/** What is known of one run. `record` is null for a run in a checkout, and where it cannot be read. */
export interface FoundRun {
  readonly row: RunRow;
  readonly record: RunRecord | null;
}

export async function loadRuns(ports: RunListPorts): Promise<readonly FoundRun[]> {
  const records = await ports.records.list();
  const known = records.flatMap((found) => (found.kind === 'record' ? [found.record] : []));
  const prefixes = new Map(known.map(({ run_id, prefix }) => [run_id, prefix]));
  const tips = await ports.git.listRunTips(prefixes);
  return listRuns({ tips, records }).map((row) => {
    return { row, record: known.find(({ run_id }) => run_id === row.run_id) ?? null };
  });
}

/** Throws RUN_UNKNOWN. */
export async function findRun(ports: RunListPorts, runId: string): Promise<FoundRun> {
  const runs = await loadRuns(ports);
  const found = runs.find(({ row }) => row.run_id === runId);
  if (found !== undefined) return found;
  const ids = runs.map(({ row }) => row.run_id);
  const near = suggest(runId, ids);
  throw new RunnerError({
    code: 'RUN_UNKNOWN',
    message: `there is no run '${runId}' in this repository${near === null ? '' : `; did you mean ${near}?`}`,
    hint: 'runner runs --all',
  });
}

/** Looked at one after the other: a large work tree keeps the disk busy enough. */
export async function measure(
  files: Pick<RunFiles, 'size'>,
  runs: readonly RunRow[],
): Promise<readonly SizedRun[]> {
  const sized: SizedRun[] = [];
  for (const row of runs) {
    const worktree = row.background?.worktree ?? null;
    sized.push({ ...row, ...(await files.size({ run_id: row.run_id, worktree })) });
  }
  return sized;
}
