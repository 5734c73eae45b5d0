/** The rows of the table of commands for `runner eval`. Data only; the table says what a row may hold. */
import { reporterNames } from '../../eval/report/reporters.ts';

const casesOption = {
  flags: '--cases <dir>',
  means: 'folder of case files (default: eval/cases, else the shipped cases)',
} as const;

const modelOption = {
  flags: '--model <names>',
  means: "models to use instead of the case's, each with each agent: a,b",
} as const;

const setOption = {
  flags: '--set <key=values>',
  means: 'setting to try, each value with each agent: max_attempts_default=1,3 (repeatable)',
  takes: 'list',
} as const;

const commandOption = {
  flags: '--agent-command <line>',
  means: 'shell command of your own agent',
} as const;

/** Also of `eval run`, which reports at its end. */
const reporterOption = {
  flags: '--reporter <list>',
  means: 'text, json, junit, markdown, html; with =<file> to a file: text,html=report.html',
  takes: 'list',
  completes: reporterNames,
} as const;

/** In the order of the help. */
export const evalCommandRows = [
  {
    name: 'eval list',
    args: '',
    means: 'list the cases and explain invalid case files (read-only)',
    options: [
      casesOption,
      { flags: '--tag <tag>', means: 'only cases with this tag (repeatable)', takes: 'list' },
    ],
  },
  {
    name: 'eval run',
    args: '[case...]',
    means: 'run cases in fresh workspaces, check the results and record them',
    options: [
      casesOption,
      { flags: '--tag <tag>', means: 'only cases with this tag (repeatable)', takes: 'list' },
      { flags: '--repeat <n>', means: 'trials per case (default 1)', takes: 'count' },
      {
        flags: '--jobs <n>',
        means: 'trials at the same time (default 1), at most one per processor; auto: as many as processors',
      },
      {
        flags: '--agent <names>',
        means: "agents to use instead of the case's: codex,claude",
        completes: 'agent',
      },
      modelOption,
      setOption,
      commandOption,
      { flags: '--oracle', means: "play the case's own solution; a sound case succeeds" },
      { flags: '--null', means: 'play an agent that does nothing; a sound case does not succeed' },
      { flags: '--no-hide', means: 'do not hide cases and results from agents with bubblewrap' },
      { flags: '--record', means: 'save what each session did to eval/recordings' },
      { flags: '--replay', means: 'replay recorded sessions, without an agent' },
      { flags: '--shard <i/n>', means: 'run part i of n, to use several machines' },
      { flags: '--resume', means: 'run what is missing of a batch' },
      { flags: '--batch <id>', means: 'name of the batch; with --resume: the batch to resume' },
      { flags: '--min-pass-rate <rate>', means: 'exit with 1 if fewer trials of a variant succeed: 0.8' },
      reporterOption,
      { flags: '--ui', means: 'serve pages that show the run; for one case only' },
    ],
  },
  {
    name: 'eval report',
    args: '[batch]',
    means: 'summarise a batch (default: the last): rates with intervals, pass@k, outcomes',
    options: [{ flags: '--case <id>', means: 'report only this case' }, reporterOption],
  },
  {
    name: 'eval compare',
    args: '<a> <b>',
    means: 'compare two batches or variants (<batch>@<variant>): what flipped, and is it noise',
    options: [reporterOption],
    completes: ['batch', 'batch'],
  },
  {
    name: 'eval merge',
    args: '<dir...>',
    means: 'copy results of other machines into this folder',
    options: [{ flags: '--batch <id>', means: 'merge all of them into one batch of this name' }],
  },
  {
    name: 'eval fleet',
    args: '[case...]',
    means: 'print a Slurm script or a Kubernetes Job that runs an eval, or runs, on several machines',
    options: [
      {
        flags: '--engine <name>',
        means: 'engine that starts the tasks',
        choices: ['slurm', 'k8s'],
      },
      { flags: '--shards <n>', means: 'tasks of an eval (default 4)', takes: 'count' },
      { flags: '--batch <id>', means: 'name of the batch' },
      casesOption,
      { flags: '--tag <tag>', means: 'only cases with this tag (repeatable)', takes: 'list' },
      { flags: '--repeat <n>', means: 'trials per case (default 1)', takes: 'count' },
      {
        flags: '--agent <names>',
        means: "agents to use instead of the case's: codex,claude",
        completes: 'agent',
      },
      modelOption,
      setOption,
      commandOption,
      { flags: '--oracle', means: "play the case's own solution" },
      { flags: '--null', means: 'play an agent that does nothing' },
      {
        flags: '--run <id>',
        means: 'continue this run instead of an eval, one task each (repeatable)',
        takes: 'list',
      },
      { flags: '--from <address>', means: 'with --run: what to clone (default: the remote origin)' },
      { flags: '--image <name>', means: 'image of the pods (default runner:latest)' },
    ],
  },
  {
    name: 'eval import',
    args: '<dir...>',
    means: 'import task folders from Terminal-Bench and Harbor as cases',
    options: [casesOption, { flags: '--force', means: 'replace cases that were imported before' }],
  },
  {
    name: 'eval clean',
    args: '<case...>',
    means: 'remove results and workspaces of these cases; keep recordings',
    options: [casesOption],
  },
] as const;
