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
      'Two branches changed the same lines. finish has then merged nothing; after a git merge, rebase or cherry-pick that stopped, committing now would commit the conflict markers.',
    causes: [
      'another run was finished meanwhile, or people kept working on the base branch',
      'git merge, rebase, cherry-pick or stash pop with conflicts',
    ],
    help: [
      'runner update <run>, solve the conflicts, git commit, then: runner finish <run>',
      'go back: git merge --abort (or git rebase --abort, git cherry-pick --abort)',
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
  GIT_HOOK: {
    about: 'A git hook refused the commit, or changed its files, which must be exactly the checked ones.',
    causes: ['the hook finds something wrong', 'the hook formats files', 'the hook needs a program'],
    help: ['do what the hook says, on the run: git switch runner/<id>', 'then: runner finish <run>'],
  },
  PUSH_REJECTED: {
    about:
      'The run branch on the remote has commits that are not here. It only grows, so another worker continues this run, and this one stops. Nothing is lost: its commits stay on the branch here.',
    causes: [
      'the run was moved to another machine, and this worker came back',
      'two workers were started on one run',
      'you pushed to the run branch from another clone',
    ],
    help: [
      'leave the run to the other worker',
      'to continue here from what was pushed: run the command in the hint, then runner loop --push <remote>',
    ],
  },
  PUSH_FAILED: {
    about:
      'The iterations were recorded here, but git.push could not bring the last of them to the remote. The next push carries everything.',
    causes: [
      'the network or the server is down',
      'git has no login for the remote that works without a question',
      'the server refuses the branch (a protected name, a hook)',
    ],
    help: ['git push <remote> runner/<id>', 'runner loop --push <remote>'],
  },
} as const satisfies Record<string, ErrorText>;
