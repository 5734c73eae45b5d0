import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderActivity, renderEventLine } from '../../../src/core/agents/agent-events.ts';
import { parseActivityLine, parseUsageLine } from '../../../src/core/agents/event-line.ts';
import { arbEvent, eventPlace, plainEvents } from '../../support/events.ts';

test('every kind of event is told as it was told live', () => {
  for (const event of Object.values(plainEvents)) {
    const text = renderActivity(event);
    const { at, session, role } = eventPlace;
    expect(parseActivityLine(renderEventLine(event, eventPlace)), event.type).toEqual(
      text === null ? null : { at, session, role, text },
    );
  }
});

test('usage comes back as it was reported, and nothing else does', () => {
  const usage = { input_tokens: 7, cached_input_tokens: null, output_tokens: 2, cost_usd: 0.25 };
  const event = { type: 'usage', scope: 'turn', usage } as const;
  const line = renderEventLine(event, eventPlace);
  expect(parseUsageLine(line)).toEqual({ place: eventPlace, event });
  expect(parseUsageLine(line.replace('"turn"', '"year"'))).toBeNull();
  expect(parseUsageLine(line.replace('"v":1', '"v":2'))).toBeNull();
  expect(parseUsageLine(line.slice(0, -4))).toBeNull();
  expect(parseUsageLine(renderEventLine(plainEvents.message, eventPlace))).toBeNull();
});

test.each([
  ['nothing', ''],
  ['half a line', renderEventLine(plainEvents.message, eventPlace).slice(0, 50)],
  ['no object', '17'],
  ['another version', '{"v":2,"at":"x","session":1,"role":"agent","type":"denied","what":"w"}'],
  ['another kind', '{"v":1,"at":"x","session":1,"role":"agent","type":"sang","what":"w"}'],
  ['nothing to read', renderEventLine({ ...plainEvents.message, text: ' \n' }, eventPlace)],
  ['wrong fields', '{"v":1,"at":"x","session":1,"role":"agent","type":"denied","what":7}'],
])('%s is passed over', (_what, line) => {
  expect(parseActivityLine(line)).toBeNull();
});

test('whatever stands in a line, what is shown is one clean line', () => {
  fc.assert(
    fc.property(arbEvent, fc.string({ unit: 'binary' }), (event, at) => {
      const line = JSON.stringify({ v: 1, seq: 1, at, session: 1, role: 'agent', ...event });
      const shown = parseActivityLine(line);
      expect(`${shown?.text ?? ''}${shown?.at ?? ''}`).not.toMatch(/\p{Cc}/u);
    }),
  );
});
