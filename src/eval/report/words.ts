/** Words for people, in HTML and Markdown: outcomes, reasons, names, times. Text lines, JSON and JUnit keep the names that scripts know. */
import type { EvalOutcome, EvalReason } from '../cases/types.ts';
import { cutText } from '../../core/text/visible.ts';

export const outcomeWords: Readonly<Record<EvalOutcome, string>> = {
  success: 'solved',
  fail: 'failed',
  stuck: 'stuck',
  error: 'harness error',
  skipped: 'skipped',
};

const notRecorded = 'no reason is recorded';

/** What `renderWhy` can say besides the label of a check. */
const reasonWords: Readonly<Record<EvalReason | EvalOutcome, string>> = {
  iteration_limit: 'out of iterations',
  run_limit: 'a limit of the run was reached',
  timeout: 'out of time',
  agent_failed: 'the agent kept failing',
  agent_missing: "the agent's program is missing",
  agent_unavailable: 'the agent was not available in time',
  workspace_failed: 'the workspace could not be made',
  setup_failed: 'a setup command failed',
  start_failed: 'the runner could not start',
  loop_failed: 'the runner ended with an error',
  toolchain_missing: 'the program of a check is missing',
  oracle_missing: 'the case has no oracle',
  recording_missing: 'there is no recording',
  replay_miss: 'a prompt differs from the recorded one',
  requires_missing: 'a program that the case requires is missing',
  stuck: 'a task used up its attempts',
  success: notRecorded,
  fail: notRecorded,
  error: notRecorded,
  skipped: notRecorded,
};

/** `out of time`; a failed check would read as its opposite without the words before it. */
export function whyWords(why: string): string {
  return Object.entries(reasonWords).find(([name]) => name === why)?.[1] ?? `check not passed: ${why}`;
}

/** `error in A (toolchain_missing), skipped in B (requires_missing)`, in words. */
export function leftOutWords(why: string): string {
  return why.replaceAll(
    /(?<=^|, )(error|skipped) in (A|B)(?: \((\w+)\))?(?=, |$)/g,
    (_, outcome: 'error' | 'skipped', side: string, reason: string | undefined) =>
      `${outcomeWords[outcome]} in ${side}${reason === undefined ? '' : ` (${whyWords(reason)})`}`,
  );
}

/** The first letter large, for the head of a table. */
export function asTitle(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A longer name of a variant or a batch would bury what is said about it. */
const nameLengthMax = 80;

export function shortName(name: string): string {
  const { text, left } = cutText(name, nameLengthMax);
  return left === 0 ? text : `${text}…`;
}

/** `2026-01-31 01:00 UTC`; what has another form stays. */
export function renderTime(iso: string): string {
  return iso.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?Z$/, '$1 $2 UTC');
}

export const intervalWords = '95 % interval';
export const clusteredWords = '95 % interval, cases cluster';

export const intervalsNote =
  'The first interval takes all trials as independent. Trials of one case resemble each other; the second interval, cases cluster, takes that into account.';
