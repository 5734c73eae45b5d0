import { expect, test } from 'vitest';
import { agentEnv, guardEnv, userEnv } from '../../../src/adapters/processes/session-env.ts';

const place = { run_id: 'r', iter: 7, node_id: 'root', top: '/w' };
const told = { RUNNER_RUN_ID: 'r', RUNNER_ITER: '7', RUNNER_NODE_ID: 'root', RUNNER_WORK_TREE: '/w' };
const user = {
  PATH: '/bin',
  HOME: '/h',
  LC_ALL: 'C',
  XDG_CACHE_HOME: '/c',
  https_proxy: 'http://p',
  SSL_CERT_FILE: '/ca',
  DATABASE_URL: 'db',
  ANTHROPIC_API_KEY: 'secret-a',
  OPENAI_API_KEY: 'secret-o',
  RUNNER_RUN_ID: 'outer',
  RUNNER_TEMP: '/t',
  JUST_VERBOSE: '1',
  GIT_DIR: '/elsewhere',
  GIT_INDEX_FILE: 'index.lock',
  npm_lifecycle_event: 'start',
  npm_package_name: 'x',
  npm_config_local_prefix: '/x',
  npm_config_registry: 'http://mirror',
  INIT_CWD: '/x',
  EMPTY: '',
  GONE: undefined,
};

test('an agent gets the base list, its own credentials and what the config names', () => {
  expect(
    agentEnv({
      user,
      place,
      names: ['OPENAI_API_KEY', 'DATABASE_URL', 'ABSENT'],
      added: { RUNNER_OUTPUT: '/a', HOME: '/other' },
    }),
  ).toEqual({
    PATH: '/bin',
    HOME: '/other',
    LC_ALL: 'C',
    XDG_CACHE_HOME: '/c',
    https_proxy: 'http://p',
    SSL_CERT_FILE: '/ca',
    OPENAI_API_KEY: 'secret-o',
    DATABASE_URL: 'db',
    RUNNER_OUTPUT: '/a',
    ...told,
  });
  expect(agentEnv({ user: { PATH: '/b' }, place: null, names: [], added: {} })).toEqual({ PATH: '/b' });
});

test("a guard gets the user's environment without credentials, outer sessions and launcher noise", () => {
  const kept = {
    PATH: '/bin',
    HOME: '/h',
    LC_ALL: 'C',
    XDG_CACHE_HOME: '/c',
    https_proxy: 'http://p',
    SSL_CERT_FILE: '/ca',
    DATABASE_URL: 'db',
    npm_config_registry: 'http://mirror',
    EMPTY: '',
  };
  expect(guardEnv(user, { place, agentNames: [] })).toEqual({ ...kept, ...told });
  const own = { ...user, MY_LLM_KEY: 'secret-m', MY_FLAG: '1' };
  expect(guardEnv(own, { place, agentNames: ['MY_LLM_KEY', 'MY_FLAG'] })).toEqual({
    ...kept,
    ...told,
    MY_FLAG: '1',
  });
  expect(userEnv(user)).toEqual(kept);
});
