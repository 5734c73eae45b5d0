/** Which files of `.runner/` a background run takes from the checkout it is started in, as they are on disk there (§13). */
import { ownerOf } from '../iteration/ownership.ts';

export interface LaidPath {
  /** Relative to `.runner/`. */
  readonly path: string;
  /** False: only where the commit has none. */
  readonly replaces: boolean;
}

/** People's files in any case; the others only where they were never committed; logs and stages never. */
export function selectLaid(paths: readonly string[]): readonly LaidPath[] {
  return paths
    .filter((path) => ownerOf(path) !== 'local' && !/(?:^|\/)\.runner-stage-/.test(path))
    .map((path) => ({ path, replaces: ownerOf(path) === 'human' }));
}
