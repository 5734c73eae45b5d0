/** qwen: its command, its records one by one, and recorded sessions as the runner reads them. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { qwen } from '../../../../src/adapters/agents/executors/qwen.ts';
import type { AgentCommand } from '../../../../src/adapters/agents/executors/spec.ts';
import { agentOutputSchemaText } from '../../../../src/core/shipped.js';
import type { Config } from '../../../../src/core/types.ts';
import type { SessionRole } from '../../../../src/ports/sessions.ts';
import { commandRequest } from '../../../support/sessions.ts';
import { describeEndings, emptyLines, readRecorded } from '../../../support/recorded-session.ts';

function command(agent: Partial<Config['agent']> = {}, role: SessionRole = 'agent'): AgentCommand {
  return qwen.command(commandRequest({ name: 'qwen', ...agent }, { role }));
}

function follow(record: object): ReturnType<typeof qwen.follow> {
  return qwen.follow(JSON.stringify(record));
}

describe('the command', () => {
  const schema = JSON.stringify({
    ...(JSON.parse(agentOutputSchemaText) as object),
    $schema: undefined,
    $id: undefined,
  });
  const start = [
    '/bin/agent',
    '--output-format',
    'stream-json',
    '--approval-mode',
    'yolo',
    '--extensions',
    'none',
  ];
  const end = ['--chat-recording=false', '--json-schema', schema];

  test('a quiet session with the schema as text, settings over all others, and the prompt on stdin', () => {
    const { files = [], ...rest } = command();
    expect(rest).toEqual({
      argv: [...start, ...end],
      env: {
        QWEN_CODE_NO_RELAUNCH: 'true',
        QWEN_CODE_SUPPRESS_YOLO_WARNING: '1',
        QWEN_CODE_SYSTEM_SETTINGS_PATH: '/g/qwen.json',
        QWEN_USAGE_STATISTICS_ENABLED: 'false',
      },
      stdin: 'prompt',
    });
    expect(files.map(({ path }) => path)).toEqual(['/g/qwen.json']);
    expect(JSON.parse(files[0]?.text ?? '')).toEqual({
      context: { autoCompactThreshold: 1 },
      disableAllHooks: true,
      general: { enableAutoUpdate: false },
      ide: { enabled: false },
      mcp: { excluded: ['*'] },
      memory: { enableAutoSkill: false, enableManagedAutoDream: false, enableManagedAutoMemory: false },
      model: { generationConfig: { maxRetries: 0 } },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
    });
  });

  test('model, further arguments, and a reviewer without the tools that edit', () => {
    const agent = { model: 'm', extra_args: ['--max-session-turns', '9'] };
    const more = ['--model', 'm', '--max-session-turns', '9'];
    expect(command(agent).argv).toEqual([...start, ...end, ...more]);
    const tools = ['--exclude-tools', 'edit,notebook_edit,write_file'];
    expect(command(agent, 'review').argv).toEqual([...start, ...tools, ...end, ...more]);
  });
});

describe('follow', () => {
  test.each([
    [{ type: 'text', text: 'Hello' }, [{ type: 'message', text: 'Hello', partial: false }]],
    [{ type: 'thinking', thinking: 'hm' }, [{ type: 'reasoning', text: 'hm', partial: false }]],
    [
      { type: 'tool_use', id: 'c', name: 'run_shell_command', input: { command: 'npm test' } },
      [{ type: 'tool_call', id: 'c', tool: 'shell', detail: 'npm test' }],
    ],
    [
      { type: 'tool_use', id: 'c', name: 'write_file', input: { file_path: '/p/a' } },
      [
        { type: 'tool_call', id: 'c', tool: 'write_file', detail: '/p/a' },
        { type: 'file_edit', path: '/p/a', change: 'add' },
      ],
    ],
    [
      { type: 'tool_use', id: 'c', name: 'edit', input: { file_path: '/p/a' } },
      [
        { type: 'tool_call', id: 'c', tool: 'edit', detail: '/p/a' },
        { type: 'file_edit', path: '/p/a', change: 'update' },
      ],
    ],
    [
      {
        type: 'tool_use',
        id: 'c',
        name: 'ask_user_question',
        input: { questions: [{ question: 'Which?' }] },
      },
      [
        { type: 'tool_call', id: 'c', tool: 'ask_user_question', detail: '' },
        { type: 'denied', what: 'ask_user_question Which?' },
      ],
    ],
    [{ type: 'image' }, []],
  ])('the model says %j', (block, events) => {
    expect(follow({ type: 'assistant', message: { content: [block] } })).toEqual(events);
  });

  test.each([
    ['Output: x\nError: (none)\nExit Code: 3\nSignal: (none)', true, 3],
    ['Successfully created', false, null],
  ])('a tool ends: %j', (content, is_error, exit_code) => {
    const block = { type: 'tool_result', tool_use_id: 'c', is_error, content };
    expect(follow({ type: 'user', message: { content: [block, { type: 'text' }] } })).toEqual([
      { type: 'tool_result', id: 'c', failed: is_error, exit_code },
    ]);
  });

  test('it asks again, and says why on stderr only', () => {
    const data = { reason: 'retry', attempt: 1, maxRetries: 2, delayMs: 60_000 };
    expect(follow({ type: 'system', subtype: 'retry', data })).toEqual([
      { type: 'retry', message: 'the last request failed, try 1 of 2', status: null, reset_at_ms: null },
    ]);
  });

  test('the result: refusals, what it used, the answer', () => {
    const record = {
      type: 'result',
      is_error: false,
      usage: { input_tokens: 1200, output_tokens: 60, cache_read_input_tokens: 800 },
      permission_denials: [{ tool_name: 'run_shell_command', tool_input: { command: 'rm a' } }],
      structured_result: { status: 'done', summary: 's', children: null },
    };
    expect(follow(record)).toEqual([
      { type: 'denied', what: 'run_shell_command rm a' },
      {
        type: 'usage',
        scope: 'session',
        usage: { input_tokens: 1200, cached_input_tokens: 800, output_tokens: 60, cost_usd: null },
      },
      { type: 'answer', text: '{"status":"done","summary":"s","children":null}' },
      { type: 'finished' },
    ]);
  });

  test.each([
    [{ error: { message: '[API Error: 429 Rate limit]' } }, '[API Error: 429 Rate limit]', 429],
    [{ error: { message: 'Model produced plain text' } }, 'Model produced plain text', null],
    [{ result: 'words' }, 'words', null],
    [{ subtype: 'error_during_execution' }, 'error_during_execution', null],
  ])('a result that is an error: %j', (fields, message, status) => {
    expect(follow({ type: 'result', is_error: true, ...fields })).toEqual([
      { type: 'error', message, status, fatal: true, reset_at_ms: null },
      { type: 'finished' },
    ]);
  });

  test.each([...emptyLines, '{"type":"system","subtype":"init"}', '{"type":"assistant"}'])(
    '%j is nothing',
    (line) => {
      expect(qwen.follow(line)).toEqual([]);
    },
  );
});

const replay = (name: string) => readRecorded(qwen, name);

const endings = {
  'exited done': 'done edit reasoning cut transient denied question',
  'exited decomposed': 'decomposed',
  'failed malformed': 'fenced prose empty wrong-schema',
  'blocked not_logged_in': '401 403 not-logged-in',
  'blocked model_not_found': '404-model',
  'blocked quota': 'quota',
  'failed context_too_long': '400-too-long',
  'unavailable rate_limited': '429 429-retry-after',
  'failed silent': '429-hour silent',
  'unavailable overloaded': '500 529',
  'unavailable network': 'refused dropped malformed malformed-empty',
};

describeEndings(qwen, endings);

test('recorded: what it used over all its requests, and what it was refused', () => {
  expect(replay('done').transcript).toMatchObject({
    denials: [],
    usage: { input_tokens: 3600, cached_input_tokens: 2400, output_tokens: 180, cost_usd: null },
  });
  expect(replay('denied').transcript.denials).toEqual(['run_shell_command rm a.txt']);
  expect(replay('question').transcript.denials).toEqual(['ask_user_question Which one?']);
});

test('whatever it prints, nothing is thrown', () => {
  const record = fc.record({
    type: fc.constantFrom(
      'assistant',
      'user',
      'system',
      'result',
      'retry',
      'tool_use',
      'tool_result',
      'text',
    ),
    message: fc.oneof(fc.object(), fc.string()),
  });
  const line = fc.oneof(
    record.map((fields) => JSON.stringify(fields)),
    fc.json(),
    fc.string(),
  );
  fc.assert(
    fc.property(line, (text) => {
      expect(Array.isArray(qwen.follow(text))).toBe(true);
    }),
  );
});
