/**
 * The guard's run before a run begins (§11): whether it is due, what its result means, which files are put back, and what
 * people see. It runs nothing and touches no file.
 */
import { renderFailure } from '../guard/clone-verdict.ts';
import type { CloneEnd } from '../guard/clone-verdict.ts';
import { renderIgnoreCommand } from './ignore-lines.ts';
import { listPaths } from '../text/path-list.ts';
import type { GuardEnd, GuardRun } from '../agents/session.ts';
import type { Config, RunState } from '../types.ts';

/** No iteration has this number: log, rescue ref and processes of the baseline go by it. */
export const baselineIter = 0;

/** Once for a run: a result is final, and after an iteration the state before the run is gone. */
export function needsBaseline(input: { readonly config: Config; readonly runState: RunState }): boolean {
  const { config, runState } = input;
  return config.guard.baseline && runState.next_iter === 1 && runState.guard_baseline === null;
}

export interface BaselineVerdict {
  /** Null: skipped, nothing is known. */
  readonly result: RunState['guard_baseline'];
  readonly reason: string;
}

export function judgeBaseline(end: GuardEnd, config: Config): BaselineVerdict {
  switch (end.kind) {
    case 'passed':
      return { result: 'green', reason: 'the guard succeeded' };
    case 'failed':
      return { result: 'red', reason: end.reason };
    case 'out_of_time':
      return {
        result: 'red',
        reason: `out of time after ${end.seconds} s (iteration_timeout_secs = ${config.iteration_timeout_secs})`,
      };
    case 'not_started':
      return { result: 'not_found', reason: `the guard could not be started: ${end.reason}` };
    case 'interrupted':
    case 'cut_off':
      return { result: null, reason: 'nothing is known about the guard' };
  }
}

/** What a person should know before the first iteration; a green and quick guard says nothing. */
export function renderBaselineWarnings(input: {
  readonly verdict: BaselineVerdict;
  readonly run: Pick<GuardRun, 'duration_ms'>;
  readonly config: Config;
  readonly run_id: string;
}): readonly string[] {
  const { verdict, run, config, run_id } = input;
  const log = `.runner/iterations/${run_id}/${baselineIter}/guard.log`;
  const texts: string[] = [];
  if (verdict.result === 'red') {
    texts.push(
      `the guard already fails: ${verdict.reason} (see ${log}). No node passes until it succeeds, and prompts say so; to fix it yourself, commit the fix on runner/${run_id}, then: runner loop`,
    );
  }
  if (verdict.result === 'not_found') texts.push(renderNotFound(verdict.reason));
  const budgetMs = config.iteration_timeout_secs * 1000;
  if (verdict.result !== null && run.duration_ms * 4 > budgetMs) {
    texts.push(
      `the guard took ${Math.round(run.duration_ms / 1000)} s, more than a quarter of iteration_timeout_secs = ${config.iteration_timeout_secs}, which agent and guard share; to raise it: runner config set iteration_timeout_secs <seconds>`,
    );
  }
  return texts;
}

/** Green in the work tree and not in a fresh clone: what is missing, and the setting that helps. */
export function renderCloneWarning(
  end: Exclude<CloneEnd, { kind: 'passed' | 'interrupted' }>,
  { config, run_id }: { readonly config: Config; readonly run_id: string },
): string {
  if (end.kind === 'not_made') return `no fresh clone could be made for the guard: ${end.reason}`;
  const { checkout } = config.guard;
  const log = `.runner/iterations/${run_id}/${baselineIter}/guard.clone.log`;
  const then =
    checkout === 'auto'
      ? 'until then guard.checkout = "auto" is "off"'
      : `until then guard.checkout = "${checkout}" ${checkout === 'every' ? 'lets no node pass' : 'does not let the root pass'}`;
  const help = isSetupFailure(end.reason)
    ? 'Its commands are in automation.setup; to see and correct them: runner config get automation.setup'
    : `If it needs files that git ignores, name the commands that make them: runner config set automation.setup '["npm ci"]'`;
  return `the guard is green here but red in a fresh clone: ${renderFailure(end)} (see ${log}). ${help}; ${then}`;
}

/** Whether a clone came no further than `automation.setup`. */
export function isSetupFailure(reason: string): boolean {
  return reason.startsWith('setup failed: ');
}

export function renderNotFound(reason: string): string {
  return `${reason}; no node can pass before the guard runs`;
}

/** Files that decide how git sees the others. They are restored first; otherwise files they hid or unhid would count as the guard's. */
export function isRuleFile(path: string): boolean {
  return /(?:^|\/)\.git(?:ignore|attributes|modules)$/u.test(path);
}

export interface PutBackInput {
  /** Paths that differ, from the top. */
  readonly changed: readonly string[];
  readonly before: ReadonlySet<string>;
  readonly after: ReadonlySet<string>;
  /** `.runner/` of the project, from the top. */
  readonly ours: string;
  readonly isAfterCrash: boolean;
}

/** After a crash a person may have edited `.runner/` to help: what is still there stays, what is gone comes back. */
export function selectPutBack(input: PutBackInput): readonly string[] {
  const { changed, before, after, ours, isAfterCrash } = input;
  const isGone = (path: string): boolean => before.has(path) && !after.has(path);
  return changed.filter((path) => !isAfterCrash || !path.startsWith(ours) || isGone(path));
}

/** What was done about the guard's files, as texts for people. */
export function renderPutBack(input: {
  /** Everything that was put back or removed. */
  readonly paths: readonly string[];
  /** What still differs: a submodule at another commit. */
  readonly left: readonly string[];
  readonly before: ReadonlySet<string>;
  readonly ours: string;
  /** Where the files are kept, as the guard left them. */
  readonly kept: string;
  readonly prefix: string;
}): readonly string[] {
  const { paths, left, before, ours, kept, prefix } = input;
  const added = paths.filter((path) => !before.has(path) && !path.startsWith(ours));
  const changed = paths.filter((path) => !added.includes(path));
  const texts: string[] = [];
  if (changed.length > 0)
    texts.push(`the guard changed ${listPaths(changed)}: put back, its version is kept as ${kept}`);

  if (added.length > 0) {
    const command = renderIgnoreCommand({ added, tracked: before, prefix });
    const help = command === null ? '' : `; to ignore them: ${command}`;
    texts.push(
      `the guard made ${listPaths(added)}: removed, and kept as ${kept}. An iteration would commit them as work${help}`,
    );
  }
  if (left.length > 0)
    texts.push(`the guard changed ${listPaths(left)}, which could not be put back: see git status`);

  return texts;
}
