/**
 * What a session, a guard run and a journal entry are, as plain data. The journal holds exactly what recovery needs to
 * decide with the same code as `step` (§7). This file holds no behaviour.
 */
import type { Config, GuardStatus, AgentStatus, Purpose, RunState, SignalName, SourceText } from './types.ts';

/** How the agent's process ended, before its answer is looked at (the first rows of the §5 table). */
export type SessionEnd =
  | { readonly kind: 'exited' }
  | { readonly kind: 'interrupted'; readonly signal: SignalName }
  | { readonly kind: 'out_of_time'; readonly seconds: number }
  /** Not logged in, quota used up, model unknown: `fix` is the command or setting that helps. */
  | { readonly kind: 'blocked'; readonly reason: string; readonly fix: string }
  /** Non-zero exit, silence, disk cap, or the program could not be started. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** The runner died while the agent was running (§7). */
  | { readonly kind: 'undone' };

export interface SessionResult {
  readonly end: SessionEnd;
  readonly answer: SourceText;
  readonly exit_code: number | null;
  readonly duration_ms: number;
  /** Background children that had to be ended, for the report. */
  readonly leftovers: readonly string[];
}

/** How the guard ended (§5, §7). `output` is the log as text, already cut to its limit. */
export type GuardEnd =
  | { readonly kind: 'passed' }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'not_started'; readonly reason: string }
  | { readonly kind: 'out_of_time'; readonly seconds: number }
  | { readonly kind: 'interrupted'; readonly signal: SignalName }
  /** The runner died during the guard as often as is allowed. */
  | { readonly kind: 'cut_off' };

export interface GuardRun {
  readonly end: GuardEnd;
  readonly exit_code: number | null;
  readonly duration_ms: number;
  readonly output: string;
  readonly log_sha256: string | null;
}

/** The session as the journal keeps it; the agent's tree is stashed beside it, named by its hash. */
export interface SessionFacts extends SessionResult {
  /** Where the branch pointed after the session was put in order: the parent of our commit. */
  readonly head: string;
  /** What the runner put back or moved aside, one line each, sorted. */
  readonly notes: readonly string[];
  /** The protected files among those, told to the next session. */
  readonly protected_paths: readonly string[];
  /** Submodules whose content became dirty during the session. */
  readonly dirty_submodules: readonly string[];
  readonly agent_tree: SourceText;
}

export interface JournalBase {
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
  readonly agent: { readonly name: string; readonly version: string | null; readonly model: string | null };
  readonly started_at: string;
  readonly prompt_sha256: string;
  /** Submodules already dirty before the session. */
  readonly dirty_submodules_before: readonly string[];
}

export type JournalEntry =
  | (JournalBase & { readonly phase: 'prepared' | 'agent' })
  | (JournalBase & { readonly phase: 'ended'; readonly session: SessionFacts })
  | (JournalBase & {
      readonly phase: 'guard';
      readonly session: SessionFacts;
      readonly work_tree: string;
      /** How many guard runs a crash has cut off so far. */
      readonly cut_offs: number;
    })
  | (JournalBase & {
      readonly phase: 'verdict' | 'persisting';
      readonly session: SessionFacts;
      readonly work_tree: string;
      readonly guard: GuardRun | null;
      readonly cut_offs: number;
      /** Output of a user hook that refused or changed the commit; the iteration then failed its check. */
      readonly hook_output: string | null;
    });

/** `start` is journalled too, so that it never leaves a half-made branch behind. */
export interface StartJournal {
  readonly version: 1;
  readonly kind: 'start';
  readonly run_id: string;
  readonly branch: string;
  readonly commit: string;
}

export type AnyJournal = JournalEntry | StartJournal;

/** `.runner/iterations/<run>/<n>/meta.json` (§8), keys in this order. */
export interface IterationMeta {
  readonly run_id: string;
  readonly iter: number;
  readonly node_id: string;
  readonly node_path: string;
  readonly mode: 'decompose' | 'execute' | 'repair';
  readonly status: AgentStatus;
  readonly guard: GuardStatus;
  readonly agent: { readonly name: string; readonly version: string | null; readonly model: string | null };
  readonly started_at: string;
  readonly ended_at: string;
  readonly duration_ms: { readonly agent: number; readonly guard: number; readonly total: number };
  readonly tokens: number | null;
  readonly cost_usd: number | null;
  readonly exit_codes: { readonly agent: number | null; readonly guard: number | null };
  readonly tree_sha256: { readonly before: string; readonly after: string };
  readonly commit: string;
  readonly changed_files: number;
  readonly notes: readonly string[];
  readonly recovered: boolean;
}
