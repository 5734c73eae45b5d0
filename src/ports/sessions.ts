/** What the app needs from processes, clocks and the machine. Types only; what a program did is a value, never an error. */
import type { AgentEvent, EventPlace } from '../core/agents/agent-events.ts';
import type { RunnerError } from '../core/errors.ts';
import type { AgentIdentity, GuardEnded, GuardRun, SessionResult } from '../core/agents/session.ts';
import type { Config, ResolvedDefaults, SignalName } from '../core/types.ts';
import type { JudgeClone } from './judge.ts';

export interface Clock {
  /** Contract: wall clock as ISO 8601 UTC, for logs only; it never decides anything. */
  nowIso(): string;
  /** Contract: milliseconds that only grow; the one clock budgets are measured with. */
  monotonicMs(): number;
  /** Contract: wall clock and the local offset from UTC, to understand when a limit ends; it delays, and never decides. */
  localNow(): { readonly epochMs: number; readonly offsetMinutes: number };
}

export interface Waiter {
  /**
   * Contract: waits, telling every second how long it still takes; null when the time has passed, the signal when one came.
   * Clock jumps and a machine that sleeps never make it longer.
   */
  wait(request: {
    readonly ms: number;
    readonly onTick: (leftMs: number) => void;
    /** Looked at every second: the wait is over as soon as it says so. */
    readonly isOver?: () => Promise<boolean>;
  }): Promise<SignalName | null>;
}

export interface Interrupts {
  /** Contract: the first signal that asked this process to stop, or null. */
  current(): SignalName | null;
  /** Contract: calls the listener once for the first signal (at once if it already came); returns the unsubscribe. */
  subscribe(listener: (signal: SignalName) => void): () => void;
}

/** As a whole command sees them. */
export interface CommandInterrupts extends Interrupts {
  /**
   * Contract: until the returned function is called, a first SIGINT only ends what is running and is then forgotten. Other signals,
   * and a second SIGINT, mean what they always mean.
   */
  allowSkip(): () => void;
}

/** The live process that holds a work tree's lock. */
export interface LockHolder {
  readonly pid: number;
  readonly command: string;
  readonly started_at: string;
  /** False: on another host or in another container, where it cannot be seen whether it still lives. */
  readonly is_here: boolean;
}

export interface Lock {
  /** Contract: who holds the lock; null when nobody does, or only somebody who is gone. Changes nothing. */
  holder(): Promise<LockHolder | null>;
  /**
   * Contract: takes the work tree's lock or throws LOCKED naming pid, start time and command of the owner. A lock of
   * a dead process is taken over. The returned function releases it and never throws.
   */
  acquire(command: string): Promise<() => Promise<void>>;
  /**
   * Contract: makes sure that this process still holds its lock. A lock that was removed, or replaced by something that no runner
   * wrote, is put back, and a note says so; throws LOCKED when another runner took it meanwhile.
   */
  keep(): Promise<readonly string[]>;
  /** Contract: throws LOCKED as `acquire` would; takes and moves nothing. */
  check(): Promise<void>;
}

export interface Activity {
  /** One readable line of what the agent or guard just did. */
  readonly line: string;
}

/** Whose session it is: the one that works, or the one that reviews the work (§9 `[review]`). */
export type SessionRole = 'agent' | 'review';

export interface SessionRequest {
  readonly role: SessionRole;
  /** Number of the session within the iteration, from 1; further ones come after a wait. */
  readonly session: number;
  readonly run_id: string;
  readonly iter: number;
  readonly node_id: string;
  readonly prompt: string;
  /** Judged sessions before this one: the scripted agent plays step number `judged_sessions + 1`. */
  readonly judged_sessions: number;
  readonly cookie: string;
  readonly deadlineMs: number;
  readonly config: Config;
  readonly onActivity: (activity: Activity) => void;
  /** False: of many lines at once only the latest are wanted. */
  readonly everyActivity: boolean;
  /** Every whole event, as `events.jsonl` counts them, also where that file is full; null: nobody listens. */
  readonly onEvent: ((event: AgentEvent, place: EventPlace) => void) | null;
}

