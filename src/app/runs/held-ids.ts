/** Every id that a run of this repository has or had (§12). Reads only; who chooses an id by it holds the repository's lock. */
import type { HeldIds } from '../../core/runs/free-id.ts';
import type { GitBranches } from '../../ports/git.ts';
import type { RunRecords } from '../../ports/runs.ts';

export interface HeldIdPorts {
  readonly git: Pick<GitBranches, 'listRunBranches' | 'listArchived' | 'listRecordedRuns'>;
  readonly records: Pick<RunRecords, 'list'>;
}

export async function loadHeldIds({ git, records }: HeldIdPorts): Promise<HeldIds> {
  const branches = await git.listRunBranches();
  const archived = await git.listArchived();
  const found = await records.list();
  return {
    branches: branches.map(({ run_id }) => run_id),
    archives: archived.map(({ run_id }) => run_id),
    records: found.map((one) => (one.kind === 'record' ? one.record.run_id : one.run_id)),
    history: await git.listRecordedRuns(),
  };
}
