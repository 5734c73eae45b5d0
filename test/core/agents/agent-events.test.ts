import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AgentEvent } from '../../../src/core/agents/agent-events.ts';
import {
  eventJoiner,
  firstLine,
  wholeLine,
  fitEvent,
  renderActivity,
  renderEventLine,
  toolOutput,
  withoutFolder,
} from '../../../src/core/agents/agent-events.ts';
import { byteLength } from '../../../src/core/text/shorten.ts';
import { arbEvent, arbWild, eventPlace, plainEvents } from '../../support/events.ts';

const capBytes = 16 * 1024;
/** Controls, and halves of characters that no file or terminal can hold. */
const forbidden = /[\u0000-\u001F\u007F-\u009F\u2028\u2029\u202A-\u202E]|\p{Surrogate}/u;

const words = (text: string, partial: boolean): AgentEvent => ({ type: 'message', text, partial });
const thoughts = (text: string): AgentEvent => ({ type: 'reasoning', text, partial: true });

describe('renderEventLine (§8)', () => {
  test('keys in their order, place first', () => {
    expect(renderEventLine(plainEvents.error, { ...eventPlace, session: 2, role: 'review' })).toBe(
      '{"v":1,"seq":7,"at":"2026-11-16T06:00:00.000Z","session":2,"role":"review",' +
        '"type":"error","message":"429","status":429,"fatal":true,"reset_at_ms":1794792438000}\n',
    );
    expect(renderEventLine(plainEvents.usage, eventPlace)).toBe(
      '{"v":1,"seq":7,"at":"2026-11-16T06:00:00.000Z","session":1,"role":"agent","type":"usage","scope":"turn",' +
        '"usage":{"input_tokens":12,"cached_input_tokens":null,"output_tokens":null,"cost_usd":0.25}}\n',
    );
  });

  test('is what JSON makes of the place and the event', () => {
    fc.assert(
      fc.property(arbEvent, (event) => {
        const line = `${JSON.stringify({ v: 1, ...eventPlace, ...fitEvent(event) })}\n`;
        expect(renderEventLine(event, eventPlace)).toBe(line);
      }),
    );
  });

  test('texts are cleaned, line breaks stay', () => {
    const line = renderEventLine(words('\u001B[31mred\u001B[0m\r\nnext\u0007', false), eventPlace);
    expect(JSON.parse(line)).toMatchObject({ text: 'red\nnext' });
  });

  test.each([
    ['long', 40_000],
    ['a flood', 5_000_000],
  ])('%s text is shortened in the middle, and says so', (_what, length) => {
    const line = renderEventLine(words(`head ${'é'.repeat(length)} tail`, false), eventPlace);
    const { text } = JSON.parse(line) as { text: string };
    expect(byteLength(text)).toBeLessThanOrEqual(capBytes);
    expect(text).toMatch(/^head é+\n\[… \d+ bytes left out …\]\né+ tail$/u);
    const left = Number(/(\d+) bytes left out/u.exec(text)?.[1]);
    expect(left).toBeGreaterThan(2 * length - capBytes);
  });

  test('whatever an agent prints, it is one line of JSON that a terminal can show, of bounded length', () => {
    const arbLong = fc
      .tuple(arbEvent, fc.constantFrom(1, 1, 1, 400))
      .map(([event, times]) =>
        Object.fromEntries(
          Object.entries(event).map(([key, value]) => [
            key,
            typeof value === 'string' && !['type', 'change', 'scope'].includes(key)
              ? value.repeat(times)
              : value,
          ]),
        ),
      ) as fc.Arbitrary<AgentEvent>;
    fc.assert(
      fc.property(arbLong, (event) => {
        const line = renderEventLine(event, eventPlace);
        expect(line.endsWith('}\n')).toBe(true);
        expect(line.slice(0, -1)).not.toMatch(forbidden);
        // Three texts at most, and JSON makes two bytes of a quote.
        expect(byteLength(line)).toBeLessThanOrEqual(3 * 2 * capBytes + 400);
        expect(JSON.parse(line)).toMatchObject({ v: 1, ...eventPlace, type: event.type });
        expect(renderEventLine(event, eventPlace)).toBe(line);
      }),
    );
  });
});

