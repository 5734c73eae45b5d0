/** How long one call of git may take: its time limit, and less after a signal. */
import type { Interrupts } from '../../ports/sessions.ts';

/** How long a call may take. */
export interface GitLimits {
  timeoutMs: number;
  /** After the first signal a call gets a little more: enough to keep the work, not to wait for a filter that hangs. */
  readonly interrupts: Interrupts | null;
  readonly afterSignalMs?: number;
}

export const callTimeoutMs = 10 * 60 * 1000;
const lastCallMs = 20 * 1000;

/** How the reason begins. */
export const outOfTime = 'no end after';

export interface CallLimit {
  readonly signal: AbortSignal;
  /** Null: the time was enough. */
  readonly reason: () => string | null;
  readonly end: () => void;
}

export function startLimit(limits: GitLimits | undefined, call: { readonly timeoutMs?: number }): CallLimit {
  const controller = new AbortController();
  let reason: string | null = null;
  const stopAfter = (ms: number): NodeJS.Timeout =>
    setTimeout(() => {
      reason = `${outOfTime} ${ms / 1000} s`;
      controller.abort();
    }, ms);
  const ms = call.timeoutMs ?? limits?.timeoutMs ?? callTimeoutMs;
  let timer = stopAfter(ms);
  const unsubscribe = limits?.interrupts?.subscribe(() => {
    clearTimeout(timer);
    timer = stopAfter(Math.min(ms, limits.afterSignalMs ?? lastCallMs));
  });
  return {
    signal: controller.signal,
    reason: () => reason,
    end: () => {
      clearTimeout(timer);
      unsubscribe?.();
    },
  };
}
