/** Which files of a node's change are laid back to see whether the guard notices it (§14). Decides by names alone. */
import { globMatcher } from './glob-matcher.ts';
import { testGlobs } from '../config/usual-globs.ts';

export interface LaidBackInput {
  /** Paths the node changed since its base, relative to the top. */
  readonly changed: readonly string[];
  /** Project folder inside the work tree, `''` or ending in `/`. */
  readonly prefix: string;
  /** `guard.tests`; null: usual names of tests. */
  readonly tests: readonly string[] | null;
  /** The guard's own files, relative to the top. */
  readonly guardFiles: readonly string[];
}

/** All but tests and the guard's own files: those say what is right, the others do it. */
export function selectLaidBack({ changed, prefix, tests, guardFiles }: LaidBackInput): readonly string[] {
  const isTest = globMatcher({ globs: tests ?? testGlobs, prefix });
  return changed.filter((path) => !isTest(path) && !guardFiles.includes(path));
}
