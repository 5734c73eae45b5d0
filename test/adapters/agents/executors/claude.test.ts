import { describe, expect, test } from 'vitest';
import { claude } from '../../../../src/adapters/agents/executors/claude.ts';
import { agentOutputSchemaText, reviewSchemaText } from '../../../../src/core/shipped.js';
import type { Config } from '../../../../src/core/types.ts';
import { noUserLogin } from '../../../../src/adapters/agents/executors/spec.ts';
import { callsOf } from '../../../support/executor-calls.ts';
import { commandRequest } from '../../../support/sessions.ts';

function command(agent: Partial<Config['agent']> = {}, role: 'agent' | 'review' = 'agent') {
  const schemaText = role === 'review' ? reviewSchemaText : agentOutputSchemaText;
  return claude.command(commandRequest({ name: 'claude', ...agent }, { role, schemaText }));
}

const { follow } = callsOf(claude);

/** One block of an assistant's message. */
function said(...content: readonly unknown[]): object {
  return { type: 'assistant', message: { role: 'assistant', content }, parent_tool_use_id: null };
}

const finished = { type: 'finished' };

describe('the command', () => {
  const start = '/bin/agent -p --output-format stream-json --verbose --no-session-persistence';
  const quiet = '--dangerously-skip-permissions --strict-mcp-config --setting-sources project';

  test('a fresh, quiet session with the schema as text and the prompt on stdin', () => {
    const { argv, env, stdin } = command();
    expect(argv.slice(0, -1).join(' ')).toBe(`${start} ${quiet} --json-schema`);
    expect(env).toEqual({
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_MAX_RETRIES: '8',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_AUTO_COMPACT: '1',
      DISABLE_ERROR_REPORTING: '1',
      DISABLE_TELEMETRY: '1',
    });
    expect(stdin).toBe('prompt');
  });

  test('a permission mode instead of everything; in a container it works as root', () => {
    const words = command({ permission_mode: 'plan' }).argv.join(' ');
    expect(words).toContain('--permission-mode plan --strict-mcp-config');
    expect(words).not.toContain('--dangerously-skip-permissions');
    const inside = claude.command(commandRequest({ name: 'claude' }, { isContained: true }));
    expect(inside.env).toMatchObject({ IS_SANDBOX: '1' });
  });

  test('the schema is all of ours but for the names of its dialect, on one line', () => {
    for (const [role, text] of [
      ['agent', agentOutputSchemaText],
      ['review', reviewSchemaText],
    ] as const) {
      const given = command({}, role).argv.at(-1) ?? '';
      const { $schema, $id, ...schema } = JSON.parse(text) as Record<string, unknown>;
      expect([typeof $schema, typeof $id]).toEqual(['string', 'string']);
      expect(JSON.parse(given)).toEqual(schema);
      expect(given).not.toContain('\n');
    }
  });

  test('model, permissions and further arguments', () => {
    const { argv } = command({ model: 'm', permissions: 'full', extra_args: ['--max-turns', '3'] });
    expect(argv.slice(0, -3).join(' ')).toBe(`${start} --model m ${quiet} --json-schema`);
    expect(argv.slice(-2)).toEqual(['--max-turns', '3']);
  });

  test('a reviewer has no tools that edit', () => {
    expect(command({}, 'review').argv.slice(0, -1).join(' ')).toBe(
      `${start} ${quiet} --disallowedTools Edit,MultiEdit,NotebookEdit,Write --json-schema`,
    );
  });

  test.each([
    [null, '8'],
    [0, '8'],
    [600, '8'],
    [60, '6'],
    [15, '4'],
    [1, '1'],
  ])('it tries again about 8 times, within the silence it is allowed: %s s', (idle_timeout_secs, retries) => {
    expect(command({ idle_timeout_secs }).env['CLAUDE_CODE_MAX_RETRIES']).toBe(retries);
  });

  test('effort, and a login of the user’s own settings', () => {
    const login = { ...noUserLogin, args: ['--settings', '{"apiKeyHelper":"k"}'] };
    const request = commandRequest({ name: 'claude', model: 'm', effort: 'max' }, { login });
    const words = claude.command(request).argv.join(' ');
    expect(words).toContain('--model m --effort max ');
    expect(words).toContain('--setting-sources project --settings {"apiKeyHelper":"k"} ');
  });
});

