/** The system's two clocks. Wall time is for logs only; budgets use the one that never jumps (§1 promise 1). */
import { performance } from 'node:perf_hooks';
import type { Clock } from '../ports/sessions.ts';

export function systemClock(): Clock {
  return {
    nowIso: () => new Date().toISOString(),
    monotonicMs: () => performance.now(),
  };
}
