/** Loads the settings from a file, environment and flags, or lists every problem with the line, variable or flag it comes from (§9). */
import { parseConfig } from './config.ts';
import { layConfig } from './config-layers.ts';
import type { ConfigLayers } from './config-layers.ts';
import { violationsShownMax } from '../limits.ts';
import { renderProblem } from '../text/text-place.ts';
import type { TextPlace } from '../text/text-place.ts';
import type { Config } from '../types.ts';

export type LayeredConfig =
  | { readonly ok: true; readonly config: Config }
  /** `problems` are the first of `count`: finding the line of each reads the whole file. */
  | {
      readonly ok: false;
      readonly count: number;
      readonly problems: readonly string[];
      /** The variables and flags that are to blame; empty when it is the file, or the file too. */
      readonly setBy: readonly string[];
    };

/** File, then environment, then flags; every problem names its key and the line, variable or flag it comes from. */
export function parseLayeredConfig(layers: ConfigLayers): LayeredConfig {
  const laid = layConfig(layers);
  const parsed = parseConfig(laid.value);
  if (parsed.ok && laid.problems.length === 0) return { ok: true, config: parsed.config };
  const problems = [...laid.problems, ...(parsed.ok ? [] : parsed.problems)];
  const setters = problems.map(({ key }) => laid.setBy.get(key.replace(/\[\d+\]$/, '')));
  const shown = problems.slice(0, violationsShownMax).map((problem, index) => {
    const setBy = setters[index];
    if (setBy !== undefined) return `${problem.key} (${setBy}): ${problem.message}`;
    const told = `${problem.key}: ${problem.message}`;
    const place = findKeyPlace(layers.text, problem.key);
    return place === null ? told : renderProblem(place, told);
  });
  const more = problems.length - shown.length;
  return {
    ok: false,
    count: problems.length,
    problems: more > 0 ? [...shown, `and ${more} more`] : shown,
    setBy: setters.includes(undefined) ? [] : [...new Set(setters.filter((name) => name !== undefined))],
  };
}

/** Where that line begins to say something. */
function findKeyPlace(text: string, key: string): TextPlace | null {
  const line = findKeyLine(text, key);
  if (line === null) return null;
  return { line, column: String(text.split('\n')[line - 1]).search(/\S/) + 1 };
}

/** The line (from 1) that sets the key, or its table when that is written inline; null when neither is found. */
export function findKeyLine(text: string, key: string): number | null {
  const wanted = key.replaceAll(/\[\d+\]$/g, '');
  let table = '';
  let section: number | null = null;
  for (const [index, line] of text.split('\n').entries()) {
    const header = /^\s*\[\s*([^[\]]+?)\s*\]/.exec(line)?.[1];
    if (header !== undefined) {
      table = `${header}.`;
      if (header === wanted) return index + 1;
    }
    const name = /^\s*([\w.-]+)\s*=/.exec(line)?.[1];
    if (name === undefined) continue;
    const full = `${table}${name}`;
    if (full === wanted) return index + 1;
    if (wanted.startsWith(`${full}.`) || full.startsWith(`${wanted}.`)) section ??= index + 1;
  }
  return section;
}
