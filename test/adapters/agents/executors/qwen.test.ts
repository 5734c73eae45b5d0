/** qwen: its command and its records one by one. */
import { describe, expect, test } from 'vitest';
import { qwen } from '../../../../src/adapters/agents/executors/qwen.ts';
import { agentOutputSchemaText } from '../../../../src/core/shipped.js';
import { callsOf, emptyLines } from '../../../support/executor-calls.ts';

const { command, follow } = callsOf(qwen);

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
      { type: 'tool_result', id: 'c', failed: is_error, exit_code, output: content },
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
