/** Which files of a node's change are laid back to see whether the guard notices it (§14). Decides by names alone. */
import { globMatcher } from './classifier.ts';
import { testGlobs } from '../config/usual-globs.ts';
import type { Config } from '../types.ts';

export interface LaidBackInput {
  /** Paths the node changed since its base, relative to the top. */
  readonly changed: readonly string[];
  /** Project folder inside the work tree, `''` or ending in `/`. */
  readonly prefix: string;
  readonly config: Config;
}

/** All but tests and the guard's own files: those say what is right, the others do it. */
export function selectLaidBack({ changed, prefix, config }: LaidBackInput): readonly string[] {
  const { tests, protect } = config.guard;
  // The guard's own files where `protect` is not set belong here, too (§14).
  const isApart = globMatcher({ globs: [...(tests ?? testGlobs), ...(protect ?? [])], prefix });
  return changed.filter((path) => !isApart(path));
}
