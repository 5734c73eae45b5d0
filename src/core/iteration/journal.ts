/**
 * Decides what a readable journal entry is (§7). Recovery acts on it, so anything it does not know in full is refused;
 * it never fills a gap with a guess.
 */
import * as z from 'zod';

import { parseStoredConfig } from '../config/config.ts';
import { failureKinds } from '../agents/failure.ts';
import { journalLines } from './journal-text.ts';
import type { JournalLine } from './journal-text.ts';
import { runStateSchema } from './run-state-schema.ts';
import type { AnyJournal } from '../agents/session.ts';
import { parseStrictJson } from '../text/strict-json.ts';
import { renderProblem } from '../text/text-place.ts';

export type JournalResult =
  /** `stash`: hash of the agent's tree that is kept beside the journal because of its size, else null. */
  | { readonly ok: true; readonly entry: AnyJournal; readonly stash: string | null }
  | { readonly ok: false; readonly problems: readonly string[] };

const count = z.int().min(0);
const durationMs = z.number().min(0);
const amount = z.number().min(0).nullable();
const failure = z.enum(failureKinds);
const lines = z.array(z.string());
const signal = z.enum(['SIGINT', 'SIGTERM', 'SIGHUP']);

const source = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('text'), text: z.string() }),
  z.strictObject({ kind: z.literal('missing') }),
  z.strictObject({ kind: z.literal('unreadable'), message: z.string() }),
  z.strictObject({ kind: z.literal('too_large'), bytes: count, bytesMax: count }),
]);

const config = z.unknown().transform((value, context) => {
  const parsed = parseStoredConfig(value);
  if (parsed.ok) return parsed.config;
  for (const { key, message } of parsed.problems)
    context.addIssue({ code: 'custom', message, path: key.split('.').filter((part) => part !== '') });

  return z.NEVER;
});

const usage = z.strictObject({
  input_tokens: amount,
  cached_input_tokens: amount,
  output_tokens: amount,
  cost_usd: amount,
});

const sessionResult = z.strictObject({
  end: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('exited') }),
    z.strictObject({ kind: z.literal('interrupted'), signal }),
    z.strictObject({ kind: z.literal('paused') }),
    z.strictObject({ kind: z.literal('out_of_time'), seconds: durationMs }),
    z.strictObject({ kind: z.literal('blocked'), failure, reason: z.string(), fix: z.string() }),
    z.strictObject({ kind: z.literal('failed'), failure, reason: z.string() }),
    z.strictObject({ kind: z.literal('undone') }),
  ]),
  answer: source,
  exit_code: z.int().nullable(),
  duration_ms: durationMs,
  usage,
  denials: lines,
  waited_secs: durationMs,
});

const session = sessionResult.extend({
  leftovers: lines,
  head: z.string(),
  notes: lines,
  protected_paths: lines,
  dirty_submodules: lines,
  agent_tree: source,
  sessions: z.int().min(1),
});

const agent = z.strictObject({
  name: z.string(),
  version: z.string().nullable(),
  model: z.string().nullable(),
  // One that the version before left has none.
  effort: z.string().nullable().default(null),
});

const review = sessionResult.extend({ agent });

const guard = z.strictObject({
  end: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('passed') }),
    z.strictObject({
      kind: z.literal('failed'),
      reason: z.string(),
      by: z.enum(['guard', 'ratchet', 'clone', 'bytes', 'counterfactual']).exactOptional(),
    }),
    z.strictObject({ kind: z.literal('not_started'), reason: z.string() }),
    z.strictObject({ kind: z.literal('out_of_time'), seconds: durationMs }),
    z.strictObject({ kind: z.literal('interrupted'), signal }),
    z.strictObject({ kind: z.literal('cut_off') }),
  ]),
  exit_code: z.int().nullable(),
  duration_ms: durationMs,
  output: z.string(),
  log_sha256: z.string().nullable(),
  counterfactual: z.enum(['red', 'green', 'n/a', 'unknown']).exactOptional(),
  checkout: runStateSchema.shape.guard_checkout.unwrap().unwrap().exactOptional(),
});

const base = z.strictObject({
  version: z.literal(1),
  kind: z.literal('iteration'),
  run_id: z.string().min(1),
  iter: z.int().min(1),
  node_id: z.string().min(1),
  node_path: z.string(),
  purpose: z.enum(['execute', 'plan', 'repair']),
  branch: z.string().min(1),
  baseline: z.string().min(1),
  baseline_tree: z.string().min(1),
  prefix: z.string(),
  cookie: z.string().min(1),
  config,
  run_state: runStateSchema,
  agent,
  started_at: z.string(),
  prompt_sha256: z.string(),
  // A version before these began the iteration: it told nothing of them.
  task_sha256: z.string().default(''),
  prompt_cut: z.array(z.strictObject({ section: z.string(), bytes: count })).default([]),
  dirty_submodules_before: lines,
});

const entrySchema = z.discriminatedUnion('kind', [
  z.strictObject({
    version: z.literal(1),
    kind: z.literal('start'),
    run_id: z.string().min(1),
    branch: z.string().min(1),
    commit: z.string().min(1),
  }),
  z.strictObject({
    version: z.literal(1),
    kind: z.literal('baseline'),
    run_id: z.string().min(1),
    branch: z.string().min(1),
    head: z.string().min(1),
    prefix: z.string(),
    cookie: z.string().min(1),
    whole_tree: z.string().min(1),
  }),
  z.strictObject({
    version: z.literal(1),
    kind: z.literal('finish'),
    run_id: z.string().min(1),
    cookie: z.string().min(1),
  }),
  z.discriminatedUnion('phase', [
    base.extend({ phase: z.literal('agent'), spent: usage.exactOptional() }),
    base.extend({ phase: z.literal('ended'), session }),
    base.extend({
      phase: z.literal('guard'),
      session,
      work_tree: z.string().min(1),
      check: z.enum(['place', 'ratchet', 'clone', 'counterfactual']),
      cut_offs: count,
    }),
    base.extend({
      phase: z.literal('review'),
      session,
      work_tree: z.string().min(1),
      cut_offs: count,
      whole_tree: z.string().min(1),
      spent: usage.exactOptional(),
    }),
    base.extend({
      phase: z.literal('persisting'),
      session,
      work_tree: z.string().min(1),
      guard: guard.nullable(),
      review: review.nullable(),
      cut_offs: count,
      control: z.string().min(1),
    }),
  ]),
]);

const fileSchema = z.strictObject({
  stash: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
  entry: entrySchema,
});

/**
 * The newest whole entry; null: there is none. A line that was cut off announces what was never begun, so the one before it counts. One
 * that is whole is never passed over, readable or not: what it announces may have been done.
 */
export function parseJournal(text: string): JournalResult | null {
  let newest: JournalResult | null = null;
  for (const line of journalLines(text)) {
    const parsed = parseEntry(line);
    if (parsed.ok || isWhole(line)) return parsed;
    newest ??= parsed;
  }
  return newest;
}

function isWhole({ text }: JournalLine): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function parseEntry({ number, text }: JournalLine): JournalResult {
  const json = parseStrictJson(text);
  if (!json.ok) return { ok: false, problems: [renderProblem({ ...json, line: number }, json.message)] };

  const parsed = fileSchema.safeParse(json.value);
  if (parsed.success) return { ok: true, ...parsed.data };
  const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  return { ok: false, problems: problems.toSorted() };
}