describe('follow', () => {
  test.each([
    [said({ type: 'text', text: '\nHello' }), [{ type: 'message', text: '\nHello', partial: false }]],
    [
      said({ type: 'thinking', thinking: 'I think', signature: 'c2Ny' }),
      [{ type: 'reasoning', text: 'I think', partial: false }],
    ],
    [
      said({ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'npm test', description: 'd' } }),
      [{ type: 'tool_call', id: 't1', tool: 'shell', detail: 'npm test' }],
    ],
    [
      said(
        { type: 'tool_use', id: 't2', name: 'Write', input: { file_path: '/p/a', content: 'x' } },
        { type: 'tool_use', id: 't3', name: 'Edit', input: { file_path: '/p/b' } },
        { type: 'tool_use', id: 't4', name: 'NotebookEdit', input: { notebook_path: '/p/c' } },
      ),
      [
        { type: 'tool_call', id: 't2', tool: 'Write', detail: '/p/a' },
        { type: 'file_edit', path: '/p/a', change: 'add' },
        { type: 'tool_call', id: 't3', tool: 'Edit', detail: '/p/b' },
        { type: 'file_edit', path: '/p/b', change: 'update' },
        { type: 'tool_call', id: 't4', tool: 'NotebookEdit', detail: '/p/c' },
        { type: 'file_edit', path: '/p/c', change: 'update' },
      ],
    ],
    [
      said({ type: 'tool_use', id: 't5', name: 'Grep', input: { pattern: 'x' } }, { type: 'new' }, 7),
      [{ type: 'tool_call', id: 't5', tool: 'Grep', detail: 'x' }],
    ],
    [
      said({
        type: 'tool_use',
        id: 't6',
        name: 'AskUserQuestion',
        input: { questions: [{ question: 'Which one?', options: [] }, { question: 'Why?' }, 7] },
      }),
      [
        { type: 'tool_call', id: 't6', tool: 'AskUserQuestion', detail: '' },
        { type: 'denied', what: 'AskUserQuestion Which one? Why?' },
      ],
    ],
    [said({ type: 'tool_use', name: 'Todo' }), [{ type: 'tool_call', id: '', tool: 'Todo', detail: '' }]],
    [{ type: 'assistant', message: { content: 'x' } }, []],
    [{ ...said({ type: 'text', text: 'API Error: 529' }), error: 'server_error' }, []],
    [
      {
        type: 'user',
        message: {
          content: [
            { type: 'tool_result', tool_use_id: 't1', content: 'Exit code 3\nboom', is_error: true },
            { type: 'tool_result', tool_use_id: 't2', content: 'File created successfully' },
            { type: 'text', text: '[structured-output-enforce] You MUST call …' },
          ],
        },
      },
      [
        { type: 'tool_result', id: 't1', failed: true, exit_code: 3, output: 'Exit code 3\nboom' },
        {
          type: 'tool_result',
          id: 't2',
          failed: false,
          exit_code: null,
          output: 'File created successfully',
        },
      ],
    ],
    [{ type: 'system', subtype: 'init', tools: ['Bash'] }, []],
    [{ type: 'system', subtype: 'thinking_tokens', estimated_tokens: 2 }, []],
    [{ type: 'rate_limit_event' }, []],
    [{ type: 'stream_event' }, []],
  ])('%j', (record, events) => {
    expect(follow(record)).toEqual(events);
  });

  test.each(['', 'Error: x', '{"type":"result"', '[]', '{"type":null}'])('%j is nothing', (line) => {
    expect(claude.follow(line)).toEqual([]);
  });

  test('it says when it asks its model again, and that ends nothing', () => {
    const record = { type: 'system', subtype: 'api_retry', attempt: 1, max_retries: 2, error: 'rate_limit' };
    const message = 'rate_limit, try 1 of 2';
    expect(follow({ ...record, error_status: 429, retry_delay_ms: 600 })).toEqual([
      { type: 'retry', message, status: 429, reset_at_ms: null },
    ]);
    expect(follow({ ...record, error_status: null })).toMatchObject([{ status: null }]);
    expect(follow({ ...record, attempt: { toString: 1 }, max_retries: undefined })).toMatchObject([
      { message: 'rate_limit, try ? of ?' },
    ]);
  });

  test('a plan limit states its reset', () => {
    const info = { status: 'rejected', resetsAt: 1_794_792_438, rateLimitType: 'five_hour' };
    expect(follow({ type: 'rate_limit_event', rate_limit_info: info })).toEqual([
      {
        type: 'error',
        message: 'limit reached (five_hour)',
        status: 429,
        fatal: false,
        reset_at_ms: 1_794_792_438_000,
      },
    ]);
    expect(follow({ type: 'rate_limit_event', rate_limit_info: { status: 'rejected' } })).toMatchObject([
      { message: 'limit reached (rate limit)', reset_at_ms: null },
    ]);
    const allowed = { ...info, status: 'allowed_warning' };
    expect(follow({ type: 'rate_limit_event', rate_limit_info: allowed })).toEqual([]);
  });
});

