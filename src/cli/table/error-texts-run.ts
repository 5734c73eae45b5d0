/** What `runner explain <code>` says of the errors about runs, agents, guards and processes. */
import type { ErrorText } from './error-texts-files.ts';

export const runErrorTexts = {
  RUN_NOT_STARTED: {
    about: 'There is a .runner/ here, but no run was started.',
    causes: ['runner start was not run'],
    help: ['runner start'],
  },
  RUN_ID_MISMATCH: {
    about: 'GOAL.md and run_state.json name different runs. The runner does not choose between them.',
    causes: ['the id in GOAL.md was changed or removed by hand', 'a merge brought GOAL.md of another run'],
    help: ['restore the old id and commit it', 'runner start (starts the run that GOAL.md names)'],
  },
  RUN_UNFINISHED: {
    about: 'An unfinished run has this goal or this id, and --new was not given.',
    causes: [
      'runner start on main while a run of the same goal is not complete',
      'the id was removed from GOAL.md',
    ],
    help: ['git switch runner/<id> (to continue that run)', 'runner start --new (begins another run)'],
  },
  RUN_COMPLETE: {
    about: 'A run has done the goal that GOAL.md holds. A different goal starts a new run.',
    causes: ['runner start again without a new goal'],
    help: [
      'runner finish <id> (brings a complete run to its base branch)',
      'write the next goal into .runner/GOAL.md, then: runner start',
      'runner start --new (does the same goal once more)',
    ],
  },
  RUN_UNKNOWN: {
    about: 'No branch, archive or record of this repository belongs to a run of this id.',
    causes: ['a typing error', 'the run is on a remote that was not fetched', 'the run was cleaned up'],
    help: ['runner runs --all', 'git fetch, then: runner runs --all'],
  },
  RUN_UNPROVEN: {
    about: "A commit of the run breaks the rules, so the run's passes are not proven. Nothing was merged.",
    causes: [
      'somebody rewrote commits of the run, or its files in .runner/state/',
      'a commit by hand changed passed nodes or attempts, or the tree had passed nodes before the run began',
    ],
    help: ['runner audit', 'runner finish --unproven'],
  },
  RUN_ENDED: {
    about:
      'The run has ended, or it does not run in the background, so there is nothing to cancel or to resume.',
    causes: [
      'the run ended by itself before',
      'it was finished or abandoned',
      'it runs in a checkout of yours',
    ],
    help: ['runner run show <id>', 'runner runs --all'],
  },
  ITERATION_LIMIT: {
    about: 'The run has used max_iterations. The counter is never reset.',
    causes: ['the goal needs more iterations than allowed', 'sessions fail repeatedly without progress'],
    help: [
      'read the last iterations: runner log',
      'allow more: runner config set max_iterations <number>, then: runner loop',
    ],
  },
  RUN_TIME_LIMIT: {
    about: 'All iterations together have used limits.max_run_secs.',
    causes: ['the run took longer than you allowed'],
    help: ['allow more: runner config set limits.max_run_secs <seconds>, then: runner loop'],
  },
  RUN_TOKEN_LIMIT: {
    about: 'All sessions together have used limits.max_tokens, as the agents reported them.',
    causes: ['the run used more tokens than you allowed'],
    help: ['allow more: runner config set limits.max_tokens <number>, then: runner loop'],
  },
  RUN_COST_LIMIT: {
    about: 'All sessions together have used limits.max_cost_usd, as the agents reported it.',
    causes: ['the run cost more than you allowed'],
    help: ['allow more: runner config set limits.max_cost_usd <dollars>, then: runner loop'],
  },
  ITERATION_TIMEOUT: {
    about:
      'Agent and guard together used iteration_timeout_secs. The work is committed, and no attempt was used.',
    causes: ['the task is too large for one session', 'the guard is slow', 'the agent hangs'],
    help: [
      'allow more: runner config set iteration_timeout_secs <seconds>',
      'continue instead of stopping: runner config set on_timeout continue',
    ],
  },
  AGENT_MISSING: {
    about: 'The program of the agent, or the script of the scripted agent, was not found.',
    causes: [
      'the agent is not installed',
      'it is not on the PATH of this shell',
      'agent.bin, agent.command or agent.script names a file that does not exist',
    ],
    help: ['run the install command in the hint', 'runner help config'],
  },
  AGENT_FAILING: {
    about: 'agent.max_failures sessions in a row ended without an answer.',
    causes: [
      'the agent crashes at once',
      'its service is down',
      'it never writes the answer it was asked for',
    ],
    help: ['runner log --failed', 'runner loop (the count starts at 0)'],
  },
  AGENT_BLOCKED: {
    about: 'The agent cannot work, and waiting does not help. No attempt was used.',
    causes: [
      'it is not logged in',
      'quota or credit is used up',
      'the model is unknown',
      'its sandbox does not work here',
      'agent.max_wait_secs is used up',
    ],
    help: ['do what the hint says', 'then: runner loop'],
  },
  GUARD_MISSING: {
    about: 'The program of guard.command was not found.',
    causes: ['it is not installed', 'it is not on the PATH of this shell', 'guard.command was never set'],
    help: ['set guard.command in .runner/state/config.toml and commit it', 'install the program'],
  },
  GUARD_NOT_STARTED: {
    about: 'The guard exists but could not be started. This says nothing about the work, so the loop stops.',
    causes: [
      'the file is not executable, or its #! line names a missing program',
      'the session broke or removed the program',
    ],
    help: ['fix the program or guard.command, commit it, then: runner loop'],
  },
  SETUP_FAILED: {
    about:
      'A command of automation.setup failed in the work tree of a background run, took too long, or left files that git does not ignore. No agent was started.',
    causes: [
      'the command needs something that a fresh checkout does not have',
      'the network or a package registry was not there',
      'it makes files that .gitignore does not name',
    ],
    help: [
      'read setup.log: runner run show <run>',
      'copy ignored files into new work trees: name them in .worktreeinclude',
      'runner config set automation.setup \'["npm ci"]\', then start the run again',
    ],
  },
  GUARD_RED: {
    about: 'The guard failed in a fresh clone of the merged files, so the target was not moved.',
    causes: [
      'the target has changes that do not fit to the run',
      'the guard needs files that no commit has',
      'automation.setup is missing or fails',
    ],
    help: [
      'runner update <run>, fix it there, then: runner finish <run>',
      'runner config set automation.setup \'["npm ci"]\' (or what the guard needs)',
    ],
  },
  RUN_OPEN: {
    about: 'Some leaves of the run have not passed.',
    causes: ['the run is still open, stuck or at a limit'],
    help: ['runner loop (to go on)', 'runner finish --partial (to take what there is)', 'runner abandon'],
  },
  SANDBOX_MISSING: {
    about: 'The settings ask for a sandbox, and it cannot be had. Nothing runs without it.',
    causes: [
      'bubblewrap is not installed, is older than 0.8, or does not hold here',
      'docker is not installed, or its engine is not running',
      'there is no image of the name in sandbox.image',
      'a path in sandbox.read or sandbox.write does not exist',
    ],
    help: [
      'see what is missing: runner doctor, runner doctor --sandbox',
      'bubblewrap on Debian and Ubuntu: apt install bubblewrap',
      'build the image in a checkout of runner: docker build -f packaging/docker/Dockerfile -t runner .',
      'go without: runner config set sandbox.kind none',
    ],
  },
  SANDBOX_PATH: {
    about:
      'In the sandbox the name of a program leads to another file than outside, or to none. Nothing runs with the wrong one.',
    causes: ['it is below your home folder, which is empty in the sandbox but for known toolchains'],
    help: [
      'open its folder: runner config set sandbox.read \'["~/tools"]\'',
      'only the guard: runner config set sandbox.guard false',
      'go without: runner config set sandbox.kind none',
    ],
  },
  LOCKED: {
    about:
      'Only one runner may work in a work tree, and only one on an eval batch. The lock of a dead runner is taken over automatically.',
    causes: [
      'runner loop, step, start or eval run is running here',
      'the lock belongs to another host or container',
    ],
    help: [
      'wait, or stop the other runner with the kill command in the hint',
      'git worktree add (a second work tree for a second run)',
    ],
  },
  NESTED: {
    about: 'A command that writes was called from inside a session of a run in the same work tree.',
    causes: ['an agent or a guard called runner', 'RUNNER_RUN_ID is set in your shell'],
    help: ['run it outside the session', 'unset RUNNER_RUN_ID'],
  },
  PROCESS_ALIVE: {
    about:
      'A process of a session could not be ended, or the process list could not be read. The runner touches nothing while the process may still write.',
    causes: ['it belongs to another user', 'it is blocked in the kernel', 'ps is not installed'],
    help: ['run the kill command in the hint, then the same command again'],
  },
  NODE_UNKNOWN: {
    about: 'No node in the tree or in the logs has this id. Case is ignored.',
    causes: ['the id is misspelt', 'the node belongs to another run'],
    help: ['runner tree (every node with its id)'],
  },
  NODE_CLOSED: {
    about: 'The node cannot be changed: it has passed, or it has children.',
    causes: ['the node has passed; passed nodes never change', 'the node is not a leaf'],
    help: ['runner tree (states of all nodes)', 'name an open leaf'],
  },
  LOG_MISSING: {
    about: 'There is no log of this run, iteration or file here. Logs are local; they are not in git.',
    causes: ['a fresh clone', 'the iteration has not ended, or has no such file', 'the number is wrong'],
    help: ['runner log (lists all iterations with a log)'],
  },
  PORT_TAKEN: {
    about: 'Another program uses the port that runner ui needs.',
    causes: ['another runner ui, perhaps of another project', 'any other server'],
    help: ['runner ui --port 0 (picks a free port and prints it)', 'stop the other program'],
  },
  INTERRUPTED: {
    about: 'A signal ended the command. Unfinished work is committed, or the next command finishes it.',
    causes: ['Ctrl-C, SIGTERM or SIGHUP'],
    help: ['run the same command again'],
  },
} as const satisfies Record<string, ErrorText>;
