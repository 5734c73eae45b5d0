/**
 * How a run has to end for everything that can be wrong with a model service: by the table of src/core/agents/failure.ts and the rows of §5,
 * the same for every CLI. Where a CLI leaves no way to tell, the case says so. What the model does is in cases.ts.
 */
import type { FailureKind } from '../../src/core/agents/failure.ts';
import { casesOf } from './cases.ts';
import type { RecordedCase } from './cases.ts';
import type { RealAgent } from './catalogue.ts';
import type { Turn } from './scenario.ts';

/**
 * `blocked`: stops at once with the fix. `gave up`: waited as long as it may, then the same; `stated`: not at all, because the reset
 * is known to be too far away. `failing`: counted, and that was the last one allowed. `out of time`: the iteration's budget ended it.
 */
export type Wanted =
  | { readonly end: 'blocked' | 'gave up' | 'stated' | 'failing'; readonly failure: FailureKind }
  | { readonly end: 'out of time' };

interface Row {
  readonly wanted: Wanted;
  /** Some CLIs wait without a word, and only the limit on silence ends them. */
  readonly isQuiet?: boolean;
  readonly but?: Readonly<Partial<Record<RealAgent['name'], Wanted>>>;
  /** For a case that is not recorded. */
  readonly turns?: readonly Turn[];
}

const signedOut: Wanted = { end: 'blocked', failure: 'not_logged_in' };
const withoutModels: Wanted = { end: 'blocked', failure: 'model_not_found' };
const limited: Wanted = { end: 'gave up', failure: 'rate_limited' };
const limitedUntil: Wanted = { end: 'stated', failure: 'rate_limited' };
const overloaded: Wanted = { end: 'gave up', failure: 'overloaded' };
const offline: Wanted = { end: 'gave up', failure: 'network' };
const noAnswer: Wanted = { end: 'failing', failure: 'malformed' };
const silent: Wanted = { end: 'failing', failure: 'silent' };

const rows: Readonly<Record<string, Row>> = {
  '401': { wanted: signedOut },
  '403': { wanted: signedOut },
  '404-model': { wanted: withoutModels },
  '429': { wanted: limited },
  // Who passes on when to come back is not asked again before that, and that is more than may be waited here.
  '429-retry-after': { wanted: limited, but: { opencode: limitedUntil, gemini: limitedUntil } },
  '429-hour': {
    wanted: limited,
    isQuiet: true,
    but: { gemini: limitedUntil, qwen: silent, pi: silent, droid: silent },
  },
  quota: { wanted: { end: 'blocked', failure: 'quota' } },
  'usage-limit': { wanted: limitedUntil },
  // Asked again for minutes without a word of it: droid here, qwen below.
  '500': { wanted: overloaded, but: { droid: silent } },
  '529': { wanted: overloaded, but: { droid: silent } },
  refused: { wanted: offline },
  dropped: { wanted: offline, but: { qwen: silent } },
  malformed: { wanted: offline },
  // After a tool, gemini takes an empty answer of the service for the end and says success.
  'malformed-empty': { wanted: offline, but: { gemini: noAnswer } },
  'malformed-json': { wanted: offline, turns: [{ kind: 'malformed', body: 'json' }] },
  'malformed-stream': { wanted: offline, turns: [{ kind: 'malformed', body: 'sse' }] },
  '400-too-long': { wanted: { end: 'failing', failure: 'context_too_long' } },
  prose: { wanted: noAnswer },
  'wrong-schema': { wanted: noAnswer },
  empty: { wanted: noAnswer },
  silent: { wanted: silent },
  // Models of one's own are settings there, and without them the model is unknown.
  'not-logged-in': {
    wanted: signedOut,
    but: { opencode: withoutModels, pi: withoutModels, droid: withoutModels },
  },
};

export interface FailureCase extends RecordedCase {
  readonly wanted: Wanted;
  readonly isQuiet: boolean;
}

/** The cases this CLI can be put through, in the order of the rows. */
export function failuresOf(agent: RealAgent['name']): readonly FailureCase[] {
  const recorded = casesOf(agent);
  return Object.entries(rows).flatMap(([name, { wanted, but, turns, isQuiet = false }]) => {
    const known =
      turns === undefined ? recorded.find((one) => one.name === name) : { name, turns: () => turns };
    const due = but?.[agent] ?? wanted;
    return known === undefined ? [] : [{ ...known, isQuiet: isQuiet || due === silent, wanted: due }];
  });
}
