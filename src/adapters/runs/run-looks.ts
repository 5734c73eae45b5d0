/** What can be seen of background runs from outside: whether something changed, and the end of their progress. Reads only. */
import { closeSync, readSync } from 'node:fs';
import { liveStatuses } from '../../core/runs/record.ts';
import type { ProcessOwner } from '../../core/runs/record.ts';
import { listDir } from '../files/files.ts';
import type { RepositoryLayout } from '../files/layout.ts';
import { stampFile } from '../files/look-at.ts';
import { openRegularNow } from '../files/regular-file.ts';
import { isAlive, runRecords } from './records.ts';

export interface RunLooks {
  /** Contract: by id, a text that changes with the record, the progress and the life of the process. */
  stamps(): Promise<ReadonlyMap<string, string>>;
  /** Contract: the last lines of the readable log; none when there is no log. The id comes from a listing. */
  tail(runId: string, lines: number): readonly string[];
}

const suffix = '.json';
const tailBytesMax = 256 * 1024;

export function runLooks(place: RepositoryLayout): RunLooks {
  /** Whose life matters, for as long as the record is the same file. */
  let known = new Map<string, { readonly mark: string; readonly owner: ProcessOwner | null }>();

  async function ownerOf(runId: string, mark: string): Promise<ProcessOwner | null> {
    const kept = known.get(runId);
    if (kept?.mark === mark) return kept.owner;
    const found = await runRecords(place).load(runId);
    return found?.kind === 'record' && liveStatuses.has(found.record.status) ? found.record.owner : null;
  }

  return {
    stamps: async () => {
      const names = (await listDir(place.recordsDir)).map(({ name }) => name);
      const seen = new Map<string, { readonly mark: string; readonly owner: ProcessOwner | null }>();
      const stamps = new Map<string, string>();
      for (const name of names.filter((each) => each.endsWith(suffix))) {
        const runId = name.slice(0, -suffix.length);
        const mark = stampFile(place.record(runId));
        const owner = await ownerOf(runId, mark);
        seen.set(runId, { mark, owner });
        const life = owner !== null && (await isAlive(owner)) ? 'alive' : '';
        stamps.set(runId, `${mark}|${stampFile(place.progress(runId))}|${life}`);
      }
      known = seen;
      return stamps;
    },
    tail: (runId, lines) => (lines === 0 ? [] : lastLines(readEnd(place.progress(runId), place), lines)),
  };
}

function readEnd(path: string, { commonDir }: RepositoryLayout): string {
  const opened = openRegularNow(path, commonDir);
  if (opened.kind !== 'open') return '';
  try {
    const start = Math.max(0, opened.bytes - tailBytesMax);
    const buffer = Buffer.alloc(opened.bytes - start);
    const text = buffer.subarray(0, readSync(opened.fd, buffer, 0, buffer.length, start)).toString('utf8');
    // The first line may be the end of one.
    return start === 0 ? text : text.slice(text.indexOf('\n') + 1);
  } finally {
    closeSync(opened.fd);
  }
}

function lastLines(text: string, count: number): readonly string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.slice(-count);
}
