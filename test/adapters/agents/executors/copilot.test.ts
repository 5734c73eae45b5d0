/** copilot: its command, its records one by one, and recorded sessions as the runner reads them. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { copilot } from '../../../../src/adapters/agents/executors/copilot.ts';
import type { AgentCommand } from '../../../../src/adapters/agents/executors/spec.ts';
import type { Config } from '../../../../src/core/types.ts';
import type { SessionRole } from '../../../../src/ports/sessions.ts';
import { commandRequest } from '../../../support/sessions.ts';
import { describeEndings, emptyLines, readRecorded } from '../../../support/recorded-session.ts';

function command(agent: Partial<Config['agent']> = {}, role: SessionRole = 'agent'): AgentCommand {
  return copilot.command(commandRequest({ name: 'copilot', ...agent }, { role }));
}

function follow(record: object): ReturnType<typeof copilot.follow> {
  return copilot.follow(JSON.stringify(record));
}

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
      { toolCallId: 'c', success: true, shellExecution: { exitCode: 3 } },
      [{ type: 'tool_result', id: 'c', failed: true, exit_code: 3 }],
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
        { type: 'tool_result', id: 'c', failed: true, exit_code: null },
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

const replay = (name: string) => readRecorded(copilot, name);

const endings = {
  'exited done': 'done edit reasoning fenced cut transient denied question',
  'exited decomposed': 'decomposed',
  'exited ': 'prose wrong-schema',
  'failed malformed': 'empty',
  'blocked not_logged_in': '401 403 not-logged-in',
  'blocked model_not_found': '404-model',
  'blocked quota': 'quota',
  'failed context_too_long': '400-too-long',
  'unavailable rate_limited': '429 429-retry-after 429-hour',
  'unavailable overloaded': '500 529',
  'unavailable network': 'refused dropped malformed malformed-empty',
  'failed silent': 'silent',
};

describeEndings(copilot, endings);

test('recorded: what it used over all its requests, and what it was refused', () => {
  expect(replay('done').transcript).toMatchObject({
    denials: [],
    usage: { input_tokens: null, cached_input_tokens: null, output_tokens: null, cost_usd: null },
  });
  expect(replay('denied').transcript.denials).toEqual([
    'Permission to run this tool was denied due to the following rules: `shell(rm:*)`',
  ]);
  expect(replay('question').transcript.denials).toEqual(['ask_user Which one?']);
});

test('whatever it prints, nothing is thrown', () => {
  const record = fc.record({
    type: fc.constantFrom(
      'assistant.message',
      'tool.execution_start',
      'tool.execution_complete',
      'session.error',
      'model.call_failure',
      'result',
    ),
    data: fc.oneof(fc.object(), fc.string()),
  });
  const line = fc.oneof(
    record.map((fields) => JSON.stringify(fields)),
    fc.json(),
    fc.string(),
  );
  fc.assert(
    fc.property(line, (text) => {
      expect(Array.isArray(copilot.follow(text))).toBe(true);
    }),
  );
});
