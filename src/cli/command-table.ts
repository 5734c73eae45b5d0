/** Every command with its arguments and flags, as data (§10): the command line, completions and documents are made from it. */
import type { ConfigFlag } from '../core/config-file.ts';

export const shellNames = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type ShellName = (typeof shellNames)[number];

/** What a shell offers for a value: one of these kinds, or the words themselves. */
export type Completes =
  | 'agent'
  | 'config-key'
  | 'error-code'
  | 'file'
  | 'folder'
  | 'node'
  | 'node-or-code'
  | readonly string[];

export interface OptionRow {
  /** As commander reads it: `--max-attempts <n>`. */
  readonly flags: string;
  readonly means: string;
  /** `count`: a positive whole number. */
  readonly takes?: 'count';
  /** The setting it stands above for this process (§9). */
  readonly sets?: ConfigFlag['key'];
  /** Values to choose from, for help, checks and completion. */
  readonly choices?: readonly string[];
  /** Only where the name of the flag or of its value does not tell; see completion.ts. */
  readonly completes?: Completes;
}

export interface CommandRow {
  /** Two words for a command below another: `config list`. */
  readonly name: string;
  /** As commander reads them: `[iter]`. */
  readonly args: string;
  readonly means: string;
  readonly options: readonly OptionRow[];
  /** For the arguments in order, only where their names do not tell; see completion.ts. */
  readonly completes?: readonly Completes[];
  readonly isHidden?: true;
}

export const commonOptions: readonly OptionRow[] = [
  { flags: '-C <dir>', means: 'work in this folder' },
  { flags: '--json', means: 'print JSON on stdout' },
  { flags: '--quiet', means: 'nothing on stderr but errors' },
  { flags: '--verbose', means: 'more on stderr: phases and every line of activity' },
];

const settingOptions: readonly OptionRow[] = [
  { flags: '--agent <name>', means: 'agent.name for this process', sets: 'agent.name' },
  { flags: '--model <name>', means: 'agent.model for this process', sets: 'agent.model' },
  {
    flags: '--max-iterations <n>',
    means: 'max_iterations for this process',
    takes: 'count',
    sets: 'max_iterations',
  },
  {
    flags: '--prompt-budget <bytes>',
    means: 'prompt_budget_bytes for this process',
    takes: 'count',
    sets: 'prompt_budget_bytes',
  },
];

/** In the order of the help. */
export const commandTable = [
  {
    name: 'init',
    args: '',
    means: 'create .runner/ in this folder',
    options: [
      {
        flags: '--force',
        means: 'rewrite tree, run state and schemas; GOAL.md, config and memory stay',
      },
    ],
  },
  {
    name: 'start',
    args: '',
    means: 'begin a run, or go on with the one GOAL.md names: id, branch, bootstrap commit',
    options: [
      { flags: '--new', means: 'begin another run although one is unfinished' },
      {
        flags: '--no-baseline',
        means: 'do not run the guard before the run begins',
        sets: 'guard.baseline',
      },
    ],
  },
  {
    name: 'validate',
    args: '',
    means: 'check layout, config, tree and run identity; changes nothing',
    options: [],
  },
  { name: 'select', args: '', means: 'print the next leaf; changes nothing', options: [] },
  { name: 'step', args: '', means: 'run one iteration', options: settingOptions },
  {
    name: 'loop',
    args: '',
    means: 'run iterations until complete, stuck, limit or error',
    options: settingOptions,
  },
  {
    name: 'demo',
    args: '',
    means: 'the whole loop in a throw-away repository, with a scripted agent and a real guard',
    options: [],
  },
  {
    name: 'completion',
    args: '<shell>',
    means: 'print the completion script for bash, zsh, fish or powershell',
    options: [],
    completes: [shellNames],
  },
  { name: 'complete-node', args: '[prefix]', means: '', options: [], isHidden: true },
  { name: 'run-demo-tests', args: '', means: '', options: [], isHidden: true },
  { name: 'play-script', args: '<file> <step>', means: '', options: [], isHidden: true },
] as const satisfies readonly CommandRow[];

export type CommandName = (typeof commandTable)[number]['name'];