describe('renderActivity', () => {
  test.each<[AgentEvent, string | null]>([
    [plainEvents.message, 'I begin.'],
    [words('\n\n  first \t line \nsecond', false), 'first line'],
    [words(' \n', false), null],
    [plainEvents.reasoning, 'thinking: Where is it?'],
    [thoughts(''), null],
    [plainEvents.tool_call, '$ npm test'],
    [{ type: 'tool_call', id: '1', tool: 'Read', detail: 'src/a.ts' }, 'Read src/a.ts'],
    [{ type: 'tool_call', id: '1', tool: 'shell', detail: 'cat <<E\nx\nE' }, '$ cat <<E'],
    [plainEvents.tool_result, 'failed with exit code 1'],
    [{ ...plainEvents.tool_result, exit_code: null }, 'failed'],
    [{ ...plainEvents.tool_result, failed: false, exit_code: 0 }, null],
    [plainEvents.file_edit, 'update src/a.ts'],
    [plainEvents.error, 'error: 429'],
    [{ ...plainEvents.error, message: '' }, null],
    [plainEvents.retry, 'waiting for the model: try 1 of 2'],
    [plainEvents.denied, 'refused: git push'],
    [plainEvents.answer, plainEvents.answer.text],
    [plainEvents.usage, null],
    [plainEvents.finished, null],
  ])('%j', (event, expected) => {
    expect(renderActivity(event)).toBe(expected);
  });

  test('is one short line without anything that acts, or nothing', () => {
    fc.assert(
      fc.property(arbEvent, fc.constantFrom(1, 500), (event, times) => {
        const long = 'text' in event ? { ...event, text: event.text.repeat(times) } : event;
        const line = renderActivity(long);
        if (line === null) return;
        expect(line).not.toMatch(forbidden);
        expect(line.trim()).toBe(line);
        expect(line).not.toBe('');
        expect(Array.from(line).length).toBeLessThanOrEqual(160 + 'waiting for the model: …'.length);
      }),
    );
  });
});

describe('firstLine', () => {
  test.each([
    ['', null],
    ['\n \r\n\t', null],
    ['a', 'a'],
    ['x'.repeat(160), 'x'.repeat(160)],
    ['x'.repeat(161), `${'x'.repeat(160)}…`],
    ['🙂'.repeat(160), '🙂'.repeat(160)],
    [`x${'🙂'.repeat(160)}`, `x${'🙂'.repeat(159)}…`],
    [`${'\n'.repeat(9000)}late`, 'late'],
    [`\u001B[2J\u001B[31mred\u001B[0m`, 'red'],
  ])('%j', (text, expected) => {
    expect(firstLine(text)).toBe(expected);
  });
});

/** Everything the joiner gives back for these events, the end included. */
function joined(events: readonly AgentEvent[]): readonly AgentEvent[] {
  const joiner = eventJoiner();
  return [...events.flatMap((event) => joiner.add(event)), ...joiner.flush()];
}

