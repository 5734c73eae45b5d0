/** Finds a program as a shell would, without running anything. */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';

export interface SearchPath {
  /** Folder that names with a slash, and relative or empty PATH entries, start from. */
  readonly cwd: string;
  /** The PATH the program will be started with. */
  readonly pathEnv: string | undefined;
}

/** The absolute path of an executable regular file (links are followed), or null. */
export async function findProgram(name: string, place: SearchPath): Promise<string | null> {
  if (name === '' || name.includes('\0')) return null;

  if (name.includes('/')) {
    const path = resolve(place.cwd, name);
    return isProgram(path) ? path : null;
  }
  for (const folder of (place.pathEnv ?? '').split(delimiter)) {
    const path = resolve(place.cwd, folder, name);
    if (isProgram(path)) return path;
  }
  return null;
}

/** At once: handing these calls to another thread takes longer than the calls do. */
function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Missing, not executable or not reachable: for a search these are the same.
    return false;
  }
}
