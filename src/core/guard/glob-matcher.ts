/** Globs of settings against paths of git. Pure. */
import picomatch from 'picomatch/posix.js';

interface GlobInput {
  readonly prefix: string;
  /** Relative to the project folder; one that names a folder covers all below it. */
  readonly globs: readonly string[];
}

/** For paths relative to the top; the globs are relative to the project folder, and one that names a folder covers all below it. */
export function globMatcher({ globs, prefix }: GlobInput): (path: string) => boolean {
  const patterns = globs.map((glob) => glob.replace(/^(?:\.?\/)+|\/+$/gu, '')).filter((glob) => glob !== '');
  const matches = picomatch([...patterns, ...patterns.map((glob) => `${glob}/**`)], { dot: true });
  return (path) => path.startsWith(prefix) && matches(path.slice(prefix.length));
}
