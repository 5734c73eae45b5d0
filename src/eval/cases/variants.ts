/** Combines agents, models and settings to the variants of a batch: every one with every other. Pure; it knows no command line. */
import type { Variant } from './types.ts';

/** `key=v1,v2`: a setting and the values to try. */
export interface SettingChoice {
  readonly key: string;
  readonly values: readonly string[];
}

/** Null when it does not look like `key=value`. */
export function parseChoice(text: string): SettingChoice | null {
  const at = text.indexOf('=');
  const key = text.slice(0, at).trim();
  return at === -1 || key === '' ? null : { key, values: splitValues(text.slice(at + 1)) };
}

/** At commas outside of brackets and quotes: `["a", "b"],[]` are two values. */
export function splitValues(text: string): readonly string[] {
  const values: string[] = [];
  let depth = 0;
  let isQuoted = false;
  let begin = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charAt(at);
    if (isQuoted && unit === '\\') at += 1;
    else if (unit === '"') isQuoted = !isQuoted;
    if (isQuoted) continue;
    if (unit === '[') depth += 1;
    if (unit === ']') depth -= 1;
    if (unit !== ',' || depth > 0) continue;
    values.push(text.slice(begin, at).trim());
    begin = at + 1;
  }
  return [...values, text.slice(begin).trim()];
}

/** In the order of the choices, the last one changing first. */
export function crossSettings(
  choices: readonly SettingChoice[],
): readonly Readonly<Record<string, string>>[] {
  return choices.reduce<readonly Readonly<Record<string, string>>[]>(
    (before, { key, values }) =>
      before.flatMap((settings) => values.map((value) => ({ ...settings, [key]: value }))),
    [{}],
  );
}

export function crossVariants(
  variants: readonly Variant[],
  settings: readonly Readonly<Record<string, string>>[],
): readonly Variant[] {
  return variants.flatMap((variant) =>
    settings.map((own) => (Object.keys(own).length === 0 ? variant : { ...variant, settings: own })),
  );
}
