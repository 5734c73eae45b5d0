/**
 * Parses the records of a trial and of a batch: `meta.json`, `checks.json` and `<batch>.batch.json`, and defines their shipped
 * schemas. Keys of later versions are ignored; a missing or wrong key makes the record unreadable. It never throws.
 */
import * as z from 'zod';

import { checkTypes } from './check-rules.ts';
import { agentReasons } from './outcome.ts';
import { isBatchId, isCaseId, isEvalRunId } from './names.ts';
import type { Batch, CheckResult, TrialMeta } from './types.ts';
import { parseStrictJson } from '../../core/text/strict-json.ts';
import { renderProblem } from '../../core/text/text-place.ts';

const count = z.int().min(0);
const amount = z.number().min(0);
const hash = z.string().describe('sha256, in hexadecimal.');
const instant = z.string().regex(/^\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:\d{2})$/);
const caseId = z.string().refine(isCaseId, 'must be the id of a case');
const batchId = z.string().refine(isBatchId, 'must be the id of a batch');

const variant = z
  .object({
    kind: z
      .enum(['agent', 'oracle', 'null', 'replay'])
      .describe('An agent, the solution of the case, nobody, or a recording.'),
    agent: z.string().nullable().describe('Name of the agent; null: the one the case names.'),
    model: z.string().nullable().describe("Model; null: the case's or the agent's own default."),
    settings: z
      .record(z.string(), z.string())
      .exactOptional()
      .describe("Settings on top of the case's, as typed, by key."),
    command: z.string().exactOptional().describe('What the agent `command` runs.'),
  })
  .describe('Who works on the case.');

const metaSchema = z
  .object({
    case_id: caseId.describe('Id of the case.'),
    eval_run_id: z
      .string()
      .refine(isEvalRunId, 'must be an id like eval-20260131_235959-abc123')
      .describe('Id of the trial and name of its folder.'),
    case_hash: hash.describe('sha256 of the case file, its fixture and its oracle.'),
    runner_version: z.string().describe('Version of the runner.'),
    runner_run_id: z.string().nullable().describe('Id of the run in the workspace; null: none was started.'),
    outcome: z.enum(['success', 'fail', 'stuck', 'error', 'skipped']).describe('Outcome of the trial.'),
    reason: z
      .enum([
        'iteration_limit',
        'run_limit',
        'timeout',
        'agent_failed',
        'agent_missing',
        'agent_unavailable',
        'workspace_failed',
        'setup_failed',
        'start_failed',
        'loop_failed',
        'toolchain_missing',
        'oracle_missing',
        'recording_missing',
        'replay_miss',
        'requires_missing',
      ])
      .nullable()
      .describe('Why the trial did not succeed, where the checks do not say it; null: they do.'),
    start_time: instant.describe('When the trial began.'),
    end_time: instant.describe('When it ended.'),
    duration_secs: amount.describe('Seconds between the two.'),
    exit_code: z.int().nullable().describe('Of `runner loop`; null: not started, or ended by a signal.'),
    workspace: z.string().nullable().describe('Folder the run worked in; null: none was made.'),
    errors: z.array(z.string()).describe('What could not be done or kept, one line each.'),
    batch_id: batchId.describe('The batch it belongs to.'),
    variant,
    repeat: z.int().min(1).describe('Number of the repeat, from 1.'),
    agent: z
      .object({
        name: z.string().describe('Name of the agent.'),
        version: z.string().nullable().describe('Its version; null: unknown.'),
        model: z.string().nullable().describe('Its model; null: unknown.'),
      })
      .nullable()
      .describe('Who did the sessions, as the run recorded it; null: no session ran.'),
    iterations: count.describe('Iterations the run used.'),
    attempts: count.describe('Attempts over all nodes of the final tree.'),
    tokens: count.nullable().describe('Tokens, as the agent reported them; null: not reported.'),
    cost_usd: amount.nullable().describe('US dollars, as the agent reported them; null: not reported.'),
    checks_passed: count.describe('Checks that passed.'),
    checks_total: count.describe('Checks of the case.'),
    tags: z.array(z.string()).describe('Tags of the case.'),
    recorded: z.boolean().describe('Whether its sessions were recorded for a replay.'),
    replay_misses: z
      .array(z.int().min(1))
      .nullable()
      .describe('Iterations whose prompt is not the recorded one; null: no replay.'),
    settings: z
      .record(z.string(), z.string())
      .nullable()
      .default(null)
      .describe('Settings the trial ran with, by key; null: not recorded.'),
    hidden: z
      .boolean()
      .nullable()
      .default(null)
      .describe('Whether cases and results were hidden from the agent by a sandbox; null: not recorded.'),
  })
  .meta({ $id: 'https://runner.local/schemas/eval_meta/v1.schema.json', title: 'Runner Eval Trial v1' });

