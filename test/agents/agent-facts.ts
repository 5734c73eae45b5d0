/** What is known of each CLI beyond its flags, as far as the tests rely on it. Measured, never guessed. */
import { executorTable } from '../../src/adapters/agents/executors/table.ts';
import type { ExecutorSpec } from '../../src/adapters/agents/executors/spec.ts';
import type { RealAgent } from './catalogue.ts';
import { selectAgents } from './catalogue.ts';
import { renewal } from './main-path.ts';
import type { instructions } from './main-path.ts';

export interface AgentFacts {
  /** Instruction files of the project that reach the model when all of them are there. */
  readonly reads: readonly (keyof typeof instructions)[];
  /** Outside names it looks up in spite of our flags. */
  readonly hosts: readonly string[];
  /** What a person set up in the home folder and this CLI starts in spite of our flags. */
  readonly startsAnyway: readonly string[];
  /** The same in a sandbox: only what its login files hold. */
  readonly startsInside: readonly string[];
  /** Whether it tells the exit code of a command that failed. */
  readonly tellsExitCode: boolean;
  /** A login of its own: the file below the home folder, as it writes it. */
  readonly login: { readonly file: string; readonly text: string; readonly isRenewed: boolean };
  /** Longer than it ever takes to its first word. */
  readonly idleSecs: number;
}

const token = renewal.before;
const farAway = Date.parse('2100-01-01T00:00:00Z');

function loginFile(file: string, login: unknown): AgentFacts['login'] {
  return { file, text: JSON.stringify(login), isRenewed: true };
}

const usual: Omit<AgentFacts, 'login'> = {
  reads: ['AGENTS.md'],
  hosts: [],
  startsAnyway: [],
  startsInside: [],
  tellsExitCode: true,
  idleSecs: 40,
};

export const agentFacts: Readonly<Record<RealAgent['name'], AgentFacts>> = {
  codex: {
    ...usual,
    login: loginFile('.codex/auth.json', { OPENAI_API_KEY: token, tokens: null, last_refresh: null }),
    idleSecs: 15,
  },
  claude: {
    ...usual,
    login: loginFile('.claude/.credentials.json', {
      claudeAiOauth: { accessToken: token, refreshToken: token, expiresAt: farAway },
    }),
    reads: ['CLAUDE.md'],
    idleSecs: 15,
  },
  opencode: {
    ...usual,
    login: loginFile('.local/share/opencode/auth.json', { scripted: { type: 'api', key: token } }),
    startsAnyway: ['mcp'],
    startsInside: ['mcp'],
  },
  gemini: {
    ...usual,
    login: loginFile('.gemini/oauth_creds.json', {
      access_token: token,
      refresh_token: token,
      expiry_date: farAway,
    }),
    reads: ['AGENTS.md', 'GEMINI.md'],
  },
  qwen: {
    ...usual,
    login: loginFile('.qwen/oauth_creds.json', {
      access_token: token,
      refresh_token: token,
      expiry_date: farAway,
    }),
    reads: ['AGENTS.md', 'QWEN.md'],
  },
  copilot: {
    ...usual,
    // GitHub's tokens stay as they are, and this file has settings as well.
    login: {
      ...loginFile('.copilot/config.json', { copilot_tokens: { 'https://github.com:person': token } }),
      isRenewed: false,
    },
    reads: ['AGENTS.md', 'CLAUDE.md', 'GEMINI.md'],
    startsAnyway: ['mcp', 'hook'],
  },
  pi: { ...usual, login: loginFile('.pi/agent/auth.json', { scripted: { type: 'api_key', key: token } }) },
  droid: {
    ...usual,
    login: { file: '.factory/auth.v2.file', text: `aXY=:dGFn:${token}`, isRenewed: true },
    reads: ['AGENTS.md', 'CLAUDE.md'],
  },
};

export function specOf(agent: RealAgent): ExecutorSpec {
  return executorTable('')[agent.name];
}

const names = (process.env['RUNNER_TEST_AGENTS'] ?? '').split(',').filter((name) => name !== '');

/** The suite drives real CLIs only when it is asked to: `1` for all of them, or a list of names. */
export const isAsked = names.length > 0;
export const askedAgents: readonly RealAgent[] = selectAgents(names.includes('1') ? [] : names);
