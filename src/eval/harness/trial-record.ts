/** Builds the record of a trial from the facts. It decides no outcome: `cases/outcome.ts` does. */
import type { Artefacts } from './artefacts.ts';
import { noArtefacts } from './artefacts.ts';
import { judgeOutcome } from '../cases/outcome.ts';
import type { TrialFacts } from '../cases/outcome.ts';
import type { TrialMeta, TrialRecord } from '../cases/types.ts';
import type { TrialJob, TrialWorld } from './trial-world.ts';

/** A trial that has a folder for its results and a time by which it must end. */
export interface OpenTrial {
  readonly job: TrialJob;
  readonly eval_run_id: string;
  readonly dir: string;
  /** The whole environment of its programs. */
  readonly env: Readonly<Record<string, string>>;
  readonly cookie: string;
  readonly start_time: string;
  readonly startMs: number;
  readonly deadlineMs: number;
}

export interface TrialRun extends TrialFacts {
  /** Relative to the folder the command works in. */
  readonly workspace: string | null;
  readonly artefacts: Artefacts;
  /** The commit the first iteration starts from; null when there was no run. */
  readonly base: string | null;
  readonly isRecorded: boolean;
  readonly settings: Readonly<Record<string, string>> | null;
  readonly isHidden: boolean;
  readonly errors: readonly string[];
}

export const emptyRun: TrialRun = {
  missing: [],
  failure: null,
  loop: {
    exit_code: null,
    end: null,
    error_code: null,
    is_late: false,
    is_killed: false,
    has_session: false,
  },
  sessions: [],
  is_shell_line: false,
  checks: [],
  replay_misses: null,
  workspace: null,
  artefacts: noArtefacts,
  base: null,
  isRecorded: false,
  settings: null,
  isHidden: false,
  errors: [],
};

export function trialRecord(
  world: TrialWorld,
  trial: OpenTrial,
  { run, logs }: { readonly run: TrialRun; readonly logs: readonly string[] },
): TrialRecord {
  const { key, loaded } = trial.job;
  const { clock, runnerVersion } = world;
  const { batch_id } = world.batch;
  const { runState, metas, attempts } = run.artefacts;
  const judged = judgeOutcome(run);
  const missing = run.missing.map((name) => `the program '${name}' was not found`);
  const meta: TrialMeta = {
    case_id: key.case_id,
    eval_run_id: trial.eval_run_id,
    case_hash: loaded.hash,
    runner_version: runnerVersion,
    runner_run_id: runState?.run_id ?? null,
    outcome: judged.outcome,
    reason: judged.reason,
    start_time: trial.start_time,
    end_time: clock.nowIso(),
    duration_secs: Math.round(clock.monotonicMs() - trial.startMs) / 1000,
    exit_code: run.loop.exit_code,
    workspace: run.workspace,
    errors: [...missing, ...(judged.told === null ? [] : [judged.told]), ...run.errors],
    batch_id,
    variant: key.variant,
    repeat: key.repeat,
    agent: agentOf(metas),
    iterations: metas.length,
    attempts,
    tokens: runState?.totals.tokens ?? null,
    cost_usd: runState?.totals.cost_usd ?? null,
    checks_passed: run.checks.filter(({ passed }) => passed).length,
    checks_total: loaded.case.checks.length,
    tags: loaded.case.tags,
    recorded: run.isRecorded,
    replay_misses: run.replay_misses,
    settings: run.settings,
    hidden: run.isHidden,
  };
  return { meta, checks: run.checks, dir: trial.dir, logs };
}

/** The effort is among the settings. */
function agentOf(metas: Artefacts['metas']): TrialMeta['agent'] {
  const agent = metas.findLast((found) => found !== null)?.agent;
  return agent === undefined ? null : { name: agent.name, version: agent.version, model: agent.model };
}
