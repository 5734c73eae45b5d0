/**
 * Sessions, guard runs and journal entries as plain data. The journal holds exactly what recovery needs to decide with the same
 * code as `step` (§7). This file holds no behaviour.
 */
import type { FailureKind } from './failure.ts';
import type { PromptFacts } from './prompt-facts.ts';
import type { SandboxKind } from '../sandbox/sandbox.ts';
import type {
  Config,
  GuardCheckout,
  GuardStatus,
  AgentStatus,
  Purpose,
  RunState,
  SignalName,
  SourceText,
} from '../types.ts';

/** How the agent's process ended, before its answer is looked at (the first rows of the §5 table). */
export type SessionEnd =
  | { readonly kind: 'exited' }
  | { readonly kind: 'interrupted'; readonly signal: SignalName }
  /** A person asked for a pause while it waited for the agent (§12). */
  | { readonly kind: 'paused' }
  | { readonly kind: 'out_of_time'; readonly seconds: number }
  /** A person has to do something first: `fix` is the command or setting that helps. */
  | {
      readonly kind: 'blocked';
      readonly failure: FailureKind;
      readonly reason: string;
      readonly fix: string;
    }
  /** Non-zero exit, silence, disk cap, or the program could not be started. */
  | { readonly kind: 'failed'; readonly failure: FailureKind; readonly reason: string }
  /** The runner died while the agent was running (§7). */
  | { readonly kind: 'undone' };

/** Rate limited, overloaded or offline: worth another session after a wait. `fix` is for when the waits are used up. */
export interface Unavailable {
  readonly kind: 'unavailable';
  readonly failure: FailureKind;
  readonly reason: string;
  readonly fix: string;
  /** When it will work again, as stated by the agent: milliseconds since 1970. */
  readonly reset_at_ms: number | null;
}

/** What a session used, as its agent reported it; null: not reported. Input includes what came from a cache. */
export interface Usage {
  readonly input_tokens: number | null;
  readonly cached_input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly cost_usd: number | null;
}

export interface SessionResult<End = SessionEnd | Unavailable> {
  readonly end: End;
  readonly answer: SourceText;
  readonly exit_code: number | null;
  readonly duration_ms: number;
  readonly usage: Usage;
  /** What the agent was refused, or could not ask, one line each. */
  readonly denials: readonly string[];
  /** Background children that had to be ended, for the report. */
  readonly leftovers: readonly string[];
}

/** The checks of §14, in their order. */
export type GuardCheck = 'guard' | 'ratchet' | 'clone' | 'bytes' | 'counterfactual';

/** How the guard ended (§5, §7). `output` is the log as plain lines, already cut to its limit. */
export type GuardEnd =
  | { readonly kind: 'passed' }
  /** `by`: which check took the pass away (§14); missing: the guard in place. */
  | { readonly kind: 'failed'; readonly reason: string; readonly by?: GuardCheck }
  | { readonly kind: 'not_started'; readonly reason: string }
  | { readonly kind: 'out_of_time'; readonly seconds: number }
  | { readonly kind: 'interrupted'; readonly signal: SignalName }
  /** The runner died during the guard as often as is allowed. */
  | { readonly kind: 'cut_off' };

/** How a guard that this process ran can end. */
export type GuardEnded = Exclude<GuardEnd, { readonly kind: 'cut_off' }>;

export interface GuardRun {
  readonly end: GuardEnd;
  readonly exit_code: number | null;
  readonly duration_ms: number;
  readonly output: string;
  readonly log_sha256: string | null;
  /** What the guard said without the change; missing: it was not asked (§14). */
  readonly counterfactual?: 'red' | 'green' | 'n/a' | 'unknown';
  /** What `guard.checkout = "auto"` was resolved to by this run. */
  readonly checkout?: GuardCheckout;
}

/** Who does a session: name, and version, model and effort as far as they are known. */
export interface AgentIdentity {
  readonly name: string;
  readonly version: string | null;
  readonly model: string | null;
  readonly effort: string | null;
}

/** A review as the journal keeps it: the session of the reviewer, and who it was (§9 `[review]`). */
export interface ReviewRun extends Omit<SessionResult<SessionEnd>, 'leftovers'> {
  readonly agent: AgentIdentity;
  readonly waited_secs: number;
}

/** The session as the journal keeps it; the agent's tree is stashed beside it, named by its hash. */
export interface SessionFacts extends SessionResult<SessionEnd> {
  /** Where the branch pointed after the session was put in order: the parent of our commit. */
  readonly head: string;
  /** What the runner put back or moved aside, one line each, sorted. */
  readonly notes: readonly string[];
  /** The protected files among those, told to the next session. */
  readonly protected_paths: readonly string[];
  /** Submodules whose content became dirty during the session. */
  readonly dirty_submodules: readonly string[];
  readonly agent_tree: SourceText;
  /** Sessions of the iteration, and how long it waited between them. */
  readonly sessions: number;
  readonly waited_secs: number;
}

export interface JournalBase extends PromptFacts {
  readonly version: 1;
  readonly kind: 'iteration';
  readonly run_id: string;
  readonly iter: number;
  readonly node_id: string;
  readonly node_path: string;
  readonly purpose: Purpose;
  readonly branch: string;
  /** B: the commit the iteration starts from. */
  readonly baseline: string;
  /** Git tree id of everything outside `.runner/` at B. */
  readonly baseline_tree: string;
  /** Project folder inside the work tree, `''` or ending in `/`. */
  readonly prefix: string;
  readonly cookie: string;
  readonly config: Config;
  readonly run_state: RunState;
  readonly agent: AgentIdentity;
  readonly started_at: string;
  readonly prompt_sha256: string;
  /** Submodules already dirty before the session. */
  readonly dirty_submodules_before: readonly string[];
}