const checksSchema = z
  .object({
    checks: z
      .array(
        z.object({
          type: z.enum(checkTypes).describe('Kind of the check.'),
          label: z.string().describe('What reports call it.'),
          passed: z.boolean().describe('Whether it passed.'),
          detail: z.string().nullable().describe('Why it did not pass; null when it did.'),
          command: z
            .object({
              exit_code: z.int().nullable().describe('Exit code; null: not started, or ended by a signal.'),
              timed_out: z.boolean().describe('Whether its time was up.'),
              start_error: z.string().nullable().describe('Why it could not be started; null when it was.'),
              is_own: z
                .boolean()
                .exactOptional()
                .describe('The program is a file of the workspace, which the agent had to make.'),
              log: z.string().describe('Log, relative to the folder of the results.'),
              duration_ms: amount.describe('Milliseconds it took.'),
            })
            .optional()
            .describe('Of commands only.'),
        }),
      )
      .describe('In the order of the case.'),
  })
  .meta({ $id: 'https://runner.local/schemas/eval_checks/v1.schema.json', title: 'Runner Eval Checks v1' });

const batchSchema = z
  .object({
    version: z.literal(1).describe('Version of this format.'),
    batch_id: batchId.describe('Id of the batch.'),
    created_at: instant.describe('When it began.'),
    runner_version: z.string().describe('Version of the runner.'),
    plan: z
      .object({
        cases: z
          .array(z.object({ id: caseId.describe('Id of the case.'), hash }))
          .describe('The cases, in order.'),
        variants: z.array(variant).min(1).describe('Variants that run each case.'),
        repeats: z.int().min(1).describe('How often.'),
        record: z.boolean().describe('Whether sessions are recorded.'),
      })
      .describe('Plan of the batch.'),
    shards: z
      .array(
        z.object({
          index: z.int().min(1).describe('Which shard, from 1.'),
          of: z.int().min(1).describe('How many there are.'),
        }),
      )
      .nullable()
      .describe('The parts of the plan it covers; null: all of it.'),
  })
  .meta({ $id: 'https://runner.local/schemas/eval_batch/v1.schema.json', title: 'Runner Eval Batch v1' });

/** The shipped `schemas/eval_meta`, `eval_checks` and `eval_batch`. */
export function evalRecordSchemas(): Readonly<Record<'eval_meta' | 'eval_checks' | 'eval_batch', unknown>> {
  return {
    eval_meta: z.toJSONSchema(metaSchema),
    eval_checks: z.toJSONSchema(checksSchema),
    eval_batch: z.toJSONSchema(batchSchema),
  };
}

export type ReadRecord<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: string };

export function parseTrialMeta(text: string): ReadRecord<TrialMeta> {
  const parsed = read(text, metaSchema);
  return parsed.ok ? { ok: true, value: judgedAnew(parsed.value) } : parsed;
}

/** Earlier versions recorded an agent's limits as errors; they count against it now. */
function judgedAnew(meta: TrialMeta): TrialMeta {
  const isAgents = agentReasons.some((reason) => reason === meta.reason);
  return meta.outcome === 'error' && isAgents ? { ...meta, outcome: 'fail' } : meta;
}

export function parseCheckResults(text: string): ReadRecord<readonly CheckResult[]> {
  const parsed = read(text, checksSchema);
  // The compiler tells absent from undefined; a file does not.
  return parsed.ok ? { ok: true, value: parsed.value.checks as readonly CheckResult[] } : parsed;
}

export function parseBatch(text: string): ReadRecord<Batch> {
  return read(text, batchSchema);
}

function read<T>(text: string, schema: z.ZodType<T>): ReadRecord<T> {
  const json = parseStrictJson(text);
  if (!json.ok) return { ok: false, problem: renderProblem(json, json.message) };
  const parsed = schema.safeParse(json.value);
  if (parsed.success) return { ok: true, value: parsed.data };
  const [issue] = parsed.error.issues;
  return { ok: false, problem: `${String(issue?.path.join('.'))}: ${issue?.message}` };
}
