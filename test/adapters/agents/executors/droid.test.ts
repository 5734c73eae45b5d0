/** droid: its command and its records one by one. */
import { describe, expect, test } from 'vitest';
import { droid } from '../../../../src/adapters/agents/executors/droid.ts';
import { callsOf, emptyLines } from '../../../support/executor-calls.ts';

const { command, follow } = callsOf(droid);

describe('the command', () => {
  const start =
    '/bin/agent --settings /g/droid.json exec --output-format stream-json --cwd /p --skip-permissions-unsafe';
  const quiet = { FACTORY_DROID_AUTO_UPDATE_ENABLED: 'false', FACTORY_OTEL_ENABLED: 'false' };

  test('a session without hooks, MCP servers and compaction, with the prompt on stdin', () => {
    const { files = [], ...rest } = command();
    expect(rest).toEqual({ argv: start.split(' '), env: quiet, stdin: 'prompt' });
    expect(files.map(({ path }) => path)).toEqual(['/g/droid.json']);
    expect(JSON.parse(files[0]?.text ?? '')).toEqual({
      cloudSessionSync: false,
      compactionThresholdCheckEnabled: false,
      hooks: { hooksDisabled: true },
      mcpPolicy: { enabled: true, allowlist: [] },
    });
  });

  test('model, further arguments, and a reviewer without the tools that edit', () => {
    const agent = { model: 'm', extra_args: ['-r', 'high'] };
    expect(command(agent).argv.join(' ')).toBe(`${start} --model m -r high`);
    expect(command(agent, 'review').argv.join(' ')).toBe(
      `${start} --remove-tools ApplyPatch,Create,Edit --model m -r high`,
    );
  });

  test('with a model of the user it needs nobody else', () => {
    expect(command({ model: 'custom:m' }).env).toEqual({ ...quiet, FACTORY_AIRGAP_ENABLED: 'true' });
    expect(command({ model: 'm' }).env).toEqual(quiet);
  });
});

describe('follow', () => {
  test.each([
    [
      { type: 'message', role: 'assistant', text: 'Done.\nmore' },
      [{ type: 'message', text: 'Done.\nmore', partial: false }],
    ],
    [{ type: 'message', role: 'user', text: 'prompt' }, []],
    [{ type: 'reasoning', text: 'hm' }, [{ type: 'reasoning', text: 'hm', partial: false }]],
    [
      { type: 'tool_call', id: 'c', toolName: 'Execute', parameters: { command: 'npm test', summary: 's' } },
      [{ type: 'tool_call', id: 'c', tool: 'shell', detail: 'npm test' }],
    ],
    [
      { type: 'tool_call', id: 'c', toolName: 'Create', parameters: { file_path: '/p/a', content: '' } },
      [
        { type: 'tool_call', id: 'c', tool: 'Create', detail: '/p/a' },
        { type: 'file_edit', path: '/p/a', change: 'add' },
      ],
    ],
    [
      { type: 'tool_call', id: 'c', toolName: 'Edit', parameters: { file_path: '/p/a' } },
      [
        { type: 'tool_call', id: 'c', tool: 'Edit', detail: '/p/a' },
        { type: 'file_edit', path: '/p/a', change: 'update' },
      ],
    ],
    [
      { type: 'tool_call', id: 'c', toolName: 'ApplyPatch', parameters: { input: '*** Begin Patch' } },
      [{ type: 'tool_call', id: 'c', tool: 'ApplyPatch', detail: '' }],
    ],
    [
      {
        type: 'tool_call',
        id: 'c',
        toolName: 'AskUser',
        parameters: { questions: [{ question: 'Which?' }] },
      },
      [
        { type: 'tool_call', id: 'c', tool: 'AskUser', detail: '' },
        { type: 'denied', what: 'AskUser Which?' },
      ],
    ],
    [
      { type: 'tool_result', id: 'c', isError: false, value: 'ok\n\n[Process exited with code 0]' },
      [
        {
          type: 'tool_result',
          id: 'c',
          failed: false,
          exit_code: 0,
          output: 'ok\n\n[Process exited with code 0]',
        },
      ],
    ],
    [
      {
        type: 'tool_result',
        id: 'c',
        isError: true,
        error: { type: 'tool_error', message: 'Error: x\n\n[Process exited with code 3]' },
      },
      [
        {
          type: 'tool_result',
          id: 'c',
          failed: true,
          exit_code: 3,
          output: 'Error: x\n\n[Process exited with code 3]',
        },
      ],
    ],
    [
      { type: 'error', source: 'agent_loop', message: '429 Rate limit reached' },
      [{ type: 'error', message: '429 Rate limit reached', status: 429, fatal: true, reset_at_ms: null }],
    ],
    [
      { type: 'error', source: 'agent_loop', message: 'Connection error.' },
      [{ type: 'error', message: 'Connection error.', status: null, fatal: true, reset_at_ms: null }],
    ],
    [{ type: 'error', source: 'cli', message: 'Exec failed' }, []],
    [{ type: 'completion', finalText: 'x' }, [{ type: 'finished' }]],
  ])('%j', (record, events) => {
    expect(follow(record)).toEqual(events);
  });

  test('the end: what the session used', () => {
    const usage = {
      input_tokens: 400,
      output_tokens: 60,
      cache_read_input_tokens: 800,
      cache_creation_input_tokens: 5,
      factory_credits: 9,
    };
    expect(follow({ type: 'completion', usage })).toEqual([
      {
        type: 'usage',
        scope: 'session',
        usage: { input_tokens: 1205, cached_input_tokens: 800, output_tokens: 60, cost_usd: null },
      },
      { type: 'finished' },
    ]);
  });

  test.each([...emptyLines, '{"type":"system","subtype":"init"}'])('%j is nothing', (line) => {
    expect(droid.follow(line)).toEqual([]);
  });
});
