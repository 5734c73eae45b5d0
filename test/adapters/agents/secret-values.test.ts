/** What the runner knows to be secret on this machine: by the names of variables, and from the login files of agents. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { secretRedactor, secretValues } from '../../../src/adapters/agents/secret-values.ts';
import { scratchFolder } from '../../support/scratch.ts';

function home(files: Readonly<Record<string, string>> = {}): string {
  const folder = scratchFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

describe('settings files of agents', () => {
  test('keys and tokens in them are secret; helpers and names of variables are not', () => {
    const values = secretValues({
      HOME: home({
        '.claude/settings.json': JSON.stringify({
          apiKeyHelper: '/opt/print-key-now',
          env: { ANTHROPIC_AUTH_TOKEN: 'token-of-claude', ANTHROPIC_BASE_URL: 'https://gw.test' },
        }),
        '.codex/config.toml':
          '[model_providers.a]\nenv_key = "ACME_API_KEY"\nexperimental_bearer_token = "token-of-codex"\nhttp_headers = { Authorization = "Bearer header-of-codex" }\n',
      }),
    });
    for (const secret of ['token-of-claude', 'token-of-codex', 'header-of-codex'])
      expect(values).toContain(secret);
    for (const plain of ['/opt/print-key-now', 'ACME_API_KEY', 'https://gw.test'])
      expect(values).not.toContain(plain);
  });
});

describe('variables', () => {
  test.each([
    'MY_API_KEY',
    'GITHUB_TOKEN',
    'DB_PASSWORD',
    'secret',
    'AWS_SECRET_ACCESS_KEY',
    'OPENCODE_AUTH_CONTENT',
    'GHOST_ADMIN_API_KEY',
    'HOMEBREW_GITHUB_API_TOKEN',
    'CI_PROJECT_TOKEN',
  ])('%s is secret', (name) => {
    expect(secretValues({ HOME: home(), [name]: '12345678' })).toContain('12345678');
    expect(secretValues({ HOME: home(), [name]: '1234567' })).toEqual([]);
  });

  test.each([
    'KEYBOARD',
    'PATH',
    'OPENAI_BASE_URL',
    'GOOGLE_APPLICATION_CREDENTIALS',
    'TOKENIZERS_PARALLELISM',
    'TOKEN_FILE',
  ])('%s is not', (name) => {
    expect(secretValues({ HOME: home(), [name]: '/some/where/else' })).toEqual([]);
  });

  test('words of our own formats stay', () => {
    expect(secretValues({ HOME: home(), MY_TOKEN: 'decomposed' })).toEqual([]);
  });

  test('a value over several lines, line by line', () => {
    const values = secretValues({ HOME: home(), MY_KEY: '-----BEGIN X-----\nfirst-line\n\nsecond-line\n' });
    expect(values).toEqual(expect.arrayContaining(['first-line', 'second-line']));
    expect(values).not.toContain('-----BEGIN X-----');
  });

  test('in base64, whatever stands around it', () => {
    const { redact } = secretRedactor({ HOME: home(), MY_KEY: 'a-key-of-mine' })();
    for (const before of ['', 'u', 'us', 'user:']) {
      const left = redact(Buffer.from(`${before}a-key-of-mine!`).toString('base64'));
      expect(Buffer.from(left.replace('[redacted]', ''), 'base64').toString()).not.toContain('key');
      expect(left).toContain('[redacted]');
    }
  });
});

describe('login files', () => {
  test('tokens of every agent, and nothing else of the file', () => {
    const HOME = home({
      '.codex/auth.json':
        '{"OPENAI_API_KEY":null,"tokens":{"access_token":"codex-access","account_id":"acc-1234"},"last_refresh":"2026-11-18T01:02:03Z"}',
      '.claude/.credentials.json':
        '{"claudeAiOauth":{"accessToken":"claude-access","refreshToken":"claude-refresh","expiresAt":1,"scopes":["user:inference"],"subscriptionType":"enterprise"}}',
      '.gemini/oauth_creds.json':
        '{"access_token":"gemini-access","scope":"https://www.googleapis.com/auth/x","token_type":"a sentence of it","token_uri":"https://oauth2.test/token"}',
      '.factory/auth.v2.file': 'droid-login-bytes\n',
      '.local/share/opencode/auth.json': 'not read: a folder follows',
    });
    const values = secretValues({ HOME });
    const secret = [
      'codex-access',
      'acc-1234',
      'claude-access',
      'claude-refresh',
      'gemini-access',
      'droid-login-bytes',
    ];
    expect(values).toEqual(expect.arrayContaining(secret));
    for (const plain of [
      'enterprise',
      'user:inference',
      '2026-11-18T01:02:03Z',
      'a sentence of it',
      'https://oauth2.test/token',
    ])
      expect(values).not.toContain(plain);
  });

  test('where a variable says they are; a whole file in a variable', () => {
    const other = home({ 'auth.json': '{"tokens":{"access_token":"codex-elsewhere"}}' });
    const content =
      '{"x":{"type":"oauth","refresh":"opencode-refresh","access":"opencode-access","expires":1}}';
    const values = secretValues({ HOME: home(), CODEX_HOME: other, OPENCODE_AUTH_CONTENT: content });
    expect(values).toEqual(
      expect.arrayContaining(['codex-elsewhere', 'opencode-refresh', 'opencode-access', content]),
    );
  });

  test('a login that is renewed meanwhile: the old one stays secret', () => {
    const HOME = home({ '.codex/auth.json': '{"tokens":{"access_token":"the-first-token"}}' });
    const redactor = secretRedactor({ HOME });
    expect(redactor().redact('the-first-token')).toBe('[redacted]');
    expect(redactor()).toBe(redactor());
    writeFileSync(join(HOME, '.codex/auth.json'), '{"tokens":{"access_token":"the-second-token"}}');
    expect(redactor().redact('the-first-token the-second-token')).toBe('[redacted] [redacted]');
  });
});
