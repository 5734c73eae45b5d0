/** The rows of the table of commands for looking at whole runs and steering them. Data only; the table says what a row may hold. */

const listOptions = [{ flags: '--all', means: 'also list finished and abandoned runs' }] as const;
const run = ['run'] as const;

export const watchCommandRows = [
  {
    name: 'runs',
    args: '',
    means: 'list the runs of this repository (read-only)',
    options: listOptions,
  },
  {
    name: 'run list',
    args: '',
    means: 'list the runs of this repository (read-only)',
    options: listOptions,
  },
  {
    name: 'run show',
    args: '<run>',
    means: 'show one run and the end of its log (read-only)',
    options: [
      { flags: '--tail <n>', means: 'print this many lines of the log (default 20)', takes: 'count' },
      { flags: '--follow', means: 'print lines as they come, until the run ends' },
    ],
    completes: run,
  },
  {
    name: 'run attach',
    args: '<run>',
    means: 'follow a background run live; Ctrl-C leaves it running (read-only)',
    options: [],
    completes: run,
  },
  {
    name: 'run cancel',
    args: '<run>',
    means: 'stop a background run and commit what it has done',
    options: [],
    completes: run,
  },
  {
    name: 'run resume',
    args: '<run>',
    means: 'resume a background run from its branch',
    options: [],
    completes: run,
  },
] as const;
