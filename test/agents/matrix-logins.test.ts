/** Logins of a person's own settings, and efforts, through the real CLIs: a session works with them and loads nothing else of the file. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { codexRenewal } from './catalogue.ts';
import type { RealAgent } from './catalogue.ts';
import type { Drive, DriveOptions } from './drive.ts';
import { describeRows } from './each-agent.ts';
import type { MatrixRow } from './each-agent.ts';
import { said } from './main-path.ts';
import { mergeFiles } from './merge-files.ts';
import { endedPlanLogin, renewedPlanTokens } from './plan-login.ts';
import { planted, tracePath } from './planted.ts';
import type { Scenario, Turn } from './scenario.ts';

const work: Turn = { kind: 'shell', command: 'echo work > work.txt' };
const scenario = (): Scenario => ({ sessions: [[work, said('done', 'done by the gateway')]] });

const key = 'gateway-key-1';
/** Nobody is logged in, and the shell's own address leads nowhere. */
const nowhere = 'http://127.0.0.1:9';

/** The gateway beside the hooks and servers that must stay out. */
function homeFiles(
  name: RealAgent['name'],
  settings: (url: string) => Readonly<Record<string, string>>,
): NonNullable<DriveOptions['homeFiles']> {
  return (base, url) => {
    const others = planted[name].files(base);
    const own = settings(url);
    const [file = ''] = Object.keys(own);
    // Keys before the tables of what is planted there.
    const isToml = file.endsWith('.toml');
    return isToml ? { ...others, [file]: `${own[file]}\n${others[file]}` } : mergeFiles(others, own);
  };
}

async function passes(drive: Drive, login: string): Promise<string> {
  const ran = await drive.start(['loop'], 180).done;
  expect(ran.code, ran.err).toBe(0);
  expect(ran.err).toContain(`login: ${login}`);
  expect(drive.tree()).toMatchObject({ passes: true });
  const asked = drive.server.requests.filter(({ kind }) => kind === 'turn');
  expect(asked.length).toBeGreaterThan(0);
  for (const { headers } of asked)
    expect([headers['authorization'], headers['x-api-key']].join(' ')).toContain(key);
  const { traces } = planted[drive.agent.name];
  expect(traces.filter((trace) => existsSync(tracePath(drive.base, trace)))).toEqual([]);
  expect(`${drive.log(1, 'executor.log')}${ran.err}`).not.toContain(key);
  expect(drive.leftovers()).toEqual([]);
  return 'pass';
}

const isClaude = ({ name }: RealAgent): boolean => name === 'claude';
const isCodex = ({ name }: RealAgent): boolean => name === 'codex';

function claudeSettings(settings: (url: string) => unknown): DriveOptions {
  return {
    scenario,
    isLoggedOut: true,
    env: { ANTHROPIC_BASE_URL: nowhere },
    homeFiles: homeFiles('claude', (url) => ({ '.claude/settings.json': JSON.stringify(settings(url)) })),
  };
}

function codexSettings(table: string, env: Readonly<Record<string, string>>): DriveOptions {
  return {
    scenario,
    isLoggedOut: true,
    env,
    agent: { extra_args: [] },
    homeFiles: homeFiles('codex', (url) => ({
      '.codex/config.toml': `model_provider = "gw"\nmodel_providers.gw = { name = "Gateway", base_url = "${url}/v1", wire_api = "responses", ${table} }`,
    })),
  };
}

const gateways: readonly MatrixRow[] = [
  {
    name: 'gateway in env of settings.json',
    applies: isClaude,
    settings: () =>
      claudeSettings((url) => ({ env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_AUTH_TOKEN: key } })),
    check: (drive) => passes(drive, 'token in ANTHROPIC_AUTH_TOKEN (settings.json)'),
  },
  {
    name: 'apiKeyHelper of settings.json',
    applies: isClaude,
    settings: () =>
      claudeSettings((url) => ({ apiKeyHelper: `echo ${key}`, env: { ANTHROPIC_BASE_URL: url } })),
    check: (drive) => passes(drive, 'apiKeyHelper (settings.json)'),
  },
  {
    name: 'provider of config.toml, key in a variable',
    applies: isCodex,
    settings: () => codexSettings('env_key = "GW_KEY"', { GW_KEY: key }),
    check: (drive) => passes(drive, 'provider gw, key in GW_KEY (config.toml)'),
  },
  {
    name: 'provider of config.toml, key in the file',
    applies: isCodex,
    settings: () => codexSettings(`experimental_bearer_token = "${key}"`, {}),
    check: (drive) => passes(drive, 'provider gw (config.toml)'),
  },
];

const inside = gateways.map((row): MatrixRow => ({
  ...row,
  name: `${row.name} in bubblewrap`,
  settings: (agent) => ({ ...row.settings(agent), sandbox: 'bwrap' }),
}));

describeRows('a login of the user’s own settings', [
  ...gateways,
  ...inside,
  {
    name: 'provider of config.toml without its key',
    applies: isCodex,
    settings: () => codexSettings('env_key = "GW_KEY"', {}),
    check: async (drive) => {
      const ran = await drive.start(['loop'], 180).done;
      expect(ran.code).toBe(1);
      expect(ran.err).toContain('[AGENT_BLOCKED]\nhint: export GW_KEY=<the key of gw>');
      return 'blocked (not_logged_in)';
    },
  },
]);

describeRows('a login of a plan', [
  {
    name: 'codex renews its login in bubblewrap',
    applies: isCodex,
    settings: () => ({
      scenario,
      isLoggedOut: true,
      sandbox: 'bwrap',
      agent: { env: [codexRenewal] },
      homeFiles: () => ({ '.codex/auth.json': endedPlanLogin }),
    }),
    check: async (drive) => {
      const ran = await drive.start(['loop'], 180).done;
      expect(ran.code, ran.err).toBe(0);
      const { access_token, refresh_token } = renewedPlanTokens;
      const asked = drive.server.requests.filter(({ kind }) => kind === 'turn');
      expect(asked.at(0)?.headers['authorization']).toBe(`Bearer ${access_token}`);
      const kept = JSON.parse(readFileSync(path.join(drive.home, '.codex/auth.json'), 'utf8')) as unknown;
      expect(kept).toMatchObject({ tokens: { access_token, refresh_token } });
      return 'pass, renewed';
    },
  },
]);

/** As the request to the model has it. The others pass it on only for models they know. */
const efforts: Readonly<Partial<Record<RealAgent['name'], RegExp>>> = {
  codex: /"effort":"high"/,
  claude: /"effort":"high"/,
  qwen: /"effort":"high"|"reasoning_effort":"high"/,
};

describeRows('an effort', [
  {
    name: 'effort high',
    applies: ({ name }) => name in efforts,
    settings: ({ name }) => ({
      scenario,
      agent: { effort: 'high', ...(name === 'claude' ? { model: 'claude-opus-4-6' } : {}) },
    }),
    check: async (drive) => {
      const ran = await drive.start(['loop'], 180).done;
      expect(ran.code, ran.err).toBe(0);
      expect(ran.err).toContain('effort high, budget');
      expect(drive.meta(1)).toMatchObject({ agent: { effort: 'high' } });
      const asked = drive.server.requests.filter(({ kind }) => kind === 'turn');
      expect(asked.at(0)?.body).toMatch(efforts[drive.agent.name] ?? /^/);
      return 'pass';
    },
  },
]);
