/**
 * Folders for clones of the judge (§14): outside the repository, each with a file that names its process. Only folders whose process
 * is gone are swept; nothing else is ever removed.
 */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, rmdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, sep } from 'node:path';
import type { Env } from '../../core/types.ts';
import { diskError } from '../files/disk-error.ts';
import { listNames } from '../files/folders.ts';
import { lookAt } from '../files/look-at.ts';
import { foreignOwner } from '../files/owner.ts';
import { loadText } from '../files/files.ts';
import { placeName, stateHome } from '../files/state-home.ts';
import { processOrigin, processTable } from './process-table.ts';

export interface ClonePlace {
  readonly env: Env;
  /** The repository's git folder, shared by its work trees. */
  readonly commonDir: string;
  /** Top of the work tree, in which no clone may be. */
  readonly top: string;
}

const ownerFile = 'owner.json';
const ownerBytesMax = 4096;
const clonePrefix = 'clone-';
const tempPrefix = 'runner-judge-';

/** An empty folder of its own for one clone. Throws DISK. */
export async function makeCloneFolder(place: ClonePlace, runId: string): Promise<string> {
  // Another owner of the work tree, as whom the guard runs, cannot reach root's home folder.
  const isOurs = foreignOwner(place.top) === null;
  const folder = (isOurs ? makeBelowHome(place, runId) : null) ?? makeInTemp(place);
  const owner = {
    pid: process.pid,
    start: await processTable().processStart(process.pid),
    origin: processOrigin(),
  };
  writeFileSync(join(folder, ownerFile), `${JSON.stringify(owner)}\n`);
  return folder;
}

function homeOf({ env, commonDir }: ClonePlace): string {
  return join(stateHome(env), 'judge', placeName(commonDir));
}

/** Null: it cannot be made, or would be in the work tree, where a clone would be part of the work. */
function makeBelowHome(place: ClonePlace, runId: string): string | null {
  const parent = join(homeOf(place), runId);
  if (`${parent}${sep}`.startsWith(`${place.top}${sep}`)) return null;
  try {
    mkdirSync(parent, { recursive: true, mode: 0o700 });
    return mkdtempSync(join(parent, clonePrefix));
  } catch {
    return null;
  }
}

function makeInTemp({ commonDir }: ClonePlace): string {
  const path = join(tmpdir(), `${tempPrefix}${placeName(commonDir)}-`);
  try {
    return mkdtempSync(path);
  } catch (cause) {
    throw diskError({ action: 'make the folder', path, cause });
  }
}

/** A guard may leave folders that nobody may write to. What is still there afterwards goes with a later sweep. */
export function removeCloneFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    try {
      openFolders(folder);
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // Somebody else's files, or a file system that went away: not worth a failed iteration.
      return;
    }
  }
  if (basename(folder).startsWith(clonePrefix)) removeEmpty(dirname(folder), dirname(dirname(folder)));
}

/** The folders of run and repository go with their last clone. */
function removeEmpty(...folders: readonly string[]): void {
  try {
    folders.forEach((folder) => rmdirSync(folder));
  } catch {
    // Another clone is there.
  }
}

function openFolders(folder: string): void {
  if (lookAt(folder)?.isDirectory() !== true) return;
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) openFolders(join(folder, entry.name));
}

/** Removes clones of this repository whose process is gone. */
export async function sweepCloneFolders(place: ClonePlace): Promise<void> {
  const home = homeOf(place);
  const runs = listNames(home).map((name) => join(home, name));
  const temp = listNames(tmpdir()).filter((name) =>
    name.startsWith(`${tempPrefix}${placeName(place.commonDir)}-`),
  );
  const folders = [
    ...runs.flatMap((run) => listNames(run).map((name) => join(run, name))),
    ...temp.map((name) => join(tmpdir(), name)),
  ];
  for (const folder of folders) if (await isLeft(folder)) removeCloneFolder(folder);
}

/** Without a readable owner it was being made when its process died; that of another host or container may be alive. */
async function isLeft(folder: string): Promise<boolean> {
  const source = await loadText(join(folder, ownerFile), { bytesMax: ownerBytesMax });
  const owner = source.kind === 'text' ? parseOwner(source.text) : null;
  if (owner === null) return lookAt(folder)?.isDirectory() === true;
  return (
    owner['origin'] === processOrigin() &&
    (await processTable().processStart(Number(owner['pid']))) !== owner['start']
  );
}

function parseOwner(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>> | null;
  } catch {
    return null;
  }
}
