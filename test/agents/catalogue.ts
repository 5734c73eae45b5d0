/**
 * The real CLIs that are driven: the pinned version of each, and what makes it talk to the scripted model instead of its own:
 * files of a throw-away home, variables, arguments. Holds no flags of the runner's own.
 */

export interface At {
  /** Address of the scripted model, without a path. */
  readonly url: string;
  /** The throw-away home folder. */
  readonly home: string;
  /** As on a machine where nobody ever logged in. */
  readonly isLoggedOut?: boolean;
  /** The runner has a sandbox around it. */
  readonly isContained?: boolean;
}

/** What points a CLI at the scripted model with a login that works. */
export interface Pointed {
  readonly model: string;
  readonly env: Readonly<Record<string, string>>;
  /** Arguments beyond the runner's own (`agent.extra_args`). */
  readonly args: readonly string[];
  /** Files by their path below the home folder. */
  readonly files: Readonly<Record<string, string>>;
}

export interface RealAgent {
  readonly name: 'codex' | 'claude' | 'opencode' | 'gemini' | 'qwen' | 'copilot' | 'pi' | 'droid';
  readonly version: string;
  readonly packageName: string;
  /** Name in `node_modules/.bin`. */
  readonly bin: string;
  /** The script of the package that puts its native program in place; it downloads nothing. */
  readonly setup?: string;
  readonly point: (at: At) => Pointed;
}

const key = 'dummy-key';

type Values = Readonly<Record<string, string>>;

/** What only a machine has where somebody logged in. */
function login(at: At, values: Values): Values {
  return at.isLoggedOut === true ? {} : values;
}

/** Names where codex renews a login. The runner passes it on only if it is asked to. */
export const codexRenewal = 'CODEX_REFRESH_TOKEN_URL_OVERRIDE';

const codex: Omit<RealAgent, 'version'> = {
  name: 'codex',
  packageName: '@openai/codex',
  bin: 'codex',
  point: (at) => ({
    model: 'gpt-5.5',
    env: { ...login(at, { CODEX_API_KEY: key }), [codexRenewal]: `${at.url}/oauth/token` },
    // With a plan it would compress what it asks.
    args: ['-c', `openai_base_url="${at.url}/v1"`, '--disable', 'enable_request_compression'],
    files: { '.codex/config.toml': '' },
  }),
};

const claude: Omit<RealAgent, 'version'> = {
  name: 'claude',
  packageName: '@anthropic-ai/claude-code',
  bin: 'claude',
  setup: 'install.cjs',
  point: (at) => ({
    model: 'claude-sonnet-4-5',
    env: {
      ...login(at, { ANTHROPIC_API_KEY: key }),
      ANTHROPIC_BASE_URL: at.url,
      // It refuses to skip permissions as root unless it is told that it is in a sandbox; in its own the runner says so.
      ...(at.isContained === true ? {} : { IS_SANDBOX: '1' }),
    },
    args: [],
    files: {},
  }),
};

const opencode: Omit<RealAgent, 'version'> = {
  name: 'opencode',
  packageName: 'opencode-ai',
  bin: 'opencode',
  setup: 'postinstall.mjs',
  point: (at) => ({
    model: 'scripted/m',
    env: {},
    args: [],
    files: {
      // As on a machine where it ran once before: else it fetches its plugin package from the npm registry.
      '.config/opencode/package-lock.json': JSON.stringify({
        packages: { '': { dependencies: { '@opencode-ai/plugin': '1.18.33' } } },
      }),
      '.config/opencode/node_modules/.package-lock.json': '{}',
      ...login(at, {
        '.config/opencode/opencode.json': JSON.stringify({
          provider: {
            scripted: {
              npm: '@ai-sdk/openai-compatible',
              options: { baseURL: `${at.url}/v1`, apiKey: key },
              models: { m: { tool_call: true, limit: { context: 200_000, output: 8000 } } },
            },
          },
        }),
      }),
    },
  }),
};

const gemini: Omit<RealAgent, 'version'> = {
  name: 'gemini',
  packageName: '@google/gemini-cli',
  bin: 'gemini',
  point: (at) => ({
    model: 'gemini-2.5-flash',
    env: { ...login(at, { GEMINI_API_KEY: key }), GOOGLE_GEMINI_BASE_URL: at.url },
    args: [],
    files: {
      '.gemini/settings.json': JSON.stringify({ security: { auth: { selectedType: 'gemini-api-key' } } }),
    },
  }),
};

const qwen: Omit<RealAgent, 'version'> = {
  name: 'qwen',
  packageName: '@qwen-code/qwen-code',
  bin: 'qwen',
  point: (at) => ({
    model: 'm',
    env: { ...login(at, { OPENAI_API_KEY: key }), OPENAI_BASE_URL: `${at.url}/v1`, OPENAI_MODEL: 'm' },
    args: [],
    files: {},
  }),
};

const copilot: Omit<RealAgent, 'version'> = {
  name: 'copilot',
  packageName: '@github/copilot',
  bin: 'copilot',
  point: (at) => ({
    model: 'm',
    env: login(at, {
      COPILOT_OFFLINE: 'true',
      COPILOT_PROVIDER_BASE_URL: `${at.url}/v1`,
      COPILOT_PROVIDER_API_KEY: key,
      COPILOT_MODEL: 'm',
    }),
    args: [],
    files: {},
  }),
};

const pi: Omit<RealAgent, 'version'> = {
  name: 'pi',
  packageName: '@mariozechner/pi-coding-agent',
  bin: 'pi',
  point: (at) => ({
    model: 'm',
    env: {},
    args: ['--provider', 'scripted'],
    files: login(at, {
      '.pi/agent/models.json': JSON.stringify({
        providers: {
          scripted: {
            baseUrl: `${at.url}/v1`,
            api: 'openai-completions',
            apiKey: key,
            models: [{ id: 'm', contextWindow: 200_000, maxTokens: 8000 }],
          },
        },
      }),
    }),
  }),
};

const droid: Omit<RealAgent, 'version'> = {
  name: 'droid',
  packageName: 'droid',
  bin: 'droid',
  point: (at) => ({
    model: 'custom:m',
    env: {},
    args: [],
    files: login(at, {
      '.factory/settings.json': JSON.stringify({
        customModels: [
          {
            model: 'm',
            displayName: 'm',
            baseUrl: `${at.url}/v1`,
            apiKey: key,
            provider: 'generic-chat-completion-api',
            maxOutputTokens: 8000,
          },
        ],
      }),
    }),
  }),
};

export const realAgents: readonly RealAgent[] = [
  { ...codex, version: '0.166.0' },
  // What plain npm picks on Node 20, and the newest.
  { ...claude, version: '2.1.197' },
  { ...claude, version: '2.1.325' },
  { ...opencode, version: '1.18.33' },
  { ...gemini, version: '0.61.0' },
  { ...qwen, version: '0.24.4' },
  { ...copilot, version: '1.0.102' },
  { ...pi, version: '0.73.1' },
  { ...droid, version: '0.215.0' },
];

export function agentId({ name, version }: Pick<RealAgent, 'name' | 'version'>): string {
  return `${name}-${version}`;
}

/** By name (`codex`) or name and version (`claude-2.1.325`); all of them when none is named. */
export function selectAgents(names: readonly string[]): readonly RealAgent[] {
  if (names.length === 0) return realAgents;
  return realAgents.filter((agent) => names.includes(agent.name) || names.includes(agentId(agent)));
}
