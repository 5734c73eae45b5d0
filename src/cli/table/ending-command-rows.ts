/** The rows of the table of commands that end whole runs. Data only; the table says what a row may hold. */

export const endingCommandRows = [
  {
    name: 'finish',
    args: '[run]',
    means: 'merge a complete run into its base branch, as one commit that the guard checked',
    options: [
      { flags: '--into <branch>', means: 'into another branch; a new one is made from the base' },
      { flags: '--squash', means: 'one commit with all of it (default)' },
      { flags: '--merge', means: 'a merge commit that keeps the commits of the run' },
      { flags: '--partial', means: 'finish even if some leaves have not passed' },
      { flags: '--unproven', means: 'finish even if runner audit cannot prove the run' },
      { flags: '--keep-branch', means: 'do not delete the branch of the run' },
      { flags: '--sync <file>', means: 'write the results of imported tasks back to this PRD file (JSON)' },
      { flags: '--dry-run', means: 'only show what would be merged, and conflicts' },
    ],
    completes: ['run'],
  },
  {
    name: 'plan',
    args: '',
    means: 'print how many iterations, hours and tokens the run can still use at most (read-only)',
    options: [],
  },
  {
    name: 'audit',
    args: '[run]',
    means: "replay a run's history from git and report the first commit that breaks a rule",
    options: [
      { flags: '--rerun-guard', means: 'run the guard again on every commit that passed, in private clones' },
    ],
    completes: ['run'],
  },
  {
    name: 'update',
    args: '[run]',
    means: 'merge the base branch into a run',
    options: [],
    completes: ['run'],
  },
  {
    name: 'abandon',
    args: '[run]',
    means: 'give a run up; its commits are archived, uncommitted work is rescued',
    options: [{ flags: '--keep-branch', means: 'do not delete the branch of the run' }],
    completes: ['run'],
  },
  {
    name: 'clean',
    args: '',
    means: 'remove what finished and abandoned runs left',
    options: [
      { flags: '--worktrees', means: 'work trees that the runner made (default)' },
      { flags: '--logs', means: 'logs of iterations' },
      { flags: '--archive', means: 'archive refs: the commits of squashed and abandoned runs' },
      { flags: '--rescue', means: 'what the runner took out of work trees: rescue refs and kept folders' },
      { flags: '--older-than <age>', means: 'only runs that ended longer ago than this: 30d, 12h, 2w' },
      { flags: '--dry-run', means: 'only list it, with sizes' },
    ],
  },
] as const;
