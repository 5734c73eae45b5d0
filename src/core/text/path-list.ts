/** Renders paths in a message: quoted, so that a name cannot pass for words, and no more than a person reads. */
import { dirtyPathsShownMax } from '../limits.ts';

export function listPaths(paths: readonly string[]): string {
  const shown = paths.slice(0, dirtyPathsShownMax).map((path) => JSON.stringify(path));
  const more = paths.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}
