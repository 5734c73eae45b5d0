/** Records of trials and batches as the harness writes them, with what a test wants different. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Batch, CheckResult, TrialMeta, Variant } from '../../src/eval/cases/types.ts';

export const codex: Variant = { kind: 'agent', agent: 'codex', model: null };
export const oracle: Variant = { kind: 'oracle', agent: null, model: null };

export function sampleMeta(change: Partial<TrialMeta> = {}): TrialMeta {
  return {
    case_id: 'alpha',
    eval_run_id: 'eval-20260131_235959-abc123',
    case_hash: 'a'.repeat(64),
    runner_version: '0.1.0',
    runner_run_id: 'alpha',
    outcome: 'success',
    reason: null,
    start_time: '2026-01-31T23:59:59.000Z',
    end_time: '2026-02-01T00:00:09.500Z',
    duration_secs: 10.5,
    exit_code: 0,
    workspace: '/x/eval/workspaces/alpha_20260131_235959_abc123',
    errors: [],
    batch_id: 'night',
    variant: codex,
    repeat: 1,
    agent: { name: 'codex', version: '1.2.3', model: null },
    iterations: 2,
    attempts: 1,
    tokens: 1000,
    cost_usd: null,
    checks_passed: 1,
    checks_total: 1,
    tags: ['js'],
    recorded: false,
    replay_misses: null,
    settings: { max_iterations: '9' },
    hidden: false,
    ...change,
  };
}

export const sampleChecks: readonly CheckResult[] = [
  { type: 'runner_completed', label: 'runner_completed', passed: true, detail: null },
];

export function sampleBatch(change: Partial<Batch> = {}): Batch {
  return {
    version: 1,
    batch_id: 'night',
    created_at: '2026-01-31T23:59:59.000Z',
    runner_version: '0.1.0',
    plan: {
      cases: [{ id: 'alpha', hash: 'a'.repeat(64) }],
      variants: [codex],
      repeats: 1,
      record: false,
    },
    shards: null,
    ...change,
  };
}

/** Writes a trial's folder below a folder of results, whatever that folder is; returns it. */
export function putTrial(
  resultsDir: string,
  change: Partial<TrialMeta> = {},
  more: Readonly<Record<string, string>> = {},
): string {
  const meta = sampleMeta(change);
  const dir = join(resultsDir, meta.case_id, meta.eval_run_id);
  const files = {
    'checks.json': JSON.stringify({ checks: sampleChecks }),
    'meta.json': JSON.stringify(meta),
    ...more,
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(dir, name, '..'), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  return dir;
}

export function putBatch(resultsDir: string, change: Partial<Batch> = {}): void {
  const batch = sampleBatch(change);
  mkdirSync(resultsDir, { recursive: true });
  writeFileSync(join(resultsDir, `${batch.batch_id}.batch.json`), JSON.stringify(batch));
}

/** The least a case file can say, and what else it shall say: before, and behind. */
export function caseText({
  id = 'alpha',
  top = '',
  more = '',
}: {
  readonly id?: string;
  readonly top?: string;
  readonly more?: string;
} = {}): string {
  return `${top}[case]\nid = "${id}"\ngoal = "make it work"\n${more}[[checks]]\ntype = "runner_completed"\n`;
}
