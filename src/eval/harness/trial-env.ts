/** The environment of a trial's programs: ours without variables of other programs, plus the case's own. Pure. */
import type { EvalCase } from '../cases/types.ts';

/** What a runner, a git or an npm around us has set for itself would make a trial depend on who started it. */
const foreignPattern = /^(?:RUNNER_|RUN_LOOP_|GIT_|npm_)/i;

export interface CaseRun {
  readonly evalCase: Pick<EvalCase, 'id' | 'env'>;
  readonly repeat: number;
}

export function trialEnv(
  user: Readonly<Record<string, string | undefined>>,
  place: CaseRun,
): Record<string, string> {
  const kept = Object.entries(user).flatMap(([name, value]) =>
    value === undefined || foreignPattern.test(name) ? [] : [[name, value] as const],
  );
  return { ...Object.fromEntries(kept), ...caseVariables(place) };
}

/** What reaches the agent too, by name. */
export function caseVariables({ evalCase, repeat }: CaseRun): Record<string, string> {
  return { ...evalCase.env, EVAL_CASE: evalCase.id, EVAL_REPEAT: String(repeat) };
}
