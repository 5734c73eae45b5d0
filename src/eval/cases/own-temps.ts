/**
 * Decides which folders for temporary files a trial has for itself, and which paths below them it still sees. Pure: all paths are there,
 * absolute and without links.
 */
export interface Temps {
  /** Empty, and the trial's own. */
  readonly emptied: readonly string[];
  /** Below those, and seen as ever. */
  readonly kept: readonly string[];
  /** Whether a folder cannot be seen any more. */
  readonly isGone: (folder: string) => boolean;
}

export const tempFolders = ['/tmp', '/var/tmp', '/dev/shm'];
export const tempVariables = ['TMPDIR', 'TMP', 'TEMP', 'TEMPDIR'];

export function planTemps(given: {
  readonly temps: readonly string[];
  /** What a trial needs, wherever it is. */
  readonly needed: readonly string[];
}): Temps {
  const needed = [...new Set(given.needed)];
  const emptied = [...new Set(given.temps)].filter((path) => path !== '/' && !needed.includes(path));
  const kept = needed.filter((path) => emptied.some((folder) => isIn(path, folder)));
  const isGone = (path: string): boolean => {
    const around = [...emptied, ...kept].filter((folder) => isIn(path, folder));
    const nearest = around.toSorted((a, b) => b.length - a.length)[0];
    return nearest !== undefined && emptied.includes(nearest);
  };
  return { emptied, kept, isGone };
}

/** Paths in variables and in words of the shell. */
export function listPaths(texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) => text.split(/[\s"'=:;,|&()<>]+/)).filter((part) => part.startsWith('/'));
}

function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