describe('eventJoiner', () => {
  const { finished, tool_call: tool } = plainEvents;
  test.each<[string, readonly AgentEvent[], readonly AgentEvent[]]>([
    ['nothing', [], []],
    ['a whole message passes', [words('a', false)], [words('a', false)]],
    ['pieces become one', [words('a', true), words('b', true)], [words('ab', false)]],
    [
      'a line at a time',
      [words('a', true), words('b\n', true), words('c', true)],
      [words('ab\n', false), words('c', false)],
    ],
    ['anything else ends it first', [words('a', true), tool], [words('a', false), tool]],
    ['also a whole message', [words('a', true), words('b', false)], [words('a', false), words('b', false)]],
    [
      'thoughts and words are kept apart',
      [thoughts('a'), words('b', true), thoughts('c')],
      [
        { type: 'reasoning', text: 'a', partial: false },
        words('b', false),
        { type: 'reasoning', text: 'c', partial: false },
      ],
    ],
    ['the end of nothing', [finished], [finished]],
  ])('%s', (_what, events, expected) => {
    expect(joined(events)).toEqual(expected);
  });

  test('gives back a line as soon as it is whole', () => {
    const joiner = eventJoiner();
    expect(joiner.add(words('a', true))).toEqual([]);
    expect(joiner.add(words('b\n', true))).toEqual([words('ab\n', false)]);
    expect(joiner.flush()).toEqual([]);
  });

  /** The words and thoughts of events in a row, and everything else where it stands. */
  const told = (events: readonly AgentEvent[]): readonly string[] => {
    const parts: string[] = [];
    let before = '';
    for (const event of events) {
      const isText = event.type === 'message' || event.type === 'reasoning';
      if (isText && before === event.type) parts.push(`${parts.pop() ?? ''}${event.text}`);
      else parts.push(isText ? `${event.type} ${event.text}` : JSON.stringify(event));
      before = event.type;
    }
    return parts;
  };

  test('loses no word and changes no order', () => {
    fc.assert(
      fc.property(fc.array(arbEvent, { maxLength: 30 }), (events) => {
        const whole = joined(events);
        expect(told(whole)).toEqual(told(events));
        expect(whole.every((event) => !('partial' in event) || !event.partial || event.text === '')).toBe(
          true,
        );
      }),
    );
  });

  test('a flood of pieces without a line break stays small, begins as it began, and is told as cut', () => {
    const arbPiece = fc
      .tuple(arbWild, fc.constantFrom(1, 40, 700))
      .map(([text, times]) => text.repeat(times));
    fc.assert(
      fc.property(fc.array(arbPiece, { maxLength: 200 }), (pieces) => {
        const texts = pieces.map((text) => text.replaceAll('\n', ' '));
        const said = texts.join('');
        const [whole, ...more] = joined(texts.map((text) => words(text, true)));
        expect(more).toEqual([]);
        const text = whole?.type === 'message' ? whole.text : '';
        expect(said.startsWith(text)).toBe(true);
        const longest = Math.max(0, ...texts.map((piece) => piece.length));
        expect(text.length).toBeLessThanOrEqual(capBytes + longest);
        if (text !== said) expect(text.length).toBeGreaterThan(capBytes);
      }),
    );
  });
});

describe('what a tool gave back', () => {
  test.each([
    ['', {}],
    [' \n', {}],
    ['made\n', { output: 'made\n' }],
  ])('%j', (text, expected) => {
    expect(toolOutput(text)).toEqual(expected);
  });

  test('a flood is shortened in the middle', () => {
    const { output = '' } = toolOutput(`first ${'x'.repeat(100_000)} last`);
    expect(byteLength(output)).toBeLessThanOrEqual(4096);
    expect(output).toMatch(/^first x+[\s\S]*x last$/);
  });
});

describe('paths below the project folder', () => {
  const call = (detail: string): AgentEvent => ({ type: 'tool_call', id: '1', tool: 'shell', detail });
  test.each([
    ['cat /p/web.d/src/a.ts', 'cat src/a.ts'],
    ['/p/web.d/.env', '.env'],
    ['cd /p/web.d && ls "/p/web.d/"', 'cd . && ls "."'],
    ['cat /other/p/web.d/a /p/web.dx/a /p/webxd/a', 'cat /other/p/web.d/a /p/web.dx/a /p/webxd/a'],
    ['npm test', 'npm test'],
  ])('%s', (detail, expected) => {
    expect(withoutFolder(call(detail), '/p/web.d')).toEqual(call(expected));
  });

  test('of an edited file; all else stays as it is', () => {
    const edit: AgentEvent = { type: 'file_edit', path: '/p/a.ts', change: 'add' };
    expect(withoutFolder(edit, '/p')).toEqual({ ...edit, path: 'a.ts' });
    expect(withoutFolder(words('/p/a.ts', false), '/p')).toEqual(words('/p/a.ts', false));
  });

  test('whatever the folder is called, nothing is lost around it', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^\/[!-~]{1,20}$/).filter((name) => !name.endsWith('/')),
        (folder) => {
          expect(withoutFolder(call(`cat ${folder}/a.txt now`), folder)).toEqual(call('cat a.txt now'));
        },
      ),
    );
  });
});

test('a whole message on one line, without what acts on a terminal, and never endless', () => {
  expect(wholeLine('You\u2019ve hit\n  your \u001b[31mlimit\u001b[0m.\n')).toBe(
    'You\u2019ve hit your limit.',
  );
  expect(wholeLine(' \n\t')).toBeNull();
  expect(wholeLine('x'.repeat(1000))).toBe('x'.repeat(1000));
  expect(wholeLine('\u{1F600}'.repeat(1001))).toBe(`${'\u{1F600}'.repeat(1000)}…`);
});
