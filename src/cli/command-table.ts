/** Every command with its arguments and flags, as data (§10): the command line, completions and documents are made from it. */
import type { ConfigFlag } from '../core/config/config-layers.ts';
import { evalCommandRows } from './eval-command-rows.ts';

export const shellNames = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type ShellName = (typeof shellNames)[number];

/** What a shell offers for a value: one of these kinds, or the words themselves. */
export type Completes =
  | 'agent'
  | 'batch'
  | 'case'
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
  /** `count`: a positive whole number; `list`: may be given several times; `port`: 0 to 65535. */
  readonly takes?: 'count' | 'list' | 'port';
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
  { flags: '--no-input', means: 'never ask anything; what needs an answer is refused' },
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

/** What a command with others below it is for. */
export const commandGroups: Readonly<Record<string, string>> = {
  config: 'show settings with their origin, or change one of them',
  eval: 'run cases again and again, and measure how often the loop succeeds',
};

const outputOptions: readonly OptionRow[] = [
  { flags: '--events', means: 'print everything that happens as JSON lines on stdout' },
  {
    flags: '--reporter <name>',
    means: 'annotations and job summary for a CI system',
    choices: ['github'],
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
  {
    name: 'status',
    args: '',
    means: 'the run at a glance: progress, what is next, last outcomes, limits, questions; changes nothing',
    options: [],
  },
  {
    name: 'tree',
    args: '',
    means: 'print the tree with states, attempts and times; changes nothing',
    options: [
      { flags: '--depth <n>', means: 'only this many levels', takes: 'count' },
      { flags: '--open', means: 'only what has not passed' },
    ],
  },
  {
    name: 'log',
    args: '[iter]',
    means: 'what happened in the iterations, in one of them, or right now; changes nothing',
    options: [
      { flags: '--follow', means: 'what the agent does, as it comes, until the runner is done' },
      { flags: '--node <id>', means: 'only iterations on this node' },
      { flags: '--run <id>', means: 'another run than the one of this branch' },
      { flags: '--prompt', means: 'the prompt of the iteration' },
      { flags: '--output', means: "the agent's answer" },
      { flags: '--events', means: 'what the agent did, as JSON lines' },
      { flags: '--guard', means: 'what the guard printed' },
      { flags: '--diff', means: 'what the iteration changed' },
    ],
  },
  {
    name: 'explain',
    args: '[what]',
    means: 'what comes next and why, or why a node is not next, or what an error code means; changes nothing',
    options: [{ flags: '--prompt', means: 'print the exact prompt and nothing else' }, ...settingOptions],
    completes: ['node-or-code'],
  },
  {
    name: 'step',
    args: '',
    means: 'run one iteration',
    options: [
      { flags: '--dry-run', means: 'check everything and say what it would do; start and write nothing' },
      ...settingOptions,
      ...outputOptions,
    ],
  },
  {
    name: 'loop',
    args: '',
    means: 'run iterations until complete, stuck, limit or error',
    options: [...settingOptions, ...outputOptions],
  },
  {
    name: 'retry',
    args: '<node>',
    means: 'give an open leaf more attempts, in a commit of its own',
    options: [
      {
        flags: '--max-attempts <n>',
        means: 'attempts it may use in total; without it as many more as a new node gets',
        takes: 'count',
      },
    ],
  },
  {
    name: 'edit',
    args: '<node>',
    means: 'change title, goal or acceptance of an open node, in your editor or by flags; commits it',
    options: [
      { flags: '--title <text>', means: 'the new title' },
      { flags: '--goal <text>', means: 'the new goal' },
      {
        flags: '--acceptance <text>',
        means: 'one of the new acceptance criteria; may be repeated',
        takes: 'list',
      },
      { flags: '--from-file <file>', means: 'JSON or YAML with title, goal and acceptance; - is stdin' },
    ],
  },
  {
    name: 'config list',
    args: '',
    means: 'every setting with its value in force; changes nothing',
    options: [{ flags: '--show-origin', means: 'say where each value comes from' }, ...settingOptions],
  },
  {
    name: 'config get',
    args: '<key>',
    means: 'the value of one setting; changes nothing',
    options: settingOptions,
  },
  {
    name: 'config set',
    args: '<key> <value>',
    means: 'change one line of config.toml, and commit it on a run branch',
    options: [],
  },
  {
    name: 'config unset',
    args: '<key>',
    means: 'take a key out of config.toml, and commit it on a run branch',
    options: [],
  },
  {
    name: 'ui',
    args: '',
    means: 'pages that show the run and follow it, for a browser on this machine; changes nothing',
    options: [
      { flags: '--port <n>', means: 'the port, 3001 without it; 0: any free one', takes: 'port' },
      {
        flags: '--host <address>',
        means: 'the address to listen on, 127.0.0.1 without it; any other needs the printed token',
      },
      { flags: '--open', means: 'open the browser' },
      { flags: '--static', means: 'show what is there and follow nothing' },
    ],
  },
  {
    name: 'export',
    args: '[run]',
    means: 'one page with everything a run left, to open from disk or to send; secrets are taken out',
    options: [{ flags: '--html <file>', means: 'the file to write' }],
  },
  ...evalCommandRows,
  {
    name: 'doctor',
    args: '',
    means: 'check machine, repository, settings, guard and agents, each with its fix; changes nothing',
    options: [{ flags: '--run-guard', means: 'run the guard once and say whether it is green' }],
  },
  {
    name: 'demo',
    args: '',
    means: 'the whole loop in a throw-away repository, with a scripted agent and a real guard',
    options: [],
  },
  {
    name: 'help',
    args: '[topic...]',
    means: 'help for a command, or about exit-codes, config or environment',
    options: [],
    completes: [['exit-codes', 'config', 'environment']],
  },
  {
    name: 'completion',
    args: '<shell>',
    means: 'print the completion script for bash, zsh, fish or powershell',
    options: [],
    completes: [shellNames],
  },
  { name: 'complete-node', args: '[prefix]', means: '', options: [], isHidden: true },
  { name: 'complete-case', args: '[prefix]', means: '', options: [], isHidden: true },
  { name: 'complete-batch', args: '[prefix]', means: '', options: [], isHidden: true },
  { name: 'run-demo-tests', args: '', means: '', options: [], isHidden: true },
  { name: 'play-script', args: '<file> <step>', means: '', options: [], isHidden: true },
] as const satisfies readonly CommandRow[];

export type CommandName = (typeof commandTable)[number]['name'];
