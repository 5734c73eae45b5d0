/**
 * Decides which `config.toml` values are allowed (§9) and turns them into a Config, or names every problem at once.
 * It must never guess: an unknown key is an error with a suggestion, not a value that is silently ignored.
 */
import * as z from 'zod';

import { isObject } from '../text/is-object.ts';
import { agentSection, reviewSection } from './agent-schema.ts';
import { configSchema, limitsSection } from './config-schema.ts';
import { sandboxSection } from './sandbox-schema.ts';
import { checkJoined, resolveConfig } from './config-rules.ts';
import type { ConfigProblem } from './config-rules.ts';
import { configKeys } from '../settings.js';
import { suggest } from '../text/suggest.ts';
import type { Config } from '../types.ts';

export type ConfigResult =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

export function parseConfig(value: unknown): ConfigResult {
  const parsed = configSchema.safeParse(value);
  const problems = [...(parsed.success ? checkJoined(parsed.data) : checkAgent(value))];
  if (parsed.success && problems.length === 0) return { ok: true, config: resolveConfig(parsed.data) };
  if (!parsed.success) problems.push(...parsed.error.issues.flatMap(problemsOf));
  // One field can break several of its rules, which all read the same.
  const told = new Map(problems.map((problem) => [`${problem.key}\n${problem.message}`, problem]));
  return {
    ok: false,
    problems: [...told].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, problem]) => problem),
  };
}

/** A Config that was written out whole (the journal's): null means "not set"; the file leaves such a key out. */
export function parseStoredConfig(value: unknown): ConfigResult {
  return parseConfig(withoutNulls(value));
}

function withoutNulls(value: unknown): unknown {
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutNulls(item)]));
}

/** Reported with all other problems if the keys they join are valid themselves. */
function checkAgent(value: unknown): readonly ConfigProblem[] {
  const joined = z.object({
    agent: agentSection
      .pick({
        ...{ name: true, command: true, script: true, permissions: true },
        ...{ effort: true, plan: true, escalate: true },
      })
      .strip()
      .prefault({}),
    limits: limitsSection.pick({ max_tokens: true, max_cost_usd: true }).strip().prefault({}),
    sandbox: sandboxSection.pick({ kind: true }).strip().prefault({}),
    review: reviewSection.strip().prefault({}),
  });
  const parsed = joined.safeParse(value);
  return parsed.success ? checkJoined(parsed.data) : [];
}

const tableNames = new Set(
  configKeys.flatMap(({ key }) => (key.includes('.') ? [key.slice(0, key.lastIndexOf('.'))] : [])),
);

function problemsOf(issue: z.core.$ZodIssue): readonly ConfigProblem[] {
  const key = dotted(issue.path);
  if (issue.code !== 'unrecognized_keys') return [{ key, message: issue.message }];
  return issue.keys.map((name) => {
    const unknown = key === '' ? name : `${key}.${name}`;
    const near = suggestKey(unknown) ?? suggest(unknown, tableNames);
    return { key: unknown, message: near === null ? 'unknown key' : `unknown key; did you mean ${near}?` };
  });
}

function dotted(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
}

/** The nearest known key: the same name in another table, or a small spelling difference. */
export function suggestKey(unknown: string): string | null {
  const keys = configKeys.map(({ key }) => key);
  const name = unknown.slice(unknown.lastIndexOf('.') + 1);
  const namesakes = keys.filter((key) => key.endsWith(`.${name}`));
  return suggest(unknown, namesakes) ?? namesakes[0] ?? suggest(unknown, keys);
}
