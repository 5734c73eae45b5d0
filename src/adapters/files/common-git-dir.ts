/** Finds the common git folder by files alone, for readers that may start no program. Reads only. */
import { lstatSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Of the repository around a folder; null: there is none. */
export function findCommonDir(folder: string): string | null {
  for (let at = folder; ; at = dirname(at)) {
    const found = lstatSync(join(at, '.git'), { throwIfNoEntry: false });
    if (found?.isDirectory() === true) return join(at, '.git');
    if (found?.isFile() === true) return commonOf(at);
    if (at === dirname(at)) return null;
  }
}

/** A linked work tree names its own git folder, and that names the common one; a submodule's shares with nobody. */
function commonOf(top: string): string | null {
  const named = /^gitdir: (.+?)\n*$/su.exec(readText(join(top, '.git')) ?? '')?.[1];
  if (named === undefined) return null;
  const gitDir = resolve(top, named);
  return resolve(gitDir, readText(join(gitDir, 'commondir'))?.trimEnd() ?? '.');
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
