import { describe, expect, test } from 'vitest';
import { claude } from '../../../src/adapters/executors/claude.ts';
import type { Ended } from '../../../src/adapters/executors/spec.ts';
import { agentOutputSchemaText } from '../../../src/core/shipped.js';
import { configWith } from '../../support/facts.ts';

function ended(result: object | null, more: Partial<Ended> = {}): Ended {
  const last = result === null ? '' : `${JSON.stringify({ type: 'result', ...result })}\n`;
  return {
    stdoutTail: `{"type":"system"}\n${last}`,
    stderrTail: '',
    answerFile: { kind: 'missing' },
    exitCode: 1,
    ...more,
  };
}

function command(agent = {}): ReturnType<typeof claude.command> {
  return claude.command({
    config: configWith({ agent: { name: 'claude', ...agent } }),
    program: '/bin/claude',
    projectDir: '/p',
    answerFile: '/g/a',
    schemaFile: '/p/s.json',
    schemaText: agentOutputSchemaText,
    session: 1,
  });
}

test('a fresh, quiet session with the schema as text and the prompt on stdin', () => {
  const { argv, env, stdin } = command();
  expect(argv.slice(0, -1).join(' ')).toBe(
    '/bin/claude -p --output-format stream-json --verbose --no-session-persistence --dangerously-skip-permissions --strict-mcp-config --json-schema',
  );
  const schema = JSON.parse(argv.at(-1) ?? '') as object;
  expect({ ...(JSON.parse(agentOutputSchemaText) as object), $schema: undefined, $id: undefined }).toEqual(
    schema,
  );
  expect(Object.keys(schema)).not.toContain('$schema');
  expect(env).toMatchObject({ DISABLE_AUTO_COMPACT: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' });
  expect(stdin).toBe('prompt');
});

test('model and further arguments', () => {
  const { argv } = command({ model: 'm', extra_args: ['--max-turns', '3'] });
  expect(argv.join(' ')).toContain('--no-session-persistence --model m --dangerously');
  expect(argv.slice(-2)).toEqual(['--max-turns', '3']);
});

test.each([
  [{ type: 'assistant', message: { content: [{ type: 'text', text: '\nHello\nyou' }] } }, 'Hello', 0],
  [
    {
      type: 'assistant',
      message: { content: [{ type: 'tool_use', name: 'Bash', input: { command: 'npm test\nx' } }] },
    },
    'Bash npm test',
    1,
  ],
  [
    {
      type: 'assistant',
      message: {
        content: [
          { type: 'tool_use', name: 'Read', input: { file_path: 'a.ts' } },
          { type: 'tool_use', name: 'Grep', input: { pattern: 'x' } },
        ],
      },
    },
    'Read a.ts',
    2,
  ],
  [
    {
      type: 'assistant',
      message: { content: [{ type: 'tool_use', name: 'Todo' }, { type: 'thinking' }, 7] },
    },
    'Todo',
    1,
  ],
  [{ type: 'assistant', message: { content: 'x' } }, null, 0],
  [{ type: 'user', message: { content: [{ type: 'tool_result' }, { type: 'tool_result' }] } }, null, -2],
  [
    { type: 'system', subtype: 'api_retry', attempt: 1, max_retries: 10, error: 'rate_limit' },
    'waiting for the model: rate_limit, try 1 of 10',
    0,
  ],
  [{ type: 'system', subtype: 'init' }, null, 0],
  [{ type: 'rate_limit_event' }, null, 0],
  [{ type: 'result', result: 'prose' }, null, 0],
])('follow %j', (record, line, tools) => {
  expect(claude.follow(JSON.stringify(record))).toEqual({ line, tools, answer: null });
});

test('the result record carries the answer', () => {
  const record = {
    type: 'result',
    subtype: 'success',
    structured_output: { status: 'done', summary: 's', children: null },
  };
  const text = '{"status":"done","summary":"s","children":null}';
  expect(claude.follow(JSON.stringify(record)).answer).toBe(text);
  const stdoutTail = `cut off line"}\n{"type":"result","structured_output":{"status":"retry"}}\n${JSON.stringify(record)}\n\n`;
  expect(claude.read(ended(null, { stdoutTail }))).toEqual({ kind: 'text', text });
});

test.each([{ result: '{"status":"done"}' }, { structured_output: null }, { structured_output: 'x' }, null])(
  'no answer: %j',
  (result) => {
    expect(claude.read(ended(result))).toEqual({ kind: 'missing' });
  },
);

describe('blocked', () => {
  test.each([
    [{ is_error: true, result: 'Not logged in · Please run /login', api_error_status: null }, /log in/],
    [{ is_error: true, result: 'Failed to authenticate. API Error: 401 x', api_error_status: 401 }, /log in/],
    [
      {
        is_error: true,
        subtype: 'success',
        result: "You've hit your session limit · resets 1:27am (UTC)",
        api_error_status: 429,
      },
      /wait for the reset/,
    ],
    [{ is_error: true, result: 'API Error: 404', api_error_status: 404 }, /agent\.model/],
  ])('%j', (result, fix) => {
    expect(claude.blocked(ended(result))).toEqual({
      reason: `claude: ${result.result}`,
      fix: expect.stringMatching(fix) as unknown,
    });
  });

  test('root is refused on stderr only', () => {
    const stderrTail =
      '--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons\n';
    expect(claude.blocked(ended(null, { stderrTail }))?.fix).toContain('IS_SANDBOX=1');
  });

  test.each([
    { is_error: true, result: 'API Error: 529 overloaded', api_error_status: 529 },
    { is_error: true, result: 'API Error: Request rejected (429)', api_error_status: 429 },
    { is_error: false, result: 'Not logged in', api_error_status: null },
    null,
  ])('%j is an ordinary failure', (result) => {
    expect(claude.blocked(ended(result))).toBeNull();
  });
});
