/**
 * The text of the `config.toml` that `init` writes, and how environment variables and flags are laid over a file's values
 * (§9: flag, `RUNNER_*`, file, default). It reads no file and knows no TOML syntax beyond what it writes itself.
 */
import { parseConfig } from './config.ts';
import type { ConfigProblem } from './config.ts';
import { configKeys } from './config-schema.ts';
import type { ValueKind } from './config-schema.ts';
import { violationsShownMax } from './limits.ts';
import type { Config } from './types.ts';

/** A value given on the command line for a dotted key; `flag` is how messages call it (`--prompt-budget`). */
export interface ConfigFlag {
  readonly flag: string;
  readonly key: string;
  readonly value: unknown;
}

export interface ConfigLayers {
  /** What the TOML file holds, already parsed. */
  readonly file: unknown;
  /** The file's text, only to name lines; empty when there is none. */
  readonly text: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags: readonly ConfigFlag[];
}

export type LayeredConfig =
  | { readonly ok: true; readonly config: Config }
  /** `problems` are the first of `count`: finding the line of each reads the whole file. */
  | { readonly ok: false; readonly count: number; readonly problems: readonly string[] };

type Table = Readonly<Record<string, unknown>>;
interface Laid {
  readonly value: unknown;
  readonly problems: readonly ConfigProblem[];
  /** Who set a key, where it was not the file. */
  readonly setBy: ReadonlyMap<string, string>;
}

/** File, then environment, then flags; every problem names its key and the line, variable or flag it comes from. */
export function parseLayeredConfig(layers: ConfigLayers): LayeredConfig {
  const fromEnv = applyEnvironment(layers.file, layers.env);
  const laid = applyFlags(fromEnv, layers.flags);
  const parsed = parseConfig(laid.value);
  if (parsed.ok && laid.problems.length === 0) return { ok: true, config: parsed.config };
  const problems = [...laid.problems, ...(parsed.ok ? [] : parsed.problems)];
  const shown = problems.slice(0, violationsShownMax).map((problem) => {
    const setBy = laid.setBy.get(problem.key.replace(/\[\d+\]$/, ''));
    const line = findKeyLine(layers.text, problem.key);
    const place = setBy ?? (line === null ? null : `line ${line}`);
    return `${problem.key}${place === null ? '' : ` (${place})`}: ${problem.message}`;
  });
  const more = problems.length - shown.length;
  return {
    ok: false,
    count: problems.length,
    problems: more > 0 ? [...shown, `and ${more} more`] : shown,
  };
}

/** Which variable or flag sets a key, where it is not the file or the default. */
export function listOverrides({ file, env, flags }: ConfigLayers): ReadonlyMap<string, string> {
  return applyFlags(applyEnvironment(file, env), flags).setBy;
}

/** `RUNNER_AGENT_NAME` for `agent.name`. Other `RUNNER_*` variables are not ours (CI systems set some) and are ignored. */
export function variableName(key: string): string {
  return `RUNNER_${key.replaceAll('.', '_').toUpperCase()}`;
}

export function applyEnvironment(file: unknown, env: Readonly<Record<string, string | undefined>>): Laid {
  const problems: ConfigProblem[] = [];
  const setBy = new Map<string, string>();
  let value = file;
  for (const { key, kind } of configKeys) {
    const variable = variableName(key);
    const text = env[variable];
    // An empty variable is how shells and CI systems spell "not set".
    if (text === undefined || text === '') continue;
    setBy.set(key, variable);
    const read = readVariable(text, kind);
    if (read.ok) value = withKey(value, { key, item: read.item });
    else problems.push({ key, message: read.message });
  }
  return { value, problems, setBy };
}

function applyFlags(laid: Laid, flags: readonly ConfigFlag[]): Laid {
  const setBy = new Map(laid.setBy);
  let { value } = laid;
  for (const { flag, key, value: item } of flags) {
    setBy.set(key, flag);
    value = withKey(value, { key, item });
  }
  // A flag decides over a variable, so a bad variable under it does no harm.
  const overruled = new Set(flags.map(({ key }) => key));
  return { value, problems: laid.problems.filter(({ key }) => !overruled.has(key)), setBy };
}

