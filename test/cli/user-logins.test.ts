/** Logins that live in an agent's own settings (§14): carried into a session, named, and mended by their setting. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { claudeDone, claudeFails, codexDone, codexFails, playFake, seenBy } from '../support/fake-agent.ts';
import type { Project } from '../support/project.ts';
import { project } from '../support/project.ts';
import { template } from '../support/template.ts';

const started = template(() => project({ agent: 'name = "codex"', guard: ['true'] }));

function putHome({ home }: Project, file: string, text: string): void {
  const path = join(home, file);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
}

const gateway = {
  apiKeyHelper: '/opt/print-key',
  env: { ANTHROPIC_BASE_URL: 'https://gw.test', ANTHROPIC_AUTH_TOKEN: 'gateway-secret-1', MY_FLAG: 'x' },
  hooks: { Stop: [{ hooks: [{ type: 'command', command: 'touch /tmp/no' }] }] },
};

test('claude: gateway variables and helper reach its session only; the guard sees none of them', async () => {
  const p = await started();
  putHome(p, '.claude/settings.json', JSON.stringify(gateway));
  const path = playFake(p, 'claude', { agent: [claudeDone('echo "$ANTHROPIC_AUTH_TOKEN" > work.txt')] });
  const guard = ['sh', '-c', 'env | sort > "$HOME/guard.env"'];
  const env = { ...path, RUNNER_AGENT_NAME: 'claude', RUNNER_GUARD_COMMAND: JSON.stringify(guard) };
  const ran = await p.runWith(env, 'step');
  expect(ran, ran.err).toMatchObject({ code: 0 });
  expect(ran.err).toContain(
    'login: token in ANTHROPIC_AUTH_TOKEN (settings.json), which overrides: apiKeyHelper (settings.json)',
  );
  const session = seenBy(p, 'claude.agent.1');
  expect(session.env).toMatchObject({
    ANTHROPIC_BASE_URL: 'https://gw.test',
    ANTHROPIC_AUTH_TOKEN: 'gateway-secret-1',
  });
  expect(session.env['MY_FLAG']).toBeUndefined();
  expect(session.args).toContain('{"apiKeyHelper":"/opt/print-key"}');
  expect(session.args.join(' ')).not.toContain('hooks');
  const guardEnv = Object.fromEntries(
    p
      .read('../home/guard.env')
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/=(.*)/su)),
  ) as Record<string, string>;
  const onlyAgent = Object.keys(session.env).filter((name) => !(name in guardEnv));
  expect(
    onlyAgent.filter((name) => !/^(?:RUNNER_|ANTHROPIC_|CLAUDE_CODE_|DISABLE_)/.test(name)),
    'but for credentials and switches of its own the environment is the same',
  ).toEqual([]);
  expect(Object.keys(guardEnv).filter((name) => !(name in session.env))).toEqual([]);
  const log = await p.git('log', '-1', '-p', '--', 'work.txt');
  expect(`${p.log(1, 'executor.log')}${ran.err}`).not.toContain('gateway-secret-1');
  expect(log).toContain('work.txt');
});

test('claude: a refused login names the setting', async () => {
  const p = await started();
  putHome(p, '.claude/settings.json', JSON.stringify({ apiKeyHelper: '/opt/print-key' }));
  const path = playFake(p, 'claude', { agent: [claudeFails(401, 'Failed to authenticate')] });
  const env = { ...path, RUNNER_AGENT_NAME: 'claude' };
  const ran = await p.runWith(env, 'step');
  expect(ran.err).toContain('[AGENT_BLOCKED]\nhint: check "apiKeyHelper" in ');
  expect(ran.err).not.toContain('log in');
});

const acme = `model_provider = "acme"
[model_providers.acme]
name = "Acme"
base_url = "https://gw.test/v1"
env_key = "ACME_KEY"
[mcp_servers.evil]
command = "evil"
`;

test('codex: its provider goes along with the variable it names, without servers', async () => {
  const p = await started();
  putHome(p, '.codex/config.toml', acme);
  const path = playFake(p, 'codex', { agent: [codexDone('echo work > work.txt')] });
  const ran = await p.runWith({ ...path, ACME_KEY: 'acme-secret-1' }, 'step');
  expect(ran, ran.err).toMatchObject({ code: 0 });
  expect(ran.err).toContain('login: provider acme, key in ACME_KEY (config.toml)');
  const { args, env } = seenBy(p, 'codex.agent.1');
  expect(env['ACME_KEY']).toBe('acme-secret-1');
  expect(args).toContain('model_provider="acme"');
  expect(args.join(' ')).not.toContain('evil');
});

test('codex: a key that is not set is named by start, doctor and the outcome, not "log in"', async () => {
  const p = await started();
  putHome(p, '.codex/config.toml', acme);
  const path = playFake(p, 'codex', {
    agent: [codexFails('Missing environment variable: `ACME_KEY`.')],
  });
  const lacks = 'ACME_KEY, which env_key in [model_providers.acme] of ';
  const doctor = await p.runWith(path, 'doctor');
  expect(doctor.out).toContain(
    `warn agent.codex: the configured agent, codex-cli 0.166.0, login: provider acme, key in ACME_KEY (config.toml), but ${lacks}`,
  );
  expect(doctor.out).toContain('-> export ACME_KEY=<the key of acme>');
  const ran = await p.runWith(path, 'step');
  expect(ran.err).toContain(`(config.toml), but ${lacks}`);
  expect(ran.err).toContain('[AGENT_BLOCKED]\nhint: export ACME_KEY=<the key of acme>');
  expect(ran.err).not.toContain('codex login');
});
