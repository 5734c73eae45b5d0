/** The terms of the product as types. On-disk names keep their on-disk spelling (contract §2, §3, §8). This file holds no behaviour. */

export interface TreeNode {
  readonly id: string;
  readonly order: number;
  readonly title: string;
  readonly goal: string;
  readonly acceptance: readonly string[];
  readonly passes: boolean;
  readonly attempts: number;
  readonly max_attempts: number;
  readonly children: readonly TreeNode[];
}

/** A broken rule and where: `path` is ids joined by `/` (`root/api/auth`), or empty for the whole document. */
export interface Violation {
  readonly path: string;
  readonly message: string;
}

export type AgentStatus = 'done' | 'retry' | 'decomposed';
export type GuardStatus = 'pass' | 'fail' | 'skipped';
/** Environment variables, as a program gets them. */
export type Env = Readonly<Record<string, string | undefined>>;
export type SignalName = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

export interface AgentChild {
  readonly title: string;
  readonly goal: string;
  readonly acceptance: readonly string[];
}

export interface AgentOutput {
  readonly status: AgentStatus;
  readonly summary: string;
  readonly children: readonly AgentChild[] | null;
}

/** What a file gave when read for judging. Adapters never throw for what an agent left behind. */
export type SourceText =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly message: string }
  | { readonly kind: 'too_large'; readonly bytes: number; readonly bytesMax: number };

/**
 * What an iteration is for: `execute` works on the selected leaf, `plan` is the one planning session that
 * `on_stuck = "decompose"` allows (§4), `repair` asks for a valid tree (§5).
 */
export type Purpose = 'execute' | 'plan' | 'repair';

/** The `mode` of meta.json and of the commit trailer, read from the changed paths (§5). */
export type Mode = 'decompose' | 'execute' | 'repair';

export interface NodeRecord {
  /** Git tree id of everything outside `.runner/` before the node's first iteration. */
  readonly base: string | null;
  readonly invalid_trees: number;
  readonly confirm_asked: boolean;
  readonly decompose_used: boolean;
  /** Sums of what the agents reported while they worked on it; null: nothing reported. */
  readonly tokens: number | null;
  readonly cost_usd: number | null;
}

export interface RepairState {
  readonly node_id: string;
  readonly count: number;
  readonly sha256: string;
}

export interface RunTotals {
  readonly tokens: number | null;
  readonly cost_usd: number | null;
  readonly seconds: number;
}

/** A file of the guard as it counts (§14). */
export interface RatchetFile {
  /** From the top of the work tree. */
  readonly path: string;
  /** Both null: there must be no such file, which would be taken instead of another. */
  readonly mode: string | null;
  readonly oid: string | null;
  /** Of a package.json only these scripts count; null: the whole file does. */
  readonly scripts: readonly string[] | null;
}

export interface Ratchet {
  /** Hash of `guard.command` and `guard.protect`, by which the files were found. */
  readonly guard_sha256: string;
  readonly files: readonly RatchetFile[];
}

export interface GuardCheckout {
  readonly mode: 'final' | 'off';
  readonly reason: string;
  /** Of guard command and setup: with others it is decided again. */
  readonly sha256: string;
}

/** What `start` made of settings that depend on the machine (§12). */
export interface ResolvedDefaults {
  readonly permissions: 'workspace' | 'full';
  readonly sandbox: 'none' | 'bwrap' | 'docker';
  /** Whether the guard runs in the sandbox, and whether it has a network there. */
  readonly guard: boolean;
  readonly guard_network: boolean;
}

export interface RunState {
  readonly run_id: string | null;
  readonly next_iter: number;
  readonly last_status: AgentStatus | null;
  readonly last_summary: string | null;
  readonly last_guard: GuardStatus | null;
  readonly failures_in_a_row: number;
  readonly judged_sessions: number;
  readonly totals: RunTotals;
  readonly guard_baseline: 'green' | 'red' | 'not_found' | null;
  /** What `guard.checkout = "auto"` was resolved to; null: not decided, or not asked for. */
  readonly guard_checkout: GuardCheckout | null;
  /** Where the run started (§12); null: not known. */
  readonly base_branch: string | null;
  readonly base_commit: string | null;
  readonly goal_sha256: string | null;
  /** Null: begun by an older version, which had no sandbox by itself. */
  readonly resolved: ResolvedDefaults | null;
  readonly repair: RepairState | null;
  /** The guard's own files; null: not looked for yet. */
  readonly ratchet: Ratchet | null;
  readonly nodes: Readonly<Record<string, NodeRecord>>;
}

/** `.runner/nodes/<id>/last.json`: what happened last on a node, all that history and failure are made of. */
export interface LastRecord {
  readonly iter: number;
  readonly summary: string | null;
  readonly error: string | null;
  readonly guard_output: string | null;
}

