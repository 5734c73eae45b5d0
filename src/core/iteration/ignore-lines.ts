/**
 * The lines of `.gitignore` that hide new files, and the command that adds them (§11). A line never names a folder that holds
 * tracked files, and the command can be typed as it is shown.
 */
import { dirtyPathsShownMax } from '../limits.ts';
import { byteLength } from '../text/shorten.ts';
import { cleanText } from '../text/terminal-text.ts';
import { compareCodePoints } from '../tree/tree-walk.ts';

export interface IgnoreInput {
  /** New paths, from the top. */
  readonly added: readonly string[];
  readonly tracked: Iterable<string>;
}

/**
 * For each new path the topmost folder without a tracked file, ending in `/`, or the path itself; sorted, each once. A path that takes the
 * place of a tracked folder is left out: the line would hide what belongs there.
 */
export function ignoredPaths({ added, tracked }: IgnoreInput): readonly string[] {
  const known = new Set<string>();
  for (const path of tracked) for (const folder of foldersOf(path)) known.add(folder);

  const fit = added.filter((path) => !known.has(`${path}/`));
  const chosen = fit.map((path) => foldersOf(path).find((folder) => !known.has(folder)) ?? path);
  return [...new Set(chosen)].toSorted(compareCodePoints);
}

/** `a/b/c` → `a/`, `a/b/`. */
function foldersOf(path: string): string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, depth) => `${parts.slice(0, depth + 1).join('/')}/`);
}

/**
 * One pattern that matches the path. What a terminal would not show as it is becomes a `?` for each of its bytes, as git counts
 * them; each byte that is not valid UTF-8 becomes one `?`.
 */
export function ignorePattern(path: string): string {
  const shown = Array.from(path, (char) => {
    if (char === '\u{fffd}') return '?';
    const isHidden = char !== ' ' && (/\s/u.test(char) || cleanText(char) !== char);
    if (isHidden) return '?'.repeat(byteLength(char));
    return /[*?[\\]/u.test(char) ? `\\${char}` : char;
  });
  // Runs of white space would not survive being shown.
  const pattern = shown.join('').replaceAll(/^ | $| (?= )/gu, '?');
  // A name alone would match at any depth; a folder's may, as people write it, but a file can be called like anything.
  return path.includes('/') ? pattern.replace(/^[#!]/u, String.raw`\$&`) : `/${pattern}`;
}

/** For a shell in the project folder, which is `prefix` inside the work tree, `''` or ending in `/`. Null: no line helps. */
export function renderIgnoreCommand(input: IgnoreInput & { readonly prefix: string }): string | null {
  const paths = ignoredPaths(input).slice(0, dirtyPathsShownMax);
  if (paths.length === 0) return null;
  const isInside = paths.every((path) => path.startsWith(input.prefix));
  const patterns = paths.map((path) => ignorePattern(isInside ? path.slice(input.prefix.length) : path));
  const words = patterns.map(quoted).join(' ');
  // Not every `echo` leaves a backslash alone, and none prints its own flags.
  const isPlain = patterns.length === 1 && !/^'-|\\/u.test(words);
  return [
    ...(isInside ? [] : ['cd "$(git rev-parse --show-toplevel)"']),
    `${isPlain ? 'echo' : String.raw`printf '%s\n'`} ${words} >> .gitignore`,
    'git add .gitignore',
    'git commit -m "ignore what the guard makes"',
  ].join(' && ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
