import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AgentEvent } from '../../../src/core/agents/agent-events.ts';
import type { Transcript } from '../../../src/core/agents/transcript.ts';
import {
  addEvent,
  emptyTranscript,
  messageLengthMax,
  messageOf,
  skipMessage,
} from '../../../src/core/agents/transcript.ts';
import { unknownUsage } from '../../../src/core/agents/usage.ts';
import { usageWith } from '../../support/facts.ts';
import { arbEvent } from '../../support/events.ts';
import { fuzzCases } from '../../support/fuzz.ts';

function after(...events: readonly AgentEvent[]): Transcript {
  return events.reduce(addEvent, emptyTranscript);
}

const message = (text: string, partial = false): AgentEvent => ({ type: 'message', text, partial });
const piece = (text: string): AgentEvent => message(text, true);
const thought: AgentEvent = { type: 'reasoning', text: 'hm', partial: true };
const answer: AgentEvent = { type: 'answer', text: '{}' };
const call = (id: string): AgentEvent => ({ type: 'tool_call', id, tool: 'shell', detail: 'ls' });
const result = (id: string): AgentEvent => ({ type: 'tool_result', id, failed: false, exit_code: 0 });
const edit: AgentEvent = { type: 'file_edit', path: 'a', change: 'add' };
const denied = (what: string): AgentEvent => ({ type: 'denied', what });

type ErrorEvent = Extract<AgentEvent, { type: 'error' }>;
type RetryEvent = Extract<AgentEvent, { type: 'retry' }>;

function error(text: string, fields: Partial<ErrorEvent> = {}): ErrorEvent {
  return { type: 'error', message: text, status: null, fatal: false, reset_at_ms: null, ...fields };
}

function retry(text: string, fields: Partial<RetryEvent> = {}): RetryEvent {
  return { type: 'retry', message: text, status: 429, reset_at_ms: null, ...fields };
}

test('nothing happened yet', () => {
  expect(after()).toEqual({
    message: null,
    isMessageOpen: false,
    isMessageCut: false,
    cutBytes: 0,
    answer: null,
    usage: unknownUsage,
    error: null,
    retry: null,
    retriesInARow: 0,
    openTools: new Set(),
    denials: [],
    resetAtMs: null,
    isFinished: false,
  });
});

describe('messages', () => {
  test.each<[string, readonly AgentEvent[], string]>([
    ['the last whole one counts', [message('a'), message('b')], 'b'],
    ['pieces are joined', [piece('a'), piece('b'), piece('c')], 'abc'],
    ['a whole one ends the pieces', [piece('a'), message('b'), piece('c')], 'c'],
    ['a tool call ends the pieces', [piece('a'), call('1'), piece('b')], 'b'],
    ['what is no message does not', [piece('a'), thought, edit, result('1'), retry('x'), piece('b')], 'ab'],
    ['an empty one counts too', [message('a'), message('')], ''],
  ])('%s', (_what, events, expected) => {
    expect(after(...events).message).toBe(expected);
  });

  test('a flood of pieces keeps its end', () => {
    const pieces = Array.from('abcdefghijklmnopqrst', (letter) => letter.repeat(1024 * 1024));
    const transcript = after(...[...pieces, '{"the":"answer"}'].map(piece));
    expect(transcript.message?.length).toBeLessThanOrEqual(messageLengthMax);
    const kept = messageOf(transcript) ?? '';
    expect(kept).toHaveLength(messageLengthMax / 2);
    expect(transcript.cutBytes + (transcript.message ?? '').length).toBe(20 * 1024 * 1024 + 16);
    expect(`${pieces.join('')}{"the":"answer"}`.endsWith(kept)).toBe(true);
  });

  test('what is kept of a flood does not depend on how it came, nor on what was passed over', () => {
    const text = Array.from({ length: messageLengthMax / 8 + 1 }, (_, at) =>
      `${at % 10_000}`.padStart(8),
    ).join('');
    const lengths = fc.integer({ min: 1, max: messageLengthMax });
    const kept = text.slice(-messageLengthMax / 2);
    fc.assert(
      fc.property(fc.array(lengths, { maxLength: 5 }), lengths, (cuts, end) => {
        const places = [0, ...cuts, text.length].toSorted((a, b) => a - b);
        const pieces = places.slice(1).map((place, at) => piece(text.slice(places[at], place)));
        expect(messageOf(after(...pieces))).toBe(kept);
        const seen = after(piece(text.slice(0, Math.min(end, text.length))));
        expect(messageOf(addEvent(skipMessage(seen), piece(`x${kept}`)))).toBe(kept);
      }),
      fuzzCases(30),
    );
  });

  test('a message after one that was cut is whole', () => {
    const cut = skipMessage(emptyTranscript);
    expect(messageOf(addEvent(cut, message('b')))).toBe('b');
    expect(messageOf([call('1'), piece('b')].reduce(addEvent, cut))).toBe('b');
    expect(messageOf(emptyTranscript)).toBeNull();
  });

  test('whole or in pieces, the same words are the same message', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), (pieces) => {
        expect(after(...pieces.map(piece)).message).toBe(after(message(pieces.join(''))).message);
      }),
    );
  });
});