export type AgentName =
  | 'codex'
  | 'claude'
  | 'opencode'
  | 'gemini'
  | 'qwen'
  | 'copilot'
  | 'pi'
  | 'droid'
  | 'command'
  | 'scripted';

/** Agents that may review: all but the one that plays recorded answers. */
export type ReviewerName = Exclude<AgentName, 'scripted'>;

/** Null: not set. */
export interface ModelChoice {
  readonly model: string | null;
  readonly effort: string | null;
}

export interface Config {
  readonly max_iterations: number;
  readonly max_attempts_default: number;
  readonly iteration_timeout_secs: number;
  readonly executor_output_limit_bytes: number;
  readonly guard_output_limit_bytes: number;
  readonly prompt_budget_bytes: number;
  readonly on_stuck: 'stop' | 'defer' | 'decompose';
  readonly on_timeout: 'stop' | 'continue';
  readonly agent: {
    readonly name: AgentName;
    readonly model: string | null;
    /** In the agent's own words; null: its default. */
    readonly effort: string | null;
    readonly bin: string | null;
    readonly extra_args: readonly string[];
    readonly env: readonly string[];
    readonly command: readonly string[] | null;
    readonly script: string | null;
    readonly permissions: 'workspace' | 'full' | null;
    /** As claude calls it; null: it may do everything. */
    readonly permission_mode: string | null;
    /** Null: the agent's own default (off for command and scripted, 1200 for opencode, 600 for the others). 0: off. */
    readonly idle_timeout_secs: number | null;
    readonly max_failures: number;
    readonly max_wait_secs: number;
    /** For planning sessions; what is null is as for all others. */
    readonly plan: ModelChoice;
    /** For a leaf with so many attempts used. */
    readonly escalate: ModelChoice & { readonly after_attempts: number };
  };
  readonly limits: {
    readonly max_run_secs: number | null;
    readonly max_tokens: number | null;
    readonly max_cost_usd: number | null;
  };
  readonly guard: {
    readonly command: readonly string[];
    readonly timeout_secs: number | null;
    readonly baseline: boolean;
    readonly empty_change: 'confirm' | 'reject' | 'allow';
    /** Null: the guard's own files (§14). */
    readonly protect: readonly string[] | null;
    readonly policy: 'ratchet' | 'protect' | 'open';
    /** Null: usual names of tests. */
    readonly tests: readonly string[] | null;
    readonly checkout: 'auto' | 'off' | 'final' | 'every';
    readonly counterfactual: 'off' | 'record' | 'require';
    readonly env: readonly string[];
  };
  readonly automation: {
    readonly setup: readonly string[];
    readonly setup_timeout_secs: number;
    /** Null: one background run for each processor. */
    readonly max_parallel: number | null;
  };
  readonly sandbox: {
    /** For the work trees of background runs; null: in the state folder of the user. */
    readonly root: string | null;
    readonly kind: 'auto' | 'none' | 'bwrap' | 'docker';
    readonly image: string;
    readonly network: boolean;
    /** Whether the guard runs inside, and with a network; null: as it was green before the run began. */
    readonly guard: boolean | null;
    readonly guard_network: boolean | null;
    readonly read: readonly string[];
    readonly write: readonly string[];
    readonly memory_mb: number;
    readonly max_processes: number;
  };
  readonly review: ModelChoice & {
    readonly agent: ReviewerName | null;
    /** Null: as for the agent, where it is the same one. */
    readonly bin: string | null;
    readonly extra_args: readonly string[] | null;
    readonly env: readonly string[] | null;
  };
  readonly tree: { readonly allow_removal: boolean; readonly max_repairs: number };
  readonly git: {
    readonly run_hooks: boolean;
    readonly sign: boolean;
    /** Null: nothing is pushed. */
    readonly push: string | null;
  };
  readonly notify: { readonly command: readonly string[] | null };
}

/** GOAL.md, read. */
export interface Goal {
  readonly id: string | null;
  /** Everything after the front matter, byte for byte. */
  readonly body: string;
}

/** The leaf an iteration works on. `path` is ids joined by `/`. */
export interface SelectedLeaf {
  readonly node: TreeNode;
  readonly path: string;
}

/** §4: what comes next for a tree. */
export type Selection =
  | { readonly kind: 'complete' }
  | { readonly kind: 'leaf'; readonly leaf: SelectedLeaf; readonly purpose: 'execute' | 'plan' }
  | { readonly kind: 'repair'; readonly leaf: SelectedLeaf | null; readonly repair: RepairState }
  | { readonly kind: 'stuck'; readonly leaf: SelectedLeaf };

/** The answer of a review session. */
export interface Review {
  readonly verdict: 'pass' | 'fail';
  readonly findings: readonly string[];
}