/** How a session would be started. Names of variables only: values may be secrets. */
export interface SessionPreview {
  readonly name: string;
  /** Null: the agent's own default. */
  readonly model: string | null;
  readonly effort: string | null;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly stdin: 'prompt' | 'none';
  /** Variables the runner sets. */
  readonly env_set: readonly string[];
  /** Variables of the caller that pass, as far as they are set now. */
  readonly env_passed: readonly string[];
  /** AGENT_MISSING, as `describe` would throw it. */
  readonly problem: RunnerError | null;
}

export interface Executor {
  /** Contract: the command `run` would start with these settings; starts nothing, writes nothing. */
  preview(
    request: Pick<SessionRequest, 'role' | 'run_id' | 'iter' | 'node_id' | 'judged_sessions' | 'config'>,
  ): Promise<SessionPreview>;
  /** Contract: name, version, model and effort for the records; throws AGENT_MISSING with the install hint. */
  describe(config: Config): Promise<AgentIdentity>;
  /** Contract: throws SANDBOX_PATH when the agent's program, if it is there, is another one in the sandbox. */
  checkInside(config: Config): Promise<void>;
  /**
   * Contract: one fresh session in its own process group; returns only when no process with the cookie is left (or
   * throws PROCESS_ALIVE naming it). Never throws for what the agent did. Honours interrupts and the deadline.
   * The previous answer file is removed first.
   */
  run(request: SessionRequest): Promise<SessionResult>;
  /** Contract: after a crash: what the session printed and answered goes into the iteration log; what it reported is returned. */
  salvage(
    request: Pick<SessionRequest, 'run_id' | 'iter' | 'config'> & { readonly role?: SessionRole },
  ): Promise<Pick<SessionResult, 'usage' | 'denials'>>;
  /**
   * Contract: one sentence when the program is newer than every version it was proven with, once for each; else null. Throws as
   * `describe` does.
   */
  warn(config: Config): Promise<string | null>;
  /** Contract: which login the agent will use, as one line for people; null when it cannot be known. Never shows a secret. */
  describeCredential(config: Config): Promise<string | null>;
}

export interface GuardRequest {
  readonly run_id: string;
  readonly iter: number;
  readonly node_id: string;
  readonly cookie: string;
  readonly deadlineMs: number;
  readonly config: Config;
  readonly onActivity: (activity: Activity) => void;
  /** The log of a further run in place; missing: guard.log. */
  readonly log?: 'guard.ratchet.log';
  /** Where it runs instead of the work tree, and under which name its output is kept. */
  readonly clone?: {
    readonly place: Pick<JudgeClone, 'top' | 'projectDir'>;
    readonly log: 'guard.clone.log' | 'guard.counterfactual.log' | 'guard.finish.log' | 'guard.audit.log';
  };
}

export interface GuardRunner {
  /** Contract: throws GUARD_MISSING when the guard's program cannot be found, SANDBOX_PATH when it is another one in the sandbox. */
  check(config: Config): Promise<void>;
  /** Contract: as Executor.run; only exit code 0 without a signal is `passed`. Replaces guard.log, or the log it names. */
  run(request: GuardRequest): Promise<GuardRun & { readonly end: GuardEnded }>;
}

export interface Sweeper {
  /** Contract: ends every process that carries the cookie (TERM, grace, KILL); throws PROCESS_ALIVE naming one it cannot end. */
  end(cookie: string): Promise<readonly string[]>;
}

/** What agent, reviewer, setup and guard run in (§13.8). */
export interface SandboxCheck {
  /** Contract: throws SANDBOX_MISSING when the settings ask for one that cannot be had. */
  check(config: Config): Promise<void>;
  /** Contract: the kind that `"auto"` resolves to on this machine; any other kind is itself. */
  resolve(config: Config): Promise<ResolvedDefaults['sandbox']>;
}

export interface Hasher {
  readonly sha256: (text: string) => string;
  /** Contract: a fresh unguessable session cookie. */
  cookie(): string;
}

export interface Notifier {
  /** Contract: runs notify.command with the JSON on stdin, bounded in time; never throws; returns a warning or null. */
  send(request: { readonly command: readonly string[]; readonly payload: unknown }): Promise<string | null>;
}
