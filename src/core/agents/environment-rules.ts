/**
 * Which variables of the user's environment sessions and guards do not get (§14), as data and one function. It sees names only,
 * never a value.
 */

export type LeftOutKind = 'secret' | 'agent' | 'tool' | 'launcher';

export interface EnvironmentRule {
  readonly kind: LeftOutKind;
  readonly means: string;
  /** `*` matches any text; of kind `secret` these are words of a name. */
  readonly names: readonly string[];
}

/** Whole words of a name, in any case and with a number behind them: `DB_PASSWORD`, `authToken`, `API_KEY_2`. */
const secretWords = [
  ...['KEY', 'KEYS', 'TOKEN', 'TOKENS', 'SECRET', 'SECRETS', 'PASSWORD', 'PASSWORDS', 'PASSWD', 'PASSPHRASE'],
  ...[
    'PASS',
    'PWD',
    'SSHPASS',
    'CREDENTIAL',
    'CREDENTIALS',
    'CREDS',
    'AUTH',
    'OAUTH',
    'BEARER',
    'JWT',
    'PAT',
  ],
  'COOKIE',
] as const;

/** A word may also end with these: `PGPASSWORD`, `AUTHTOKEN`. */
const secretEnds = ['PASSWORD', 'PASSWD', 'TOKEN', 'SECRET', 'APIKEY', 'ACCESSKEY', 'PRIVATEKEY'] as const;

/** Of the runner's own these are passed on, too: what a background run has to itself (§13.3), and what each holds. */
export const slotVariables = {
  RUNNER_SLOT: 'background runs: number of the slot, which no other run at work has',
  RUNNER_PORT_BASE: 'background runs: first of 20 ports that belong to the slot',
} as const;

/** Names with such a word that hold no secret. */
export const harmlessNames: readonly string[] = ['PWD', 'SSH_AUTH_SOCK', '*_PUBLIC_KEY', '*MAX*_TOKENS'];

/**
 * Variables that make a tool load or run something nobody asked for. Search paths (`PATH`, `PYTHONPATH`, `NODE_PATH`, `GOPATH`),
 * cache folders and compiler flags are passed on: honest work needs them.
 */
export const environmentRules: readonly EnvironmentRule[] = [
  {
    kind: 'launcher',
    means: 'set by the program that started the runner, for itself',
    names: [
      ...[
        'RUNNER_*',
        'RUN_LOOP_*',
        'GIT_*',
        'JUST_*',
        'INIT_CWD',
        'npm_lifecycle_*',
        'npm_package_*',
        'npm_command',
      ],
      ...['npm_execpath', 'npm_node_execpath', 'npm_config_local_prefix', 'npm_config_global_prefix'],
      ...['npm_config_prefix', 'npm_config_user_agent', 'npm_config_noproxy', 'npm_config_node_gyp'],
      ...['npm_config_init_module', 'npm_config_globalconfig', 'npm_config_userconfig'],
      'npm_config_npm_version',
    ],
  },
  {
    kind: 'tool',
    means: 'makes a tool load or run something else',
    names: [
      ...['NODE_OPTIONS', 'VSCODE_INSPECTOR_OPTIONS', 'npm_config_node_options', 'npm_config_script_shell'],
      ...['LD_*', 'DYLD_*', 'BASH_ENV', 'ENV', 'BASH_FUNC_*', 'SHELLOPTS', 'BASHOPTS', 'PROMPT_COMMAND'],
      ...['PYTHONSTARTUP', 'PYTHONINSPECT', 'PYTEST_ADDOPTS', 'PYTEST_PLUGINS', 'PERL5OPT', 'PERL5DB'],
      ...['RUBYOPT', 'JAVA_TOOL_OPTIONS', 'JDK_JAVA_OPTIONS', '_JAVA_OPTIONS', 'DOTNET_STARTUP_HOOKS'],
      ...['MAKEFLAGS', 'MFLAGS', 'GNUMAKEFLAGS', 'MAKEFILES', 'MAKELEVEL', 'RUSTC', 'RUSTC_WRAPPER'],
      'RUSTC_WORKSPACE_WRAPPER',
    ],
  },
  {
    kind: 'agent',
    means: 'login or setting of an agent; goes to the session of that agent only',
    names: [
      ...['ANTHROPIC_*', 'CLAUDE*', 'CODEX_*', 'COPILOT_*', 'FACTORY_*', 'GEMINI_*', 'OPENAI_*'],
      ...['OPENCODE*', 'PI_CODING_AGENT*', 'QWEN_*'],
    ],
  },
  { kind: 'secret', means: 'has a word of a secret in its name', names: secretWords },
];

const words: ReadonlySet<string> = new Set(secretWords);
const patterns = environmentRules
  .filter(({ kind }) => kind !== 'secret')
  .map(({ kind, names }) => ({ kind, pattern: patternOf(names) }));
const harmlessPattern = patternOf(harmlessNames);

/** Null: it is passed on. `credentials`: the exact names by which agents find their login. */
export function judgeVariable(name: string, credentials: ReadonlySet<string>): LeftOutKind | null {
  if (Object.hasOwn(slotVariables, name)) return null;
  const rule = patterns.find(({ pattern }) => pattern.test(name));
  if (rule !== undefined) return rule.kind;
  if (credentials.has(name)) return 'agent';
  return isSecretName(name) ? 'secret' : null;
}

export function isSecretName(name: string): boolean {
  return lastSecretWord(name) !== -1;
}

/** Words of places, settings and switches. Behind the word of a secret they say where it is, or how it is used. */
const placeWords: ReadonlySet<string> = new Set([
  ...['URL', 'URLS', 'HOST', 'HOSTS', 'HOSTNAME', 'ENDPOINT', 'ENDPOINTS', 'REGION', 'LOCATION', 'HOME'],
  ...['PATH', 'PATHS', 'DIR', 'DIRS', 'DIRECTORY', 'FILE', 'FILES', 'FILENAME', 'FILEPATH', 'COMMAND'],
  ...['PROVIDER', 'PROVIDERS', 'PROFILE', 'PROFILES', 'PROJECT', 'PROJECTS', 'RESOURCE', 'RESOURCES'],
  ...['MODEL', 'MODELS', 'VERSION', 'VERSIONS', 'OVERRIDE', 'USE', 'SKIP', 'TTL'],
]);
/** A path by the documentation of those who made the name. */
const placeNames = /(?:^|_)APPLICATION_CREDENTIALS$/i;

/** Of a variable that holds or locates a login: it only locates one. `TOKEN_FILE` does, `FILE_TOKEN` does not. */
export function isPlaceName(name: string): boolean {
  if (placeNames.test(name)) return true;
  return wordsOf(name).findLastIndex((word) => placeWords.has(word)) > lastSecretWord(name);
}

/** -1: the name has none. */
function lastSecretWord(name: string): number {
  if (harmlessPattern.test(name)) return -1;
  return wordsOf(name).findLastIndex(
    (word) => words.has(word) || secretEnds.some((end) => word.endsWith(end)),
  );
}

/** In capitals, and without a number behind them. */
function wordsOf(name: string): readonly string[] {
  return name
    .split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])/)
    .map((word) => word.replace(/\d+$/, '').toUpperCase());
}

function patternOf(names: readonly string[]): RegExp {
  return new RegExp(`^(?:${names.map((name) => name.replaceAll('*', '.*')).join('|')})$`, 's');
}
