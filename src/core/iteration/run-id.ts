/** Run identity (§5.1, §11): a run's id comes from the goal or from HEAD, never from a clock or chance. */
import type { ErrorCode } from '../errors.ts';

interface RunIdentity {
  readonly goalId: string | null;
  readonly stateId: string | null;
  /** Null when HEAD is detached. */
  readonly branch: string | null;
}

type IdentityCheck =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string; readonly hint: string };

/** `run-<first 8 of HEAD>`, with the first free of `-2`, `-3`… when that id is taken. */
export function chooseRunId({
  shortHead,
  taken,
}: {
  readonly shortHead: string;
  readonly taken: ReadonlySet<string>;
}): string {
  const base = `run-${shortHead}`;
  let id = base;
  for (let suffix = 2; taken.has(id); suffix += 1) id = `${base}-${suffix}`;
  return id;
}

/** Front-matter id, run_state id and branch must name the same run. */
export function checkRunIdentity({ goalId, stateId, branch }: RunIdentity): IdentityCheck {
  if (stateId === null) {
    return {
      ok: false,
      code: 'RUN_NOT_STARTED',
      message: 'missing run id: no run has been started here',
      hint: 'runner start',
    };
  }
  if (goalId === null) {
    return {
      ok: false,
      code: 'RUN_ID_MISMATCH',
      message: `missing goal id: .runner/GOAL.md has none, but run_state.json has '${stateId}'`,
      hint: `restore 'id: ${stateId}' in the front matter of .runner/GOAL.md and commit it, or start a new run: runner start`,
    };
  }
  if (goalId !== stateId) {
    return {
      ok: false,
      code: 'RUN_ID_MISMATCH',
      message: `run id mismatch: run_state.json has '${stateId}' but .runner/GOAL.md has '${goalId}'`,
      hint: `runner start (starts '${goalId}'; to continue '${stateId}', restore that id in .runner/GOAL.md)`,
    };
  }
  const expected = `runner/${stateId}`;
  if (branch === expected) return { ok: true };
  return {
    ok: false,
    code: 'GIT_WRONG_BRANCH',
    message: `expected to be on '${expected}' but on ${branch === null ? 'no branch' : `'${branch}'`}`,
    hint: `git switch ${expected}`,
  };
}
