/** pi: its command and its records one by one. */
import { describe, expect, test } from 'vitest';
import { pi } from '../../../../src/adapters/agents/executors/pi.ts';
import { callsOf, emptyLines } from '../../../support/executor-calls.ts';

const { command, follow } = callsOf(pi);

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
      [
        {
          type: 'tool_result',
          id: 'c',
          failed: true,
          exit_code: 3,
          output: 'out\n\nCommand exited with code 3',
        },
      ],
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
