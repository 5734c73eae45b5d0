/** Every environment variable that the runner reads or sets for others, as data for `help environment`. */
import { executorTable } from '../adapters/agents/executors/table.ts';
import { cookieVariable } from '../adapters/processes/process-table.ts';
import { agentVariables, sharedVariables } from '../adapters/processes/session-env.ts';
import { environmentRules, harmlessNames, slotVariables } from '../core/agents/environment-rules.ts';
import type { EnvironmentRule } from '../core/agents/environment-rules.ts';
import { listSettings } from '../core/config/config-help.ts';

export interface VariableHelp {
  readonly name: string;
  readonly means: string;
}

/** What the runner itself looks at, beside the settings. */
const readVariables: Readonly<Record<string, string>> = {
  TERM: 'dumb: plain lines instead of a live view',
  NO_COLOR: 'if set: no colours',
  FORCE_COLOR: 'if set: colours also in pipes (0 or false: none); overrides NO_COLOR',
  RUNNER_NO_TITLE: 'if set: the terminal title is not changed',
  RUNNER_NO_BELL: 'if set: no bell when a loop ends',
  VISUAL: 'the editor of `runner edit`',
  EDITOR: 'the same, if VISUAL is not set',
  GITHUB_STEP_SUMMARY: 'with --reporter github: the file that gets the summary',
  GITHUB_WORKSPACE: 'with --reporter github: the folder that paths are relative to',
  PATH: 'where agent and guard are found',
  HOME: 'where agents keep their login',
  TMPDIR: 'folder for temporary files; `doctor` warns where codex cannot work with it',
  RUNNER_EVAL_BATCH: 'set by `runner eval run`: marks the processes of a batch',
  XDG_STATE_HOME: 'folder for what the runner keeps out of work tree and git folder (default ~/.local/state)',
};

export interface EnvironmentHelp {
  readonly settings: readonly VariableHelp[];
  readonly read: readonly VariableHelp[];
  readonly session: readonly (VariableHelp & { readonly agent: boolean; readonly guard: boolean })[];
  readonly left_out: readonly EnvironmentRule[];
  /** Names that look like secrets and are none. */
  readonly harmless: readonly string[];
  readonly credentials: readonly { readonly agent: string; readonly names: readonly string[] }[];
}

export function listEnvironment(): EnvironmentHelp {
  const shared = {
    ...sharedVariables,
    ...slotVariables,
    [cookieVariable]: 'marks the processes of the session',
  };
  return {
    settings: listSettings().map(({ key, variable }) => ({ name: variable, means: key })),
    read: Object.entries(readVariables).map(([name, means]) => ({ name, means })),
    session: [
      ...Object.entries(shared).map(([name, means]) => ({ name, means, agent: true, guard: true })),
      ...Object.entries(agentVariables).map(([name, means]) => ({ name, means, agent: true, guard: false })),
    ],
    left_out: environmentRules,
    harmless: harmlessNames,
    credentials: Object.values(executorTable(''))
      .filter(({ credentialNames }) => credentialNames.length > 0)
      .map(({ name, credentialNames }) => ({ agent: name, names: credentialNames })),
  };
}
