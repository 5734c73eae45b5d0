/** Records of background runs, in the common git folder (§13.4). Core decides what a record may hold. */
import { checkGoalId } from '../../core/config/goal-id.ts';
import type { ProcessOwner } from '../../core/runs/record.ts';
import { parseRunRecord, renderRunRecord } from '../../core/runs/record.ts';
import type { FoundRecord, RunRecords } from '../../ports/runs.ts';
import { listDir, loadText, removeFile, saveFile } from '../files/files.ts';
import type { RepositoryLayout } from '../files/layout.ts';
import { processOrigin, processTable } from '../processes/process-table.ts';

const bytesMax = 1_000_000;
const suffix = '.json';

export function runRecords(place: RepositoryLayout): RunRecords {
  const root = place.commonDir;
  const load = async (runId: string): Promise<FoundRecord | null> => {
    // What is no id names no file of ours: it could be a path.
    if (checkGoalId(runId) !== null) return null;
    const source = await loadText(place.record(runId), { root, bytesMax });
    if (source.kind === 'missing') return null;
    if (source.kind !== 'text') return { kind: 'broken', run_id: runId, problems: ['it is no text file'] };
    const parsed = parseRunRecord(source.text);
    if (!parsed.ok) return { kind: 'broken', run_id: runId, problems: parsed.problems };
    const { record } = parsed;
    if (record.run_id !== runId)
      return { kind: 'broken', run_id: runId, problems: [`it is that of run '${record.run_id}'`] };
    return { kind: 'record', record, is_alive: await isAlive(record.owner) };
  };
  return {
    load,
    list: async () => {
      const names = (await listDir(place.recordsDir)).map(({ name }) => name);
      const ids = names.filter((name) => name.endsWith(suffix)).map((name) => name.slice(0, -suffix.length));
      const found = await Promise.all(ids.toSorted().map(load));
      return found.filter((record) => record !== null);
    },
    save: (record) => saveFile(place.record(record.run_id), renderRunRecord(record), { root }),
    remove: (runId) => removeFile(place.record(runId), { root }),
    self: async () =>
      (await processOwner(process.pid)) ?? { pid: process.pid, start: '', origin: processOrigin() },
  };
}

/** Null: there is no such process. */
export async function processOwner(pid: number): Promise<ProcessOwner | null> {
  const start = await processTable().processStart(pid);
  return start === null ? null : { pid, start, origin: processOrigin() };
}

/** A pid alone may mean another process by now. */
export async function isAlive(owner: ProcessOwner | null): Promise<boolean> {
  if (owner === null || owner.origin !== processOrigin()) return false;
  return (await processTable().processStart(owner.pid)) === owner.start;
}
