/** The rows of the table of commands for `runner eval`. Data only; the table says what a row may hold. */
import { reporterNames } from '../core/eval-reporters.ts';

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
