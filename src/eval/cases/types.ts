/**
 * Types of what the eval harness reads, plans and stores. On-disk names keep their on-disk spelling (docs/eval.md). This file
 * holds no behaviour.
 */

/** One check of a case, as the case file spells it; what may be left out there is filled in. */
export type EvalCheck =
  | { readonly type: 'file_exists'; readonly path: string }
  | {
      readonly type: 'file_contains';
      readonly path: string;
      /** Exactly one of the two is set: a text that must occur, or a regular expression that must match. */
      readonly text: string | null;
      readonly pattern: string | null;
    }
  | {
      readonly type: 'command_succeeds' | 'command_fails';
      readonly cmd: readonly string[];
      readonly timeout_secs: number;
      readonly env: Readonly<Record<string, string>>;
    }
  | { readonly type: 'runner_completed' }
  | { readonly type: 'max_iterations_used'; readonly max: number }
  | {
      readonly type: 'tree';
      /** At least one is set. */
      readonly passes: boolean | null;
      readonly min_nodes: number | null;
      readonly max_nodes: number | null;
      readonly max_depth: number | null;
    };

export interface SetupStep {
  readonly cmd: readonly string[];
  readonly timeout_secs: number;
  readonly env: Readonly<Record<string, string>>;
}

export type CaseOracle =
  | { readonly script: string }
  | { readonly command: readonly string[]; readonly fixture: string | null };

export const pathMeanings = ['workspace', 'hidden', 'oracle', 'scratch'] as const;

/** The workspace, the folder of hidden files, that of the oracle, or an empty one for the checks. */
export type PathMeaning = (typeof pathMeanings)[number];

export interface EvalCase {
  readonly id: string;
  readonly goal: string;
  readonly description: string | null;
  readonly tags: readonly string[];
  /** For `start` and `loop` together. */
  readonly timeout_secs: number;
  /** Programs without which the case is skipped. */
  readonly requires: readonly string[];
  /** A folder, relative to the case file, that is copied into the workspace. */
  readonly fixture: string | null;
  /** A git bundle, relative to the case file, whose HEAD the workspace starts from. */
  readonly history: string | null;
  /** Programs that finish the workspace before its first commit. */
  readonly setup: readonly SetupStep[];
  /** Files of the workspace by path, laid over the fixture. */
  readonly files: Readonly<Record<string, string>>;
  readonly justfile: string | null;
  /** Settings of config.toml without `agent`, as spelled in the case. Sound by the rules of config.toml. */
  readonly config: Readonly<Record<string, unknown>>;
  /** The `agent` table of config.toml. */
  readonly agent: Readonly<Record<string, unknown>>;
  /** Variables of `start`, `loop`, agent, guard and checks. */
  readonly env: Readonly<Record<string, string>>;
  /** A solution, relative to the case file: a script of the scripted agent, or a command with the folder it needs. */
  readonly oracle: CaseOracle | null;
  /** What is laid in only for the checks. */
  readonly hidden: {
    /** A folder, relative to the case file. */
    readonly fixture: string | null;
    readonly files: Readonly<Record<string, string>>;
  };
  /** What paths of a container mean in a trial, for commands and laid-in files. */
  readonly paths: Readonly<Record<string, PathMeaning>>;
  readonly checks: readonly EvalCheck[];
}

/** Who works on a case: an agent by its name (null: the one the case names), the case's own solution, or nobody. */
export interface Variant {
  readonly kind: 'agent' | 'oracle' | 'null' | 'replay';
  readonly agent: string | null;
  readonly model: string | null;
  /** Settings on top of the case's: what was typed, by key. */
  readonly settings?: Readonly<Record<string, string>>;
  /** What `agent = "command"` runs, as a line of the shell. */
  readonly command?: string;
}

export interface TrialKey {
  readonly case_id: string;
  readonly variant: Variant;
  /** From 1. */
  readonly repeat: number;
}

