/** What `runner explain <code>` says of the errors about the command line and the files of `.runner/`. */
export interface ErrorText {
  readonly about: string;
  /** The usual ones first. */
  readonly causes: readonly string[];
  readonly help: readonly string[];
}

export const fileErrorTexts = {
  USAGE: {
    about: 'The command line is not valid. Nothing was read or changed.',
    causes: ['a command, flag or argument is misspelt or missing', 'a folder given with -C does not exist'],
    help: ['runner --help', 'runner help <command>'],
  },
  INTERNAL: {
    about: 'An internal check of runner failed, or its journal cannot be read. Your work is unchanged.',
    causes: ['a bug in runner', 'the journal in the git folder is damaged or from another version'],
    help: [
      'for a journal: run the mv command in the hint; your work stays',
      'otherwise report the message, its details and the version (runner --version)',
    ],
  },
  LAYOUT_MISSING: {
    about: 'There is no .runner/ in this folder, or one of its files is missing.',
    causes: [
      'runner init was not run here',
      'the command was started in a sub-folder of the project, or in another repository',
      'the current branch has no .runner/',
    ],
    help: ['runner init', 'runner -C <project folder> <command>', 'git restore -- .runner'],
  },
  LAYOUT_EXISTS: {
    about: 'There is already a complete .runner/; init does not change it.',
    causes: ['runner init was run a second time', 'the repository was cloned with .runner/ in it'],
    help: ['runner start', 'runner init --force (new tree, run state and schemas; your texts stay)'],
  },
  LAYOUT_INVALID: {
    about: 'A file under .runner/ is missing or of the wrong kind. Symbolic links are refused.',
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
    about: 'The settings are not valid. All problems are listed, each with its line, variable or flag.',
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
      'The task tree on disk or in the index breaks the schema or a rule. The runner does not guess what it should be.',
    causes: [
      'tree.json was edited by hand and is not valid JSON',
      'an id occurs twice, a key is missing or unknown',
      'a passed node has an open node below it, or an open one has none',
    ],
    help: [
      'correct .runner/state/tree.json, then: runner validate',
      'git restore -- .runner/state/tree.json',
    ],
  },
  PASSED_EDITED: {
    about:
      'The staged tree sets a node to passed, or changes one that has passed. Only the runner does that, after the guard. A tree that you commit anyway is the new baseline, and the next step says so.',
    causes: ['tree.json was edited by hand', 'a merge or rebase took another version of tree.json'],
    help: [
      'git restore --staged --worktree -- .runner/state/tree.json',
      'if you mean it: runner validate --allow-passed-edits, and git commit --no-verify where a hook runs validate',
    ],
  },
  RUN_STATE_INVALID: {
    about: 'run_state.json, a file of the runner, cannot be read.',
    causes: [
      'it was edited by hand',
      'a merge left conflict markers in it',
      'it was written by a newer version',
    ],
    help: ['git restore -- .runner/state/run_state.json'],
  },
  GOAL_PLACEHOLDER: {
    about: 'There is no goal to work for. An agent would spend money on the text that init wrote.',
    causes: [
      '.runner/GOAL.md was not written yet',
      '.runner/ is on the branch of a run, and another is checked out',
    ],
    help: ['describe the goal in .runner/GOAL.md, then: runner start', 'runner start --goal <file>'],
  },
  GOAL_INVALID: {
    about: 'The front matter of GOAL.md (the lines between two ---) cannot be read.',
    causes: [
      'the closing --- line is missing',
      'the lines are not valid YAML',
      'the id has characters that are not allowed in a branch name',
      'the file starts with a byte order mark',
    ],
    help: ['edit .runner/GOAL.md, then: runner validate'],
  },
  SCRIPT_INVALID: {
    about: 'The script of the scripted agent is not valid, so its session failed.',
    causes: [
      'it is not valid JSON or breaks its schema',
      'a path is outside the project',
      'an edit names a node that does not exist',
    ],
    help: ['correct the file that agent.script names', 'docs/scripted-agent.md shows every action'],
  },
  DISK: {
    about:
      'A file could not be written or read. The old file is intact: files are replaced, never changed in place.',
    causes: [
      'the disk or a quota is full',
      'a folder is read-only or belongs to another user',
      'a folder or link has the name of the file',
      'stdout is a file on a full disk: the command did its work, only its output is lost',
    ],
    help: ['free some space or fix the permissions, then run the same command again'],
  },
} as const satisfies Record<string, ErrorText>;
