/**
 * The secrets of this machine that the runner knows: values of secret-looking variables and of the agents' login files, in every
 * form in which a program may print them. Reads the files of the agents; keeps and prints nothing.
 */
import { isPlaceName, isSecretName } from '../../core/agents/environment-rules.ts';
import { redactor } from '../../core/text/redact.ts';
import type { Redactor } from '../../core/text/redact.ts';
import type { Env } from '../../core/types.ts';
import { parseTomlText } from '../files/toml-text.ts';
import { allCredentialNames } from '../processes/credential-names.ts';
import { homePath, loadOwnFile, loginPath } from './credentials.ts';
import { executorTable } from './executors/table.ts';

/** Shorter ones are found in the middle of ordinary words (§14). */
const secretLengthMin = 8;

/** Keys of login files that hold a secret themselves, or only secrets. */
const secretKey = /token|key(?!Helper)|secret|passw|access|refresh|credential|cookie|jwt|authorization/i;
/** `env_key` names a variable. */
const namesVariable = /^env_/;
const secretFolder = /tokens|credentials|secrets/i;
/** A scope, an address, a time or a sentence is none. */
const noSecret = /^(?:https?:|\d{4}-\d\d-\d\d|[a-z]+:[a-z:_.]+$)|\s/i;
/** Words of the runner's own formats: hiding them would break an answer. */
const ownWords: ReadonlySet<string> = new Set(['decomposed', 'children', 'acceptance']);

export function secretValues(env: Env): readonly string[] {
  const variables = Object.keys(env).filter(holdsSecret);
  const values = variables.flatMap((name) => valuesOf(env[name] ?? ''));
  return [...new Set([...values, ...loginFiles(env).flatMap(loginValues)].flatMap(formsOf))];
}

/** Asked anew for each text: an agent may have renewed its login meanwhile. What was secret once stays secret. */
export function secretRedactor(env: Env): () => Redactor {
  const known = new Set<string>();
  let current: Redactor | null = null;
  return () => {
    const before = known.size;
    for (const value of secretValues(env)) known.add(value);
    if (current === null || known.size > before) current = redactor([...known]);
    return current;
  };
}

function holdsSecret(name: string): boolean {
  return (allCredentialNames.has(name) || isSecretName(name)) && !isPlaceName(name);
}

/** A variable may hold a whole login file. */
function valuesOf(value: string): readonly string[] {
  return value.trimStart().startsWith('{') ? [value, ...loginValues(value)] : [value];
}

/** Of login and settings files. */
function loginFiles(env: Env): readonly string[] {
  const specs = Object.values(executorTable(null));
  const sources = specs.flatMap(({ credentials }) => credentials);
  const paths = new Set([
    ...sources.flatMap((source) => loginPath(source, env) ?? []),
    ...specs.flatMap(({ sandboxFiles: files = [] }) => files.map((file) => homePath(file, env))),
    ...specs.flatMap(({ userSettings }) =>
      userSettings === undefined ? [] : [homePath(userSettings.file, env)],
    ),
  ]);
  return [...paths].flatMap((path) => loadOwnFile(path) ?? []);
}

/** A file that is neither JSON nor TOML is one secret. */
function loginValues(text: string): readonly string[] {
  try {
    return leavesOf(JSON.parse(text), { isSecret: false });
  } catch {
    const toml = parseTomlText(text);
    return toml.ok ? leavesOf(toml.value, { isSecret: false }) : [text.trim()];
  }
}

function leavesOf(value: unknown, { isSecret }: { readonly isSecret: boolean }): readonly string[] {
  if (typeof value === 'string') {
    const bare = value.replace(/^(?:Bearer|Basic) /i, '');
    return isSecret && !noSecret.test(bare) ? [bare] : [];
  }
  if (typeof value !== 'object' || value === null) return [];

  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) => {
    const names = typeof inner === 'object' ? secretFolder : secretKey;
    return leavesOf(inner, { isSecret: isSecret || (names.test(key) && !namesVariable.test(key)) });
  });
}

/** Plain, in a JSON text, in an address, in base64 wherever it begins, and in hexadecimal. */
function formsOf(value: string): readonly string[] {
  if (value.length < secretLengthMin || ownWords.has(value)) return [];

  const bytes = Buffer.from(value);
  return [
    value,
    // As the bytes of a log are read.
    bytes.toString('latin1'),
    ...linesOf(value),
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value),
    ...[0, 1, 2].flatMap((before) => base64Of(bytes, before)),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
  ];
}

/** Of a value over several lines each line is one: a log shows them one below the other. */
function linesOf(value: string): readonly string[] {
  const lines = value.split(/\r?\n/);
  return lines.length === 1
    ? []
    : lines.map((line) => line.trim()).filter((line) => !/^-----|^\W*$/.test(line));
}

/** Without the characters that also depend on the bytes around the value. */
function base64Of(bytes: Buffer, before: number): readonly string[] {
  const padded = Buffer.concat([Buffer.alloc(before), bytes]);
  const start = Math.ceil((before * 8) / 6);
  const end = Math.floor((padded.length * 8) / 6);
  return (['base64', 'base64url'] as const).map((form) => padded.toString(form).slice(start, end));
}
