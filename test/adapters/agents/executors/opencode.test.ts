/** opencode: its command and its records one by one. */
import { describe, expect, test } from 'vitest';
import { opencode } from '../../../../src/adapters/agents/executors/opencode.ts';
import { addEvent, emptyTranscript } from '../../../../src/core/agents/transcript.ts';
import type { SessionRole } from '../../../../src/ports/sessions.ts';
import { callsOf, emptyLines } from '../../../support/executor-calls.ts';

const { command, follow } = callsOf(opencode);

describe('the command', () => {
  const start =
    '/bin/agent run --format json --auto --pure --thinking --print-logs --log-level ERROR --title runner --dir /p';

  function settings(role: SessionRole): Readonly<Record<string, unknown>> {
    return JSON.parse(command({}, role).env['OPENCODE_CONFIG_CONTENT'] ?? '') as Record<string, unknown>;
  }

  test('a session that is kept nowhere, with the prompt on stdin', () => {
    expect(command()).toEqual({
      argv: start.split(' '),
      env: {
        OPENCODE_CONFIG_CONTENT: expect.any(String) as unknown,
        OPENCODE_DB: ':memory:',
        OPENCODE_DISABLE_AUTOCOMPACT: '1',
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
        OPENCODE_DISABLE_MODELS_FETCH: '1',
        OPENCODE_DISABLE_SHARE: '1',
      },
      stdin: 'prompt',
    });
    expect(settings('agent')).toMatchObject({
      autoupdate: false,
      compaction: { auto: false, prune: false },
      share: 'disabled',
      snapshot: false,
    });
  });

  test('its own tools and no others; a reviewer may not edit', () => {
    expect(settings('agent')['permission']).toMatchObject({
      '*': 'deny',
      bash: 'allow',
      edit: 'allow',
      read: 'allow',
    });
    expect(settings('review')['permission']).toMatchObject({
      '*': 'deny',
      bash: 'allow',
      edit: 'deny',
      read: 'allow',
    });
    // The last rule that matches counts.
    expect(Object.keys(settings('agent')['permission'] as object)[0]).toBe('*');
  });

  test('model and further arguments', () => {
    const agent = { model: 'p/m', extra_args: ['--variant', 'high'] };
    expect(command(agent).argv.join(' ')).toBe(`${start} --model p/m --variant high`);
    expect(command(agent, 'review').argv.join(' ')).toBe(`${start} --model p/m --variant high`);
  });
});

