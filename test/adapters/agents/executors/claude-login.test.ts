import { describe, expect, test } from 'vitest';
import { claudeLogin } from '../../../../src/adapters/agents/executors/claude-login.ts';

const path = '/h/.claude/settings.json';
const login = (settings: unknown, env: Record<string, string> = {}) =>
  claudeLogin({ text: settings === null ? null : JSON.stringify(settings), path, env });

describe('the login in claude’s settings (§14)', () => {
  test('without a file, and without a login in it, nothing is carried', () => {
    const nothing = { args: [], env: {}, names: [], settings: [], only: null, missing: null, fix: null };
    expect(login(null)).toEqual(nothing);
    expect(login({ model: 'opus', hooks: { Stop: [] }, enableAllProjectMcpServers: true })).toEqual(nothing);
  });

  test('a helper, and the commands that renew a cloud login; no hook and no server with them', () => {
    const made = login({
      apiKeyHelper: '/opt/key.sh',
      awsAuthRefresh: 'aws sso login',
      hooks: { PreToolUse: [] },
      permissions: { allow: ['*'] },
      mcpServers: {},
    });
    expect(made.args).toEqual([
      '--settings',
      '{"apiKeyHelper":"/opt/key.sh","awsAuthRefresh":"aws sso login"}',
    ]);
    expect(made.settings).toEqual(['apiKeyHelper', 'awsAuthRefresh']);
    expect(made.fix).toBe(`check "apiKeyHelper" in ${path}: it must print a valid key`);
  });

  test('variables of a gateway, and no others', () => {
    const env = { ANTHROPIC_BASE_URL: 'https://gw', ANTHROPIC_AUTH_TOKEN: 't', MY_FLAG: '1', PATH: '/evil' };
    const made = login({ env: { ...env, ANTHROPIC_MODEL: 3 } });
    expect(made.env).toEqual({ ANTHROPIC_BASE_URL: 'https://gw', ANTHROPIC_AUTH_TOKEN: 't' });
    expect(made.fix).toBe(`check ANTHROPIC_AUTH_TOKEN in "env" of ${path}`);
  });

  test('with a cloud switched on, in the file or in the shell, its variables of the shell go along', () => {
    const bedrock = login({ env: { CLAUDE_CODE_USE_BEDROCK: '1', AWS_REGION: 'r', AWS_PROFILE: 'p' } });
    expect(bedrock.env).toEqual({ CLAUDE_CODE_USE_BEDROCK: '1', AWS_REGION: 'r', AWS_PROFILE: 'p' });
    expect(bedrock.names).toContain('AWS_SECRET_ACCESS_KEY');
    expect(bedrock.fix).toContain('CLAUDE_CODE_USE_BEDROCK');
    const vertex = login(null, { CLAUDE_CODE_USE_VERTEX: 'true' });
    expect(vertex.names).toEqual(['GOOGLE_APPLICATION_CREDENTIALS']);
    expect(login(null, { CLAUDE_CODE_USE_FOUNDRY: '0' }).names).toEqual([]);
  });

  test('a file that cannot be read is told', () => {
    const made = claudeLogin({ text: '{ "apiKeyHelper": ', path, env: {} });
    expect(made).toMatchObject({ args: [], fix: `correct ${path}` });
    expect(made.missing).toBe(`${path} is not a JSON object, so no login of it is used`);
  });
});
