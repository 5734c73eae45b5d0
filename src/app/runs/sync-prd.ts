/** Writes the results of a finished run back to the PRD its tasks were imported from (§12). Checked before the run ends, written after. */
import { RunnerError } from '../../core/errors.ts';
import { parseLastRecord } from '../../core/iteration/last-file.ts';
import { syncPrd } from '../../core/runs/prd-sync.ts';
import type { PrdSyncResult, SyncedTask } from '../../core/runs/prd-sync.ts';
import type { EndingPorts, WholeRun } from './whole-run.ts';

/** The file that the person named. */
export interface PrdFile {
  readonly name: string;
  load(): Promise<string>;
  /** Contract: atomic. */
  save(text: string): Promise<void>;
}

export interface SyncOutcome {
  readonly synced: readonly SyncedTask[];
  /** Imported tasks that the file no longer has. */
  readonly missing: readonly string[];
}

/** Null without a file. Throws USAGE where the file is no PRD: before anything has changed. */
export async function prepareSync(
  ports: EndingPorts,
  { run, file }: { readonly run: WholeRun; readonly file: PrdFile | null },
): Promise<(() => Promise<SyncOutcome>) | null> {
  if (file === null || run.tree === null) return null;
  const { tree, run_id } = run;
  const failures = await loadFailures(ports, run);
  const sync = (text: string): Extract<PrdSyncResult, { ok: true }> => {
    const result = syncPrd({ text, tree, runId: run_id, failures });
    if (result.ok) return result;
    const message = `${file.name} is not a task list that finish --sync can update: ${result.message}`;
    throw new RunnerError({ code: 'USAGE', message, hint: 'runner help finish' });
  };
  const before = await file.load();
  sync(before);
  return async () => {
    // The checkout may have changed branch, and the file with it.
    const { text, synced, missing } = sync(await file.load().catch(() => before));
    await file.save(text);
    return { synced, missing };
  };
}

async function loadFailures(ports: EndingPorts, { tip }: WholeRun): Promise<ReadonlyMap<string, string>> {
  const files = tip === null ? [] : await ports.git.listRunnerFiles(tip);
  const found = files.flatMap(({ path, oid }) => {
    const id = /^nodes\/([^/]+)\/last\.json$/u.exec(path)?.[1];
    return id === undefined ? [] : [{ id, oid }];
  });
  const texts = await ports.git.loadBlobTexts(found.map(({ oid }) => oid));
  return new Map(
    found.flatMap(({ id, oid }) => {
      const last = parseLastRecord(texts.get(oid) ?? '');
      const told = last?.error ?? last?.summary ?? null;
      return told === null ? [] : [[id, told] as const];
    }),
  );
}
