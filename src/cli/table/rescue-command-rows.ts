/** The rows of the table of commands for `runner rescue`. Data only; the table says what a row may hold. */

export const rescueCommandRows = [
  {
    name: 'rescue list',
    args: '',
    means: 'list what the runner took out of the work tree and kept (read-only)',
    options: [],
  },
  {
    name: 'rescue show',
    args: '<ref>',
    means: 'print what a rescued commit changed (read-only)',
    options: [],
    completes: ['rescue'],
  },
  {
    name: 'rescue restore',
    args: '<ref>',
    means: 'write the files of a rescued commit into the work tree',
    options: [
      {
        flags: '--path <path>',
        means: 'restore only this file or folder (repeatable)',
        takes: 'list',
        completes: 'file',
      },
      { flags: '--force', means: 'overwrite files with changes that no commit has' },
    ],
    completes: ['rescue'],
  },
] as const;
