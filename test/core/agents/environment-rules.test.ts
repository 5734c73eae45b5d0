/** Which names of variables are left out: the rule for secrets as a property, the lists as tables. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  environmentRules,
  harmlessNames,
  isPlaceName,
  isSecretName,
  judgeVariable,
} from '../../../src/core/agents/environment-rules.ts';

const credentials = new Set(['GH_HOST', 'IS_SANDBOX', 'SOME_LOGIN']);
const secretWords = environmentRules.find(({ kind }) => kind === 'secret')?.names ?? [];
/** None of them is, or ends with, a word of a secret. */
const plainWords = [
  'APP',
  'HOST',
  'KEYBOARD',
  'MONKEY',
  'AUTHOR',
  'PATH',
  'TOKENIZERS',
  'PASSIVE',
  'V2',
  'X',
];

const arbPlain = fc.array(fc.constantFrom(...plainWords), { maxLength: 4 });
const arbSecret = fc
  .record({
    before: arbPlain,
    word: fc.constantFrom(...secretWords),
    number: fc.constantFrom('', '2', '42'),
    after: arbPlain,
    lower: fc.boolean(),
  })
  .map(({ before, word, number, after, lower }) => {
    const name = [...before, `${word}${number}`, ...after].join('_');
    return lower ? name.toLowerCase() : name;
  })
  // The one word that is a harmless name by itself.
  .filter((name) => name !== 'PWD');

describe('secrets', () => {
  test('a word of a secret anywhere in a name makes it one, in upper and lower case', () => {
    fc.assert(fc.property(arbSecret, (name) => isSecretName(name)));
  });

  test('other words never do', () => {
    fc.assert(fc.property(arbPlain, (parts) => !isSecretName(parts.join('_'))));
  });

  test('the name alone decides, and always the same', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        expect(judgeVariable(name, credentials)).toBe(judgeVariable(name, credentials));
      }),
    );
  });

  test.each([
    ...['PGPASSWORD', 'MYSQL_PWD', 'NPM_TOKEN', 'npm_config__authToken', 'AWS_ACCESS_KEY_ID', 'SSHPASS'],
    ...['GITHUB_PAT', 'DOCKER_AUTH_CONFIG', 'MY_APIKEY', 'SECRET', 'Api-Key', 'TOKEN_1', 'SESSION_COOKIE'],
  ])('%s is one', (name) => expect(judgeVariable(name, credentials)).toBe('secret'));

  test.each([
    ...['PATH', 'PWD', 'OLDPWD', 'SSH_AUTH_SOCK', 'XAUTHORITY', 'KEYBOARD_LAYOUT', 'TOKENIZERS_PARALLELISM'],
    ...['VIRTUAL_ENV', 'CARGO_HOME', 'GOPATH', 'GOMODCACHE', 'GOFLAGS', 'npm_config_cache', 'PYTHONPATH'],
    ...['NODE_PATH', 'NODE_ENV', 'NODE_EXTRA_CA_CERTS', 'RUSTFLAGS', 'NPM_CONFIG_USERCONFIG', 'KUBECONFIG'],
    ...['MINISIGN_PUBLIC_KEY', 'LLM_MAX_OUTPUT_TOKENS', 'DATABASE_URL', 'CI', ''],
  ])('%s is passed on', (name) => expect(judgeVariable(name, credentials)).toBeNull());
});

