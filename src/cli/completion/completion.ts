/**
 * What shells may offer at each place of a command line, worked out from the table of commands. Pure; how each shell is told
 * is in the completion-*.ts files.
 */
import { agentTraits } from '../../core/config/agents.ts';
import { configKeys } from '../../core/settings.js';
import { errorCodes } from '../../core/errors.ts';
import type { CommandRow, Completes, OptionRow } from '../command-table.ts';

/** Everything one place may hold; all of it is offered. */
export interface Source {
  readonly words: readonly string[];
  /** Ids that the program is asked for when the person presses the key, by `complete-node`, `complete-case` or `complete-batch`. */
  readonly asked: 'none' | 'node' | 'case' | 'batch';
  readonly paths: 'none' | 'files' | 'folders';
}

export interface CompletedOption {
  /** `-h` and `--help`. */
  readonly names: readonly string[];
  readonly means: string;
  /** Null for a flag without a value. */
  readonly value: Source | null;
}

export interface CompletedCommand {
  /** Empty for the program itself, one word for a group, two for a command below one. */
  readonly name: string;
  readonly means: string;
  readonly options: readonly CompletedOption[];
  readonly args: readonly Source[];
  /** Commands that may come next. */
  readonly below: readonly Below[];
}

export interface Below {
  readonly word: string;
  readonly means: string;
}

const nothing: Source = { words: [], asked: 'none', paths: 'none' };

/** Flags and arguments that mean the same wherever they appear. */
const kindOfName: ReadonlyMap<string, Completes> = new Map<string, Completes>([
  ['batch', 'batch'],
  ['case', 'case'],
  ['code', 'error-code'],
  ['dir', 'folder'],
  ['file', 'file'],
  ['key', 'config-key'],
  ['node', 'node'],
  ['node-or-code', 'node-or-code'],
  ['topic', ['exit-codes', 'config', 'environment']],
]);

/** The program itself first, then groups and commands in the order of the table. */
export function completedCommands(input: {
  readonly table: readonly CommandRow[];
  readonly common: readonly OptionRow[];
}): readonly CompletedCommand[] {
  const rows = input.table.filter((row) => row.isHidden === undefined);
  const common = [...input.common.map(completedOption), helpOption];
  const groups = [...new Set(rows.map(({ name }) => name.split(' ')).filter((words) => words.length > 1))];
  const groupNames = [...new Set(groups.map(([first = '']) => first))];
  return [
    { name: '', means: '', options: [...common, versionOption], args: [], below: belowRoot(rows) },
    ...groupNames.map((name) => ({
      name,
      means: '',
      options: common,
      args: [],
      below: belowGroup(rows, name),
    })),
    ...rows.map((row) => ({
      name: row.name,
      means: row.means,
      options: [...common, ...row.options.map(completedOption)],
      args: row.name === 'help' ? helpArgs(row, rows) : completedArgs(row),
      below: [],
    })),
  ];
}

const helpOption: CompletedOption = {
  names: ['-h', '--help'],
  means: 'display help for command',
  value: null,
};
const versionOption: CompletedOption = {
  names: ['-V', '--version'],
  means: 'print the version',
  value: null,
};

function belowRoot(rows: readonly CommandRow[]): readonly Below[] {
  const words = new Map(
    rows.map(({ name, means }) => {
      const [first = '', second] = name.split(' ');
      return [
        first,
        second === undefined
          ? means
          : belowGroup(rows, first)
              .map(({ word }) => word)
              .join(', '),
      ];
    }),
  );
  return [...words].map(([word, means]) => ({ word, means }));
}

function belowGroup(rows: readonly CommandRow[], group: string): readonly Below[] {
  return rows
    .filter(({ name }) => name.startsWith(`${group} `))
    .map(({ name, means }) => ({ word: name.slice(group.length + 1), means }));
}

function completedOption(row: OptionRow): CompletedOption {
  const names = row.flags.split(/[ ,]+/).filter((part) => part.startsWith('-'));
  const placeholder = /[<[]([\w-]+)/.exec(row.flags)?.[1];
  const flag = names.at(-1)?.replace(/^-+/, '') ?? '';
  const kind =
    row.completes ??
    row.choices ??
    (row.sets === 'agent.name' ? 'agent' : undefined) ??
    kindOfName.get(flag) ??
    kindOfName.get(placeholder ?? '');
  return { names, means: row.means, value: placeholder === undefined ? null : sourceOf(kind) };
}

/** How often an argument that may be repeated is offered. */
const repeatsOffered = 16;

function completedArgs(row: CommandRow): readonly Source[] {
  return row.args
    .split(' ')
    .filter((part) => part !== '')
    .flatMap((part, index) => {
      const named = row.completes?.[index];
      const source = sourceOf(named ?? kindOfName.get(part.replaceAll(/[<>[\].]/g, '')));
      // What a row says of its arguments is for each place on its own.
      const isRepeated = part.includes('...') && named === undefined && source !== nothing;
      return Array.from({ length: isRepeated ? repeatsOffered : 1 }, () => source);
    });
}

/** There is help for topics and for commands. */
function helpArgs(row: CommandRow, rows: readonly CommandRow[]): readonly Source[] {
  const topics = completedArgs(row).flatMap(({ words }) => words);
  return [{ ...nothing, words: [...new Set([...topics, ...belowRoot(rows).map(({ word }) => word)])] }];
}

function sourceOf(kind: Completes | undefined): Source {
  switch (kind) {
    case undefined:
      return nothing;
    case 'agent':
      return { ...nothing, words: Object.keys(agentTraits) };
    case 'config-key':
      return { ...nothing, words: configKeys.map(({ key }) => key) };
    case 'error-code':
      return { ...nothing, words: errorCodes };
    case 'file':
      return { ...nothing, paths: 'files' };
    case 'folder':
      return { ...nothing, paths: 'folders' };
    case 'node':
    case 'case':
    case 'batch':
      return { ...nothing, asked: kind };
    case 'node-or-code':
      return { ...nothing, asked: 'node', words: errorCodes };
    default:
      return { ...nothing, words: kind };
  }
}

/** A command, and one of its flags or the number of an argument: `'step --agent'`, `'retry 0'`. */
export interface Place {
  readonly place: string;
  readonly source: Source;
}

/** Which flag of which command takes what. */
export function valuedOptions(commands: readonly CompletedCommand[]): readonly Place[] {
  return commands.flatMap(({ name, options }) =>
    options.flatMap(({ names, value }) =>
      value === null ? [] : names.map((option) => ({ place: `${name} ${option}`, source: value })),
    ),
  );
}

/** What may stand at which position of which command. */
export function argumentPlaces(commands: readonly CompletedCommand[]): readonly Place[] {
  return commands.flatMap(({ name, args, below }) =>
    below.length > 0
      ? [{ place: `${name} 0`, source: { ...nothing, words: below.map(({ word }) => word) } }]
      : args.map((source, index) => ({ place: `${name} ${index}`, source })),
  );
}

/** `' init'`, `'config list'`: what a word makes of the command so far. */
export function commandSteps(commands: readonly CompletedCommand[]): readonly string[] {
  return commands.flatMap(({ name, below }) => below.map(({ word }) => `${name} ${word}`));
}

/** Places with the same text share a line. */
export function shareLines(
  places: readonly Place[],
  render: (source: Source) => string,
): readonly { readonly text: string; readonly same: readonly string[] }[] {
  const lines = new Map<string, readonly string[]>();
  for (const { place, source } of places) {
    const text = render(source);
    lines.set(text, [...(lines.get(text) ?? []), place]);
  }
  return [...lines].map(([text, same]) => ({ text, same }));
}
