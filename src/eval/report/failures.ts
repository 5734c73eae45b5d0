/** Says why a trial did not succeed in a few words, and gathers trials with the same words. It decides no outcome. */
import type { TrialRecord } from '../cases/types.ts';

export interface FailureGroup {
  /** `iteration_limit`, `stuck`, `command_succeeds(node --test)`. */
  readonly why: string;
  readonly trials: number;
  /** Folders of the first results, for a closer look. */
  readonly results: readonly string[];
}

/** Skipped trials failed at nothing. */
export function failedTrials(trials: readonly TrialRecord[]): readonly TrialRecord[] {
  return trials.filter(({ meta }) => meta.outcome !== 'success' && meta.outcome !== 'skipped');
}

/** More would be a list of trials. */
const resultsMax = 3;

/** The reason, else the first check that did not pass. */
export function renderWhy({ meta, checks }: TrialRecord): string {
  if (meta.reason !== null) return meta.reason;
  if (meta.outcome === 'stuck') return meta.outcome;
  return checks.find(({ passed }) => !passed)?.label ?? meta.outcome;
}

/** Most frequent first, then by their words. */
export function listFailures(trials: readonly TrialRecord[]): readonly FailureGroup[] {
  const groups = new Map<string, string[]>();
  for (const trial of trials) {
    const why = renderWhy(trial);
    groups.set(why, [...(groups.get(why) ?? []), trial.dir]);
  }
  return [...groups]
    .map(([why, dirs]) => ({ why, trials: dirs.length, results: dirs.slice(0, resultsMax) }))
    .toSorted((a, b) => b.trials - a.trials || (a.why < b.why ? -1 : 1));
}

/** `parse-csv #4`, by the folder of the results. */
export function namesByResults(trials: readonly TrialRecord[]): ReadonlyMap<string, string> {
  return new Map(trials.map(({ dir, meta }) => [dir, `${meta.case_id} #${meta.repeat}`]));
}

const runLogs = ['runner.loop.log', 'runner.start.log'];

/**
 * Logs of a trial, relative to the folder of its results: of checks that did not pass, and of the run; where there was none, of what
 * came before it.
 */
export function listLogs({ checks, logs }: Pick<TrialRecord, 'checks' | 'logs'>): readonly string[] {
  const failed = checks.flatMap(({ passed, command }) =>
    passed || command === undefined ? [] : [command.log],
  );
  const found = runLogs.filter((name) => logs.includes(name));
  return [...failed, ...(found.length > 0 ? found : logs)];
}
