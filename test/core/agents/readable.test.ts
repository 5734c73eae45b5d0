import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AgentEvent } from '../../../src/core/agents/agent-events.ts';
import { renderEventLine } from '../../../src/core/agents/agent-events.ts';
import { readable } from '../../../src/core/agents/readable.ts';

interface Part {
  readonly event: AgentEvent;
  readonly session?: number;
  readonly role?: 'agent' | 'review';
}

function read(parts: readonly Part[], more: readonly string[] = []): string {
  const text = readable();
  const lines = parts.map(({ event, session = 1, role = 'agent' }, seq) =>
    renderEventLine(event, { seq: seq + 1, at: '2026-11-18T09:00:00.000Z', session, role }).trimEnd(),
  );
  return `${[...lines, ...more].map((line) => text.add(line)).join('')}${text.end()}`;
}

const say = (text: string, partial = false): AgentEvent => ({ type: 'message', text, partial });
const call: AgentEvent = { type: 'tool_call', id: '1', tool: 'shell', detail: 'npm test' };
const worked: AgentEvent = { type: 'tool_result', id: '1', failed: false, exit_code: 0 };

test('messages whole, what it did in lines, no answer', () => {
  expect(read([{ event: say('I will\n\ntest it.') }, { event: call }, { event: worked }])).toBe(
    'I will\n\ntest it.\n  | $ npm test\n',
  );
  expect(read([{ event: say(' ') }, { event: { type: 'answer', text: '{}' } }])).toBe('');
});

test('pieces are joined, and a line is ended before something else', () => {
  expect(read([{ event: say('one ', true) }, { event: say('two', true) }, { event: call }])).toBe(
    'one two\n  | $ npm test\n',
  );
  expect(read([{ event: say('one\n', true) }, { event: say('two', true) }])).toBe('one\ntwo\n');
});

test('sessions after the first, and reviews, have a heading', () => {
  expect(
    read([
      { event: say('a', true) },
      { event: say('b'), session: 2 },
      { event: say('c'), session: 1, role: 'review' },
    ]),
  ).toBe('a\n--- session 2\nb\n--- review, session 1\nc\n');
});

test('lines that are no events are left out, and nothing acts on a terminal', () => {
  expect(read([], ['', '{', '{"v":1}', 'plain'])).toBe('');
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.boolean())), (texts) => {
      const shown = read(texts.map(([text, partial]) => ({ event: say(text, partial) })));
      expect(shown).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/u);
    }),
  );
});