describe('places', () => {
  const placeWords = ['HOST', 'HOME', 'DIR', 'FILE', 'PATH', 'PROJECT', 'PROFILE', 'VERSION', 'USE', 'URL'];
  const arbPlace = fc.constantFrom(...placeWords);
  const arbOther = fc.array(fc.constantFrom('APP', 'GHOST', 'REDIRECT', 'PROFILER', 'USER', 'X'), {
    maxLength: 2,
  });
  const arbWord = fc.constantFrom(...secretWords);

  test('the word of a secret wins over a place in front of it, a place behind it wins over the word', () => {
    fc.assert(
      fc.property(arbOther, arbPlace, arbOther, arbWord, (first, place, between, word) => {
        const secret = [...first, place, ...between, word];
        expect(isPlaceName([...secret, ...first].join('_'))).toBe(false);
        expect(isPlaceName([...secret, ...between, place].join('_'))).toBe(true);
        expect(isPlaceName([...secret, ...between, place].join('_').toLowerCase())).toBe(true);
      }),
    );
  });

  test('a part of a word is none', () => {
    fc.assert(
      fc.property(arbPlace, arbWord, fc.constantFrom('G', 'RE'), (place, word, letters) => {
        expect(isPlaceName(`${word}_${letters}${place}`)).toBe(false);
        expect(isPlaceName(`${word}_${place}${letters}`)).toBe(false);
      }),
    );
  });

  test.each([
    ...['TOKEN_FILE', 'KEY_PATH', 'SECRETS_DIR', 'tokenFile', 'AUTH_URL_2', 'TOKEN_FILE_PROD', 'AWS_PROFILE'],
    ...['GOOGLE_APPLICATION_CREDENTIALS', 'OPENAI_BASE_URL', 'COPILOT_PROVIDER_MAX_OUTPUT_TOKENS'],
    ...['CLAUDE_CODE_API_KEY_HELPER_TTL_MS', 'COPILOT_PROVIDER_API_KEY_COMMAND', 'FACTORY_HOME_OVERRIDE'],
  ])('%s is one', (name) => expect(isPlaceName(name)).toBe(true));

  test.each([
    ...['GHOST_ADMIN_API_KEY', 'HOMEBREW_GITHUB_API_TOKEN', 'REDIRECT_SECRET', 'PROFILER_TOKEN', 'MY_TOKEN'],
    ...['CI_PROJECT_TOKEN', 'CI_PROJECT_TOKEN_PROD', 'CONVERSION_API_TOKEN', 'COPILOT_PROVIDER_BEARER_TOKEN'],
    ...['FILE_TOKEN_2', 'urlSecret', 'IS_SANDBOX', ''],
  ])('%s is none', (name) => expect(isPlaceName(name)).toBe(false));
});

test.each([
  ...['GIT_DIR', 'GIT_CONFIG_COUNT', 'JUST_JUSTFILE', 'RUNNER_RUN_ID', 'npm_package_name', 'npm_command'].map(
    (name) => [name, 'launcher'] as const,
  ),
  ...['NODE_OPTIONS', 'LD_PRELOAD', 'DYLD_INSERT_LIBRARIES', 'BASH_ENV', 'ENV', 'BASH_FUNC_ls%%'].map(
    (name) => [name, 'tool'] as const,
  ),
  ...['PYTHONSTARTUP', 'PYTEST_ADDOPTS', 'PERL5OPT', 'RUBYOPT', 'MAKEFLAGS', 'RUSTC_WRAPPER'].map(
    (name) => [name, 'tool'] as const,
  ),
  // Set by an agent that started the runner, and the logins of all others.
  ...['CLAUDECODE', 'CLAUDE_CODE_ENTRYPOINT', 'CODEX_SANDBOX', 'OPENAI_API_KEY', 'GH_HOST', 'SOME_LOGIN'].map(
    (name) => [name, 'agent'] as const,
  ),
])('%s is left out as %s', (name, kind) => expect(judgeVariable(name, credentials)).toBe(kind));

test('each kind has one rule, each harmless name would be a secret otherwise', () => {
  expect(environmentRules.map(({ kind }) => kind)).toEqual(['launcher', 'tool', 'agent', 'secret']);
  for (const name of harmlessNames) {
    const sample = name.replaceAll('*', 'X');
    expect(isSecretName(sample)).toBe(false);
    expect(isSecretName(`${sample}_TOKEN`)).toBe(true);
  }
});

test('what a slot gives passes, although it has the name of a launcher', () => {
  expect(judgeVariable('RUNNER_PORT_BASE', credentials)).toBeNull();
  expect(judgeVariable('RUNNER_OTHER', credentials)).toBe('launcher');
});
