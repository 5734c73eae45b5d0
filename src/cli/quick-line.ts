/**
 * The usual command lines read at once, without loading the library that reads all of them: one command without arguments and the
 * flags that all commands have. Null stands for "ask the full parser"; what is read here it reads the same way.
 */
import { commandTable, commonOptions } from './command-table.ts';
import type { OptionRow } from './command-table.ts';
import type { CommandCall } from './program.ts';

export function readCommandLine(argv: readonly string[]): CommandCall | null {
  const [name, ...rest] = argv;
  const row = commandTable.find((one) => one.name === name && one.args === '' && !name.includes(' '));
  if (row === undefined) return null;
  const options = negatedDefaults([...commonOptions, ...row.options]);
  for (let at = 0; at < rest.length; at += 1) {
    const word = rest[at] ?? '';
    const value = rest[at + 1];
    if (word === '-C' && value !== undefined && !value.startsWith('-')) {
      options['C'] = value;
      at += 1;
    } else if (switches.has(word)) {
      Object.assign(options, switches.get(word));
    } else {
      return null;
    }
  }
  return {
    name: row.name,
    directory: typeof options['C'] === 'string' ? options['C'] : '.',
    json: options['json'] === true,
    quiet: options['quiet'] === true,
    verbose: options['verbose'] === true,
    noInput: options['input'] === false,
    options,
    overrides: [],
    args: [],
  };
}

/** What each flag of all commands that takes no value means. */
const switches: ReadonlyMap<string, Readonly<Record<string, boolean>>> = new Map(
  commonOptions
    .filter(({ flags }) => /^--[a-z-]+$/.test(flags))
    .map(({ flags }) => [flags, { [nameOf(flags)]: !isNegated(flags) }]),
);

/** A flag `--no-x` makes the full parser say that x is on. */
function negatedDefaults(rows: readonly OptionRow[]): Record<string, unknown> {
  const names = rows.filter(({ flags }) => isNegated(flags)).map(({ flags }) => nameOf(flags));
  return Object.fromEntries(names.map((word) => [word, true]));
}

function isNegated(flags: string): boolean {
  return flags.startsWith('--no-');
}

function nameOf(flags: string): string {
  return flags
    .replace(/^--(?:no-)?/, '')
    .replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
