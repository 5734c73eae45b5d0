/** Where a trial lives: its folder outside the cases, what the paths of its case mean there, and what is laid in for the checks. */
import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { PathMap } from '../cases/path-map.ts';
import type { PathMeaning } from '../cases/types.ts';
import type { LoadedCase } from './case-files.ts';
import { layFiles } from './lay-files.ts';
import type { TrialFolder } from './workspace.ts';

export interface TrialRoom {
  readonly folder: TrialFolder;
  readonly map: PathMap;
  readonly hiddenDir: string;
  readonly oracleDir: string;
  readonly scratchDir: string;
}

export function trialRoom(folder: TrialFolder, { case: evalCase }: Pick<LoadedCase, 'case'>): TrialRoom {
  const inside = (name: string): string => join(folder.dir, name);
  const scratchDir = inside('scratch');
  const places: Readonly<Record<PathMeaning, (path: string) => string>> = {
    workspace: () => folder.workspace,
    hidden: () => inside('hidden'),
    oracle: () => inside('oracle'),
    // Each has its own.
    scratch: (path) => join(scratchDir, path),
  };
  const map = Object.entries(evalCase.paths).map(([path, meaning]) => [path, places[meaning](path)] as const);
  const hasOwn = Object.values(evalCase.paths).includes('hidden');
  return {
    folder,
    map,
    hiddenDir: hasOwn ? inside('hidden') : folder.workspace,
    oracleDir: inside('oracle'),
    scratchDir,
  };
}

/** When the agent is done, and not before. What it may have put there is removed. Throws DISK. */
export async function layHidden(room: TrialRoom, { case: evalCase, file }: LoadedCase): Promise<void> {
  const { fixture, files } = evalCase.hidden;
  const own = [room.scratchDir, ...(room.hiddenDir === room.folder.workspace ? [] : [room.hiddenDir])];
  for (const dir of own) await rm(dir, { recursive: true, force: true });
  for (const [, dir] of room.map) await mkdir(dir, { recursive: true });
  const fixtureDir = fixture === null ? null : resolve(file, '..', fixture);
  await layFiles({ fixtureDir, files, to: room.hiddenDir, map: room.map });
}

/** What later trials must not find. */
export async function removeHidden(room: TrialRoom): Promise<void> {
  const own = [room.oracleDir, ...(room.hiddenDir === room.folder.workspace ? [] : [room.hiddenDir])];
  for (const dir of own) await rm(dir, { recursive: true, force: true });
}
