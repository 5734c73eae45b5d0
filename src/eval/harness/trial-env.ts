/** The environment of a trial's programs: ours without variables of other programs and of our folders, plus the case's own. Pure. */
import type { Env } from '../../core/types.ts';
import type { EvalCase } from '../cases/types.ts';

/** What a runner, a git or an npm around us has set for itself would make a trial depend on who started it. */
const foreignPattern = /^(?:RUNNER_|RUN_LOOP_|GIT_|npm_)/i;

/** They say where the harness was started, and with which program. */
const placeNames = ['PWD', 'OLDPWD', 'INIT_CWD', '_'];

export interface CaseRun {
  readonly evalCase: Pick<EvalCase, 'id' | 'env'>;
  readonly repeat: number;
}

/** Folders that no variable may name: that of the harness, its `eval/`, the cases. */
export interface SecretFolders {
  readonly root: string;
  readonly casesDir: string;
}

export function trialEnv(user: Env, place: CaseRun, secret: SecretFolders): Record<string, string> {
  const kept = Object.entries(user).flatMap(([name, value]) => {
    if (value === undefined || foreignPattern.test(name) || placeNames.includes(name)) return [];
    const rest = withoutSecrets(value, secret);
    return rest === '' && value !== '' ? [] : [[name, rest] as const];
  });
  return { ...Object.fromEntries(kept), ...caseVariables(place) };
}

/** Search paths keep their other entries. */
function withoutSecrets(value: string, { root, casesDir }: SecretFolders): string {
  const folders = [`${root}/eval`, casesDir];
  const isSecret = (part: string): boolean =>
    part === root ||
    part === `${root}/` ||
    folders.some((folder) => part === folder || part.startsWith(`${folder}/`)) ||
    (part.startsWith(`${root}/`) && /\/node_modules\/\.bin\/?$/.test(part));
  return value
    .split(':')
    .filter((part) => !isSecret(part))
    .join(':');
}

/** What reaches the agent too, by name. */
export function caseVariables({ evalCase, repeat }: CaseRun): Record<string, string> {
  return { ...evalCase.env, EVAL_CASE: evalCase.id, EVAL_REPEAT: String(repeat) };
}
