/** Finds the project for every request: the folder may be a link that moves, and may not exist yet. */
import { realpathSync, statSync } from 'node:fs';
import { findCommonDir } from '../adapters/files/common-git-dir.ts';
import { layout, repositoryLayout } from '../adapters/files/layout.ts';
import type { Layout, LogPlace } from '../adapters/files/layout.ts';
import { RunnerError } from '../core/errors.ts';

/** Null: there is no such folder (yet). */
export function findPlace(directory: string): Layout | null {
  try {
    const real = realpathSync(directory);
    return statSync(real).isDirectory() ? layout(real, undefined, sharedLogs(real)) : null;
  } catch {
    return null;
  }
}

/** Logs of background runs are outside of every checkout. */
function sharedLogs(projectDir: string): readonly LogPlace[] {
  const commonDir = findCommonDir(projectDir);
  return commonDir === null ? [] : [repositoryLayout(commonDir).logPlace];
}

export function requirePlace(directory: string): Layout {
  const place = findPlace(directory);
  if (place !== null) return place;
  throw new RunnerError({
    code: 'LAYOUT_MISSING',
    message: `there is no folder ${directory} yet`,
    hint: 'the pages fill by themselves when it appears',
  });
}
