/** A person's changes that wait for the next iteration (§12): one file each, named so that names sort by time. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { parseQueueEntry, parseRefused, renderQueueFile } from '../../core/runs/person-change.ts';
import type { Clock } from '../../ports/sessions.ts';
import type { EditQueue, Queued } from '../../ports/steer.ts';
import { listDir, loadText, moveAside, removeFile, saveFile } from '../files/files.ts';
import type { PrivateLayout } from '../files/layout.ts';

const bytesMax = 16_000_000;
const refusedMax = 20;

export function editQueue(own: PrivateLayout, clock: Clock): EditQueue {
  const root = own.gitDir;
  const load = async (name: string): Promise<Queued> => {
    const source = await loadText(join(own.queueDir, name), { bytesMax, root });
    if (source.kind !== 'text') return { name, problem: 'it is no text file' };
    const parsed = parseQueueEntry(source.text);
    return parsed.ok ? { name, entry: parsed.value } : { name, problem: parsed.problem };
  };
  const removeOld = async (): Promise<void> => {
    const names = await listNames(own.refusedDir);
    for (const name of names.slice(0, -refusedMax)) await removeFile(join(own.refusedDir, name), { root });
  };
  return {
    add: async ({ run_id, edit }) => {
      const id = randomBytes(16).toString('hex');
      const entry = { version: 1 as const, id, run_id, at: clock.nowIso(), edit };
      const name = `${String(clock.localNow().epochMs).padStart(15, '0')}-${id}.json`;
      await saveFile(join(own.queueDir, name), renderQueueFile(entry), { root });
      return entry;
    },
    list: async () => Promise.all((await listNames(own.queueDir)).map(load)),
    remove: async (queued, reason) => {
      const file = join(own.queueDir, queued.name);
      if ('problem' in queued) {
        await moveAside({ from: file, toDir: own.quarantineDir, root });
        return;
      }
      if (reason !== undefined) {
        const text = renderQueueFile({ reason, entry: queued.entry });
        await saveFile(join(own.refusedDir, queued.name), text, { root });
        await removeOld();
      }
      await removeFile(file, { root });
    },
    listRefused: async (runId) => {
      const sources = await Promise.all(
        (await listNames(own.refusedDir)).map((name) =>
          loadText(join(own.refusedDir, name), { bytesMax, root }),
        ),
      );
      const refused = sources.flatMap((source) =>
        source.kind === 'text' ? [parseRefused(source.text)] : [],
      );
      return refused.flatMap((one) => (one.ok && one.value.entry.run_id === runId ? [one.value] : []));
    },
  };
}

async function listNames(folder: string): Promise<readonly string[]> {
  const names = (await listDir(folder)).map(({ name }) => name);
  return names.filter((name) => name.endsWith('.json')).toSorted();
}