describe('usage', () => {
  const turn = (input_tokens: number): AgentEvent => ({
    type: 'usage',
    scope: 'turn',
    usage: usageWith({ input_tokens }),
  });
  const session = (input_tokens: number): AgentEvent => ({
    type: 'usage',
    scope: 'session',
    usage: usageWith({ input_tokens }),
  });
  test.each<[string, readonly AgentEvent[], number]>([
    ['turns add up', [turn(1), turn(2), turn(4)], 7],
    ['the sum of the session replaces', [session(5), session(9)], 9],
    ['also what turns had added', [turn(3), turn(4), session(9)], 9],
    ['a turn after it is added', [session(9), turn(2)], 11],
  ])('%s', (_what, events, input_tokens) => {
    expect(after(...events).usage).toEqual(usageWith({ input_tokens }));
  });

  test('what is no number to keep becomes one', () => {
    const wild = usageWith({ input_tokens: 1e300, output_tokens: 1.5, cost_usd: 0.123456789 });
    const kept = after({ type: 'usage', scope: 'session', usage: wild }).usage;
    expect(kept).toEqual(
      usageWith({ input_tokens: Number.MAX_SAFE_INTEGER, output_tokens: 2, cost_usd: 0.123457 }),
    );
  });
});

describe('errors', () => {
  const mild = error('Reconnecting');
  const fatal = error('turn failed', { fatal: true, status: 500 });
  test.each<[string, readonly ErrorEvent[], ErrorEvent]>([
    ['the last one told', [mild, error('again')], error('again')],
    ['one that ends the session replaces one that does not', [mild, fatal], fatal],
    ['and is not replaced by one that does not', [fatal, mild], fatal],
    ['but by another that does', [fatal, { ...fatal, status: 429 }], { ...fatal, status: 429 }],
  ])('%s', (_what, events, expected) => {
    expect(after(...events).error).toEqual(expected);
  });

  test('the last reset that was stated stays, whichever record stated it', () => {
    expect(after(error('x', { reset_at_ms: 5 }), fatal).resetAtMs).toBe(5);
    expect(after(error('x', { reset_at_ms: 5 }), retry('y', { reset_at_ms: 7 })).resetAtMs).toBe(7);
    expect(after(retry('y', { reset_at_ms: 7 }), mild, retry('y'), message('on')).resetAtMs).toBe(7);
    expect(after(fatal, error('late', { reset_at_ms: 9 }))).toMatchObject({ error: fatal, resetAtMs: 9 });
  });
});

describe('a retry is the last word until the model speaks again', () => {
  test.each<[string, AgentEvent]>([
    ['message', message('a')],
    ['piece of a message', piece('a')],
    ['reasoning', thought],
    ['answer', answer],
    ['tool call', call('1')],
  ])('a %s ends it', (_what, event) => {
    expect(after(retry('429'), retry('429'), event)).toMatchObject({ retry: null, retriesInARow: 0 });
    expect(after(retry('429'), event, retry('500')).retriesInARow).toBe(1);
  });

  test.each<[string, AgentEvent]>([
    ['result of a tool', result('1')],
    ['error on the way', error('x')],
    ['count', { type: 'usage', scope: 'turn', usage: unknownUsage }],
    ['refusal', denied('rm')],
    ['edited file', edit],
    ['end', { type: 'finished' }],
  ])('%s does not', (_what, event) => {
    const now = after(retry('429'), event, retry('500'), event);
    expect(now).toMatchObject({ retry: retry('500'), retriesInARow: 2 });
  });

  test('the newest counts', () => {
    expect(after(retry('1'), retry('2')).retry).toEqual(retry('2'));
  });
});

