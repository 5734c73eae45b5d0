/**
 * Reads a run state for the proof (§15) and compares two of them. Only the keys that the proof covers count: those of other versions
 * are left alone.
 */
import { defaultRunState } from '../iteration/run-state.ts';
import { parseRunState } from '../iteration/run-state-schema.ts';
import { parseStrictJson } from '../text/strict-json.ts';
import type { RunState, SourceText } from '../types.ts';
import { differ } from './problem.ts';
import type { Problem } from './transition.ts';

export const provenKeys = [
  ...(['run_id', 'next_iter', 'last_status', 'last_summary', 'last_guard', 'failures_in_a_row'] as const),
  ...([
    'judged_sessions',
    'totals',
    'guard_baseline',
    'guard_checkout',
    'base_branch',
    'base_commit',
  ] as const),
  ...(['goal_sha256', 'resolved', 'repair', 'ratchet', 'nodes'] as const),
] as const satisfies readonly (keyof RunState)[];

export type ProvenKey = (typeof provenKeys)[number];

/** Null: it cannot be read. */
export function readRunState(source: SourceText): RunState | null {
  const json = source.kind === 'text' ? parseStrictJson(source.text) : null;
  if (json?.ok !== true || typeof json.value !== 'object' || json.value === null) return null;
  const known = new Map(Object.entries(json.value));
  const picked = provenKeys.filter((key) => known.has(key)).map((key) => [key, known.get(key)]);
  const parsed = parseRunState(JSON.stringify(Object.fromEntries(picked)));
  return parsed.ok ? { ...defaultRunState, ...parsed.state } : null;
}

/** The first key that is not as expected. */
export function differingKey(
  expected: RunState,
  found: RunState,
  free: readonly ProvenKey[] = [],
): Problem | null {
  for (const key of provenKeys) {
    const problem = free.includes(key) ? null : differ(`run_state.${key}`, expected[key], found[key]);
    if (problem !== null) return problem;
  }
  return null;
}