export type ReadVariable =
  | { readonly ok: true; readonly item: unknown }
  | { readonly ok: false; readonly message: string };

/** The text of a variable or an argument as a value of the key's kind. */
export function readVariable(text: string, kind: ValueKind): ReadVariable {
  switch (kind) {
    case 'text':
      return { ok: true, item: text };
    case 'boolean':
      if (text === 'true' || text === 'false') return { ok: true, item: text === 'true' };
      return { ok: false, message: 'must be true or false' };
    case 'integer':
      if (/^-?\d{1,15}$/.test(text)) return { ok: true, item: Number(text) };
      return { ok: false, message: 'must be a whole number' };
    case 'number':
      if (/^-?\d{1,15}(?:\.\d{1,15})?$/.test(text)) return { ok: true, item: Number(text) };
      return { ok: false, message: 'must be a number' };
    case 'list':
      return readList(text);
  }
}

function readList(text: string): ReadVariable {
  try {
    const item: unknown = JSON.parse(text);
    if (Array.isArray(item)) return { ok: true, item };
  } catch {
    // Told below, with what would be right.
  }
  return { ok: false, message: 'must be a JSON list, e.g. ["just","ci"]' };
}

/** Where the file has something else than a table the value stays as it is, and the parser names that. */
function withKey(value: unknown, { key, item }: { key: string; item: unknown }): unknown {
  if (!isTable(value)) return value;
  const dot = key.indexOf('.');
  if (dot === -1) return { ...value, [key]: item };
  const section = key.slice(0, dot);
  const name = key.slice(dot + 1);
  const table = value[section] ?? {};
  return isTable(table) ? { ...value, [section]: { ...table, [name]: item } } : value;
}

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The line (from 1) that sets the key, or its table when that is written inline; null when neither is found. */
export function findKeyLine(text: string, key: string): number | null {
  const wanted = key.replaceAll(/\[\d+\]$/g, '');
  let table = '';
  let section: number | null = null;
  for (const [index, line] of text.split('\n').entries()) {
    const header = /^\s*\[\s*([^[\]]+?)\s*\]/.exec(line)?.[1];
    if (header !== undefined) table = `${header}.`;
    const name = /^\s*([\w.-]+)\s*=/.exec(line)?.[1];
    if (name === undefined) continue;
    const full = `${table}${name}`;
    if (full === wanted) return index + 1;
    if (wanted.startsWith(`${full}.`)) section = index + 1;
  }
  return section;
}

/** What `init` writes: every key with its default as a comment, set only where it differs from the default. */
export function renderDefaultConfig({ guardCommand }: { readonly guardCommand: readonly string[] }): string {
  const command = JSON.stringify(guardCommand).replaceAll('","', '", "');
  const isDefault = guardCommand.length === 2 && guardCommand[0] === 'just' && guardCommand[1] === 'ci';
  return template.replace('@guard_command@', () => `${isDefault ? '# ' : ''}command = ${command}`);
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
# Not set: the agent's usual program.
# bin = "/path/to/program"
# extra_args = []
# Names of environment variables the agent gets beyond the base list.
# env = []
# Only for name = "command".
# command = ["./my-agent"]
# Only for name = "scripted".
# script = "answers.json"
# What the agent may write: "workspace" (codex only, its default) or "full" (default of the others).
# permissions = "full"
# Seconds of silence that end a session, 0: off. Not set: off for command and scripted, 1200 for opencode, 600 for the others.
# idle_timeout_secs = 600
# Failed sessions in a row that stop the loop.
# max_failures = 5
# Seconds an iteration may wait for an agent that is rate limited, overloaded or offline, 0: never wait.
# max_wait_secs = 21600

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
# Globs of files the agent may not change.
# protect = []

[review]
# Not set: no review. Agent that reviews work after a green check.
# agent = "claude"
# Not set: the reviewer's own default model.
# model = "example-model"

[tree]
# Whether the agent may remove open nodes.
# allow_removal = false
# Sessions spent on repairing an invalid tree.
# max_repairs = 2

[git]
# Whether your hooks run on the runner's commits, and whether these are signed.
# run_hooks = false
# sign = false

[notify]
# Not set: nobody is told. Program that gets a JSON message on its standard input when a loop ends.
# command = ["notify-send", "runner"]
`;
