/** Random events of agents, as wild as programs print them, and one plain event of every kind. */
import fc from 'fast-check';
import type { AgentEvent, EventPlace } from '../../src/core/agents/agent-events.ts';
import { unknownUsage } from '../../src/core/agents/usage.ts';

/** What terminals obey, what JSON escapes, what UTF-8 makes long, halves of characters. */
export const arbWild: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.constantFrom(
        '\n',
        '\r\n',
        '\t',
        '"',
        '\\',
        '\u001B[31m',
        '\u001B]0;title\u0007',
        '\u0085',
        '\u2028',
      ),
      fc.constantFrom('é', '好', '🙂', '\uD83D', '\uDE42', '\u202E', '\u0000', 'word ', '`'),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

const arbStatus = fc.option(fc.integer({ min: 100, max: 599 }));
const arbReset = fc.option(fc.nat());
const arbCount = fc.option(fc.nat());

export const arbEvent: fc.Arbitrary<AgentEvent> = fc.oneof(
  fc.record({ type: fc.constantFrom('message', 'reasoning'), text: arbWild, partial: fc.boolean() }),
  fc.record({ type: fc.constant('tool_call'), id: arbWild, tool: arbWild, detail: arbWild }),
  fc.record({
    type: fc.constant('tool_result'),
    id: arbWild,
    failed: fc.boolean(),
    exit_code: fc.option(fc.integer({ min: -1, max: 255 })),
  }),
  fc.record({
    type: fc.constant('file_edit'),
    path: arbWild,
    change: fc.constantFrom('add', 'update', 'delete'),
  }),
  fc.record({
    type: fc.constant('error'),
    message: arbWild,
    status: arbStatus,
    fatal: fc.boolean(),
    reset_at_ms: arbReset,
  }),
  fc.record({ type: fc.constant('retry'), message: arbWild, status: arbStatus, reset_at_ms: arbReset }),
  fc.record({ type: fc.constant('denied'), what: arbWild }),
  fc.record({
    type: fc.constant('usage'),
    scope: fc.constantFrom('session', 'turn'),
    usage: fc.record({
      input_tokens: arbCount,
      cached_input_tokens: arbCount,
      output_tokens: arbCount,
      cost_usd: arbCount,
    }),
  }),
  fc.record({ type: fc.constant('answer'), text: arbWild }),
  fc.constant({ type: 'finished' }),
);

/** One of every kind; a kind that is missing does not compile. */
export const plainEvents: { readonly [K in AgentEvent['type']]: Extract<AgentEvent, { type: K }> } = {
  message: { type: 'message', text: 'I begin.', partial: false },
  reasoning: { type: 'reasoning', text: 'Where is it?', partial: true },
  tool_call: { type: 'tool_call', id: 'item_1', tool: 'shell', detail: 'npm test' },
  tool_result: { type: 'tool_result', id: 'item_1', failed: true, exit_code: 1 },
  file_edit: { type: 'file_edit', path: 'src/a.ts', change: 'update' },
  error: { type: 'error', message: '429', status: 429, fatal: true, reset_at_ms: 1_794_792_438_000 },
  retry: { type: 'retry', message: 'try 1 of 2', status: null, reset_at_ms: null },
  denied: { type: 'denied', what: 'git push' },
  usage: { type: 'usage', scope: 'turn', usage: { ...unknownUsage, input_tokens: 12, cost_usd: 0.25 } },
  answer: { type: 'answer', text: '{"status":"done","summary":"","children":null}' },
  finished: { type: 'finished' },
};

export const eventPlace: EventPlace = { seq: 7, at: '2026-11-16T06:00:00.000Z', session: 1, role: 'agent' };
