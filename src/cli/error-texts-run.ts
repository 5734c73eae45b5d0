/** What `runner explain <code>` says of the errors about runs, agents, guards and processes. */
import type { ErrorText } from './error-texts-files.ts';

export const runErrorTexts = {
  RUN_NOT_STARTED: {
    about: 'There is a .runner/ here, but no run was begun with it.',
    causes: ['runner start was not run yet'],
    help: ['runner start'],
  },
  RUN_ID_MISMATCH: {
    about: 'GOAL.md names another run than run_state.json. The runner does not choose between them.',
    causes: ['the id in GOAL.md was changed or removed by hand', 'a merge brought GOAL.md of another run'],
    help: ['put the old id back and commit it', 'runner start (begins the run that GOAL.md names)'],
  },
  RUN_UNFINISHED: {
    about: 'An unfinished run exists, and a new one was not asked for.',
    causes: ['runner start on main while the branch of a run is not complete'],
    help: ['git switch runner/<id> (goes on with it)', 'runner start --new'],
  },
  RUN_COMPLETE: {
    about: 'Every node of this run has passed. A new goal needs a new id.',
    causes: ['runner start with the id of a complete run'],
    help: ["give .runner/GOAL.md a new id, or remove its 'id:' line, then: runner start"],
  },
  ITERATION_LIMIT: {
    about: 'The run has used max_iterations. The counter is never set back.',
    causes: ['the goal takes more iterations than allowed', 'sessions fail again and again without progress'],
    help: [
      'look at the last iterations under .runner/iterations/',
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
      'Agent and guard together used up iteration_timeout_secs. What there was is committed; no attempt was used.',
    causes: ['the task is too large for one session', 'the guard takes long', 'the agent hangs'],
    help: [
      'allow more: runner config set iteration_timeout_secs <seconds>',
      'go on instead of stopping: runner config set on_timeout continue',
    ],
  },
  AGENT_MISSING: {
    about: 'The program of the agent, or the script of the scripted one, was not found.',
    causes: [
      'the agent is not installed',
      'it is not on the PATH of this shell',
      'agent.bin, agent.command or agent.script names nothing',
    ],
    help: ['the install command of the hint', 'runner help config'],
  },
  AGENT_FAILING: {
    about: 'agent.max_failures sessions in a row ended without an answer.',
    causes: [
      'the agent crashes at once',
      'its service is down',
      'it never writes the answer it was asked for',
    ],
    help: [
      'executor.log of the last iteration under .runner/iterations/',
      'runner loop (the count starts anew)',
    ],
  },
  AGENT_BLOCKED: {
    about: 'The agent cannot work, and waiting does not help. No attempt was used.',
    causes: [
      'it is not logged in',
      'quota or credit is used up',
      'the model is unknown',
      'its sandbox does not work here',
      'agent.max_wait_secs is over',
    ],
    help: ['the hint names what this agent needs', 'runner loop, when it is mended'],
  },
  GUARD_MISSING: {
    about: 'The program of guard.command was not found.',
    causes: ['it is not installed', 'it is not on the PATH of this shell', 'guard.command was never set'],
    help: ['set guard.command in .runner/state/config.toml and commit it', 'install the program'],
  },
  GUARD_NOT_STARTED: {
    about:
      'The guard was found and yet could not be started. That says nothing about the work, so the loop stops.',
    causes: [
      'the file is not executable, or its #! line names nothing',
      'the session broke or removed the program',
    ],
    help: ['mend the program or guard.command, commit it, then: runner loop'],
  },
  LOCKED: {
    about:
      'One runner at a time works in a work tree, and one on a batch of an eval. The lock of a dead one is taken over by itself.',
    causes: [
      'a runner loop, step, start or eval run is running here',
      'the lock is of another host or container',
    ],
    help: [
      'wait until it is done, or stop it with the kill command of the hint',
      'git worktree add (a work tree of its own for a second run)',
    ],
  },
  NESTED: {
    about: 'A command that writes was called from inside a session of a run in the same work tree.',
    causes: ['an agent or a guard called runner', 'RUNNER_RUN_ID is set in your shell'],
    help: ['leave the session first', 'unset RUNNER_RUN_ID'],
  },
  PROCESS_ALIVE: {
    about:
      'A process of a session could not be ended, or the list of processes could not be read. Nothing else is touched while it may still write.',
    causes: ['it belongs to another user', 'it hangs in the kernel', 'ps is not installed'],
    help: ['the kill command of the hint, then the same command again'],
  },
  NODE_UNKNOWN: {
    about: 'No node of the tree, and none of the logs, has this id. Ids are compared without case.',
    causes: ['the id is misspelt', 'the node is part of another run'],
    help: ['runner tree (every node with its id)'],
  },
  NODE_CLOSED: {
    about:
      'The node cannot be changed any more, or not like this: it has passed, or it has children whose turn it is.',
    causes: ['the node has passed; passed nodes never change', 'the node is not a leaf'],
    help: ['runner tree (states of all nodes)', 'name an open leaf'],
  },
  LOG_MISSING: {
    about: 'There is no log of this run, iteration or file here. Logs are local: git does not carry them.',
    causes: ['a fresh clone', 'the iteration has not ended, or never had such a file', 'the number is wrong'],
    help: ['runner log (every iteration whose log is here)'],
  },
  PORT_TAKEN: {
    about: 'Another program listens on the port that `runner ui` was to use.',
    causes: ['another runner ui, perhaps of another project', 'any other server'],
    help: ['runner ui --port 0 (any free port; it prints which)', 'end the other program'],
  },
  INTERRUPTED: {
    about: 'A signal ended the command. What was begun is committed, or finished by the next command.',
    causes: ['Ctrl-C, SIGTERM or SIGHUP'],
    help: ['the same command again'],
  },
} as const satisfies Record<string, ErrorText>;
