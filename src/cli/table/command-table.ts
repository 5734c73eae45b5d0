/** Every command with its arguments and flags, as data (§10): the command line, completions and documents are made from it. */
import { backgroundCommandRows, workCommandRow } from './background-command-rows.ts';
import { endingCommandRows } from './ending-command-rows.ts';
import { evalCommandRows } from './eval-command-rows.ts';
import { shellNames } from './row.ts';
import type { CommandRow, OptionRow } from './row.ts';
import { rescueCommandRows } from './rescue-command-rows.ts';
import { watchCommandRows } from './watch-command-rows.ts';
import { steerCommandRows } from './steer-command-rows.ts';

export const commonOptions: readonly OptionRow[] = [
  { flags: '-C <dir>', means: 'run in this folder' },
  { flags: '--json', means: 'print JSON on stdout' },
  { flags: '--quiet', means: 'print only errors on stderr' },
  { flags: '--verbose', means: 'also print phases and every line of activity on stderr' },
  { flags: '--no-input', means: 'never prompt; fail instead' },
];

const settingOptions: readonly OptionRow[] = [
  { flags: '--agent <name>', means: 'override agent.name', sets: 'agent.name' },
  { flags: '--model <name>', means: 'override agent.model', sets: 'agent.model' },
  {
    flags: '--max-iterations <n>',
    means: 'override max_iterations',
    takes: 'count',
    sets: 'max_iterations',
  },
  {
    flags: '--prompt-budget <bytes>',
    means: 'override prompt_budget_bytes',
    takes: 'count',
    sets: 'prompt_budget_bytes',
  },
];

/** What a command with others below it is for. */
export const commandGroups: Readonly<Record<string, string>> = {
  config: 'show settings and their origin, or change one',
  run: 'start, watch and steer runs in the background',
  rescue: 'list, show and restore work that the runner kept under refs/runner/rescue/',
  eval: 'run cases repeatedly and measure how often the loop succeeds',
};

const pushOption = {
  flags: '--push <remote>',
  means: 'push the run branch to this remote after each iteration',
  sets: 'git.push',
} as const satisfies OptionRow;

