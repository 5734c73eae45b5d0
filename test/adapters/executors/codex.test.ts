import { describe, expect, test } from 'vitest';
import { codex } from '../../../src/adapters/executors/codex.ts';
import type { Ended } from '../../../src/adapters/executors/spec.ts';
import { configWith } from '../../support/facts.ts';
import type { ConfigFields } from '../../support/facts.ts';

function argv(agent: ConfigFields['agent'] = {}): readonly string[] {
  return codex.command({
    config: configWith({ agent }),
    program: '/bin/codex',
    projectDir: '/p',
    answerFile: '/g/answer.json',
    schemaFile: '/p/s.json',
    schemaText: '{}',
    session: 1,
  }).argv;
}

function failed(message: string, more: Partial<Ended> = {}): Ended {
  const line = JSON.stringify({ type: 'turn.failed', error: { message } });
  return {
    stdoutTail: `{"type":"turn.started"}\n${line}\n`,
    stderrTail: '',
    answerFile: { kind: 'missing' },
    exitCode: 1,
    ...more,
  };
}

test('a fresh, quiet session with the schema, the answer file and the prompt on stdin', () => {
  expect(argv().join(' ')).toBe(
    '/bin/codex exec --json --ephemeral --skip-git-repo-check --color never --disable plugins --disable unbounded_connection_retries ' +
      '-c analytics.enabled=false -c check_for_update_on_startup=false -C /p -s workspace-write --output-schema /p/s.json -o /g/answer.json -',
  );
  expect(
    codex.command({
      config: configWith(),
      program: 'c',
      projectDir: '/',
      answerFile: 'a',
      schemaFile: 's',
      schemaText: '',
      session: 1,
    }),
  ).toMatchObject({
    env: {},
    stdin: 'prompt',
  });
});

test('permissions, model and further arguments', () => {
  expect(argv({ permissions: 'workspace' })).toContain('workspace-write');
  const full = argv({ permissions: 'full', model: 'm', extra_args: ['--search', '-x'] });
  expect(full).not.toContain('-s');
  expect(full.join(' ')).toContain('-C /p -m m --dangerously-bypass-approvals-and-sandbox --output-schema');
  expect(full.slice(-3)).toEqual(['--search', '-x', '-']);
});

test.each([
  [
    { type: 'item.started', item: { type: 'command_execution', command: '\n npm test\nmore' } },
    '$ npm test',
    1,
  ],
  [{ type: 'item.started', item: { type: 'command_execution', command: 'npm test' } }, '$ npm test', 1],
  [{ type: 'item.completed', item: { type: 'command_execution', command: 'npm test' } }, null, -1],
  [{ type: 'item.started', item: { type: 'mcp_tool_call' } }, 'mcp tool call', 1],
  [{ type: 'item.started', item: { type: 'agent_message' } }, null, 0],
  [{ type: 'item.completed', item: { type: 'agent_message', text: '\n  Done.\nmore' } }, 'Done.', 0],
  [{ type: 'item.completed', item: { type: 'reasoning', text: 'hm' } }, null, 0],
  [{ type: 'error', message: 'Reconnecting... 1/5' }, 'Reconnecting... 1/5', 0],
  [{ type: 'turn.completed' }, null, 0],
])('follow %j', (record, line, tools) => {
  expect(codex.follow(JSON.stringify(record))).toEqual({ line, tools, answer: null });
});

test.each(['', 'plain words', '{', '{"type":', '[1]', '{"item":3}'])('follow %j is nothing', (line) => {
  expect(codex.follow(line)).toEqual({ line: null, tools: 0, answer: null });
});

test('the answer is the file', () => {
  const answerFile = { kind: 'text', text: 'x' } as const;
  expect(codex.read(failed('', { answerFile }))).toBe(answerFile);
});

describe('blocked', () => {
  test.each([
    ['unexpected status 401 Unauthorized: bad key', /codex login/],
    ['Quota exceeded. Check your plan and billing details.', /billing/],
    ['You’ve hit your usage limit. Upgrade or try again at 1:12 AM.', /billing/],
    ['{"error":{"code":"model_not_found","message":"no"}}', /agent\.model/],
    ['The model `gpt-x` does not exist or you do not have access to it.', /agent\.model/],
  ])('%s', (message, fix) => {
    expect(codex.blocked(failed(message))).toEqual({
      reason: `codex: ${message}`,
      fix: expect.stringMatching(fix) as unknown,
    });
  });

  test('a missing key is said on stderr only', () => {
    const stderrTail = 'Missing environment variable: `OPENAI_API_KEY`.\n';
    expect(codex.blocked({ ...failed(''), stdoutTail: '', stderrTail })).toMatchObject({
      reason: 'codex: Missing environment variable: `OPENAI_API_KEY`.',
    });
  });

  test.each([
    'We’re currently experiencing high demand, which may cause temporary errors.',
    'exceeded retry limit, last status: 429 Too Many Requests',
    'stream closed before response.completed',
    '',
  ])('%j is an ordinary failure', (message) => {
    expect(codex.blocked(failed(message))).toBeNull();
  });

  test('what the model or a tool printed counts for nothing', () => {
    const said = JSON.stringify({
      type: 'item.completed',
      item: { type: 'agent_message', text: '401 Unauthorized, Quota exceeded' },
    });
    expect(codex.blocked({ ...failed(''), stdoutTail: `${said}\n401 Unauthorized\n` })).toBeNull();
  });
});
