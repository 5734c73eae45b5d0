/**
 * Decides which `config.toml` values are allowed (§9) and turns them into a Config, or names every problem at once.
 * It must never guess: an unknown key is an error with a suggestion, not a value that is silently ignored.
 */
import * as z from 'zod';

import { agentTraits } from './agents.ts';
import { agentSection, configKeys, configSchema, limitsSection, reviewSection } from './config-schema.ts';
import { suggest } from './suggest.ts';
import type { Config } from './types.ts';

/** One thing wrong in the configuration. `key` is dotted; empty for the document itself. */
export interface ConfigProblem {
  readonly key: string;
  readonly message: string;
}

export type ConfigResult =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

type ConfigFile = z.output<typeof configSchema>;

/** What an empty file means. */
export const defaultConfig: Config = resolved(configSchema.parse({}));

export function parseConfig(value: unknown): ConfigResult {
  const parsed = configSchema.safeParse(value);
  const problems = [...checkAgent(value)];
  if (parsed.success && problems.length === 0) return { ok: true, config: resolved(parsed.data) };
  if (!parsed.success) problems.push(...parsed.error.issues.flatMap(problemsOf));
  // One field can break several of its rules, which all read the same.
  const told = new Map(problems.map((problem) => [`${problem.key}\n${problem.message}`, problem]));
  return {
    ok: false,
    problems: [...told].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, problem]) => problem),
  };
}

/** A Config that was written out whole (the journal's): null stands for "not set", which the file spells by absence. */
export function parseStoredConfig(value: unknown): ConfigResult {
  return parseConfig(withoutNulls(value));
}

function withoutNulls(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(
    kept.map(([key, item]) => [
      key,
      isRecord(item) ? Object.fromEntries(Object.entries(item).filter(([, inner]) => inner !== null)) : item,
    ]),
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const agentChoice = z.object({
  agent: agentSection
    .pick({ name: true, command: true, script: true, permissions: true })
    .strip()
    .prefault({}),
  limits: limitsSection.pick({ max_tokens: true, max_cost_usd: true }).strip().prefault({}),
  review: reviewSection.strip().prefault({}),
});

/** Rules that join keys; told together with all others as long as the keys they join are sound themselves. */
function checkAgent(value: unknown): readonly ConfigProblem[] {
  const parsed = agentChoice.safeParse(value);
  if (!parsed.success) return [];
  const { agent, limits, review } = parsed.data;
  const { name, command, script, permissions: wanted } = agent;
  const traits = agentTraits[name];
  const problems: ConfigProblem[] = [];
  const refuse = (key: string, message: string): void => void problems.push({ key, message });
  if (name === 'command' && command === undefined) {
    refuse('agent.command', 'must be set when agent.name is "command"');
  }
  if (name !== 'command' && review.agent === 'command' && command === undefined) {
    refuse('agent.command', 'must be set when review.agent is "command"');
  }
  if (name === 'scripted' && script === undefined) {
    refuse('agent.script', 'must be set when agent.name is "scripted"');
  }
  if (!traits.enforcesWorkspace && wanted === 'workspace') {
    refuse(
      'agent.permissions',
      `"workspace" cannot be enforced for agent.name "${name}"; must be "full" or not set`,
    );
  }
  // Whoever spends must say what it spends, the reviewer too.
  for (const who of new Set([name, ...(review.agent === undefined ? [] : [review.agent])])) {
    if (limits.max_tokens !== undefined && !agentTraits[who].reportsTokens) {
      refuse('limits.max_tokens', `cannot be kept: the agent "${who}" reports no tokens`);
    }
    if (limits.max_cost_usd !== undefined && !agentTraits[who].reportsCost) {
      refuse('limits.max_cost_usd', `cannot be kept: the agent "${who}" reports no cost`);
    }
  }
  if (review.model !== undefined && review.agent === undefined) {
    refuse('review.agent', 'must be set when review.model is set');
  }
  return problems;
}

function resolved(file: ConfigFile): Config {
  return {
    ...file,
    agent: {
      name: file.agent.name,
      model: file.agent.model ?? null,
      bin: file.agent.bin ?? null,
      extra_args: file.agent.extra_args,
      env: file.agent.env,
      command: file.agent.command ?? null,
      script: file.agent.script ?? null,
      permissions: file.agent.permissions ?? null,
      idle_timeout_secs: file.agent.idle_timeout_secs ?? null,
      max_failures: file.agent.max_failures,
      max_wait_secs: file.agent.max_wait_secs,
    },
    limits: {
      max_run_secs: file.limits.max_run_secs ?? null,
      max_tokens: file.limits.max_tokens ?? null,
      max_cost_usd: file.limits.max_cost_usd ?? null,
    },
    guard: { ...file.guard, timeout_secs: file.guard.timeout_secs ?? null },
    review: { agent: file.review.agent ?? null, model: file.review.model ?? null },
    notify: { command: file.notify.command ?? null },
  };
}

function problemsOf(issue: z.core.$ZodIssue): readonly ConfigProblem[] {
  const key = dotted(issue.path);
  if (issue.code !== 'unrecognized_keys') return [{ key, message: issue.message }];
  return issue.keys.map((name) => {
    const unknown = key === '' ? name : `${key}.${name}`;
    const near = suggestKey(unknown);
    return { key: unknown, message: near === null ? 'unknown key' : `unknown key; did you mean ${near}?` };
  });
}

function dotted(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
}

/** The nearest known key: a small spelling difference, or the same name in another table. */
export function suggestKey(unknown: string): string | null {
  return suggest(
    unknown,
    configKeys.map(({ key }) => key),
  );
}