const outputOptions: readonly OptionRow[] = [
  { flags: '--events', means: 'print all events as JSON lines on stdout' },
  {
    flags: '--reporter <name>',
    means: 'add annotations and a job summary for a CI system',
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
        means: 'rewrite tree, run state and schemas; keep GOAL.md, config and memory',
      },
    ],
  },
  {
    name: 'start',
    args: '',
    means: 'start a run, or resume the one that GOAL.md names',
    options: [
      { flags: '--new', means: 'start another run even if this goal already has one' },
      { flags: '--goal <file>', means: 'put this text into GOAL.md first; - reads stdin' },
      {
        flags: '--no-baseline',
        means: 'do not run the guard first',
        sets: 'guard.baseline',
      },
    ],
  },
  {
    name: 'validate',
    args: '',
    means: 'check layout, config, tree and run identity (read-only)',
    options: [
      { flags: '--allow-passed-edits', means: 'accept manual changes to passed nodes in the staged tree' },
    ],
  },
  { name: 'select', args: '', means: 'print the next leaf (read-only)', options: [] },
  {
    name: 'status',
    args: '',
    means: 'show progress, the next leaf, last outcomes, limits and questions (read-only)',
    options: [],
  },
  {
    name: 'tree',
    args: '',
    means: 'print the tree with states, attempts and times (read-only)',
    options: [
      { flags: '--depth <n>', means: 'show only this many levels', takes: 'count' },
      { flags: '--open', means: 'hide passed nodes' },
      { flags: '--all', means: 'also show dropped nodes' },
    ],
  },
  {
    name: 'log',
    args: '[iter]',
    means: 'show all iterations, one of them, or the running one (read-only)',
    options: [
      { flags: '--follow', means: 'print activity as it happens, until the runner exits' },
      { flags: '--node <id>', means: 'show only iterations on this node' },
      { flags: '--run <id>', means: "show a run other than this branch's" },
      { flags: '--agent', means: 'print what the agent said and did, for reading' },
      { flags: '--failed', means: 'list only iterations that failed, with the reason' },
      { flags: '--first-error', means: 'print the first error line of the last failed guard or agent' },
      { flags: '--prompt', means: 'print the prompt of the iteration' },
      { flags: '--output', means: "print the agent's answer" },
      { flags: '--events', means: 'print what the agent did, as JSON lines' },
      { flags: '--guard', means: 'print the output of the guard' },
      { flags: '--diff', means: 'print what the iteration changed' },
    ],
  },
  {
    name: 'explain',
    args: '[what]',
    means: 'explain what comes next, a node, or an error code (read-only)',
    options: [{ flags: '--prompt', means: 'print only the exact prompt' }, ...settingOptions],
    completes: ['node-or-code'],
  },
  {
    name: 'step',
    args: '',
    means: 'run one iteration',
    options: [
      { flags: '--dry-run', means: 'check everything and print the plan; start and write nothing' },
      ...settingOptions,
      pushOption,
      ...outputOptions,
    ],
  },
  {
    name: 'loop',
    args: '',
    means: 'run iterations until complete, stuck, limit or error',
    options: [...settingOptions, pushOption, ...outputOptions],
  },
  {
    name: 'retry',
    args: '<node>',
    means: 'give an open leaf more attempts, and commit that',
    options: [
      {
        flags: '--max-attempts <n>',
        means: 'new total (default: max_attempts_default more)',
        takes: 'count',
      },
    ],
    completes: ['open-leaf'],
  },
  {
    name: 'edit',
    args: '<node>',
    means: 'change title, goal or acceptance of an open node, and commit that',
    options: [
      { flags: '--title <text>', means: 'new title' },
      { flags: '--goal <text>', means: 'new goal' },
      {
        flags: '--acceptance <text>',
        means: 'new acceptance criterion (repeatable)',
        takes: 'list',
      },
      { flags: '--accept <text>', means: 'the same as --acceptance', takes: 'list' },
      { flags: '--from-file <file>', means: 'JSON or YAML with title, goal and acceptance; - reads stdin' },
    ],
    completes: ['open-node'],
  },
  ...steerCommandRows,
  {
    name: 'config list',
    args: '',
    means: 'list every setting with its value (read-only)',
    options: [{ flags: '--show-origin', means: 'also print where each value comes from' }, ...settingOptions],
  },
  {
    name: 'config get',
    args: '<key>',
    means: 'print one setting (read-only)',
    options: settingOptions,
  },
  {
    name: 'config set',
    args: '<key> <value>',
    means: 'change one line of config.toml; commit it on a run branch',
    options: [],
  },
  {
    name: 'config unset',
    args: '<key>',
    means: 'remove a key from config.toml; commit it on a run branch',
    options: [],
  },
  ...backgroundCommandRows,
  ...watchCommandRows,
  ...endingCommandRows,
  ...rescueCommandRows,
  {
    name: 'ui',
    args: '',
    means: 'serve pages that show the run and follow it (read-only without --control)',
    options: [
      { flags: '--port <n>', means: 'port (default 3001; 0 picks a free one)', takes: 'port' },
      {
        flags: '--host <address>',
        means: 'address to listen on (default 127.0.0.1; others need the printed token)',
      },
      { flags: '--open', means: 'open the browser' },
      { flags: '--static', means: 'do not follow changes' },
      { flags: '--control', means: 'allow starting and stopping background runs, with the printed token' },
    ],
  },
  {
    name: 'export',
    args: '[run]',
    means: 'export a run as one HTML file, with likely secrets redacted',
    options: [{ flags: '--html <file>', means: 'file to write' }],
  },
  ...evalCommandRows,
  {
    name: 'doctor',
    args: '',
    means: 'check machine, repository, settings, guard and agents (read-only)',
    options: [
      { flags: '--run-guard', means: 'also run the guard once' },
      { flags: '--sandbox', means: 'only test the sandbox against every known escape' },
    ],
  },
  {
    name: 'demo',
    args: '',
    means: 'run the whole loop in a throw-away repository, with a scripted agent',
    options: [],
  },
  {
    name: 'help',
    args: '[topic...]',
    means: 'show help for a command, or about exit-codes, config or environment',
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
  { name: 'complete', args: '[word...]', means: '', options: [], isHidden: true },
  { name: 'run-demo-tests', args: '', means: '', options: [], isHidden: true },
  workCommandRow,
  { name: 'play-script', args: '<file> <step>', means: '', options: [], isHidden: true },
  { name: 'try-escape', args: '<way> <target>', means: '', options: [], isHidden: true },
] as const satisfies readonly CommandRow[];

export type CommandName = (typeof commandTable)[number]['name'];
