/** What `runner explain <code>` says of the errors about git. */
import type { ErrorText } from './error-texts-files.ts';

export const gitErrorTexts = {
  GIT_MISSING: {
    about: 'git could not be started.',
    causes: ['git is not installed', 'git is not on PATH'],
    help: ['install git (https://git-scm.com)', 'git --version'],
  },
  GIT_NOT_A_REPO: {
    about: 'A run needs a git work tree, and this folder is not in one.',
    causes: [
      'git init was not run',
      'the command was started in the wrong folder',
      'the folder is a bare repository or inside .git',
    ],
    help: ['git init', 'runner -C <project folder> <command>'],
  },
  GIT_NO_COMMIT: {
    about: 'A run starts from a commit, and the repository has none.',
    causes: ['the repository is new'],
    help: ['git add -A && git commit -m "first commit"'],
  },
  GIT_IDENTITY: {
    about: 'Commits need your name and address, and git does not know them.',
    causes: ['user.name or user.email is not set'],
    help: ['git config user.name "Your Name" && git config user.email you@example.com'],
  },
  GIT_DETACHED: {
    about: 'HEAD is not on a branch, so there is no branch to commit to.',
    causes: ['a commit or a tag was checked out', 'a rebase or bisect is in progress'],
    help: ['git switch <branch>', 'git status'],
  },
  GIT_PROTECTED_BRANCH: {
    about: 'The runner never commits on main or master. Each run has its own branch.',
    causes: ['main or master is checked out'],
    help: ['runner start', 'git switch runner/<id>'],
  },
  GIT_WRONG_BRANCH: {
    about: 'The branch of the run is not checked out.',
    causes: [
      'you switched branches between two commands',
      'an unfinished iteration belongs to another branch',
    ],
    help: ['git switch runner/<id> (the hint has the id)'],
  },
  GIT_CONFLICT: {
    about:
      'A merge, rebase or cherry-pick stopped at conflicts. Committing now would commit the conflict markers.',
    causes: [
      'git merge between a run and another branch',
      'git rebase, cherry-pick or stash pop with conflicts',
    ],
    help: [
      'go back: git merge --abort (or git rebase --abort, git cherry-pick --abort)',
      'merge a run without conflicts in .runner/: runner finish; the other way round: runner update',
      'or solve every file, then: git add <file> && git commit',
    ],
  },
  GIT_DIRTY: {
    about:
      'An iteration commits every change it finds. The work tree must be clean first, or your changes would count as work of the agent.',
    causes: [
      'changed or new files are not committed (see the details)',
      'settings or the tree were edited and not committed',
      'a tool creates files that .gitignore does not list',
    ],
    help: ['git add -A && git commit', 'git stash -u', 'add generated files to .gitignore and commit it'],
  },
  GIT_LOCKED: {
    about: 'A git lock file blocks the command. The runner removes only those of its own dead processes.',
    causes: ['another git process is running here', 'a killed git process left its lock file'],
    help: ['wait for the other git process', 'if there is none: run the rm command in the hint'],
  },
  GIT_UNSUPPORTED: {
    about: 'The runner commits all files, and in this kind of checkout that would lose some.',
    causes: ['a sparse checkout', 'a git repository inside the work tree that is not a submodule'],
    help: [
      'git sparse-checkout disable',
      'ignore the inner repository, add it as a submodule, or move it away',
    ],
  },
  GIT_FAILED: {
    about: 'git refused a command. Its output is in the message and the details.',
    causes: [
      'the repository belongs to another user (safe.directory)',
      'a file cannot be read, or has a name git refuses',
      'signing failed with git.sign = true',
      'the repository is damaged',
    ],
    help: ['do what the hint says', 'git status', 'git fsck'],
  },
} as const satisfies Record<string, ErrorText>;
