/**
 * The scripts of a package.json (§14): reading them, and laying those of one version over another. The rest of the file, which honest
 * work changes all the time, is left alone.
 */
import { isObject } from '../text/is-object.ts';

/** With the settings that say which shell runs a script, or which program runs instead. */
export const packageRunners = new Map([
  ['npm', ['.npmrc']],
  ['pnpm', ['.npmrc']],
  ['yarn', ['.yarnrc', '.yarnrc.yml']],
  ['bun', ['bunfig.toml']],
]);

/** The script that a call of one of these names. */
export function scriptOf(
  words: readonly string[],
  program: string,
): { readonly script: string; readonly isGuess: boolean } | null {
  const [first, second] = words;
  if (first === undefined) return null;
  if (['run', 'run-script', 'rum', 'urn'].includes(first))
    return second === undefined ? null : { script: second, isGuess: false };
  if (['test', 't', 'tst'].includes(first)) return { script: 'test', isGuess: false };
  return program === 'npm' && first !== 'start' ? null : { script: first, isGuess: true };
}

/** Whether git leaves out installed packages, by a `.gitignore`. */
export function ignoresModules(text: string): boolean {
  return /^\/?(?:\*\*\/)?node_modules(?:\/\**)?[ \t\r]*$/m.test(text);
}

/** By name; null: it is no package.json that npm could read. */
export function scriptsOf(text: string): ReadonlyMap<string, string> | null {
  const json = parseObject(text);
  if (json === null) return null;
  const texts = Object.entries(objectAt(json, 'scripts') ?? {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return new Map(texts);
}

export interface Laying {
  readonly reference: string;
  readonly present: string;
  readonly names: readonly string[];
}

/** Whether these scripts are the same in both. */
export function isSameScripts({ reference, present, names }: Laying): boolean {
  const [before, now] = [scriptsOf(reference), scriptsOf(present)];
  if (before === null || now === null) return reference === present;
  return names.every((name) => before.get(name) === now.get(name));
}

/** The present file with these scripts as they were; a file that cannot be read gives way to the reference as a whole. */
export function layScripts({ reference, present, names }: Laying): string {
  const before = scriptsOf(reference);
  const json = parseObject(present);
  if (before === null || json === null) return reference;
  const entries = Object.entries(objectAt(json, 'scripts') ?? {});
  const added = names.filter((name) => !entries.some(([known]) => known === name));
  const laid = [...entries, ...added.map((name) => [name, null] as const)].flatMap(([name, text]) => {
    const wanted: unknown = names.includes(name) ? before.get(name) : text;
    return wanted === undefined ? [] : [[name, wanted] as const];
  });
  const scripts = Object.fromEntries(laid);
  const indent = /^[ \t]+(?=")/m.exec(present)?.[0] ?? '  ';
  return `${JSON.stringify({ ...json, scripts }, null, indent)}\n`;
}

/** npm itself reads it so: a key given twice counts as it was given last. */
function parseObject(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function objectAt(json: object, key: string): object | null {
  const value: unknown = Object.getOwnPropertyDescriptor(json, key)?.value;
  return isObject(value) ? value : null;
}
