/** Decides which relative paths stay inside a folder, for files that name paths below a project. It checks the text alone, never a disk. */

/** False for absolute paths, for those with `..` in them, and for the folder itself. */
export function isInsidePath(path: string): boolean {
  const parts = path.split(/[/\\]/);
  const isAbsolute = parts[0] === '' || /^[A-Za-z]:/.test(path);
  const names = pathNames(path);
  return !isAbsolute && names.length > 0 && !names.includes('..') && !path.includes('\u0000');
}

/** The names in the path, without empty ones and `.`. */
export function pathNames(path: string): readonly string[] {
  return path.split(/[/\\]/).filter((part) => part !== '.' && part !== '');
}
