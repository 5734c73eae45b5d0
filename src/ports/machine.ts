/** What `doctor` asks of the machine. Types only; every answer comes in bounded time, and nothing is written. */
import type { AgentFacts, HookFacts, LeftOut } from '../core/views/doctor.ts';
import type { GuardSource } from '../core/config/guard-ability.ts';
import type { GuardEnded } from '../core/agents/session.ts';
import type { EscapeResult } from '../core/sandbox/sandbox-battery.ts';
import type { Config, ResolvedDefaults } from '../core/types.ts';

export type LockState =
  | { readonly kind: 'free' }
  /** `alive`: also one of another host, which cannot be seen from here. */
  | { readonly kind: 'alive' | 'dead'; readonly owner: string }
  | { readonly kind: 'foreign'; readonly message: string; readonly file: string };

export interface Machine {
  nodeVersion(): string;
  /** Contract: `git version 2.x`; null when it cannot be run. */
  gitVersion(): Promise<string | null>;
  /** Contract: the configured agent first, then the reviewer, then all others by the order of the documents. */
  listAgents(config: Config | null): Promise<readonly AgentFacts[]>;
  /** Contract: the script behind a guard; null when there is none, or nothing that can be read. Runs nothing of the project. */
  loadGuardText(source: GuardSource, command: readonly string[]): Promise<string | null>;
  /** Contract: throws SANDBOX_MISSING. */
  checkSandbox(config: Config): Promise<void>;
  /** Contract: the kind that `"auto"` resolves to here. */
  resolveSandbox(config: Config): Promise<ResolvedDefaults['sandbox']>;
  /** Contract: every way out of bubblewrap, tried for real; throws SANDBOX_MISSING. */
  tryEscapes(): Promise<readonly EscapeResult[]>;
  /** Contract: throws GUARD_MISSING. */
  checkGuard(config: Config): Promise<void>;
  /** Contract: runs the guard once, its output as lines; writes nothing itself. */
  tryGuard(request: {
    readonly config: Config;
    readonly runId: string;
    readonly onLine: (line: string) => void;
  }): Promise<{ readonly end: GuardEnded; readonly duration_ms: number }>;
  /** Contract: names of variables that neither agent nor guard gets by itself, sorted; no values. */
  listLeftOut(): readonly LeftOut[];
  freeBytes(): Promise<number | null>;
  /** Contract: folders among the project's, `.runner/` and the git folder that cannot be written to. */
  listUnwritable(): Promise<readonly string[]>;
  /** Contract: all that follow are empty outside a repository. */
  listHooks(): Promise<HookFacts>;
  listGitLocks(): Promise<readonly string[]>;
  runnerLock(): Promise<LockState>;
  /** Contract: `pid (command)` of processes that a session of this work tree started; none of the session we are in. */
  listLeftovers(): Promise<readonly string[]>;
}
