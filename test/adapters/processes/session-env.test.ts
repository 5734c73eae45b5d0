import { expect, test } from 'vitest';
import { agentEnv, guardEnv, listLeftOut, userEnv } from '../../../src/adapters/processes/session-env.ts';

const place = { run_id: 'r', iter: 7, node_id: 'root', top: '/w', repository: 'abc' };
const told = {
  RUNNER_RUN_ID: 'r',
  RUNNER_ITER: '7',
  RUNNER_NODE_ID: 'root',
  RUNNER_WORK_TREE: '/w',
  RUNNER_REPOSITORY: 'abc',
};
/** What honest work stands on. */
const kept = {
  PATH: '/venv/bin:/bin',
  HOME: '/h',
  LC_ALL: 'C',
  XDG_CACHE_HOME: '/c',
  https_proxy: 'http://p',
  SSL_CERT_FILE: '/ca',
  DATABASE_URL: 'db',
  VIRTUAL_ENV: '/venv',
  CARGO_HOME: '/cargo',
  GOMODCACHE: '/go',
  npm_config_cache: '/npm',
  npm_config_registry: 'http://mirror',
  SSH_AUTH_SOCK: '/sock',
  EMPTY: '',
};
const user = {
  ...kept,
  NPM_TOKEN: 'secret-n',
  PGPASSWORD: 'secret-p',
  ANTHROPIC_API_KEY: 'secret-a',
  OPENAI_API_KEY: 'secret-o',
  CLAUDECODE: '1',
  NODE_OPTIONS: '--inspect',
  LD_PRELOAD: '/x.so',
  RUNNER_RUN_ID: 'outer',
  RUNNER_TEMP: '/t',
  JUST_VERBOSE: '1',
  GIT_DIR: '/elsewhere',
  GIT_INDEX_FILE: 'index.lock',
  npm_lifecycle_event: 'start',
  npm_package_name: 'x',
  npm_config_local_prefix: '/x',
  INIT_CWD: '/x',
  GONE: undefined,
};

test('agent and guard get the same environment; each gets the exceptions of its own setting', () => {
  expect(guardEnv(user, { place, names: [] })).toEqual({ ...kept, ...told });
  expect(agentEnv({ user, place, names: [], added: {} })).toEqual({ ...kept, ...told });
  expect(guardEnv(user, { place, names: ['NPM_TOKEN', 'NODE_OPTIONS', 'ABSENT', 'RUNNER_RUN_ID'] })).toEqual({
    ...kept,
    ...told,
    NPM_TOKEN: 'secret-n',
    NODE_OPTIONS: '--inspect',
  });
  expect(
    agentEnv({ user, place, names: ['OPENAI_API_KEY'], added: { RUNNER_OUTPUT: '/a', HOME: '/other' } }),
  ).toEqual({ ...kept, OPENAI_API_KEY: 'secret-o', HOME: '/other', RUNNER_OUTPUT: '/a', ...told });
  expect(agentEnv({ user: { PATH: '/b' }, place: null, names: [], added: {} })).toEqual({ PATH: '/b' });
});

test("programs of the user's own get the environment without outer sessions, launchers and logins of agents", () => {
  expect(userEnv(user)).toEqual({
    ...kept,
    NPM_TOKEN: 'secret-n',
    PGPASSWORD: 'secret-p',
    CLAUDECODE: '1',
    NODE_OPTIONS: '--inspect',
    LD_PRELOAD: '/x.so',
  });
});

test('what is left out is listed by name, without a value', () => {
  expect(listLeftOut(user)).toEqual([
    { name: 'ANTHROPIC_API_KEY', kind: 'agent' },
    { name: 'CLAUDECODE', kind: 'agent' },
    { name: 'GIT_DIR', kind: 'launcher' },
    { name: 'GIT_INDEX_FILE', kind: 'launcher' },
    { name: 'INIT_CWD', kind: 'launcher' },
    { name: 'JUST_VERBOSE', kind: 'launcher' },
    { name: 'LD_PRELOAD', kind: 'tool' },
    { name: 'NODE_OPTIONS', kind: 'tool' },
    { name: 'NPM_TOKEN', kind: 'secret' },
    { name: 'OPENAI_API_KEY', kind: 'agent' },
    { name: 'PGPASSWORD', kind: 'secret' },
    { name: 'npm_config_local_prefix', kind: 'launcher' },
    { name: 'npm_lifecycle_event', kind: 'launcher' },
    { name: 'npm_package_name', kind: 'launcher' },
  ]);
});
