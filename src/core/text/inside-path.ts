/** Which relative paths stay inside a folder, for files that name places below a project. It looks at the text alone, never at a disk. */

/** False for absolute paths, for those with `..` in them, and for the folder itself. */
export function isInsidePath(path: string): boolean {
  const parts = path.split(/[/\\]/);
  const isAbsolute = parts[0] === '' || /^[A-Za-z]:/.test(path);
  const names = pathNames(path);
  return !isAbsolute && names.length > 0 && !names.includes('..') && !path.includes('\u0000');
}

/** The names on the way, without those that lead nowhere. */
export function pathNames(path: string): readonly string[] {
  return path.split(/[/\\]/).filter((part) => part !== '.' && part !== '');
}
