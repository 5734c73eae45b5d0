/** The rows of the table of commands for `runner eval`. Data only; the table says what a row may hold. */
import { reporterNames } from '../eval/report/reporters.ts';

const casesOption = {
  flags: '--cases <dir>',
  means: 'folder of the case files, eval/cases without it',
} as const;

/** Also of `eval run`, which reports at its end. */
const reporterOption = {
  flags: '--reporter <list>',
  means: 'text, json, junit, markdown or html, each with =<file> or for stdout: text,html=report.html',
  takes: 'list',
  completes: reporterNames,
} as const;

/** In the order of the help. */
export const evalCommandRows = [
  {
    name: 'eval list',
    args: '',
    means: 'the cases, and every problem of files that are none; changes nothing',
    options: [
      casesOption,
      { flags: '--tag <tag>', means: 'only cases with this tag; may be repeated', takes: 'list' },
    ],
  },
  {
    name: 'eval run',
    args: '[case...]',
    means: 'run cases in workspaces of their own, check what comes out, and record it',
    options: [
      casesOption,
      { flags: '--tag <tag>', means: 'only cases with this tag; may be repeated', takes: 'list' },
      { flags: '--repeat <n>', means: 'how often each case is run, once without it', takes: 'count' },
      { flags: '--jobs <n>', means: 'trials at the same time, one without it', takes: 'count' },
      {
        flags: '--agent <names>',
        means: 'other agents than the one of the case: codex,claude',
        completes: 'agent',
      },
      { flags: '--model <name>', means: 'another model than the one of the case' },
      { flags: '--oracle', means: "play the case's own solution: a sound case then succeeds" },
      { flags: '--null', means: 'let nobody do anything: a sound case then does not succeed' },
      { flags: '--record', means: 'keep what each session did below eval/recordings' },
      { flags: '--replay', means: 'play what was recorded, without an agent' },
      { flags: '--shard <i/n>', means: 'only the i-th of n parts, for several machines' },
      { flags: '--resume', means: 'go on with a batch: only what has no result yet' },
      { flags: '--batch <id>', means: 'a name for this batch; with --resume: the one to go on with' },
      { flags: '--min-pass-rate <rate>', means: 'exit with 1 when fewer succeed: 0.8' },
      reporterOption,
      { flags: '--ui', means: 'serve pages that show the run; for one case at a time' },
    ],
  },
  {
    name: 'eval report',
    args: '[batch]',
    means: 'what a batch says: rates with intervals, pass@k, outcomes, numbers; the last one without a name',
    options: [{ flags: '--case <id>', means: 'only this case' }, reporterOption],
  },
  {
    name: 'eval compare',
    args: '<a> <b>',
    means: 'two batches, or variants of them (<batch>@<variant>): what flipped, and is it more than noise',
    options: [reporterOption],
    completes: ['batch', 'batch'],
  },
  {
    name: 'eval merge',
    args: '<dir...>',
    means: 'copy results of other machines, shard by shard, to the ones of this folder',
    options: [{ flags: '--batch <id>', means: 'make all of them one batch of this name' }],
  },
  {
    name: 'eval clean',
    args: '<case...>',
    means: 'remove results and workspaces of exactly these cases; recordings stay',
    options: [casesOption],
  },
] as const;
