/** What a shell offers for a command line, worked out from the table of commands. Pure; ids are named here and read elsewhere. */
import { agentTraits } from '../../core/config/agents.ts';
import { errorCodes } from '../../core/errors.ts';
import { configKeys } from '../../core/settings.js';
import type { CommandRow, Completes, OptionRow } from '../table/row.ts';

export interface Candidate {
  readonly word: string;
  readonly means: string;
}

export interface Offer {
  readonly words: readonly Candidate[];
  /** Ids to read from files and to offer as well. */
  readonly ids: 'none' | 'node' | 'open-node' | 'open-leaf' | 'case' | 'batch' | 'rescue' | 'run';
  /** Paths that the shell itself offers. */
  readonly paths: 'none' | 'files' | 'folders';
}

export interface Line {
  readonly offer: Offer;
  /** What has been typed of the word to complete. */
  readonly typed: string;
  /** The flag in front of it in the same word: `--agent=`. */
  readonly lead: string;
  /** The folder of `-C`. */
  readonly folder: string;
}

export interface Commands {
  readonly table: readonly CommandRow[];
  readonly common: readonly OptionRow[];
  /** What a command with others below it is for. */
  readonly groups: Readonly<Record<string, string>>;
}

const nothing: Offer = { words: [], ids: 'none', paths: 'none' };

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
  ['run', 'run'],
]);

const helpOption: OptionRow = { flags: '-h, --help', means: 'display help for command' };
const versionOption: OptionRow = { flags: '-V, --version', means: 'print the version' };

/** `words`: those after the program's name, up to the one to complete, as the shell splits them. */
export function readLine(commands: Commands, words: readonly string[]): Line {
  // Bash makes a word of its own of `=`; the others leave `--agent=codex` as one.
  const given = words.map((word) => (word === '=' ? '' : unquote(word)));
  const [lead = '', typed = ''] = splitFlag(given.at(-1) ?? '');
  const before = [...given.slice(0, -1).flatMap(splitFlag), lead].filter((word) => word !== '');
  let command = '';
  let folder = '.';
  const taken: string[] = [];
  let flag: OptionRow | undefined;
  for (const word of before) {
    if (flag !== undefined) {
      if (flagNames(flag).includes('-C')) folder = word;
      flag = undefined;
    } else if (word.startsWith('-')) {
      flag = optionsOf(commands, command).find((row) => flagNames(row).includes(word) && takesValue(row));
    } else if (below(commands, command).some((candidate) => candidate.word === word)) {
      command = `${command} ${word}`.trim();
    } else {
      taken.push(word);
    }
  }
  const line = { typed, lead: lead === '' ? '' : `${lead}=`, folder };
  if (flag !== undefined) return { ...line, offer: offerOfFlag(flag) };
  if (lead !== '') return { ...line, offer: nothing };
  if (typed.startsWith('-')) return { ...line, offer: { ...nothing, words: flagsOf(commands, command) } };
  return { ...line, offer: offerOfArgument(commands, command, taken) };
}

/** Bash hands on every word as it was typed, PowerShell an empty one as `""`. */
function unquote(word: string): string {
  return /^(["'])(.*?)\1?$/su.exec(word)?.[2] ?? word;
}

/** Flag and value of `--agent=codex`; no flag and the word itself of any other. */
function splitFlag(word: string): readonly string[] {
  const parts = /^(--[^=]+)=(.*)$/su.exec(word);
  return parts === null ? ['', word] : parts.slice(1);
}

/** Commands that may come next. */
function below({ table, groups }: Commands, command: string): readonly Candidate[] {
  const start = command === '' ? '' : `${command} `;
  const found = table
    .filter(({ name, isHidden }) => isHidden === undefined && name.startsWith(start))
    .map(({ name, means }) => {
      const [word = '', ...rest] = name.slice(start.length).split(' ');
      return [word, rest.length === 0 ? means : (groups[word] ?? '')] as const;
    });
  return [...new Map(found)].map(([word, means]) => ({ word, means }));
}

function rowOf({ table }: Commands, command: string): CommandRow | undefined {
  return table.find(({ name }) => name === command);
}

function optionsOf(commands: Commands, command: string): readonly OptionRow[] {
  const own = command === '' ? [versionOption] : (rowOf(commands, command)?.options ?? []);
  return [...commands.common, helpOption, ...own];
}

function flagsOf(commands: Commands, command: string): readonly Candidate[] {
  return optionsOf(commands, command).flatMap((row) =>
    flagNames(row).map((word) => ({ word, means: row.means })),
  );
}

/** `-h` and `--help`. */
function flagNames({ flags }: OptionRow): readonly string[] {
  return flags.split(/[ ,]+/u).filter((part) => part.startsWith('-'));
}

function takesValue({ flags }: OptionRow): boolean {
  return /[<[]/u.test(flags);
}

function offerOfFlag(row: OptionRow): Offer {
  const name = flagNames(row).at(-1)?.replace(/^-+/u, '') ?? '';
  const placeholder = /[<[]([\w-]+)/u.exec(row.flags)?.[1] ?? '';
  const agent = row.sets === 'agent.name' ? 'agent' : undefined;
  return offerOf(
    row.completes ?? row.choices ?? agent ?? kindOfName.get(name) ?? kindOfName.get(placeholder),
  );
}

/** `taken`: the arguments before this one. */
function offerOfArgument(commands: Commands, command: string, taken: readonly string[]): Offer {
  const position = taken.length;
  const next = below(commands, command);
  if (next.length > 0) return position === 0 ? { ...nothing, words: next } : nothing;
  const row = rowOf(commands, command);
  const named = row?.completes?.[position];
  // There is help for topics and for commands.
  if (named !== undefined && command === 'help') {
    const topics = offerOf(named).words.filter(({ word }) => rowOf(commands, word) === undefined);
    return { ...nothing, words: [...topics, ...below(commands, '')] };
  }
  const args = row?.args.split(' ') ?? [];
  if (args[position] === '<value>') return withWords(choicesOf(taken.at(-1) ?? ''));
  const last = args.at(-1) ?? '';
  // What a row says of its arguments is for each place on its own.
  const repeated = last.includes('...') && row?.completes === undefined ? last : '';
  return offerOf(named ?? kindOfName.get((args[position] ?? repeated).replaceAll(/[<>[\].]/gu, '')));
}

function offerOf(kind: Completes | undefined): Offer {
  switch (kind) {
    case undefined:
      return nothing;
    case 'agent':
      return withWords(Object.keys(agentTraits));
    case 'config-key':
      return withWords(configKeys.map(({ key }) => key));
    case 'error-code':
      return withWords(errorCodes);
    case 'file':
      return { ...nothing, paths: 'files' };
    case 'folder':
      return { ...nothing, paths: 'folders' };
    case 'node':
    case 'open-node':
    case 'open-leaf':
    case 'case':
    case 'batch':
    case 'rescue':
    case 'run':
      return { ...nothing, ids: kind };
    case 'node-or-code':
      return { ...withWords(errorCodes), ids: 'node' };
    default:
      return withWords(kind);
  }
}

function choicesOf(key: string): readonly string[] {
  return configKeys.find((one) => one.key === key)?.choices ?? [];
}

function withWords(words: readonly string[]): Offer {
  return { ...nothing, words: words.map((word) => ({ word, means: '' })) };
}
