/** What `runner explain <code>` says of the errors about git. */
import type { ErrorText } from './error-texts-files.ts';

export const gitErrorTexts = {
  GIT_MISSING: {
    about: 'git could not be started.',
    causes: ['git is not installed', 'git is not on PATH'],
    help: ['install git (https://git-scm.com)', 'git --version'],
  },
  GIT_NOT_A_REPO: {
    about: 'A run lives in a git work tree, and this folder is in none.',
    causes: [
      'git init was never run',
      'the command was started in the wrong folder',
      'the folder is a bare repository or inside .git',
    ],
    help: ['git init', 'runner -C <project folder> <command>'],
  },
  GIT_NO_COMMIT: {
    about: 'A run starts from a commit, and there is none yet.',
    causes: ['the repository is new'],
    help: ['git add -A && git commit -m "first commit"'],
  },
  GIT_IDENTITY: {
    about: 'The commits of a run carry your name, and git does not know it.',
    causes: ['user.name or user.email is not set'],
    help: ['git config user.name "Your Name" && git config user.email you@example.com'],
  },
  GIT_DETACHED: {
    about: 'HEAD is on no branch, so there is nothing to commit on.',
    causes: ['a commit or a tag was checked out', 'a rebase or bisect is under way'],
    help: ['git switch <branch>', 'git status'],
  },
  GIT_PROTECTED_BRANCH: {
    about: 'The runner never commits on main or master. Each run has a branch of its own.',
    causes: ['main or master is checked out'],
    help: ['runner start', 'git switch runner/<id>'],
  },
  GIT_WRONG_BRANCH: {
    about: 'Another branch than the one of the run is checked out.',
    causes: [
      'you switched branches between two commands',
      'an unfinished iteration belongs to another branch',
    ],
    help: ['git switch runner/<id> (the hint has the id)'],
  },
  GIT_DIRTY: {
    about:
      'An iteration commits everything it finds, so the work tree must be clean before it begins; otherwise your changes would be taken for the work of the agent.',
    causes: [
      'changed or new files are not committed; the details list them',
      'settings or the tree were edited and not committed',
      'a tool leaves files that .gitignore does not name',
    ],
    help: ['git add -A && git commit', 'git stash -u', 'add generated files to .gitignore and commit it'],
  },
  GIT_LOCKED: {
    about: 'A lock file of git is in the way. The runner removes only those of its own dead processes.',
    causes: ['another git works here now', 'a git that was killed left its lock behind'],
    help: ['wait for the other git', 'when none runs: the rm command of the hint'],
  },
  GIT_UNSUPPORTED: {
    about: 'This kind of checkout cannot be kept whole by commits of everything.',
    causes: ['a sparse checkout', 'a git repository inside the work tree that is no submodule'],
    help: [
      'git sparse-checkout disable',
      'ignore the inner repository, add it as a submodule, or move it away',
    ],
  },
  GIT_FAILED: {
    about: 'git refused a command. Its own words are in the message and the details.',
    causes: [
      'the repository belongs to another user (safe.directory)',
      'a file cannot be read, or has a name git refuses',
      'signing failed with git.sign = true',
      'the repository is damaged',
    ],
    help: ['the hint of the message', 'git status', 'git fsck'],
  },
} as const satisfies Record<string, ErrorText>;