test('answer and end', () => {
  expect(after(answer, { type: 'answer', text: '{"b":1}' }).answer).toBe('{"b":1}');
  expect(after(answer, message('bye'))).toMatchObject({ answer: '{}', message: 'bye', isFinished: false });
  expect(after({ type: 'finished' }, message('more')).isFinished).toBe(true);
});

describe('open tools', () => {
  test.each<[string, readonly AgentEvent[], readonly string[]]>([
    ['begun', [call('1'), call('2')], ['1', '2']],
    ['ended', [call('1'), call('2'), result('1')], ['2']],
    ['ended before it began', [result('1'), call('1')], ['1']],
    ['begun twice, ended once', [call('1'), call('1'), result('1')], []],
  ])('%s', (_what, events, open) => {
    expect([...after(...events).openTools]).toEqual(open);
  });

  test('the list has an end, and the newest are on it', () => {
    const calls = Array.from({ length: 3000 }, (_, at) => call(String(at)));
    const { openTools } = after(...calls);
    expect(openTools.size).toBe(1000);
    expect(openTools.has('2999')).toBe(true);
  });

  test('they are those that began and did not end, in any order of events', () => {
    const arbTools = fc.array(fc.record({ id: fc.constantFrom('a', 'b', 'c'), isCall: fc.boolean() }), {
      maxLength: 20,
    });
    fc.assert(
      fc.property(arbTools, (steps) => {
        const open = new Set<string>();
        for (const { id, isCall } of steps) {
          if (isCall) open.add(id);
          else open.delete(id);
        }
        const events = steps.map(({ id, isCall }) => (isCall ? call(id) : result(id)));
        expect(after(...events).openTools).toEqual(open);
      }),
    );
  });
});

describe('refusals', () => {
  test('each is told once, on one line', () => {
    const events = [denied('rm -rf /\nrm x'), denied('  curl \u001B[31mx\u001B[0m '), denied('rm -rf /')];
    expect(after(...events).denials).toEqual(['rm -rf /', 'curl x']);
    expect(after(denied(''), denied(' \n ')).denials).toEqual([]);
  });

  test('fifty are enough, and none is long', () => {
    const { denials } = after(...Array.from({ length: 200 }, (_, at) => denied(`${at} ${'x'.repeat(9999)}`)));
    expect(denials).toHaveLength(50);
    expect(denials[0]?.startsWith('0 xx')).toBe(true);
    expect(denials.every((what) => what.length <= 161)).toBe(true);
  });
});

test('a fatal error is not the last word of an agent that asks again', () => {
  const fatal = { type: 'error', message: 'x', status: null, fatal: true, reset_at_ms: null } as const;
  const again = { type: 'retry', message: 'x', status: null, reset_at_ms: null } as const;
  expect([fatal, again].reduce(addEvent, emptyTranscript).error).toBeNull();
  expect([{ ...fatal, fatal: false }, again].reduce(addEvent, emptyTranscript).error).not.toBeNull();
  expect([again, fatal].reduce(addEvent, emptyTranscript).error).toEqual(fatal);
});

test('no event takes back what another established', () => {
  fc.assert(
    fc.property(fc.array(arbEvent, { maxLength: 30 }), (events) => {
      let before = emptyTranscript;
      for (const event of events) {
        const now = addEvent(before, event);
        expect(now.denials.slice(0, before.denials.length)).toEqual(before.denials);
        expect(now.denials.length).toBeLessThanOrEqual(50);
        if (before.error?.fatal === true && event.type !== 'retry') expect(now.error?.fatal).toBe(true);
        if (before.isFinished) expect(now.isFinished).toBe(true);
        if (before.answer !== null) expect(now.answer).not.toBeNull();
        if (before.message !== null) expect(now.message).not.toBeNull();
        if (before.resetAtMs !== null) expect(now.resetAtMs).not.toBeNull();
        before = now;
      }
    }),
  );
});
