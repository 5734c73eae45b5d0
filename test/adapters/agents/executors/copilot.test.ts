/** copilot: its command and its records one by one. */
import { describe, expect, test } from 'vitest';
import { copilot } from '../../../../src/adapters/agents/executors/copilot.ts';
import { callsOf, emptyLines } from '../../../support/executor-calls.ts';

const { command, follow } = callsOf(copilot);

describe('the command', () => {
  const start = '/bin/agent --output-format json --allow-all';
  const end =
    '--no-ask-user --no-auto-update --no-color --no-remote --no-remote-export --disable-builtin-mcps ' +
    '--disable-client-telemetry --log-level none';

  test('a quiet session that asks nobody, with the prompt on stdin', () => {
    expect(command()).toEqual({ argv: `${start} ${end}`.split(' '), env: {}, stdin: 'prompt' });
  });

  test('model, further arguments, and a reviewer that may not write', () => {
    const agent = { model: 'm', extra_args: ['--context', 'default'] };
    expect(command(agent).argv.join(' ')).toBe(`${start} ${end} --model m --context default`);
    expect(command(agent, 'review').argv.join(' ')).toBe(
      `${start} --deny-tool=write ${end} --model m --context default`,
    );
  });
});

describe('follow', () => {
  test.each([
    ['assistant.message', { content: 'Done.' }, [{ type: 'message', text: 'Done.', partial: false }]],
    ['assistant.message', { content: '', toolRequests: [] }, []],
    ['assistant.reasoning', { content: 'hm' }, [{ type: 'reasoning', text: 'hm', partial: false }]],
    [
      'tool.execution_start',
      { toolCallId: 'c', toolName: 'bash', arguments: { command: 'npm test', description: 'd' } },
      [{ type: 'tool_call', id: 'c', tool: 'shell', detail: 'npm test' }],
    ],
    [
      'tool.execution_start',
      { toolCallId: 'c', toolName: 'ask_user', arguments: { question: 'Which?' } },
      [
        { type: 'tool_call', id: 'c', tool: 'ask_user', detail: '' },
        { type: 'denied', what: 'ask_user Which?' },
      ],
    ],
    [
      'tool.execution_complete',
      { toolCallId: 'c', success: true, shellExecution: { exitCode: 0 } },
      [{ type: 'tool_result', id: 'c', failed: false, exit_code: 0 }],
    ],
    [
      'tool.execution_complete',
      { toolCallId: 'c', success: true, shellExecution: { exitCode: 3 }, result: { content: 'no' } },
      [{ type: 'tool_result', id: 'c', failed: true, exit_code: 3, output: 'no' }],
    ],
    [
      'tool.execution_complete',
      {
        toolCallId: 'c',
        success: true,
        fileEdits: [
          { path: '/p/a', kind: 'create' },
          { path: '/p/b', kind: 'update' },
          { path: '/p/c', kind: 'delete' },
        ],
      },
      [
        { type: 'file_edit', path: '/p/a', change: 'add' },
        { type: 'file_edit', path: '/p/b', change: 'update' },
        { type: 'file_edit', path: '/p/c', change: 'delete' },
        { type: 'tool_result', id: 'c', failed: false, exit_code: null },
      ],
    ],
    [
      'tool.execution_complete',
      { toolCallId: 'c', success: false, error: { message: 'Permission denied: `write`', code: 'denied' } },
      [
        {
          type: 'tool_result',
          id: 'c',
          failed: true,
          exit_code: null,
          output: 'Permission denied: `write`',
        },
        { type: 'denied', what: 'Permission denied: `write`' },
      ],
    ],
    [
      'model.call_failure',
      { statusCode: 429, errorMessage: 'Rate limit' },
      [{ type: 'retry', message: 'Rate limit', status: 429, reset_at_ms: null }],
    ],
    [
      'model.call_failure',
      { failureKind: 'transport' },
      [{ type: 'retry', message: 'the request failed', status: null, reset_at_ms: null }],
    ],
    [
      'session.error',
      { errorType: 'rate_limit', message: '429 Rate limit', statusCode: 429 },
      [{ type: 'error', message: '429 Rate limit', status: 429, fatal: true, reset_at_ms: null }],
    ],
    ['assistant.message_delta', { deltaContent: 'Do' }, []],
    ['tool.execution_partial_result', { partialOutput: 'x' }, []],
    ['session.info', { message: 'x' }, []],
  ])('%s %j', (type, data, events) => {
    expect(follow({ type, data })).toEqual(events);
  });

  test('the last record tells no tokens', () => {
    expect(follow({ type: 'result', exitCode: 0, usage: { premiumRequests: 1 } })).toEqual([
      { type: 'finished' },
    ]);
  });

  test('pieces are passed over without being parsed', () => {
    expect(copilot.follow('{"type":"assistant.message_delta","data":{"deltaContent":"x')).toEqual([]);
  });

  test.each([...emptyLines, '{"type":"user.message","data":{"content":"x"}}'])('%j is nothing', (line) => {
    expect(copilot.follow(line)).toEqual([]);
  });
});
