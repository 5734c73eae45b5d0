/**
 * Decides whether a `run_state.json` is valid, and lists its problems if not (§2). Only the runner writes this file, so an
 * unknown key is an error; keys that an older file lacks get their defaults.
 */
import * as z from 'zod';

import { withoutPrototype } from './run-state.ts';
import { parseStrictJson } from '../text/strict-json.ts';
import { renderProblem } from '../text/text-place.ts';
import type { RunState } from '../types.ts';

export type RunStateResult =
  | { readonly ok: true; readonly state: RunState }
  | { readonly ok: false; readonly problems: readonly string[] };

const count = z.int().min(0);
const amount = z.number().min(0);

const nodeRecordSchema = z.strictObject({
  base: z
    .string()
    .nullable()
    .default(null)
    .describe("Git tree id of everything outside .runner/ before the node's first iteration."),
  invalid_trees: count.default(0).describe('Sessions on this node that left an unreadable tree.'),
  confirm_asked: z.boolean().default(false).describe('Whether an empty change was already asked about.'),
  decompose_used: z.boolean().default(false).describe('Whether the one planning session was used.'),
  tokens: count
    .nullable()
    .default(null)
    .describe('Tokens reported by the sessions on this node; null: none.'),
  cost_usd: amount
    .nullable()
    .default(null)
    .describe('Cost reported by the sessions on this node; null: none.'),
});

const totalsSchema = z.strictObject({
  tokens: count.nullable().default(null),
  cost_usd: amount.nullable().default(null),
  seconds: amount.default(0),
});

const checkoutSchema = z.strictObject({
  mode: z
    .enum(['final', 'off'])
    .describe('Whether the guard also runs in a fresh clone before the root passes.'),
  reason: z.string().describe('Why.'),
  sha256: z.string().describe('Hash of guard command and setup; with others it is decided again.'),
});

const resolvedSchema = z.strictObject({
  permissions: z.enum(['workspace', 'full']).describe('What agent.permissions was resolved to.'),
  sandbox: z.enum(['none', 'bwrap', 'docker']).describe('What sandbox.kind was resolved to.'),
  guard: z.boolean().describe('Whether the check runs in the sandbox.'),
  guard_network: z.boolean().describe('Whether the check has a network there.'),
});

const repairSchema = z.strictObject({
  node_id: z.string().describe('The leaf whose session left the invalid tree.'),
  count: count.describe('Fruitless repair sessions so far.'),
  sha256: z.string().describe('Hash of the rejected text.'),
});

const ratchetSchema = z.strictObject({
  guard_sha256: z
    .string()
    .describe('Hash of guard.command and guard.protect, by which the files were found.'),
  files: z.array(
    z.strictObject({
      path: z.string().min(1).describe('From the top of the work tree.'),
      mode: z.string().nullable().describe('As git has it; null: there must be no such file.'),
      oid: z.string().nullable().describe('Git blob id; null: there must be no such file.'),
      scripts: z
        .array(z.string())
        .nullable()
        .describe('Of a package.json only these scripts count; null: the whole file.'),
    }),
  ),
});

/** Also the journal keeps a run state, so its parser builds on this. */
export const runStateSchema = z
  .strictObject({
    run_id: z.string().nullable().default(null).describe('The run, null before the first start.'),
    next_iter: z.int().min(1).describe('Number the next iteration gets.'),
    last_status: z.enum(['done', 'retry', 'decomposed']).nullable().default(null),
    last_summary: z.string().nullable().default(null),
    last_guard: z.enum(['pass', 'fail', 'skipped']).nullable().default(null),
    failures_in_a_row: count.default(0),
    judged_sessions: count.default(0),
    totals: totalsSchema.prefault({}).describe('Sums over the whole run; null: not known.'),
    guard_baseline: z
      .enum(['green', 'red', 'not_found'])
      .nullable()
      .default(null)
      .describe('What the guard said before the first iteration.'),
    guard_checkout: checkoutSchema
      .nullable()
      .default(null)
      .describe('What guard.checkout = "auto" was resolved to; null: not decided, or another setting.'),
    base_branch: z
      .string()
      .nullable()
      .default(null)
      .describe('The branch the run started from; null: not known, or HEAD was detached.'),
    base_commit: z.string().nullable().default(null).describe('The commit the run started from.'),
    goal_sha256: z.string().nullable().default(null).describe("Hash of the goal's body at the start."),
    resolved: resolvedSchema
      .nullable()
      .default(null)
      .describe(
        'What start made of settings that depend on the machine; null: begun by an older version, without a sandbox.',
      ),
    repair: repairSchema.nullable().default(null).describe('Set while a repair of the tree is due.'),
    ratchet: ratchetSchema
      .nullable()
      .default(null)
      .describe("The check's own files as they count; null: not looked for yet."),
    nodes: z
      .record(z.string(), nodeRecordSchema)
      .default({})
      .describe('Record of each node.')
      .transform(withoutPrototype),
  })
  .meta({ $id: 'https://runner.local/schemas/run_state/v1.schema.json', title: 'Run State v1' });

/** The shipped `schemas/run_state/v1.schema.json`. */
export function runStateJsonSchema(): unknown {
  return z.toJSONSchema(runStateSchema, { io: 'input' });
}

export function parseRunState(text: string): RunStateResult {
  const json = parseStrictJson(text);
  if (!json.ok) return { ok: false, problems: [renderProblem(json, json.message)] };

  const parsed = runStateSchema.safeParse(json.value);
  if (parsed.success) return { ok: true, state: parsed.data };
  const problems = parsed.error.issues.map((issue) =>
    issue.path.length === 0 ? issue.message : `${issue.path.join('.')}: ${issue.message}`,
  );
  return { ok: false, problems: problems.toSorted() };
}
