/** The commands of `runner eval` with their arguments and flags, as data; a part of the table of commands. */
import type { CommandRow, OptionRow } from './command-row.ts';

const casesOption: OptionRow = {
  flags: '--cases <dir>',
  means: 'folder of the case files, eval/cases without it',
};

const tagOption: OptionRow = {
  flags: '--tag <tag>',
  means: 'only cases with this tag; may be repeated',
  takes: 'list',
};

export const evalCommands = [
  {
    name: 'eval list',
    args: '',
    means: 'the cases, and every problem of files that are none; changes nothing',
    options: [casesOption, tagOption],
  },
  {
    name: 'eval run',
    args: '[case...]',
    means: 'run cases in workspaces of their own, check what comes out, and record it',
    options: [
      casesOption,
      tagOption,
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
      { flags: '--ui', means: 'serve pages that show the run; for one case at a time' },
    ],
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
] as const satisfies readonly CommandRow[];
