/** pi: its command, its records one by one, and recorded sessions as the runner reads them. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pi } from '../../../../src/adapters/agents/executors/pi.ts';
import type { AgentCommand } from '../../../../src/adapters/agents/executors/spec.ts';
import type { Config } from '../../../../src/core/types.ts';
import type { SessionRole } from '../../../../src/ports/sessions.ts';
import { commandRequest } from '../../../support/sessions.ts';
import { describeEndings, emptyLines, readRecorded } from '../../../support/recorded-session.ts';

function command(agent: Partial<Config['agent']> = {}, role: SessionRole = 'agent'): AgentCommand {
  return pi.command(commandRequest({ name: 'pi', ...agent }, { role }));
}

function follow(record: object): ReturnType<typeof pi.follow> {
  return pi.follow(JSON.stringify(record));
}

describe('the command', () => {
  const start =
    '/bin/agent --print --mode json --no-session --offline --no-extensions --extension /g/pi-extension.mjs ' +
    '--no-prompt-templates --no-themes';

  test('a fresh, offline session that does not compact, with the prompt on stdin', () => {
    expect(command()).toEqual({
      argv: start.split(' '),
      env: {},
      stdin: 'prompt',
      files: [{ path: '/g/pi-extension.mjs', text: expect.stringContaining('cancel: true') as unknown }],
    });
  });

  test('the extension cancels every compaction', async () => {
    const { files = [] } = command();
    const module = (await import(`data:text/javascript,${encodeURIComponent(files[0]?.text ?? '')}`)) as {
      default: (pi: { on: (event: string, handler: () => unknown) => void }) => void;
    };
    const heard: unknown[] = [];
    module.default({ on: (event, handler) => heard.push(event, handler()) });
    expect(heard).toEqual(['session_before_compact', { cancel: true }]);
  });

  test('model, further arguments, and a reviewer without the tools that edit', () => {
    const agent = { model: 'p/m', extra_args: ['--thinking', 'high'] };
    expect(command(agent).argv.join(' ')).toBe(`${start} --model p/m --thinking high`);
    expect(command(agent, 'review').argv.join(' ')).toBe(
      `${start} --tools read,bash,grep,find,ls --model p/m --thinking high`,
    );
  });
});

describe('follow', () => {
  const usage = { input: 400, output: 60, cacheRead: 800, cacheWrite: 10, totalTokens: 1270 };
  const free = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 };

  test('a whole message: thoughts, words, what it cost', () => {
    const content = [
      { type: 'thinking', thinking: 'hm' },
      { type: 'text', text: 'Done.' },
      { type: 'toolCall', id: 'c', name: 'bash', arguments: {} },
      7,
    ];
    const message = {
      role: 'assistant',
      content,
      usage: { ...usage, cost: { total: 0.25 } },
      stopReason: 'stop',
    };
    expect(follow({ type: 'message_end', message })).toEqual([
      { type: 'reasoning', text: 'hm', partial: false },
      { type: 'message', text: 'Done.', partial: false },
      {
        type: 'usage',
        scope: 'turn',
        usage: { input_tokens: 1210, cached_input_tokens: 800, output_tokens: 60, cost_usd: 0.25 },
      },
    ]);
  });

  test('a price of nothing is a price that is not known', () => {
    const message = {
      role: 'assistant',
      content: [{ type: 'text', text: 'x' }],
      usage: { ...usage, cost: { total: 0 } },
    };
    expect(follow({ type: 'message_end', message })[1]).toMatchObject({ usage: { cost_usd: null } });
  });

  test.each([
    ['error', '429 Rate limit reached', '429 Rate limit reached', 429],
    ['error', 'Connection error.', 'Connection error.', null],
    ['aborted', '', 'stopped: aborted', null],
    ['stop', '', 'the model service gave an empty answer', null],
  ])(
    'a message without content that stopped by %s (%s) is a failure',
    (stopReason, errorMessage, text, status) => {
      const message = { role: 'assistant', content: [], usage: free, stopReason, errorMessage };
      expect(follow({ type: 'message_end', message })).toEqual([
        { type: 'error', message: text, status, fatal: true, reset_at_ms: null },
      ]);
    },
  );

  test.each([
    [
      { type: 'tool_execution_start', toolCallId: 'c', toolName: 'bash', args: { command: 'npm test' } },
      [{ type: 'tool_call', id: 'c', tool: 'shell', detail: 'npm test' }],
    ],
    [
      { type: 'tool_execution_start', toolCallId: 'c', toolName: 'edit', args: { path: '/p/a' } },
      [
        { type: 'tool_call', id: 'c', tool: 'edit', detail: '/p/a' },
        { type: 'file_edit', path: '/p/a', change: 'update' },
      ],
    ],
    [
      { type: 'tool_execution_start', toolCallId: 'c', toolName: 'write', args: { path: '/p/a' } },
      [
        { type: 'tool_call', id: 'c', tool: 'write', detail: '/p/a' },
        { type: 'file_edit', path: '/p/a', change: 'add' },
      ],
    ],
    [
      {
        type: 'tool_execution_end',
        toolCallId: 'c',
        result: { content: [{ type: 'text', text: 'out\n\nCommand exited with code 3' }] },
        isError: true,
      },
      [{ type: 'tool_result', id: 'c', failed: true, exit_code: 3 }],
    ],
    [
      { type: 'tool_execution_end', toolCallId: 'c', result: { content: [] }, isError: false },
      [{ type: 'tool_result', id: 'c', failed: false, exit_code: null }],
    ],
    [
      { type: 'auto_retry_start', attempt: 1, maxAttempts: 3, delayMs: 2000, errorMessage: '503 busy' },
      [{ type: 'retry', message: '503 busy, try 1 of 3', status: 503, reset_at_ms: null }],
    ],
    [{ type: 'agent_end', messages: [] }, [{ type: 'finished' }]],
    [{ type: 'message_end', message: { role: 'user', content: [{ type: 'text', text: 'prompt' }] } }, []],
    [{ type: 'turn_end', message: { role: 'assistant', content: [{ type: 'text', text: 'again' }] } }, []],
    [
      { type: 'message_update', message: { role: 'assistant', content: [{ type: 'text', text: 'part' }] } },
      [],
    ],
    [{ type: 'compaction_end', aborted: true }, []],
  ])('%j', (record, events) => {
    expect(follow(record)).toEqual(events);
  });

  test('what repeats the whole message is passed over without being parsed', () => {
    const broken = `{"type":"message_update","message":{"content":"${'x'.repeat(1000)}`;
    expect(pi.follow(broken)).toEqual([]);
    expect(pi.follow(`${broken}"}}`)).toEqual([]);
  });

  test.each([...emptyLines, '{"type":"session"}', '{"type":"message_end"}'])('%j is nothing', (line) => {
    expect(pi.follow(line)).toEqual([]);
  });
});

const replay = (name: string) => readRecorded(pi, name);

const endings = {
  'exited done': 'done edit reasoning fenced cut transient',
  'exited decomposed': 'decomposed',
  'exited ': 'prose empty wrong-schema',
  'blocked not_logged_in': '401 403',
  'blocked model_not_found': 'not-logged-in 404-model',
  'blocked quota': 'quota',
  'failed context_too_long': '400-too-long',
  'unavailable rate_limited': '429 429-retry-after',
  'failed silent': '429-hour silent',
  'unavailable overloaded': '500 529',
  'unavailable network': 'refused dropped malformed malformed-empty',
};

describeEndings(pi, endings);

test('recorded: what it used over all its requests, and what it was refused', () => {
  expect(replay('done').transcript).toMatchObject({
    denials: [],
    usage: { input_tokens: 3600, cached_input_tokens: 2400, output_tokens: 180, cost_usd: null },
  });
});

test('whatever it prints, nothing is thrown', () => {
  const record = fc.record({
    type: fc.constantFrom('message_end', 'tool_execution_start', 'tool_execution_end'),
    message: fc.oneof(fc.object(), fc.string()),
  });
  const line = fc.oneof(
    record.map((fields) => JSON.stringify(fields)),
    fc.json(),
    fc.string(),
  );
  fc.assert(
    fc.property(line, (text) => {
      expect(Array.isArray(pi.follow(text))).toBe(true);
    }),
  );
});
