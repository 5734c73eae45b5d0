/**
 * The record of a background run (§13): what it is, where it works, how far it came and how it ended. One file for each run in the
 * common git folder. Only the runner writes it, so an unknown key is an error.
 */
import * as z from 'zod';

import { parseStrictJson } from '../text/strict-json.ts';
import { renderProblem } from '../text/text-place.ts';

export const runStatuses = [
  'queued',
  'starting',
  'setup',
  'running',
  'waiting',
  'paused',
  'complete',
  'stuck',
  'canceled',
  'limit',
  'failed',
  'finished',
  'abandoned',
] as const;
export type RunStatus = (typeof runStatuses)[number];

/** The run's own process is behind these; without it they are `failed(crashed)`. */
export const liveStatuses: ReadonlySet<RunStatus> = new Set([
  'queued',
  'starting',
  'setup',
  'running',
  'waiting',
]);

/** Set by the person who ended the run; no process of the run changes them. */
export const endedStatuses: ReadonlySet<RunStatus> = new Set(['finished', 'abandoned']);

const count = z.int().min(0);
const text = z.string();

const ownerSchema = z.strictObject({
  pid: z.int().min(1),
  start: text.describe('Boot id and start time: with the pid they name one process for ever.'),
  origin: text.describe('Host and process namespace in which the pid has a meaning.'),
});
export type ProcessOwner = z.infer<typeof ownerSchema>;

const auditSchema = z.strictObject({
  at: text.describe('When, in UTC.'),
  action: text.describe('start, cancel, resume, pause, answer, finish or abandon.'),
  by: text.describe('Where it came from: cli or web.'),
});

const runRecordSchema = z
  .strictObject({
    version: z.literal(1),
    run_id: text.min(1),
    status: z.enum(runStatuses),
    reason: text
      .nullable()
      .default(null)
      .describe('Why it has this status, for people; null: nothing to add.'),
    owner: ownerSchema.nullable().default(null).describe('The process that works on the run; null: none.'),
    title: text.default('').describe("The goal's title."),
    goal_sha256: text.nullable().default(null).describe("Hash of the goal's body."),
    branch: text.min(1),
    base_branch: text.nullable().default(null).describe('The branch it started from; null: detached.'),
    base_commit: text.min(1),
    prefix: text.default('').describe("The project folder inside the repository, empty or ending in '/'."),
    worktree: text.nullable().default(null).describe('Where it works; null: removed or not made yet.'),
    agent: text.default(''),
    model: text.nullable().default(null),
    sandbox: text.default('none'),
    slot: count.nullable().default(null),
    ticket: count.default(0).describe('Its place in the queue: the lowest waiting one is next.'),
    settings: z
      .record(text, text)
      .default({})
      .describe('RUNNER_* variables that were given as flags; they hold when it is resumed, too.'),
    push: text.nullable().default(null).describe('The remote that gets the branch after each iteration.'),
    iterations: z
      .strictObject({ used: count, max: count })
      .default({ used: 0, max: 0 })
      .describe('Iterations so far, and how many there may be.'),
    leaves: z.strictObject({ passed: count, all: count }).default({ passed: 0, all: 0 }),
    node: z.strictObject({ id: text, title: text }).nullable().default(null).describe('The leaf at work.'),
    last_message: text.nullable().default(null),
    errors: z.array(text).default([]),
    end: z
      .strictObject({ sentence: text, hint: text })
      .nullable()
      .default(null)
      .describe('How it ended and what helps, in the words of `runner status`; null: it goes on.'),
    tokens: count.nullable().default(null),
    cost_usd: z.number().min(0).nullable().default(null),
    started_at: text,
    updated_at: text,
    finished_at: text.nullable().default(null),
    audit: z.array(auditSchema).default([]).describe('What people asked for, in order.'),
  })
  .meta({ $id: 'https://runner.local/schemas/run_record/v1.schema.json', title: 'Run Record v1' });

export type RunRecord = z.infer<typeof runRecordSchema>;
export type AuditLine = z.infer<typeof auditSchema>;

export type RecordResult =
  | { readonly ok: true; readonly record: RunRecord }
  | { readonly ok: false; readonly problems: readonly string[] };

/** The shipped `schemas/run_record/v1.schema.json`. */
export function runRecordJsonSchema(): unknown {
  return z.toJSONSchema(runRecordSchema, { io: 'input' });
}

export function parseRunRecord(source: string): RecordResult {
  const json = parseStrictJson(source);
  if (!json.ok) return { ok: false, problems: [renderProblem(json, json.message)] };

  const parsed = runRecordSchema.safeParse(json.value);
  if (parsed.success) return { ok: true, record: parsed.data };
  const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  return { ok: false, problems: problems.toSorted() };
}

export function renderRunRecord(record: RunRecord): string {
  return `${JSON.stringify(record, null, 2)}\n`;
}

/** What is true of a run now: a record that says it is at work while nobody is, is that of a crash (§13.4). */
export function trueStatus(
  record: Pick<RunRecord, 'status' | 'reason'>,
  isAlive: boolean,
): { readonly status: RunStatus; readonly reason: string | null } {
  if (isAlive || !liveStatuses.has(record.status)) return { status: record.status, reason: record.reason };
  return { status: 'failed', reason: 'crashed' };
}
