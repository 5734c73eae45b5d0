/** Trials of the eval harness for tests: every field sensible, each one can be said otherwise. */
import fc from 'fast-check';
import type {
  Batch,
  CheckResult,
  EvalOutcome,
  EvalReason,
  TrialMeta,
  TrialRecord,
  Variant,
} from '../../src/eval/cases/types.ts';

export const codex: Variant = { kind: 'agent', agent: 'codex', model: null };

/** An hour after midnight plus so many seconds. */
function timeAt(seconds: number): string {
  return new Date(Date.UTC(2026, 0, 31, 1, 0, seconds)).toISOString();
}

export function trialWith(changes: Partial<TrialMeta> = {}, checks?: readonly CheckResult[]): TrialRecord {
  const { case_id = 'fix-bug', repeat = 1, outcome = 'success', duration_secs = 30 } = changes;
  const passed = outcome === 'success';
  const eval_run_id = changes.eval_run_id ?? `eval-20260131_010000-${String(repeat).padStart(6, 'a')}`;
  const all = checks ?? [
    { type: 'runner_completed', label: 'runner_completed', passed: true, detail: null },
    {
      type: 'file_exists',
      label: 'file_exists(a.txt)',
      passed,
      detail: passed ? null : 'there is no a.txt',
    },
  ];
  return {
    meta: {
      case_id,
      eval_run_id,
      case_hash: 'a'.repeat(64),
      runner_version: '0.1.0',
      runner_run_id: case_id,
      outcome,
      reason: null,
      start_time: timeAt(repeat * 100),
      end_time: timeAt(repeat * 100 + duration_secs),
      duration_secs,
      exit_code: 0,
      workspace: `eval/workspaces/${case_id}_20260131_010000_abcdef`,
      errors: [],
      batch_id: 'first',
      variant: codex,
      repeat,
      agent: { name: 'codex', version: '1.2.3', model: 'gpt-x' },
      iterations: 3,
      attempts: 1,
      tokens: 1000,
      cost_usd: 0.25,
      checks_passed: all.filter((check) => check.passed).length,
      checks_total: all.length,
      tags: [],
      recorded: false,
      replay_misses: null,
      settings: { max_iterations: '9' },
      hidden: true,
      ...changes,
    },
    checks: all,
    dir: `eval/results/${case_id}/${eval_run_id}`,
    logs: ['runner.init.log', 'runner.loop.log', 'runner.start.log'],
  };
}

/** `SSFXE-`: one trial a letter, as repeats from 1. */
export function trialsOf(case_id: string, letters: string, changes: Partial<TrialMeta> = {}): TrialRecord[] {
  const outcomes: Readonly<Record<string, readonly [EvalOutcome, EvalReason | null]>> = {
    S: ['success', null],
    F: ['fail', null],
    X: ['stuck', null],
    E: ['error', 'toolchain_missing'],
    T: ['fail', 'timeout'],
    '-': ['skipped', 'requires_missing'],
  };
  return [...letters].map((letter, index) => {
    const [outcome, reason] = outcomes[letter] ?? ['error', null];
    return trialWith({ case_id, repeat: index + 1, outcome, reason, ...changes });
  });
}

export function batchWith(changes: Partial<Batch> = {}): Batch {
  return {
    version: 1,
    batch_id: 'first',
    created_at: timeAt(0),
    runner_version: '0.1.0',
    plan: { cases: [{ id: 'fix-bug', hash: 'a'.repeat(64) }], variants: [codex], repeats: 1, record: false },
    shards: null,
    ...changes,
  };
}

const arbOutcome = fc.constantFrom<EvalOutcome>('success', 'fail', 'stuck', 'error', 'skipped');

/** Anything a folder of results can hold, hostile text among it. */
export const arbTrials: fc.Arbitrary<TrialRecord[]> = fc
  .array(
    fc.record({
      case_id: fc.constantFrom('a', 'b', 'c-d', 'e_f'),
      repeat: fc.integer({ min: 1, max: 4 }),
      outcome: arbOutcome,
      reason: fc.option(
        fc.constantFrom<EvalReason>('timeout', 'agent_failed', 'toolchain_missing', 'requires_missing'),
      ),
      duration_secs: fc.integer({ min: 0, max: 10_000 }),
      tokens: fc.option(fc.integer({ min: 0, max: 1e9 })),
      cost_usd: fc.option(fc.integer({ min: 0, max: 1e6 }).map((cents) => cents / 100)),
      agent: fc.option(
        fc.record({
          name: fc.string({ unit: 'binary' }),
          version: fc.option(fc.string()),
          model: fc.option(fc.string({ unit: 'binary' })),
        }),
      ),
      errors: fc.array(fc.string({ unit: 'binary', maxLength: 60 }), { maxLength: 2 }),
      variant: fc.constantFrom<Variant>(
        codex,
        { kind: 'oracle', agent: null, model: null },
        { kind: 'agent', agent: 'claude', model: 'm</td>|x' },
        { kind: 'agent', agent: 'command', model: null, settings: { 'agent.bin': '<b>|x' }, command: 'a' },
      ),
      settings: fc.option(
        fc.dictionary(fc.constantFrom('max_iterations', 'on_stuck'), fc.string({ unit: 'binary' })),
      ),
      label: fc.string({ unit: 'binary', maxLength: 40 }),
    }),
    { maxLength: 20 },
  )
  .map((all) =>
    all.map(({ label, ...changes }) =>
      trialWith(changes, [
        { type: 'file_exists', label, passed: changes.outcome === 'success', detail: `${label}: missing` },
      ]),
    ),
  );
