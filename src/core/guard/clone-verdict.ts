/**
 * What the check in a fresh clone means for a guard that was green in place (§14), and what the next session is told. Pure;
 * it can only take a pass away.
 */
import type { GuardEnd, GuardEnded, GuardRun } from '../agents/session.ts';
import { searchError } from '../text/error-line.ts';
import { cleanLine, renderTerminal } from '../text/terminal-text.ts';
import { listPaths } from '../text/path-list.ts';
import { shortenMiddle } from '../text/shorten.ts';
import type { SignalName } from '../types.ts';

/** How a check in a clone ended. */
export type CloneEnd =
  | { readonly kind: 'passed' }
  | { readonly kind: 'failed'; readonly reason: string; readonly output: string }
  /** There was nowhere to run it. */
  | { readonly kind: 'not_made'; readonly reason: string }
  | { readonly kind: 'interrupted'; readonly signal: SignalName };

/** How a run of the guard in a clone counts: whatever is no pass and no interrupt is red, also running out of time (§14). */
export function cloneEndOf(end: GuardEnded, output: string): CloneEnd {
  switch (end.kind) {
    case 'passed':
    case 'interrupted':
      return end;
    case 'failed':
      return { kind: 'failed', reason: end.reason, output };
    case 'out_of_time':
      return {
        kind: 'failed',
        reason: `the guard ran out of time after ${end.seconds} s (iteration_timeout_secs)`,
        output,
      };
    case 'not_started':
      return { kind: 'failed', reason: `the guard could not be started: ${end.reason}`, output };
  }
}

/** The guard's verdict with what the clone said. `missing`: files of the work tree that no commit has. */
export function withClone(place: GuardRun, end: CloneEnd, missing: readonly string[]): GuardRun {
  switch (end.kind) {
    case 'passed':
      return place;
    case 'failed': {
      const reason = `green in place, red in a fresh checkout: ${end.reason}`;
      const output = [...renderMissing(missing), end.output].join('\n\n');
      return { ...place, end: { kind: 'failed', reason, by: 'clone' }, output };
    }
    case 'not_made':
    case 'interrupted':
      return { ...place, end: endWithout(end) };
  }
}

/** Without a clone there is no verdict: the run stops, it does not pass. */
function endWithout(end: Extract<CloneEnd, { kind: 'not_made' | 'interrupted' }>): GuardEnd {
  if (end.kind === 'interrupted') return end;
  const way = 'runner config set guard.checkout off goes on without it';
  return {
    kind: 'not_started',
    reason: `the fresh clone for the guard could not be made: ${end.reason}; ${way}`,
  };
}

function renderMissing(missing: readonly string[]): readonly string[] {
  if (missing.length === 0) return [];
  return [
    `The work tree has these files, but no commit does (they are ignored, or git cannot store them), so a fresh checkout lacks them: ${listPaths(missing)}`,
  ];
}

/** Characters of an error that fit into a line of `status`. */
const errorLengthMax = 200;

/** The first line that looks like an error, else the last one; null: nothing was printed. */
function firstError(output: string): string | null {
  const lines = renderTerminal(output)
    .split('\n')
    .map((line) => cleanLine(line).trim())
    .filter((line) => line !== '');
  const search = searchError();
  for (const each of lines) search.add(each);
  const line = search.found()?.text ?? lines.at(-1);
  return line === undefined ? null : shortenMiddle(line, errorLengthMax);
}

/** A failure in one line, with the first error it printed. */
export function renderFailure({
  reason,
  output,
}: {
  readonly reason: string;
  readonly output: string;
}): string {
  const error = firstError(output);
  return error === null ? reason : `${reason} (${error})`;
}

export type Counterfactual = NonNullable<GuardRun['counterfactual']>;

/** The guard's verdict with what it said without the change. */
export function withCounterfactual(
  guard: GuardRun,
  found: Counterfactual | Extract<CloneEnd, { kind: 'interrupted' }>,
  { isRequired }: { readonly isRequired: boolean },
): GuardRun {
  if (typeof found === 'object') return { ...guard, end: found };
  const known = { ...guard, counterfactual: found };
  if (found !== 'green' || !isRequired) return known;
  const reason =
    'the guard stays green without the change: laying the changed files back did not turn it red (guard.counterfactual = "require"); add a test that needs the change';
  return { ...known, end: { kind: 'failed', reason, by: 'counterfactual' }, output: '' };
}

/** How the guard without the change counts. */
export function counterfactualOf(end: Exclude<CloneEnd, { kind: 'interrupted' }>): Counterfactual {
  switch (end.kind) {
    case 'passed':
      return 'green';
    case 'failed':
      return 'red';
    case 'not_made':
      return 'unknown';
  }
}
