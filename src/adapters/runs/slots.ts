/**
 * Slots (§13.3): one number for each background run of a user on this machine, so that two never share ports or folders. Taken under
 * a lock in the state folder; that of a process that is gone is free again, and its temporary folder goes.
 */
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freeSlot } from '../../core/runs/slot.ts';
import type { ProcessOwner } from '../../core/runs/record.ts';
import type { Env } from '../../core/types.ts';
import type { Slots } from '../../ports/run-work.ts';
import type { Clock } from '../../ports/sessions.ts';
import { listDir, loadText, removeFile, saveFile } from '../files/files.ts';
import { makePrivateFolder } from '../files/folders.ts';
import { lookAt } from '../files/look-at.ts';
import { stateHome } from '../files/state-home.ts';
import { makeTempFolder } from '../files/temp-folder.ts';
import { isAlive, processOwner } from './records.ts';
import { repositoryLock } from './repository-lock.ts';

interface Held {
  readonly owner: ProcessOwner;
  readonly run_id: string;
  readonly tmp_dir: string;
}

const bytesMax = 10_000;
/** Short: the name of a socket below it may have about 100 characters. */
const tempPrefix = 'rs-';
const slotFile = /^(\d{1,6})\.json$/;

export function slots({ env, clock }: { readonly env: Env; readonly clock: Clock }): Slots {
  const root = stateHome(env);
  const folder = join(root, 'slots');
  const fileOf = (slot: number): string => join(folder, `${slot}.json`);
  const lock = repositoryLock({
    file: join(folder, 'lock'),
    root,
    quarantineDir: join(folder, 'quarantine'),
    clock,
    onNote: () => {},
  });
  const release = async (slot: number, { tmp_dir }: Pick<Held, 'tmp_dir'>): Promise<void> => {
    removeTemp(tmp_dir);
    await removeFile(fileOf(slot), { root });
  };
  const take = async (runId: string): ReturnType<Slots['take']> => {
    const taken = new Set<number>();
    for (const { name } of await listDir(folder)) {
      const slot = Number(slotFile.exec(name)?.[1] ?? NaN);
      if (Number.isNaN(slot)) continue;
      const held = await loadHeld(fileOf(slot), root);
      if (held !== null && (await isAlive(held.owner))) taken.add(slot);
      else await release(slot, held ?? { tmp_dir: '' });
    }
    const slot = freeSlot(taken);
    const owner = await processOwner(process.pid);
    const held = { owner, run_id: runId, tmp_dir: await makeTempFolder(tempPrefix) };
    await saveFile(fileOf(slot), `${JSON.stringify(held)}\n`, { root });
    return {
      slot,
      tmp_dir: held.tmp_dir,
      release: () => lock.hold('runner: give a slot back', () => release(slot, held)),
    };
  };
  return {
    take: async (runId) => {
      makePrivateFolder(root);
      return lock.hold('runner: take a slot', () => take(runId));
    },
  };
}

async function loadHeld(path: string, root: string): Promise<Held | null> {
  const source = await loadText(path, { root, bytesMax });
  if (source.kind !== 'text') return null;
  try {
    return JSON.parse(source.text) as Held;
  } catch {
    return null;
  }
}

/** Only what we make ourselves looks like this. */
function removeTemp(path: string): void {
  const isOurs =
    path.startsWith(join(tmpdir(), tempPrefix)) && !path.slice(tmpdir().length + 1).includes('/');
  if (!isOurs || lookAt(path)?.isDirectory() !== true) return;
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // A program may have left what cannot be removed; the system clears its temporary folder.
  }
}