describe('the result record', () => {
  const result = { type: 'result', subtype: 'success', is_error: false };

  test('carries the answer that was given by schema, never prose', () => {
    const answer = { status: 'done', summary: 's', children: null };
    const text = '{"status":"done","summary":"s","children":null}';
    expect(follow({ ...result, structured_output: answer, result: 'prose' })).toEqual([
      { type: 'answer', text },
      finished,
    ]);
    expect(follow({ ...result, result: text })).toEqual([finished]);
    for (const structured_output of [null, 'x', [answer]])
      expect(follow({ ...result, structured_output })).toEqual([finished]);
  });

  test('what is nested deeper than any answer is none', () => {
    const deep = `${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`;
    expect(claude.follow(`{"type":"result","structured_output":${deep}}`)).toEqual([finished]);
  });

  test('usage: all input, the cached among it, and the cost', () => {
    const usage = {
      input_tokens: 1200,
      cache_creation_input_tokens: 30,
      cache_read_input_tokens: 2400,
      output_tokens: 180,
    };
    const counted = {
      input_tokens: 3630,
      cached_input_tokens: 2400,
      output_tokens: 180,
      cost_usd: 0.00702,
    };
    expect(follow({ ...result, usage, total_cost_usd: 0.00702 })).toEqual([
      { type: 'usage', scope: 'session', usage: counted },
      finished,
    ]);
    const bare = {
      input_tokens: 5,
      cached_input_tokens: null,
      output_tokens: null,
      cost_usd: null,
    };
    expect(follow({ ...result, usage: { input_tokens: 5 } })[0]).toMatchObject({ usage: bare });
  });

  test('what it was refused', () => {
    const permission_denials = [
      { tool_name: 'Bash', tool_use_id: 't1', tool_input: { command: 'rm -rf x' } },
      { tool_name: 'Write', tool_use_id: 't2', tool_input: { file_path: '/etc/x' } },
      { tool_name: 'AskUserQuestion', tool_input: { question: 'Which one?' } },
      { tool_name: 'Other' },
      7,
    ];
    expect(follow({ ...result, permission_denials })).toEqual([
      { type: 'denied', what: 'Bash rm -rf x' },
      { type: 'denied', what: 'Write /etc/x' },
      { type: 'denied', what: 'AskUserQuestion Which one?' },
      { type: 'denied', what: 'Other' },
      finished,
    ]);
  });

  test('is_error alone makes it a failure; the subtype says success even then', () => {
    const words = "You've hit your session limit · resets 1:27am (UTC)";
    expect(follow({ ...result, is_error: true, api_error_status: 429, result: words })).toEqual([
      { type: 'error', message: words, status: 429, fatal: true, reset_at_ms: null },
      finished,
    ]);
    const subtype = 'error_max_structured_output_retries';
    expect(follow({ ...result, is_error: true, subtype, api_error_status: null })).toEqual([
      { type: 'error', message: subtype, status: null, fatal: true, reset_at_ms: null },
      finished,
    ]);
    expect(follow({ ...result, subtype: 'error_during_execution' })).toEqual([finished]);
  });
});