export type EvalOutcome = 'success' | 'fail' | 'stuck' | 'error' | 'skipped';

/** Why a trial did not succeed: the agent's limits and crashes are of `fail`, `requires_missing` of `skipped`, the others of `error`. */
export type EvalReason =
  | 'iteration_limit'
  | 'run_limit'
  | 'timeout'
  | 'agent_failed'
  | 'agent_missing'
  | 'agent_unavailable'
  | 'workspace_failed'
  | 'setup_failed'
  | 'start_failed'
  | 'loop_failed'
  | 'toolchain_missing'
  | 'oracle_missing'
  | 'recording_missing'
  | 'replay_miss'
  | 'requires_missing';

/** `checks.json`, one entry a check, in the order of the case. */
export interface CheckResult {
  readonly type: EvalCheck['type'];
  /** `file_exists(main.go)`, `command_succeeds(go build .)`, `runner_completed`. */
  readonly label: string;
  readonly passed: boolean;
  /** One line for people: why it did not pass; null when it did. */
  readonly detail: string | null;
  /** Of commands only. */
  readonly command?: {
    readonly exit_code: number | null;
    readonly timed_out: boolean;
    /** Why the program could not be started; null when it was. */
    readonly start_error: string | null;
    /** The program is a file of the workspace, which the agent had to make. */
    readonly is_own?: boolean;
    /** Log below the folder of the results. */
    readonly log: string;
    readonly duration_ms: number;
  };
}

/** `meta.json` of one trial. Written last: a trial without an outcome has not ended. */
export interface TrialMeta {
  readonly case_id: string;
  readonly eval_run_id: string;
  /** sha256 of the case file, its fixture and its oracle. */
  readonly case_hash: string;
  readonly runner_version: string;
  readonly runner_run_id: string | null;
  readonly outcome: EvalOutcome;
  readonly reason: EvalReason | null;
  readonly start_time: string;
  readonly end_time: string;
  readonly duration_secs: number;
  /** Of `runner loop`; null when it was not started or ended by a signal. */
  readonly exit_code: number | null;
  readonly workspace: string | null;
  readonly errors: readonly string[];
  readonly batch_id: string;
  readonly variant: Variant;
  readonly repeat: number;
  /** As the run recorded it; null when no session ran. */
  readonly agent: {
    readonly name: string;
    readonly version: string | null;
    readonly model: string | null;
  } | null;
  readonly iterations: number;
  readonly attempts: number;
  readonly tokens: number | null;
  readonly cost_usd: number | null;
  readonly checks_passed: number;
  readonly checks_total: number;
  readonly tags: readonly string[];
  readonly recorded: boolean;
  /** Iterations of a replay whose prompt is not the recorded one; null: no replay. */
  readonly replay_misses: readonly number[] | null;
  /** Settings the trial ran with, as config.toml spells them; null: recorded by a version that did not. */
  readonly settings: Readonly<Record<string, string>> | null;
  /** Whether cases and results were hidden from the agent by a sandbox; null: recorded by a version that did not. */
  readonly hidden: boolean | null;
}

export interface TrialRecord {
  readonly meta: TrialMeta;
  readonly checks: readonly CheckResult[];
  /** The folder of its results. */
  readonly dir: string;
  /** Logs of setup and runner that are in it, by their names. */
  readonly logs: readonly string[];
}

export interface Shard {
  /** From 1. */
  readonly index: number;
  readonly of: number;
}

/** What one `eval run` set out to do: `<batch-id>.batch.json` among the results. */
export interface Batch {
  readonly version: 1;
  readonly batch_id: string;
  readonly created_at: string;
  readonly runner_version: string;
  readonly plan: {
    readonly cases: readonly { readonly id: string; readonly hash: string }[];
    readonly variants: readonly Variant[];
    readonly repeats: number;
    readonly record: boolean;
  };
  /** The parts of the plan this batch covers; null: all of it. */
  readonly shards: readonly Shard[] | null;
}
