/** Finds the project for every request: the folder may be a link that moves, and may not exist yet. */
import { realpathSync, statSync } from 'node:fs';
import { layout } from '../adapters/files/layout.ts';
import type { Layout } from '../adapters/files/layout.ts';
import { RunnerError } from '../core/errors.ts';

/** Null: there is no such folder (yet). */
export function findPlace(directory: string): Layout | null {
  try {
    const real = realpathSync(directory);
    return statSync(real).isDirectory() ? layout(real) : null;
  } catch {
    return null;
  }
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
