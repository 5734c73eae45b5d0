/** Words of commands and paths they name, as far as they can be read without a shell (§14). What is not understood is left out. */

/** The commands of a shell text, each as its words; quotes are taken off, expansions stay as they are. */
export function commandsOf(text: string): readonly (readonly string[])[] {
  return splitCommands(text)
    .map((part) => [...part.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) => word))
    .map((words) => words.map((word) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2')))
    .filter((words) => words.length > 0);
}

/** At `;`, `&`, `|`, brackets and line ends, but not inside quotes: `sh -c "a; b"` is one command. */
function splitCommands(text: string): readonly string[] {
  const parts = text.matchAll(/(?:"[^"]*"|'[^']*'|[^;&|()`\n"']|["'](?![^"']*["']))+/g);
  return [...parts].map(([part]) => part);
}

/** The part after `=` in `--file=ci/check.just`; the word itself when there is none. */
export function optionOf(word: string): string {
  return word.slice(word.indexOf('=') + 1);
}

/** Without options and assignments in front. */
export function plainWords(words: readonly string[]): readonly string[] {
  return words.filter((word) => !word.startsWith('-') && !/^[A-Za-z_]\w*=/.test(word));
}

/** Programs that run the program behind them, and programs that run the file behind them. */
const wrappers = new Set(['command', 'env', 'exec', 'nice', 'nohup', 'time', 'timeout']);
const interpreters = /^(?:sh|bash|dash|zsh|ksh|source|\.|node|deno|bun|ruby|perl|php|python[\d.]*)$/;

/** The files that a command of a shell text runs: other words are what it reads or writes. */
export function runWords(words: readonly string[]): readonly string[] {
  const [program = '', file = ''] = unwrapped(words);
  const name = program.slice(program.lastIndexOf('/') + 1);
  return [...(program.includes('/') ? [program] : []), ...(interpreters.test(name) ? [file] : [])];
}

/** The program that a command finds on PATH, behind those that only run it; null: none, or one with a path. */
export function programWord(words: readonly string[]): string | null {
  const [program = ''] = unwrapped(words);
  return /^[\w.-]+$/.test(program) ? program : null;
}

/** Without what only runs the rest, and how long it may take. */
function unwrapped(words: readonly string[]): readonly string[] {
  return plainWords(words).filter((word) => !wrappers.has(word) && !/^[\d.]+[smhd]$|^\d+$/.test(word));
}

/** The value of an option: `-f x`, `-fx`, `--file x` or `--file=x`. */
export function valueOf(words: readonly string[], options: readonly string[]): string | null {
  for (const [at, word] of words.entries()) {
    if (options.includes(word)) return words[at + 1] ?? null;
    const option = options.find((name) =>
      name.startsWith('--') ? word.startsWith(`${name}=`) : word.startsWith(name),
    );
    if (option !== undefined) return word.slice(option.length).replace(/^=/, '');
  }
  return null;
}

/** The folder of a path, `''` or ending in `/`. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

/** A path from the top of the work tree, without `.` and `..`; null: it leads out of it. */
export function joinPath(folder: string, path: string): string | null {
  if (path.startsWith('/') || path.startsWith('~') || path.includes('\0')) return null;
  const parts: string[] = [];
  for (const part of `${folder}${path}`.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join('/');
}

/** From the folder up to the top of the work tree, as just, npm and others look for their files. */
export function upwards(folder: string, names: readonly string[]): readonly string[] {
  const parts = folder.split('/').filter((part) => part !== '');
  return Array.from({ length: parts.length + 1 }, (_, up) => parts.slice(0, parts.length - up)).flatMap(
    (at) => names.map((name) => [...at, name].join('/')),
  );
}
