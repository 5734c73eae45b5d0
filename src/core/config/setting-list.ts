/** Lists every setting with its effective value and origin (§9), and parses a value as people type it. Reads nothing itself. */
import { shellWord } from '../text/shell-word.ts';
import { canonicalText } from '../tree/canonical-json.ts';
import { applySetting, findSettingLine, removeSetting } from './config-edit.ts';
import type { SettingValue } from './config-edit.ts';
import { layConfig, readVariable } from './config-layers.ts';
import type { ConfigLayers } from './config-layers.ts';
import { suggestKey } from './config.ts';
import { configKeys } from '../settings.js';
import type { ValueKind } from '../settings.js';
import type { Config } from '../types.ts';

export type SettingOrigin =
  | { readonly kind: 'default' }
  | { readonly kind: 'file'; readonly line: number }
  | { readonly kind: 'environment'; readonly variable: string }
  | { readonly kind: 'flag'; readonly flag: string };

const kinds: ReadonlyMap<string, ValueKind> = new Map(configKeys.map(({ key, kind }) => [key, kind]));

export interface Setting {
  readonly key: string;
  /** Null: not set, and there is no default. */
  readonly value: SettingValue | null;
  readonly origin: SettingOrigin;
}

/** In the order of the documents. `config` is the result of the layers. */
export function listSettings(layers: ConfigLayers, config: Config): readonly Setting[] {
  const overrides = layConfig(layers).setBy;
  return configKeys.map(({ key }) => {
    const setBy = overrides.get(key);
    const line = findSettingLine(layers.text, key);
    return { key, value: valueOf(config, key), origin: originOf(setBy, line) };
  });
}

function originOf(setBy: string | undefined, line: number | null): SettingOrigin {
  if (setBy?.startsWith('--') === true) return { kind: 'flag', flag: setBy };
  if (setBy !== undefined) return { kind: 'environment', variable: setBy };
  return line === null ? { kind: 'default' } : { kind: 'file', line };
}

export function renderOrigin(origin: SettingOrigin): string {
  switch (origin.kind) {
    case 'default':
      return 'default';
    case 'file':
      return `file:.runner/state/config.toml:${origin.line}`;
    case 'environment':
      return `env:${origin.variable}`;
    case 'flag':
      return `flag:${origin.flag}`;
  }
}

function valueOf(config: Config, key: string): SettingValue | null {
  const read = (table: unknown, name: string): unknown =>
    Object.getOwnPropertyDescriptor(table, name)?.value as unknown;
  return key.split('.').reduce<unknown>(read, config) as SettingValue | null;
}

/** What is wrong with the name of a key, or null. */
export function checkKey(key: string): string | null {
  if (kinds.has(key)) return null;
  const near = suggestKey(key);
  return `there is no setting '${key}'${near === null ? '' : `; did you mean ${near}?`}`;
}

export type SettingEdit =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly message: string };

/** The file's text with a known key set to what was typed; null takes it out. Bounds are for the check of the whole file. */
export function editSetting(
  text: string,
  { key, typed }: { readonly key: string; readonly typed: string | null },
): SettingEdit {
  if (typed === null) return { ok: true, text: removeSetting(text, key) };
  const kind = kinds.get(key) as ValueKind;
  const read = readVariable(kind === 'text' ? unquoted(typed) : typed, kind);
  if (!read.ok) return { ok: false, message: `${key} ${read.message}, not '${typed}'` };
  const value = read.item as SettingValue;
  if (kind === 'list' && !(value as readonly unknown[]).every((item) => typeof item === 'string'))
    return { ok: false, message: `${key} must be a list of texts, not '${typed}'` };

  return { ok: true, text: applySetting(text, key, value) };
}

/** A list as it has to be typed, of words that were typed without brackets; null: the key takes no list, or the words may be more than words. */
export function renderTypedList(key: string, typed: string): string | null {
  if (kinds.get(key) !== 'list' || !/^\w[\w./:=@%+, -]*$/u.test(typed)) return null;
  return `runner config set ${key} ${shellWord(JSON.stringify(typed.split(/[ ,]+/u).filter((word) => word !== '')))}`;
}

/** Texts may be typed bare; in quotes they are taken as TOML would. */
function unquoted(typed: string): string {
  if (!typed.startsWith('"')) return typed;
  try {
    return String(JSON.parse(typed));
  } catch {
    // A text that only begins with a quote is used unchanged.
    return typed;
  }
}

/** Whether two parsed files are equal except for one key: the last check before a person's file is replaced. */
export function differsOnlyIn(key: string, before: unknown, after: unknown): boolean {
  return canonicalText(without(before, key)) === canonicalText(without(after, key));
}

function without(file: unknown, key: string): unknown {
  const [first, ...others] = key.split('.') as [string, ...string[]];
  const { [first]: value, ...rest } = file as Readonly<Record<string, unknown>>;
  if (others.length === 0 || value === undefined) return rest;
  const left = without(value, others.join('.')) as object;
  // An empty table sets nothing.
  return Object.keys(left).length === 0 ? rest : { ...rest, [first]: left };
}
