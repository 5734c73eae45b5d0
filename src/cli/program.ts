/** The command line, declared on one screen (§10). Parses argv and calls one command; decides no behaviour of its own. */
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import type { ConfigFlag } from '../core/config-file.ts';
import { RunnerError } from '../core/errors.ts';
import { packageVersion } from '../core/shipped.js';
import type { Streams } from './streams.ts';

export interface CommandCall {
  readonly name: 'init' | 'start' | 'validate' | 'select' | 'step' | 'loop' | 'demo' | 'play-script';
  readonly directory: string;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly force: boolean;
  readonly isNew: boolean;
  /** Flags that stand above environment and file (§9). */
  readonly overrides: readonly ConfigFlag[];
  readonly args: readonly string[];
}

/** What a parse gives: a call to carry out, or text that was already shown (help, version). */
export type Parsed = { readonly kind: 'call'; readonly call: CommandCall } | { readonly kind: 'shown' };

interface Options {
  readonly C?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly force?: boolean;
  readonly new?: boolean;
  readonly agent?: string;
  readonly model?: string;
  readonly maxIterations?: number;
  readonly promptBudget?: number;
  /** False by `--no-baseline`. */
  readonly baseline?: boolean;
}

const overrideFlags = [
  { flag: '--agent', option: 'agent', key: 'agent.name' },
  { flag: '--model', option: 'model', key: 'agent.model' },
  { flag: '--max-iterations', option: 'maxIterations', key: 'max_iterations' },
  { flag: '--prompt-budget', option: 'promptBudget', key: 'prompt_budget_bytes' },
] as const;

export function parseCommandLine(argv: readonly string[], streams: Streams): Parsed {
  let parsed: Parsed = { kind: 'shown' };
  const program = buildProgram(streams, (name, command) => {
    parsed = { kind: 'call', call: callOf(name, command) };
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
      hint: 'runner --help',
    });
  }
  return parsed;
}

type OnCommand = (name: CommandCall['name'], command: Command) => void;

function buildProgram(streams: Streams, onCommand: OnCommand): Command {
  const program = withCommon(new Command('runner'))
    .description('A deterministic, goal-driven loop for coding agents.')
    .version(packageVersion, '-V, --version', 'print the version')
    .exitOverride()
    .configureOutput({ writeOut: streams.out, writeErr: () => {}, outputError: () => {} })
    .showSuggestionAfterError(true)
    .addHelpText('after', helpEnd);
  const add = (name: CommandCall['name'], text: string): Command =>
    withCommon(program.command(name))
      .description(text)
      .exitOverride()
      .configureOutput({ writeOut: streams.out, writeErr: () => {}, outputError: () => {} })
      .allowExcessArguments(false)
      .action((...given: unknown[]) => onCommand(name, given.at(-1) as Command));
  add('init', 'create .runner/ in this folder').option(
    '--force',
    'rewrite tree, run state and schemas; GOAL.md, config and memory stay',
  );
  add('start', 'begin a run, or go on with the one GOAL.md names: id, branch, bootstrap commit')
    .option('--new', 'begin another run although one is unfinished')
    .option('--no-baseline', 'do not run the guard before the run begins');
  add('validate', 'check layout, config, tree and run identity; changes nothing');
  add('select', 'print the next leaf; changes nothing');
  withOverrides(add('step', 'run one iteration'));
  withOverrides(add('loop', 'run iterations until complete, stuck, limit or error'));
  add('demo', 'the whole loop in a throw-away repository, with a scripted agent and a real guard');
  program
    .command('play-script <file> <step>', { hidden: true })
    .exitOverride()
    .action((...given: unknown[]) => onCommand('play-script', given.at(-1) as Command));
  return program;
}

function withCommon(command: Command): Command {
  return command
    .option('-C <dir>', 'work in this folder')
    .option('--json', 'print JSON on stdout')
    .option('--quiet', 'nothing on stderr but errors')
    .option('--verbose', 'more on stderr: phases and every line of activity');
}

function withOverrides(command: Command): Command {
  return command
    .option('--agent <name>', 'agent.name for this process')
    .option('--model <name>', 'agent.model for this process')
    .option('--max-iterations <n>', 'max_iterations for this process', parseCount)
    .option('--prompt-budget <bytes>', 'prompt_budget_bytes for this process', parseCount);
}

function parseCount(text: string): number {
  if (!/^[1-9][0-9]{0,14}$/.test(text)) throw new InvalidArgumentError('It must be a positive whole number.');
  return Number(text);
}

function callOf(name: CommandCall['name'], command: Command): CommandCall {
  const options: Options = command.optsWithGlobals();
  const overrides = overrideFlags.flatMap(({ flag, option, key }) => {
    const value = options[option];
    return value === undefined ? [] : [{ flag, key, value }];
  });
  const noBaseline = { flag: '--no-baseline', key: 'guard.baseline', value: false };
  return {
    name,
    directory: options.C ?? '.',
    json: options.json === true,
    quiet: options.quiet === true,
    verbose: options.verbose === true,
    force: options.force === true,
    isNew: options.new === true,
    overrides: options.baseline === false ? [...overrides, noBaseline] : overrides,
    args: command.args,
  };
}

const helpEnd = `
Exit codes:
  0    done what was asked (select: a leaf is open; loop: complete)
  1    error or limit; the message ends with the command that helps
  2    select and step: nothing left, the tree is complete
  3    stuck: the next leaf has used all its attempts
  64   wrong usage
  129, 130, 143  interrupted (SIGHUP, SIGINT, SIGTERM)

First steps:
  runner init      then describe the goal in .runner/GOAL.md
  runner start     branch and bootstrap commit
  runner loop      until the tree is complete
`;
