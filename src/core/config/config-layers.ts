/**
 * Lays environment variables and flags over the values of a file (§9: flag, `RUNNER_*`, file, default). It decides which value
 * counts, not whether it is allowed.
 */
import type { ConfigProblem } from './config-rules.ts';
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
  readonly env: Readonly<Record<string, string | undefined>>;
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
  ...['guard', 'tree', 'review', 'git.run_hooks', 'agent.name', 'agent.model'],
  ...['max_attempts_default', 'iteration_timeout_secs', 'on_stuck'],
  ...['automation.setup', 'automation.setup_timeout_secs'],
]);

/** Overrides by flag or environment that decide verdicts, `key=value` with the value as JSON, in the order of the documents. */
export function renderOverrides({ env, flags }: Pick<Layers, 'env' | 'flags'>): readonly string[] {
  const { value, setBy } = layConfig({ file: {}, env, flags });
  return configKeys
    .filter(({ key }) => setBy.has(key) && (verdictKeys.has(key) || verdictKeys.has(key.replace(/\..*/, ''))))
    .map(({ key }) => `${key}=${JSON.stringify(valueAt(value, key))}`);
}

function valueAt(value: unknown, key: string): unknown {
  return key.split('.').reduce((table, name) => (table as Table | undefined)?.[name], value);
}

/** `RUNNER_*` variables that name no key are not ours (CI systems set some) and are ignored. */
export function applyEnvironment(file: unknown, env: Readonly<Record<string, string | undefined>>): Laid {
  const problems: ConfigProblem[] = [];
  const setBy = new Map<string, string>();
  let value = file;
  for (const { key, kind, variable } of configKeys) {
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
    // Reported below, with what is allowed.
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