export type JournalEntry =
  | (JournalBase & {
      readonly phase: 'agent';
      /** What sessions of the iteration used that are over, while a further one is due: a crash must not forget it. */
      readonly spent?: Usage;
    })
  | (JournalBase & { readonly phase: 'ended'; readonly session: SessionFacts })
  | (JournalBase & {
      readonly phase: 'guard';
      readonly session: SessionFacts;
      readonly work_tree: string;
      /** Which of its runs was due; recovery begins with the first again. */
      readonly check: 'place' | 'ratchet' | 'clone' | 'counterfactual';
      /** How many guard runs a crash has cut off so far. */
      readonly cut_offs: number;
    })
  | (JournalBase & {
      readonly phase: 'review';
      readonly session: SessionFacts;
      readonly work_tree: string;
      readonly cut_offs: number;
      /** Git tree id of everything a commit would hold, `.runner/` included: what a reviewer changes is taken back to it. */
      readonly whole_tree: string;
      /** As above, of review sessions. */
      readonly spent?: Usage;
    })
  | (JournalBase & {
      readonly phase: 'persisting';
      readonly session: SessionFacts;
      readonly work_tree: string;
      /** For the logs of a commit that was made; no verdict is taken from here (§7). */
      readonly guard: GuardRun | null;
      readonly review: ReviewRun | null;
      readonly cut_offs: number;
      /** The commit whose runner-owned files count: B, or what a person committed on top of it. */
      readonly control: string;
    });

/** `start` is journalled too, so that it never leaves a half-made branch behind. */
export interface StartJournal {
  readonly version: 1;
  readonly kind: 'start';
  readonly run_id: string;
  readonly branch: string;
  readonly commit: string;
}

/** The guard's run before a run begins (§11): what is needed to put everything back as it was. */
export interface BaselineJournal {
  readonly version: 1;
  readonly kind: 'baseline';
  readonly run_id: string;
  /** What was checked out, and where it pointed. */
  readonly branch: string;
  readonly head: string;
  /** Project folder inside the work tree, `''` or ending in `/`. */
  readonly prefix: string;
  readonly cookie: string;
  /** Git tree id of all files as they were, `.runner/` included. */
  readonly whole_tree: string;
}

/** The guard's run on the merged files before a run is finished (§12): nothing has moved yet, only its processes must be ended. */
export interface FinishJournal {
  readonly version: 1;
  readonly kind: 'finish';
  readonly run_id: string;
  readonly cookie: string;
}

export type AnyJournal = JournalEntry | StartJournal | BaselineJournal | FinishJournal;

/** `.runner/iterations/<run>/<n>/meta.json` (§8), keys in this order. */
export interface IterationMeta extends PromptFacts {
  readonly run_id: string;
  readonly iter: number;
  readonly node_id: string;
  readonly node_path: string;
  /** Of the node before the session; null: it is not in that tree, or an older version wrote this. */
  readonly title: string | null;
  readonly mode: 'decompose' | 'execute' | 'repair';
  readonly status: AgentStatus;
  readonly guard: GuardStatus;
  /** Name of the row of the §5 table; empty: written by an older version. */
  readonly outcome: string;
  readonly agent: AgentIdentity;
  /** Null: no review took place. `verdict` is null when the review gave none. */
  readonly review: { readonly agent: AgentIdentity; readonly verdict: 'pass' | 'fail' | null } | null;
  readonly started_at: string;
  readonly ended_at: string;
  readonly duration_ms: {
    readonly agent: number;
    readonly guard: number;
    readonly review: number;
    readonly total: number;
  };
  readonly tokens: number | null;
  readonly cost_usd: number | null;
  /** Sums with this iteration, for the node and for the run. */
  readonly totals: {
    readonly node: { readonly tokens: number | null; readonly cost_usd: number | null };
    readonly run: { readonly tokens: number | null; readonly cost_usd: number | null };
  };
  /** What was wrong with the agent, by the table of failures; null: nothing. */
  readonly failure: FailureKind | null;
  /** Sessions of the iteration, further ones after a wait included, and the seconds waited. */
  readonly sessions: number;
  readonly waited_secs: number;
  /** Which rings around the judge were on (§14). */
  readonly rings: {
    readonly sandbox: SandboxKind;
    readonly guard: 'offline' | 'online' | 'outside';
    readonly settings: boolean;
    readonly checkout: 'off' | 'final' | 'every';
  };
  /** What the guard said without the change; null: it was not asked. */
  readonly counterfactual: 'red' | 'green' | 'n/a' | 'unknown' | null;
  readonly exit_codes: { readonly agent: number | null; readonly guard: number | null };
  readonly tree_sha256: { readonly before: string; readonly after: string };
  readonly commit: string;
  readonly changed_files: number;
  /** Changed files that other programs execute or obey, the first of them. */
  readonly tool_files: readonly string[];
  /** How processes of the session are found (§14). */
  readonly processes: string;
  readonly notes: readonly string[];
  readonly recovered: boolean;
}

/** One recorded iteration, as `step` and `loop` report it. */
export interface IterationRecord {
  readonly run_id: string;
  readonly iter: number;
  readonly node_id: string;
  readonly node_path: string;
  /** Null: the node is not in the tree any more. */
  readonly title: string | null;
  readonly status: AgentStatus;
  readonly guard: GuardStatus;
  readonly commit: string;
  readonly message: string;
  /** What the iteration used, as its agents reported it; null: not reported. */
  readonly tokens: number | null;
  readonly cost_usd: number | null;
  readonly failure: FailureKind | null;
  readonly duration_ms: { readonly agent: number; readonly guard: number; readonly review: number };
  /** Waits for an agent that was rate limited, overloaded or offline; no part of the durations. */
  readonly waited_secs: number;
}
