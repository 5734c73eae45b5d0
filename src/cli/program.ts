/** Parses argv into one call of one command, by the table of commands. Parses and refuses; decides no behaviour of its own. */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import type { ConfigFlag } from '../core/config/config-layers.ts';
import { RunnerError } from '../core/errors.ts';
import { packageVersion } from '../core/version.js';
import { commandGuides } from './table/command-guides.ts';
import type { CommandGuide } from './table/command-guides.ts';
import { commandGroups, commandTable, commonOptions } from './table/command-table.ts';
import type { CommandName } from './table/command-table.ts';
import type { CommandRow, OptionRow } from './table/row.ts';
import { exitCodes, exitMeanings } from './exit-codes.ts';
import type { Streams } from './output/streams.ts';

export interface CommandCall {
  readonly name: CommandName;
  readonly directory: string;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly noInput: boolean;
  /** The command's own flags that were given, by their long name in camel case. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Flags that override environment and file (§9). */
  readonly overrides: readonly ConfigFlag[];
  readonly args: readonly string[];
}

/** What a parse gives: a call to carry out, or text that was already shown (help, version). */
export type Parsed = { readonly kind: 'call'; readonly call: CommandCall } | { readonly kind: 'shown' };

export function parseCommandLine(argv: readonly string[], streams: Pick<Streams, 'out'>): Parsed {
  let parsed: Parsed = { kind: 'shown' };
  let refusedBy = 'runner';
  if (argv.length === 0) return parseCommandLine(['--help'], streams);
  const program = buildProgram(streams, {
    onCommand: (row, command) => {
      parsed = { kind: 'call', call: callOf(row, command) };
    },
    onRefusal: (name) => {
      refusedBy = name;
    },
  });
  try {
    program.parse([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { kind: 'shown' };
    // Commander asks for its help text when there is no command at all.
    const isBare = error.code === 'commander.help';
    throw new RunnerError({
      code: 'USAGE',
      message: isBare ? 'a command is missing' : error.message.replace(/^error: /, '').replaceAll('\n', ' '),
      hint: `${refusedBy} --help`,
    });
  }
  return parsed;
}

type NamedRow = CommandRow & { readonly name: CommandName };
interface Listener {
  readonly onCommand: (row: NamedRow, command: Command) => void;
  /** The command whose part of the line is wrong, with those above it: `runner config set`. */
  readonly onRefusal: (name: string) => void;
}

function buildProgram(streams: Pick<Streams, 'out'>, { onCommand, onRefusal }: Listener): Command {
  const prepare = (command: Command): Command =>
    command
      .exitOverride((error) => {
        onRefusal(fullName(command));
        throw error;
      })
      .configureOutput({ writeOut: streams.out, writeErr: () => {}, outputError: () => {} });
  const program = prepare(withOptions(new Command('runner'), commonOptions))
    .description('A deterministic, goal-driven loop for coding agents.')
    .version(packageVersion, '-V, --version', 'print the version')
    .showSuggestionAfterError(true)
    .helpCommand(false)
    .addHelpText('after', helpEnd);
  const parents = new Map<string, Command>();
  for (const row of commandTable) {
    const [first = '', ...rest] = row.name.split(' ');
    const parent = rest.length === 0 ? program : (parents.get(first) ?? addGroup(program, first, prepare));
    parents.set(first, parent);
    const name = rest.at(-1) ?? first;
    const command = parent.command(`${name} ${row.args}`.trimEnd(), { hidden: 'isHidden' in row });
    prepare(withOptions(command, 'isHidden' in row ? [] : [...commonOptions, ...row.options]))
      .summary(row.means)
      .description(describe(row))
      .addHelpText('after', renderExamples(row))
      .allowExcessArguments(false)
      .action((...given: unknown[]) => onCommand(row, given.at(-1) as Command));
  }
  return program;
}

function describe(row: NamedRow): string {
  const about = guideOf(row)?.about;
  return about === undefined ? row.means : `${row.means}\n\n${about}`;
}

function renderExamples(row: NamedRow): string {
  const examples = guideOf(row)?.examples ?? [];
  const width = Math.max(...examples.map(([call]) => call.length));
  const lines = examples.map(([call, means]) => `  ${call.padEnd(width)}  ${means}`);
  return lines.length === 0 ? '' : `\nExamples:\n${lines.join('\n')}`;
}

function guideOf(row: NamedRow): CommandGuide | undefined {
  return (commandGuides as Readonly<Record<string, CommandGuide>>)[row.name];
}

function fullName(command: Command): string {
  return command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`;
}

function addGroup(program: Command, name: string, prepare: (command: Command) => Command): Command {
  return prepare(withOptions(program.command(name), commonOptions)).description(commandGroups[name] ?? '');
}

function withOptions(command: Command, rows: readonly OptionRow[]): Command {
  for (const { flags, means, takes, choices } of rows) {
    const option = new Option(flags, means);
    if (takes === 'count') option.argParser(parseCount);
    if (takes === 'port') option.argParser(parsePort);
    if (takes === 'list') option.argParser((text, before?: readonly string[]) => [...(before ?? []), text]);
    if (choices !== undefined) option.choices(choices);
    command.addOption(option);
  }
  return command;
}

function parseCount(text: string): number {
  if (!/^[1-9][0-9]{0,14}$/.test(text)) throw new InvalidArgumentError('It must be a positive whole number.');
  return Number(text);
}

function parsePort(text: string): number {
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new InvalidArgumentError('It must be a number from 0 to 65535.');
  return port;
}

function callOf(row: NamedRow, command: Command): CommandCall {
  const options: Readonly<Record<string, unknown>> = command.optsWithGlobals();
  const directory = options['C'];
  return {
    name: row.name,
    directory: typeof directory === 'string' ? directory : '.',
    json: options['json'] === true,
    quiet: options['quiet'] === true,
    verbose: options['verbose'] === true,
    noInput: isGiven(command, 'input'),
    options,
    overrides: row.options.flatMap((option) => overrideOf(command, option)),
    args: command.args,
  };
}

/** Before or after the command: commander's default for `--no-…` of one place hides what was given at the other. */
function isGiven(command: Command, name: string): boolean {
  if (command.getOptionValueSource(name) === 'cli') return true;
  return command.parent !== null && isGiven(command.parent, name);
}

/** `--no-…` is a setting turned off; commander gives it a default, which nobody asked for. */
function overrideOf(command: Command, row: OptionRow): readonly ConfigFlag[] {
  const { long, negate } = new Option(row.flags);
  const name = new Option(row.flags).attributeName();
  if (row.sets === undefined || command.getOptionValueSource(name) !== 'cli') return [];
  return [{ flag: long ?? '', key: row.sets, value: negate ? false : command.getOptionValue(name) }];
}

const helpEnd = `
Exit codes:
${(['ok', 'error', 'complete', 'stuck', 'usage'] as const)
  .map((name) => `  ${String(exitCodes[name]).padEnd(4)} ${exitMeanings[name]}`)
  .join('\n')}
  129, 130, 143  interrupted (SIGHUP, SIGINT, SIGTERM)

First steps:
  runner init      then describe the goal in .runner/GOAL.md
  runner start     branch and bootstrap commit
  runner loop      until the tree is complete
`;
