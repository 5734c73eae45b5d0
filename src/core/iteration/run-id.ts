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

/** What every refusal about a run's identity ends in. */
const startAdvice = "(run 'runner start')";

/** Front-matter id, run_state id and branch must name the same run. */
export function checkRunIdentity({ goalId, stateId, branch }: RunIdentity): IdentityCheck {
  if (stateId === null) {
    return {
      ok: false,
      code: 'RUN_NOT_STARTED',
      message: 'no run has been started here',
      hint: 'runner start',
    };
  }
  if (goalId === null) {
    return {
      ok: false,
      code: 'RUN_ID_MISMATCH',
      message: `missing goal id: .runner/GOAL.md has none, but run_state.json has '${stateId}' ${startAdvice}`,
      hint: `restore 'id: ${stateId}' in the front matter of .runner/GOAL.md and commit it, or leave run '${stateId}' behind on its branch: runner start --new`,
    };
  }
  if (goalId !== stateId) {
    return {
      ok: false,
      code: 'RUN_ID_MISMATCH',
      message: `run id mismatch: run_state.json has '${stateId}' but .runner/GOAL.md has '${goalId}' ${startAdvice}`,
      hint: `runner start (starts '${goalId}'; to continue '${stateId}', restore that id in .runner/GOAL.md)`,
    };
  }
  const expected = `runner/${stateId}`;
  if (branch === expected) return { ok: true };
  return {
    ok: false,
    code: 'GIT_WRONG_BRANCH',
    message: `expected to be on '${expected}' but on ${branch === null ? 'no branch' : `'${branch}'`} ${startAdvice}`,
    hint: `git switch ${expected}`,
  };
}

/** The branches that people work on are never a run's. */
export function checkBranch(branch: string): IdentityCheck {
  if (branch !== 'main' && branch !== 'master') return { ok: true };
  return {
    ok: false,
    code: 'GIT_PROTECTED_BRANCH',
    message: `the runner does not work on '${branch}'`,
    hint: 'runner start',
  };
}
