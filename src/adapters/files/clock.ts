/** The system's clocks. Wall time is for logs and stated resets of limits; budgets use the monotonic clock. */
import type { Clock } from '../../ports/sessions.ts';

export function systemClock(): Clock {
  return {
    nowIso: () => new Date().toISOString(),
    monotonicMs: () => performance.now(),
    localNow: () => {
      const now = new Date();
      return { epochMs: now.getTime(), offsetMinutes: 0 - now.getTimezoneOffset() };
    },
  };
}
