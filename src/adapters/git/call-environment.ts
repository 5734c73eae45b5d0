/** The environment of a call of git: known names only, so that nothing that started us can lead it elsewhere. */
import { cookieVariable } from '../processes/process-table.ts';
import { withWorkTreeFirst } from '../processes/search-path.ts';
import { userEnv } from '../processes/session-env.ts';
import type { Env } from '../../core/types.ts';
import type { GitOptions, RunCall } from './client.ts';
import { transportEnvironment } from './remote/transport.ts';
import type { Pins } from './steering/pins.ts';

const inheritedNames = [
  ...['PATH', 'HOME', 'XDG_CONFIG_HOME', 'USER', 'LOGNAME', 'TMPDIR'],
  ...['SSH_AUTH_SOCK', 'GPG_TTY', 'GNUPGHOME'],
  ...['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL'],
  ...['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM'],
];

/** No hook needs them without a terminal. */
const guardedNames = ['EDITOR', 'VISUAL', 'PAGER', 'SSH_ASKPASS', 'PREFIX'];

const fixedEnvironment = {
  LC_ALL: 'C',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_REPLACE_OBJECTS: '1',
  // Parents come from the commits alone. A path that cannot exist: git warns about a file that does.
  GIT_GRAFT_FILE: '/dev/null/none',
  GIT_EDITOR: 'true',
  // A target of a trace is a file that git appends to.
  ...{ GIT_TRACE2: '0', GIT_TRACE2_EVENT: '0', GIT_TRACE2_PERF: '0' },
};

/** A hook or parent may have set GIT_DIR or GIT_INDEX_FILE for its own repository: only known names come through. */
export function selectEnvironment(
  options: GitOptions,
  { call, pins }: { readonly call: RunCall; readonly pins: Pins | null },
): Record<string, string> {
  const known = inheritedNames.flatMap((name) => {
    const value = options.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...(call.hooks === true || call.transport === 'any' ? hookEnvironment(options.env) : {}),
    ...(call.transport === 'any' ? transportEnvironment(options.env) : {}),
    ...Object.fromEntries(known),
    ...(call.hooks === true ? pathOf(withWorkTreeFirst(options.env, options.cwd)) : {}),
    ...fixedEnvironment,
    ...pins?.env,
    ...(call.alternates === undefined ? {} : { GIT_ALTERNATE_OBJECT_DIRECTORIES: call.alternates.join(':') }),
    ...(call.cookie === undefined ? {} : { [cookieVariable]: call.cookie }),
    // Given, not looked for: `core.worktree` or a nested repository must not lead git elsewhere (§5).
    ...(options.gitDir === null
      ? {}
      : { GIT_DIR: options.gitDir, GIT_WORK_TREE: call.workTree ?? options.cwd }),
    ...(call.index === undefined ? {} : { GIT_INDEX_FILE: call.index }),
  };
}

function pathOf({ PATH: path }: Env): Record<string, string> {
  return path === undefined ? {} : { PATH: path };
}

/** What a guard gets: no agent's credentials, nothing a program that started us set for itself. */
function hookEnvironment(env: Env): Record<string, string> {
  const passed = Object.entries(userEnv(env)).filter(([name]) => !guardedNames.includes(name.toUpperCase()));
  return Object.fromEntries(passed);
}
