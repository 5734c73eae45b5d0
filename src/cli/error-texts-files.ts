/** What `runner explain <code>` says of the errors about the command line and the files of `.runner/`. */
export interface ErrorText {
  readonly about: string;
  /** The usual ones first. */
  readonly causes: readonly string[];
  readonly help: readonly string[];
}

export const fileErrorTexts = {
  USAGE: {
    about: 'The command line could not be understood. Nothing was looked at and nothing was done.',
    causes: ['a command, flag or argument is misspelt or missing', 'a folder given with -C does not exist'],
    help: ['runner --help', 'runner help <command>'],
  },
  INTERNAL: {
    about:
      'An assumption of runner itself did not hold, or its journal cannot be read. Your work is left as it is.',
    causes: ['a defect of runner', 'the journal in the git folder was damaged or written by another version'],
    help: [
      'for a journal: the hint has the mv command that sets it aside, with your work untouched',
      'else report the message, its details and the version (runner --version)',
    ],
  },
  LAYOUT_MISSING: {
    about: 'There is no .runner/ in this folder, or a file that a command needs is not in it.',
    causes: [
      'runner init was never run here',
      'the command was started in a sub-folder of the project, or in another repository',
      'the branch that is checked out has no .runner/',
    ],
    help: ['runner init', 'runner -C <project folder> <command>', 'git restore -- .runner'],
  },
  LAYOUT_EXISTS: {
    about: 'init found a complete .runner/ and leaves it alone.',
    causes: ['runner init was run a second time', 'the repository was cloned with .runner/ in it'],
    help: ['runner start', 'runner init --force (tree, run state and schemas anew; your texts stay)'],
  },
  LAYOUT_INVALID: {
    about:
      'Something under .runner/ is not what it must be. Links are never followed, so one in the place of a file is refused.',
    causes: [
      'a file of .runner/ is a symbolic link, a folder or unreadable',
      'a file that belongs there was deleted',
      '.runner/.gitignore lost a line that keeps logs out of git',
    ],
    help: [
      'runner validate (names every problem)',
      'git restore -- .runner',
      'runner start (completes what is missing)',
    ],
  },
  CONFIG_INVALID: {
    about:
      'The settings cannot be used. All problems are told at once, each with its line, variable or flag.',
    causes: [
      'a key in .runner/state/config.toml is unknown, misspelt or in the wrong table',
      'a value is out of bounds or of the wrong kind',
      'a RUNNER_* variable or a flag has a wrong value',
      'two keys do not fit together (agent.name = "command" needs agent.command)',
      'prompt_budget_bytes is too small for the parts of a prompt that are never cut',
    ],
    help: [
      'correct .runner/state/config.toml, then: runner validate',
      'runner help config',
      'runner help environment',
    ],
  },
  TREE_INVALID: {
    about:
      'The task tree on disk or in the index breaks the schema or a rule. It is never repaired by guessing.',
    causes: [
      'tree.json was edited by hand and is no valid JSON',
      'an id occurs twice, a key is missing or unknown',
      'a passed node has an open node below it, or an open one has none',
    ],
    help: [
      'correct .runner/state/tree.json, then: runner validate',
      'git restore -- .runner/state/tree.json',
    ],
  },
  RUN_STATE_INVALID: {
    about: "run_state.json is the runner's own file and cannot be read any more.",
    causes: [
      'it was edited by hand',
      'a merge left conflict marks in it',
      'it was written by a newer version',
    ],
    help: ['git restore -- .runner/state/run_state.json'],
  },
  GOAL_INVALID: {
    about: 'The front matter of GOAL.md, the lines between two --- at its top, cannot be read.',
    causes: [
      'the closing --- line is missing',
      'the lines between are no YAML',
      'the id has characters that a branch name cannot have',
      'the file starts with a byte order mark',
    ],
    help: ['edit .runner/GOAL.md, then: runner validate'],
  },
  SCRIPT_INVALID: {
    about: 'The script of the scripted agent is wrong. The session that played it failed.',
    causes: [
      'it is no valid JSON or breaks its schema',
      'a path leads out of the project',
      'an edit names a node that is not there',
    ],
    help: ['correct the file that agent.script names', 'docs/scripted-agent.md shows every action'],
  },
  DISK: {
    about:
      'A file could not be written or read. The old file is still whole, because files are replaced and never changed in place.',
    causes: [
      'the disk or a quota is full',
      'a folder is read-only or belongs to somebody else',
      'something stands where a file must go',
      'stdout goes to a full disk: what the command did stays done, only its answer is lost',
    ],
    help: ['make room or mend the permissions the hint names, then the same command again'],
  },
} as const satisfies Record<string, ErrorText>;
