/**
 * What each recording has to come to: by the rules of src/core/agents/failure.ts the same for every CLI, with what is different for one of
 * them named and explained. Tokens are told as the number of requests the CLI counted.
 */
import type { FailureKind } from '../../src/core/agents/failure.ts';
import type { RealAgent } from './catalogue.ts';
import type { Outcome } from './replay-session.ts';
import { usualUsage } from './scenario.ts';

type Name = RealAgent['name'];

/** `reset`: the seconds to the stated reset, if one is stated. */
interface Expected extends Pick<Outcome, 'end' | 'failure' | 'answer' | 'denials'> {
  /** Null: it says nothing of them. */
  readonly counted: number | null;
  readonly reset: number | null;
}

interface Row {
  readonly usual: Expected;
  readonly but?: Readonly<Partial<Record<Name, Partial<Expected>>>>;
}

function answered(answer: string, counted: number, denials = 0): Expected {
  return { end: 'exited', failure: null, answer, counted, denials, reset: null };
}

function ended(end: Expected['end'], failure: FailureKind, reset: number | null = null): Expected {
  return { end, failure, answer: 'no', counted: 0, denials: 0, reset };
}

const withoutModels = { failure: 'model_not_found' } as const;
const signedOut = ended('blocked', 'not_logged_in');
const limited = ended('unavailable', 'rate_limited');
const overloaded = ended('unavailable', 'overloaded');
const offline = ended('unavailable', 'network');
/** It waits without a word of it, so it is one that hangs. */
const silent = ended('failed', 'silent');
const refusedByItself = { end: 'failed', failure: 'malformed' } as const;

const rows: Readonly<Record<string, Row>> = {
  done: { usual: answered('done', 3) },
  edit: { usual: answered('done', 2) },
  reasoning: { usual: answered('done', 2) },
  decomposed: { usual: answered('decomposed', 1) },
  // claude asks the model once more for an answer by schema; qwen does not take another one.
  prose: { usual: answered('no', 1), but: { claude: { counted: 2 }, qwen: refusedByItself } },
  // Where an answer comes by schema, none in text counts.
  fenced: {
    usual: answered('done', 1),
    but: {
      codex: { answer: 'no' },
      claude: { answer: 'no', counted: 2 },
      qwen: { answer: 'no', ...refusedByItself },
    },
  },
  'wrong-schema': {
    usual: answered('no', 1),
    but: { claude: { ...refusedByItself, counted: 4 }, qwen: { ...refusedByItself, counted: 2 } },
  },
  empty: {
    usual: answered('no', 1),
    but: {
      claude: { counted: 3 },
      gemini: { counted: 3 },
      copilot: refusedByItself,
      qwen: { ...refusedByItself, counted: 5 },
      droid: { counted: 3 },
    },
  },
  // It stops by itself when the model repeats itself.
  loop: { usual: answered('no', 0) },
  cut: { usual: answered('done', 2) },
  transient: { usual: answered('done', 2) },
  '401': { usual: signedOut },
  '403': { usual: signedOut },
  // Models of one's own are settings there, and without them the model is unknown.
  'not-logged-in': {
    usual: signedOut,
    but: { opencode: withoutModels, gemini: { counted: null }, pi: withoutModels, droid: withoutModels },
  },
  'bad-key': { usual: signedOut },
  '404-model': { usual: ended('blocked', 'model_not_found') },
  '400-too-long': { usual: ended('failed', 'context_too_long') },
  '429': { usual: limited },
  '429-retry-after': { usual: limited, but: { opencode: { reset: 2 }, gemini: { reset: 2 } } },
  '429-hour': {
    usual: limited,
    but: { gemini: { reset: 3600 }, qwen: silent, pi: silent, droid: silent },
  },
  quota: { usual: ended('blocked', 'quota') },
  'usage-limit': { usual: ended('unavailable', 'rate_limited', 5400) },
  '500': { usual: overloaded },
  '529': { usual: overloaded },
  refused: { usual: offline },
  dropped: { usual: offline },
  malformed: { usual: offline },
  'malformed-empty': { usual: offline },
  silent: { usual: silent },
  // codex says nothing of what its sandbox refused to a command; droid lets all pass once permissions are skipped.
  denied: {
    usual: answered('done', 2, 1),
    but: { codex: { counted: 3 }, gemini: { counted: 3, denials: 2 }, droid: { denials: 0 } },
  },
  question: { usual: answered('done', 2, 1) },
};

/** Recordings whose output was not kept: nothing to parse. */
export const withoutOutput: readonly string[] = ['big'];

export const expectedCases: readonly string[] = Object.keys(rows);

/** Reports no tokens at all. */
const notCounting: ReadonlySet<Name> = new Set(['copilot']);
/** Reports zero for a session in which no request came to anything; the others leave it open. */
const countingZero: ReadonlySet<Name> = new Set(['claude', 'gemini', 'qwen']);

const perRequest = usualUsage.input + usualUsage.output;
const resetSlackSecs = 90;

export function expectedOutcome(name: Name, recorded: string): Expected | null {
  const row = rows[recorded];
  return row === undefined ? null : { ...row.usual, ...row.but?.[name] };
}

/** The outcome with what may differ a little taken to what is expected: clocks tell minutes. */
export function renderOutcome(outcome: Outcome, expected: Expected): Outcome {
  const { resetSecs } = outcome;
  const isNear =
    resetSecs !== null && expected.reset !== null && Math.abs(resetSecs - expected.reset) < resetSlackSecs;
  return isNear ? { ...outcome, resetSecs: expected.reset } : outcome;
}

export function renderExpected(name: Name, { reset, counted, ...expected }: Expected): Outcome {
  return { ...expected, resetSecs: reset, tokens: tokensFor(name, { counted, ...expected }) };
}

function tokensFor(name: Name, { counted, failure }: Pick<Expected, 'counted' | 'failure'>): number | null {
  if (counted === null || notCounting.has(name)) return null;
  if (counted > 0) return counted * perRequest;
  return countingZero.has(name) && failure !== 'silent' ? 0 : null;
}
