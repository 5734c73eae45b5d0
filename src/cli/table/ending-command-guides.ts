/** The guides of the commands that end whole runs. Data only. */

const usual = ['ok', 'error', 'usage'] as const;
const stoppable = [...usual, 'hangup', 'interrupt', 'terminated'] as const;

export const endingCommandGuides = {
  finish: {
    about:
      'Default: the run of this branch, else the only complete run, else the only run. The result is made in a private clone, where setup and guard run; the target moves only if the guard is green, and nothing is pushed. Your git hooks and signing apply to the commit. On the target .runner/ is idle again: a fresh tree, your files, and the memory of both. The last commit of the run stays as refs/runner/archive/<run>; its branch and a work tree that the runner made are removed, logs are kept. If interrupted, run the same command again. It needs git 2.38 or newer.',
    examples: [
      ['runner finish', 'into the branch the run came from'],
      ['runner finish demo --into feature/login', 'into a new branch, for a pull request'],
      ['runner finish --dry-run', 'what would be merged, and conflicts'],
    ],
    exits: stoppable,
  },
  plan: {
    about:
      'Counts from the tree, the attempts that open leaves have left, max_iterations, the time limits and limits.*. Hours exclude rate-limit waits. Without limits.max_tokens, tokens are unlimited. start and loop print it as one line.',
    examples: [['runner plan --json', 'for a script that decides whether to start']],
    exits: usual,
  },
  audit: {
    about:
      'Reads the commits of the run and puts each through the same rules that recorded it: trees, attempts, passes, marks, files of the guard, run state, and the hashes of logs that are still there. proven (unsigned) means that every transition follows from the one before, and that there is no signature. A run that lacks these trailers, as older ones do, or a part of its history, as in a shallow clone, is not provable; that exits with 0. docs/proof.md has the rules, and tools/verify/ checks a git bundle with none of this code.',
    examples: [
      ['runner audit', 'the run of this branch, else the only one'],
      ['runner audit demo --rerun-guard', 'a finished run, with its guard on every commit that passed'],
      ['git bundle create demo.bundle runner/demo', 'share the history for independent verification'],
    ],
    exits: stoppable,
  },
  update: {
    about:
      'Merges the branch that the run came from into the run, as a commit of yours; .runner/ stays that of the run. Conflicts are left in the work tree of the run: solve them, then git add -A && git commit --no-edit.',
    examples: [['runner update demo', 'before runner finish, if both changed the same lines']],
    exits: stoppable,
  },
  abandon: {
    about:
      'Works from any branch, also when the branch of the run is gone. An unfinished iteration is closed, uncommitted work is saved under refs/runner/rescue/, the last commit stays as refs/runner/archive/<run>. The checkout goes back to the base branch and the branch of the run is deleted.',
    examples: [['runner abandon demo', 'give up run demo']],
    exits: stoppable,
  },
  clean: {
    about:
      'Touches only runs that are finished or abandoned. Without a flag it removes work trees that the runner made, and says how much the other flags would remove. Archive and rescue refs may hold the only copy of some commits. When nothing of a run is left, its record is deleted and its id is free again.',
    examples: [
      ['runner clean --logs --older-than 30d', 'old logs'],
      ['runner clean --archive --rescue --dry-run', 'how much the refs hold'],
    ],
    exits: usual,
  },
} as const;
