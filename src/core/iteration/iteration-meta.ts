/**
 * Parses `meta.json` (§8). Logs are in the work tree, where anybody can write, and older versions wrote fewer keys: valid
 * values are taken, all others become unknown. It never throws.
 */
import * as z from 'zod';

import { failureKinds } from '../agents/failure.ts';
import type { IterationMeta } from '../agents/session.ts';
import { parseStrictJson } from '../text/strict-json.ts';

const text = z.string().catch('');
const textOrNull = z.string().nullable().catch(null);
const count = z.int().min(0).catch(0);
const amount = z.number().min(0).catch(0);
const exitCode = z.int().nullable().catch(null);
const tokens = z.int().min(0).nullable().catch(null);
const costUsd = z.number().min(0).nullable().catch(null);
const spent = z.object({ tokens, cost_usd: costUsd });
const agent = z.object({ name: text, version: textOrNull, model: textOrNull, effort: textOrNull });

const unknownSpent = { tokens: null, cost_usd: null };

const metaSchema = z.object({
  run_id: z.string().min(1),
  iter: z.int().min(1),
  node_id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/),
  node_path: text,
  title: textOrNull,
  mode: z.enum(['decompose', 'execute', 'repair']).catch('execute'),
  status: z.enum(['done', 'retry', 'decomposed']),
  guard: z.enum(['pass', 'fail', 'skipped']),
  outcome: text,
  agent: agent.catch({ name: '', version: null, model: null, effort: null }),
  review: z
    .object({ agent, verdict: z.enum(['pass', 'fail']).nullable().catch(null) })
    .nullable()
    .catch(null),
  started_at: text,
  ended_at: text,
  duration_ms: z
    .object({ agent: amount, guard: amount, review: amount, total: amount })
    .catch({ agent: 0, guard: 0, review: 0, total: 0 }),
  tokens,
  cost_usd: costUsd,
  totals: z.object({ node: spent, run: spent }).catch({ node: unknownSpent, run: unknownSpent }),
  failure: z.enum(failureKinds).nullable().catch(null),
  sessions: z.int().min(1).catch(1),
  waited_secs: amount,
  task_sha256: text,
  prompt_cut: z.array(z.object({ section: z.string(), bytes: count })).catch([]),
  rings: z
    .object({
      sandbox: z.enum(['none', 'bwrap', 'docker']).catch('none'),
      guard: z.enum(['offline', 'online', 'outside']).catch('outside'),
      settings: z.boolean(),
      checkout: z.enum(['off', 'final', 'every']),
    })
    .catch({ sandbox: 'none', guard: 'outside', settings: false, checkout: 'off' }),
  counterfactual: z.enum(['red', 'green', 'n/a', 'unknown']).nullable().catch(null),
  exit_codes: z.object({ agent: exitCode, guard: exitCode }).catch({ agent: null, guard: null }),
  tree_sha256: z.object({ before: text, after: text }).catch({ before: '', after: '' }),
  commit: z
    .string()
    .regex(/^[0-9a-f]{40,64}$/)
    .catch(''),
  changed_files: count,
  tool_files: z.array(z.string()).catch([]),
  processes: text,
  notes: z.array(z.string()).catch([]),
  recovered: z.boolean().catch(false),
});

/** Null: not the record of this iteration, or none at all. */
export function parseMeta(
  source: string,
  place: { readonly run_id: string; readonly iter: number },
): IterationMeta | null {
  const json = parseStrictJson(source);
  const parsed = json.ok ? metaSchema.safeParse(json.value) : null;
  if (parsed?.success !== true) return null;
  const { run_id, iter } = parsed.data;
  return run_id === place.run_id && iter === place.iter ? parsed.data : null;
}