describe('follow', () => {
  const state = (fields: object): object => ({ status: 'completed', output: '', ...fields });

  test.each([
    [{ type: 'text', part: { text: 'Done.' } }, [{ type: 'message', text: 'Done.', partial: false }]],
    [{ type: 'reasoning', part: { text: 'hm' } }, [{ type: 'reasoning', text: 'hm', partial: false }]],
    [{ type: 'step_start', part: { type: 'step-start' } }, []],
  ])('%j', (record, events) => {
    expect(follow(record)).toEqual(events);
  });

  test.each([
    [
      'bash',
      state({ input: { command: 'npm test' }, output: '1 failed', metadata: { exit: 3 } }),
      [
        { type: 'tool_call', id: 'c', tool: 'shell', detail: 'npm test' },
        { type: 'tool_result', id: 'c', failed: true, exit_code: 3, output: '1 failed' },
      ],
    ],
    [
      'write',
      state({ input: { filePath: '/p/a' }, metadata: { exists: false } }),
      [
        { type: 'tool_call', id: 'c', tool: 'write', detail: '/p/a' },
        { type: 'file_edit', path: '/p/a', change: 'add' },
        { type: 'tool_result', id: 'c', failed: false, exit_code: null },
      ],
    ],
    [
      'edit',
      state({ input: { filePath: '/p/a' } }),
      [
        { type: 'tool_call', id: 'c', tool: 'edit', detail: '/p/a' },
        { type: 'file_edit', path: '/p/a', change: 'update' },
        { type: 'tool_result', id: 'c', failed: false, exit_code: null },
      ],
    ],
    [
      'edit',
      {
        status: 'error',
        input: { filePath: '/p/a' },
        error: 'The user has specified a rule which prevents you from using this specific tool call.',
      },
      [
        { type: 'tool_call', id: 'c', tool: 'edit', detail: '/p/a' },
        {
          type: 'tool_result',
          id: 'c',
          failed: true,
          exit_code: null,
          output: 'The user has specified a rule which prevents you from using this specific tool call.',
        },
        { type: 'denied', what: 'edit /p/a' },
      ],
    ],
    [
      'invalid',
      state({ input: { tool: 'question', error: 'Model tried to call unavailable tool' } }),
      [
        { type: 'tool_call', id: 'c', tool: 'question', detail: '' },
        { type: 'tool_result', id: 'c', failed: true, exit_code: null },
        { type: 'denied', what: 'question' },
      ],
    ],
  ])('a tool is told of when it has ended: %s %j', (tool, given, events) => {
    expect(follow({ type: 'tool_use', part: { type: 'tool', tool, callID: 'c', state: given } })).toEqual(
      events,
    );
  });

  test.each([
    ['tool-calls', 0.25, 0.25, []],
    ['stop', 0, null, [{ type: 'finished' }]],
  ])('a step ends (%s): what the request used', (reason, cost, cost_usd, more) => {
    const tokens = { total: 1270, input: 400, output: 40, reasoning: 20, cache: { write: 10, read: 800 } };
    expect(follow({ type: 'step_finish', part: { reason, tokens, cost } })).toEqual([
      {
        type: 'usage',
        scope: 'turn',
        usage: { input_tokens: 1210, cached_input_tokens: 800, output_tokens: 60, cost_usd },
      },
      ...more,
    ]);
  });

  test('an answer that is none is asked for again', () => {
    const tokens = { input: 0, output: 0, reasoning: 0, cache: { write: 0, read: 0 } };
    expect(follow({ type: 'step_finish', part: { reason: 'unknown', tokens, cost: 0 } })).toMatchObject([
      { type: 'retry', status: null },
    ]);
  });

  test.each([
    [
      {
        name: 'APIError',
        data: { message: 'Rate limit', statusCode: 429, responseHeaders: { 'retry-after': '2' } },
      },
      'Rate limit (retry after 2 s)',
      429,
    ],
    [
      {
        name: 'APIError',
        data: { message: 'Rate limit', statusCode: 429, responseHeaders: { 'retry-after': 'x' } },
      },
      'Rate limit',
      429,
    ],
    [{ name: 'ContextOverflowError', data: { message: 'too long' } }, 'ContextOverflowError: too long', null],
    [{ name: 'MessageAbortedError' }, 'MessageAbortedError: MessageAbortedError', null],
  ])('an error ends it: %j', (error, message, status) => {
    expect(follow({ type: 'error', error })).toEqual([
      { type: 'error', message, status, fatal: true, reset_at_ms: null },
    ]);
  });

  test.each([...emptyLines])('%j is nothing', (line) => {
    expect(opencode.follow(line)).toEqual([]);
  });
});

test.each([
  ['ProviderAuthError', 'no key', '', 'not_logged_in'],
  [
    'UnknownError',
    'Unexpected server error. Check server logs for details.',
    'Model not found: p/m.',
    'model_not_found',
  ],
  ['UnknownError', 'Unexpected server error. Check server logs for details.', 'something else', 'crashed'],
  ['UnknownError', 'JSON Parse error', 'Model not found: p/m.', null],
  ['APIError', 'Rate limit', 'Model not found: p/m.', null],
])('what is told as %s %j, logged as %j', (name, message, logged, kind) => {
  const line = (text: string) => `timestamp=2026-11-16T07:16:09.919Z level=ERROR run=1 ${text}`;
  const stderr = [
    line('message="stream error" error="429"'),
    line(`message=failed ref=err_1 error="ProviderError: ${logged}" cause="x"`),
    line('message="share subscriber failed"'),
  ].join('\n');
  const transcript = follow({ type: 'error', error: { name, data: { message } } }).reduce(
    addEvent,
    emptyTranscript,
  );
  expect(opencode.failure?.({ transcript, stderr, answerFile: { kind: 'missing' }, exitCode: 1 })).toBe(kind);
});

test('why it waits for its model is the last line of its log; an older one is not', () => {
  const line = (text: string) =>
    `timestamp=t level=ERROR run=r message="stream error" small=false error.error="${text}"\n`;
  expect(opencode.lastRetry?.(line('AI_APICallError: slow "down"'))).toBe('AI_APICallError: slow "down"');
  expect(
    opencode.lastRetry?.(`${line('x')}timestamp=t level=ERROR run=r message=process error="y"\n`),
  ).toBeNull();
  expect(opencode.lastRetry?.('')).toBeNull();
});
