/**
 * Lays environment variables and flags over the values of a file (§9: flag, `RUNNER_*`, file, default). It decides which value
 * counts, not whether it is allowed.
 */
import { isObject } from '../text/is-object.ts';
import type { Env } from '../types.ts';
import type { ConfigProblem } from './config-rules.ts';
import { parseStrictJson } from '../text/strict-json.ts';
import { configKeys } from '../settings.js';
import type { ValueKind } from '../settings.js';

/** A value given on the command line for a dotted key; `flag` is how messages call it (`--prompt-budget`). */
export interface ConfigFlag {
  readonly flag: string;
  readonly key: string;
  readonly value: unknown;
}

export interface Layers {
  /** What the TOML file holds, already parsed. */
  readonly file: unknown;
  readonly env: Env;
  readonly flags: readonly ConfigFlag[];
}

export interface ConfigLayers extends Layers {
  /** The file's text, only to name lines; empty when there is none. */
  readonly text: string;
}

type Table = Readonly<Record<string, unknown>>;
export interface Laid {
  readonly value: unknown;
  readonly problems: readonly ConfigProblem[];
  /** Who set a key, where it was not the file. */
  readonly setBy: ReadonlyMap<string, string>;
}

export function layConfig({ file, env, flags }: Layers): Laid {
  return applyFlags(applyEnvironment(file, env), flags);
}

/** Keys and tables on which it depends how an iteration is judged (§15). */
const verdictKeys: ReadonlySet<string> = new Set([
  ...['guard', 'tree', 'review', 'git.run_hooks', 'agent.name', 'agent.model', 'agent.effort'],
  ...['agent.plan', 'agent.escalate'],
  ...['max_attempts_default', 'iteration_timeout_secs', 'on_stuck'],
  ...[
    'automation.setup',
    'automation.setup_timeout_secs',
    'sandbox.kind',
    'sandbox.image',
    'sandbox.network',
  ],
  ...['sandbox.guard', 'sandbox.guard_network', 'sandbox.read', 'sandbox.write', 'agent.permissions'],
]);

/** Overrides by flag or environment that decide verdicts, `key=value` with the value as JSON, in the order of the documents. */
export function renderOverrides({ env, flags }: Pick<Layers, 'env' | 'flags'>): readonly string[] {
  const { value, setBy } = layConfig({ file: {}, env, flags });
  return configKeys
    .filter(({ key }) => setBy.has(key) && decidesVerdicts(key))
    .map(({ key }) => renderPlain(`${key}=${JSON.stringify(valueAt(value, key))}`));
}

/** In JSON, what a line of a message would not keep: of several blanks all but one, and what nobody sees. */
function renderPlain(line: string): string {
  const escape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return line.replaceAll(/[^ -~]|(?<= ) /g, escape);
}

/** The lines of `renderOverrides` as flags. A value that is no JSON is null, which no setting can be. */
export function readOverrides(settings: readonly string[]): readonly ConfigFlag[] {
  return settings.map((setting) => {
    const end = setting.indexOf('=');
    const json = parseStrictJson(setting.slice(end + 1));
    return { flag: 'Runner-Setting', key: setting.slice(0, end), value: json.ok ? json.value : null };
  });
}

function decidesVerdicts(key: string): boolean {
  const parts = key.split('.');
  return parts.some((_part, at) => verdictKeys.has(parts.slice(0, at + 1).join('.')));
}

function valueAt(value: unknown, key: string): unknown {
  return key.split('.').reduce((table, name) => (table as Table | undefined)?.[name], value);
}

interface Alias {
  readonly variable: string;
  readonly key: string;
  /** Values by other names. */
  readonly values?: Readonly<Record<string, string>>;
  /** A list may also be written as words with blanks between them. */
  readonly isWords?: boolean;
}

const executors = { local: 'none', docker: 'docker' };

/** Further names of variables (§13.7): those of the background runner that came before, and names for several settings' sake. */
const variableAliases: readonly Alias[] = [
  { variable: 'RUN_LOOP_AGENT', key: 'agent.name' },
  { variable: 'RUN_LOOP_AGENT_BIN', key: 'agent.bin' },
  { variable: 'RUN_LOOP_AGENT_MODEL', key: 'agent.model' },
  { variable: 'RUN_LOOP_AGENT_EXTRA_ARGS', key: 'agent.extra_args', isWords: true },
  { variable: 'RUNNER_CLAUDE_PERMISSION_MODE', key: 'agent.permission_mode' },
  { variable: 'RUN_LOOP_CLAUDE_PERMISSION_MODE', key: 'agent.permission_mode' },
  { variable: 'RUNNER_EXECUTOR', key: 'sandbox.kind', values: executors },
  { variable: 'RUN_LOOP_EXECUTOR', key: 'sandbox.kind', values: executors },
];

/** `RUNNER_*` variables that name no key are not ours (CI systems set some) and are ignored. */
export function applyEnvironment(file: unknown, env: Env): Laid {
  const problems: ConfigProblem[] = [];
  const setBy = new Map<string, string>();
  let value = file;
  for (const { key, kind, variable } of configKeys) {
    const names = [{ variable, key }, ...variableAliases.filter((alias) => alias.key === key)];
    // An empty variable is how shells and CI systems spell "not set".
    const given = names.filter((name) => (env[name.variable] ?? '') !== '');
    const [first, ...others] = given.map((name) => readNamed(String(env[name.variable]), name, kind));
    if (first === undefined) continue;
    setBy.set(key, given.map((name) => name.variable).join(', '));
    const differs = others.some((other) => JSON.stringify(other) !== JSON.stringify(first));
    if (differs) problems.push({ key, message: 'these variables mean the same setting and differ' });
    else if (first.ok) value = withKey(value, { key, item: first.item });
    else problems.push({ key, message: first.message });
  }
  return { value, problems, setBy };
}

function readNamed(
  text: string,
  { values, isWords }: Omit<Alias, 'variable' | 'key'>,
  kind: ValueKind,
): ReadVariable {
  if (isWords === true && !text.trimStart().startsWith('['))
    return { ok: true, item: text.split(/\s+/u).filter((word) => word !== '') };
  if (values === undefined) return readVariable(text, kind);
  const item = Object.entries(values).find(([name]) => name === text)?.[1];
  const names = Object.keys(values).map((name) => `"${name}"`);
  return item === undefined
    ? { ok: false, message: `must be one of ${names.join(', ')}` }
    : { ok: true, item };
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
    // Reported below, with what is allowed.
  }
  return { ok: false, message: 'must be a JSON list, e.g. ["just","ci"]' };
}

/** Where the file has something else than a table the value stays as it is, and the parser names that. */
function withKey(value: unknown, { key, item }: { key: string; item: unknown }): unknown {
  if (!isObject(value)) return value;
  const [name, ...rest] = key.split('.') as [string, ...string[]];
  if (rest.length === 0) return { ...value, [name]: item };
  return { ...value, [name]: withKey(value[name] ?? {}, { key: rest.join('.'), item }) };
}
