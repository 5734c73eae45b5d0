/** The `config.toml` that `init` writes. It holds no behaviour but where the guard's command and the setup go. */

/** What `init` writes: every key with its default as a comment, set only where it differs from the default. */
export function renderDefaultConfig({
  guardCommand,
  setup = [],
}: {
  readonly guardCommand: readonly string[];
  readonly setup?: readonly string[];
}): string {
  const isDefault = guardCommand.length === 2 && guardCommand[0] === 'just' && guardCommand[1] === 'ci';
  return template
    .replace('@guard_command@', () => `${isDefault ? '# ' : ''}command = ${renderList(guardCommand)}`)
    .replace('@setup@', () => `${setup.length === 0 ? '# ' : ''}setup = ${renderList(setup)}`);
}

function renderList(words: readonly string[]): string {
  return JSON.stringify(words).replaceAll('","', '", "');
}

const template = `#:schema ./config.schema.json
# Settings of runner. A line that starts with "# name =" shows the default; remove the "# " to change it.
# An environment variable RUNNER_<NAME> (agent.name: RUNNER_AGENT_NAME) overrides a setting, a flag overrides both.

# Iterations a run may use in total.
# max_iterations = 50
# Attempts a new node gets.
# max_attempts_default = 3
# Seconds one iteration may take, agent and guard together.
# iteration_timeout_secs = 1800
# Bytes kept of each log; head and tail stay.
# executor_output_limit_bytes = 1000000
# guard_output_limit_bytes = 1000000
# Bytes a prompt may have.
# prompt_budget_bytes = 40000
# When a leaf has used up its attempts: "stop", "defer" (go on with the next) or "decompose" (ask once to split it).
# on_stuck = "stop"
# When an iteration runs out of time: "stop" or "continue".
# on_timeout = "stop"

[agent]
# "codex", "claude", "opencode", "gemini", "qwen", "copilot", "pi", "droid", "command" (your own program) or "scripted"
# (recorded answers).
# name = "codex"
# Not set: the agent's own default model.
# model = "example-model"
# How hard it thinks, in its own words. Not set: the agent's own default.
# effort = "high"
# Not set: the agent's usual program.
# bin = "/path/to/program"
# extra_args = []
# Names of environment variables the agent gets although they look like secrets.
# env = []
# Only for name = "command".
# command = ["./my-agent"]
# Only for name = "scripted".
# script = "answers.json"
# What the agent may write: "workspace" (codex only, its default) or "full" (default of the others).
# permissions = "full"
# Only for name = "claude". Not set: it may do everything.
# permission_mode = "acceptEdits"
# Seconds of silence that end a session, 0: off. Not set: off for command and scripted, 1200 for opencode, 600 for the others.
# idle_timeout_secs = 600
# Failed sessions in a row that stop the loop.
# max_failures = 5
# Seconds an iteration may wait for an agent that is rate limited, overloaded or offline, 0: never wait.
# max_wait_secs = 21600

[agent.plan]
# For planning sessions: the root's first, on_stuck = "decompose", repairs of the tree. Not set: as for all others.
# model = "example-model"
# Not set: as for all others.
# effort = "high"

[agent.escalate]
# For a leaf that has failed often. Not set: as for all others.
# model = "example-model"
# Not set: as for all others.
# effort = "high"
# Attempts such a leaf has used.
# after_attempts = 2

[limits]
# Not set: no limit. Seconds all iterations of a run may take together.
# max_run_secs = 86400
# Not set: no limit. Tokens all sessions of a run may use, where the agent reports them.
# max_tokens = 10000000
# Not set: no limit. US dollars all sessions of a run may cost, where the agent reports them.
# max_cost_usd = 25.0

[guard]
# The check: program and arguments, no shell. Exit code 0 and nothing else means passed.
@guard_command@
# Not set: only the iteration budget bounds the check.
# timeout_secs = 600
# Whether "runner start" runs the check once, so that old failures are not blamed on the agent.
# baseline = true
# "done" without any change: "confirm" (ask once), "reject" (a retry) or "allow" (the check decides).
# empty_change = "confirm"
# Globs of the check's own files. Not set: the file the command names, justfile, Makefile, the scripts it runs of package.json.
# protect = ["ci/**"]
# When one of them changes: "ratchet" (the check must be green with the old version, too), "protect" (put back) or "open".
# policy = "ratchet"
# Globs of test files. Not set: usual names of tests.
# tests = ["test/**"]
# When the check also runs in a fresh clone: "auto", "off", "final" (before the root passes) or "every".
# checkout = "auto"
# Whether a pass is tried without its change, where the check must fail: "off", "record" or "require".
# counterfactual = "off"
# Names of environment variables the check gets although they look like secrets.
# env = []

[automation]
# Shell commands that make a fresh checkout ready for the check.
@setup@
# Seconds each of them may take.
# setup_timeout_secs = 900
# Background runs at work at once. Not set: one for each processor.
# max_parallel = 2

[sandbox]
# Folder for the work trees of background runs. Not set: in the user's state folder.
# root = "/var/tmp/runs"
# What agent, reviewer, setup and check run in: "bwrap", "docker" (a container each), "none", or "auto" (bwrap where it holds).
# kind = "auto"
# Image of the containers.
# image = "runner"
# Whether agent, reviewer and setup have a network there.
# network = true
# Not set: as the check is green when the run starts. Whether it runs there.
# guard = true
# Not set: the same. Whether the check has a network there.
# guard_network = false
# Further paths that can be read there, and that can be written to.
# read = []
# write = []
# Megabytes of memory, and processes and threads at once.
# memory_mb = 8192
# max_processes = 2048

[review]
# Not set: no review. Agent that reviews work after a green check.
# agent = "claude"
# Not set: the reviewer's own default model.
# model = "example-model"
# Not set: the reviewer's own default effort.
# effort = "high"
# Not set: as for the agent, if it is the same one.
# bin = "/path/to/program"
# Not set: as for the agent, if it is the same one.
# extra_args = ["--verbose"]
# Not set: as for the agent, if it is the same one.
# env = ["NAME"]

[tree]
# Whether the agent may remove open nodes.
# allow_removal = false
# Sessions spent on repairing an invalid tree.
# max_repairs = 2

[git]
# Whether your hooks run on the runner's commits, and whether these are signed.
# run_hooks = false
# sign = false
# Not set: nothing is pushed. Remote that gets the run branch after each iteration.
# push = "origin"

[notify]
# Not set: no message is sent. Program that gets a JSON message on its standard input when a loop ends.
# command = ["notify-send", "runner"]
`;
