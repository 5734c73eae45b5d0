/**
 * The usual files read at once, for every command that must not wait. Null stands for "ask the
 * full parser": whatever is accepted here the full parsers accept with the same value; what is wrong is theirs to say.
 */
import { checkJoined, resolveConfig } from './config-rules.ts';
import type { ConfigFile } from './config-rules.ts';
import { checkGoalId } from './goal-id.ts';
import { fillValue } from './quick-schema.ts';
import { configSchema, runStateSchema } from '../settings.js';
import { parseStrictJson } from '../text/strict-json.ts';
import type { Config, Goal, RunState } from '../types.ts';

/** From a parsed file with environment and flags laid over it. */
export function readConfig(value: unknown): Config | null {
  const filled = fillValue(configSchema, value);
  if (!filled.ok) return null;
  const file = filled.value as ConfigFile;
  const isBlank = listPrograms(file).some((program) => program.trim() === '');
  return isBlank || checkJoined(file).length > 0 ? null : resolveConfig(file);
}

function listPrograms({ agent, guard, notify }: ConfigFile): readonly string[] {
  return [agent.command, guard.command, notify.command].flatMap((argv) => argv?.slice(0, 1) ?? []);
}

export function readRunState(text: string): RunState | null {
  const json = parseStrictJson(text);
  const filled = fillValue(runStateSchema, json.ok ? json.value : null);
  return filled.ok ? (filled.value as RunState) : null;
}

/** A front matter of plain `key: word` lines, each key once; the body starts behind it. */
const plainFront = /^---\n((?:[A-Za-z_]+: [A-Za-z][A-Za-z0-9._-]*\n)*)---\n/;
/** YAML reads these as something else than text. */
const oddWords = /^(?:null|true|false|yes|no|on|off|y|n)$/i;

export function readGoal(text: string): Goal | null {
  if (/^[^-\ufeff]/.test(text) || text === '') return { id: null, body: text };
  const front = plainFront.exec(text);
  if (front === null) return null;
  const pairs = String(front[1])
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split(': ') as [string, string]);
  const isPlain =
    new Set(pairs.map(([key]) => key)).size === pairs.length &&
    !pairs.some(([, word]) => oddWords.test(word));
  const id = pairs.find(([key]) => key === 'id')?.[1] ?? null;
  if (!isPlain || (id !== null && checkGoalId(id) !== null)) return null;
  return { id, body: text.slice(front[0].length) };
}
