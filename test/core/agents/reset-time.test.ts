import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LocalNow } from '../../../src/core/agents/reset-time.ts';
import { parseResetTime } from '../../../src/core/agents/reset-time.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** 16 November 2026, 22:30 in UTC: 23:30 one hour east, and already the 17th further on. */
const epochMs = Date.UTC(2026, 10, 16, 22, 30);
const utc: LocalNow = { epochMs, offsetMinutes: 0 };
const berlin: LocalNow = { epochMs, offsetMinutes: 60 };
const newYork: LocalNow = { epochMs, offsetMinutes: -300 };

function iso(text: string, now: LocalNow): string | null {
  const resetMs = parseResetTime(text, now);
  return resetMs === null ? null : new Date(resetMs).toISOString();
}

describe('what agents say (agents.md §5)', () => {
  test.each<[string, LocalNow, string]>([
    ['You’ve hit your usage limit. … or try again at 1:12 AM.', utc, '2026-11-17T01:13:00.000Z'],
    ['You’ve hit your usage limit. … or try again at 1:12 AM.', berlin, '2026-11-17T00:13:00.000Z'],
    ['You’ve hit your usage limit. … or try again at 1:12 AM.', newYork, '2026-11-17T06:13:00.000Z'],
    ["You've hit your session limit · resets 1:27am (UTC)", berlin, '2026-11-17T01:28:00.000Z'],
    ["You've hit your session limit · resets 1:27am (UTC)", newYork, '2026-11-17T01:28:00.000Z'],
    ["You've hit your 5-hour limit · resets 3pm", utc, '2026-11-17T15:01:00.000Z'],
    ["You've hit your 5-hour limit · resets 11pm", utc, '2026-11-16T23:01:00.000Z'],
    ['Try again in 3 days 20 hours', newYork, '2026-11-20T18:30:00.000Z'],
    ['try again at Nov 20th, 2026 1:12 AM.', utc, '2026-11-20T01:13:00.000Z'],
    ['try again at Nov 20th, 2026 1:12 AM.', berlin, '2026-11-20T00:13:00.000Z'],
  ])('%s', (text, now, expected) => {
    expect(iso(text, now)).toBe(expected);
  });
});

describe('spans', () => {
  test.each([
    ['retry after 30s', 30_000],
    ['Retry-After: 30 seconds', 30_000],
    ['retry in 1.5 secs', 1500],
    ['try again in 2 hours 5 minutes', 2 * hourMs + 5 * minuteMs],
    ['try again in 2 hours, 5 minutes and 3 seconds.', 2 * hourMs + 5 * minuteMs + 3000],
    ['Please try again in 7m12s. Visit …', 7 * minuteMs + 12_000],
    ['Please try again in 1h30m', hourMs + 30 * minuteMs],
    ['Please try again in 1.242s', 1242],
    ['Please try again in 20ms', 20],
    ['again in 250 milliseconds', 250],
    ['resets in 1 day', dayMs],
    ['resets in 1d 2h 3m 4s', dayMs + 2 * hourMs + 3 * minuteMs + 4000],
    ['please wait 90 MINS', 90 * minuteMs],
    ['wait 3 hrs', 3 * hourMs],
  ])('%s', (text, ms) => {
    expect(parseResetTime(text, berlin)).toBe(epochMs + ms);
  });

  test('one past the end of time ends with it, and can still be shown', () => {
    expect(iso('try again in 999999999 days', utc)).toBe('+275760-09-13T00:00:00.000Z');
  });
});

describe('times of day', () => {
  test.each([
    ['until 12:00 AM', '2026-11-17T00:01:00.000Z'],
    ['until 12:00 PM', '2026-11-17T12:01:00.000Z'],
    ['resets at 12am', '2026-11-17T00:01:00.000Z'],
    ['reset at 10:31 p.m.', '2026-11-16T22:32:00.000Z'],
    ['resets 22:31', '2026-11-16T22:32:00.000Z'],
    ['resets 22:30', '2026-11-16T22:31:00.000Z'],
    ['resets 22:25', '2026-11-16T22:30:00.000Z'],
    ['resets 22:15', '2026-11-17T22:16:00.000Z'],
    ['resets at 0:05 (GMT)', '2026-11-17T00:06:00.000Z'],
  ])('%s', (text, expected) => {
    expect(iso(text, utc)).toBe(expected);
  });
});

test.each([
  '',
  'Too many requests',
  'retry after 30',
  'try again in a few minutes',
  'try again in 3 months',
  'resets at 25:00',
  'resets at 13:00 PM',
  'resets at 1:60 AM',
  'again at 7',
  'resets 2026-11-20T01:12:00Z',
  'at Nov 20th, 2026 13:12 AM',
  'at Nov 20th, 2026',
  'Nov 20, 1:12 AM',
  'the tests took 5 minutes',
])('%j states no time', (text) => {
  expect(parseResetTime(text, utc)).toBeNull();
});

const arbNow: fc.Arbitrary<LocalNow> = fc.record({
  epochMs: fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2050, 0, 1) }),
  // Every offset there is, quarters of hours included.
  offsetMinutes: fc.integer({ min: -48, max: 56 }).map((quarters) => quarters * 15),
});

const pad = (value: number): string => String(value).padStart(2, '0');

test('a span reads as what was said', () => {
  const arbSpan = fc.record({ d: fc.nat(9), h: fc.nat(23), m: fc.nat(59), s: fc.nat(59) });
  const arbWords = fc.constantFrom(
    (count: number, unit: string) => `${count}${unit}`,
    (count: number, unit: string) => `${count} ${unit}, `,
    (count: number, unit: string) =>
      `${count} ${{ d: 'days', h: 'hours', m: 'minutes', s: 'seconds' }[unit] ?? ''} `,
  );
  fc.assert(
    fc.property(arbNow, arbSpan, arbWords, (now, span, words) => {
      const said = Object.entries(span).map(([unit, count]) => words(count, unit));
      const ms = span.d * dayMs + span.h * hourMs + span.m * minuteMs + span.s * 1000;
      expect(parseResetTime(`limit reached, try again in ${said.join('')}`, now)).toBe(now.epochMs + ms);
    }),
  );
});

test('a time of day is the end of its minute, or now when it has just passed: never behind, by a day at most', () => {
  const arbClock = fc.record({ hour: fc.nat(23), minute: fc.nat(59), style: fc.constantFrom('12', '24') });
  fc.assert(
    fc.property(arbNow, arbClock, fc.boolean(), (now, { hour, minute, style }, isUtc) => {
      const half = hour < 12 ? 'AM' : 'PM';
      const shown =
        style === '24' ? `${pad(hour)}:${pad(minute)}` : `${hour % 12 || 12}:${pad(minute)} ${half}`;
      const resetMs = parseResetTime(`try again at ${shown}${isUtc ? ' (UTC)' : '.'}`, now) ?? 0;
      expect(resetMs).toBeGreaterThanOrEqual(now.epochMs);
      expect(resetMs).toBeLessThanOrEqual(now.epochMs + dayMs);
      const offset = (isUtc ? 0 : now.offsetMinutes) * minuteMs;
      const endOfDay = (hour * 60 + minute + 1) * minuteMs;
      const pastMs = (((now.epochMs + offset - endOfDay) % dayMs) + dayMs) % dayMs;
      if (pastMs <= 10 * minuteMs) expect(resetMs).toBe(now.epochMs);
      else expect((resetMs + offset - endOfDay) % dayMs).toBe(0);
    }),
  );
});

test('a date is that date on the local clock', () => {
  const east = { epochMs: Date.UTC(2026, 10, 17), offsetMinutes: 60 };
  expect(parseResetTime('Try again at Feb 29th, 2028 1:30 AM.', east)).toBe(Date.UTC(2028, 1, 29, 0, 31));
  expect(parseResetTime('Try again at Mar 1st, 2028 1:30 AM.', east)).toBe(Date.UTC(2028, 2, 1, 0, 31));
  const names = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
  const suffix = (day: number): string =>
    ({ 1: 'st', 2: 'nd', 3: 'rd', 21: 'st', 22: 'nd', 23: 'rd', 31: 'st' })[day] ?? 'th';
  fc.assert(
    fc.property(arbNow, fc.nat({ max: 900 * 24 * 60 }), (now, aheadMinutes) => {
      const local = Math.floor(now.epochMs / minuteMs) * minuteMs + (aheadMinutes + 1) * minuteMs;
      const at = new Date(local + now.offsetMinutes * minuteMs);
      const hour = at.getUTCHours();
      const day = at.getUTCDate();
      const said = `${names[at.getUTCMonth()]} ${day}${suffix(day)}, ${at.getUTCFullYear()} ${hour % 12 || 12}:${pad(at.getUTCMinutes())} ${hour < 12 ? 'AM' : 'PM'}`;
      const resetMs = parseResetTime(`You’ve hit your usage limit. Try again at ${said}.`, now);
      expect(resetMs).toBe(local + minuteMs);
      expect(resetMs).toBeGreaterThan(now.epochMs);
    }),
  );
});

test('whatever the text is, the result is a time that can be shown, or none', () => {
  const arbText = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          'try again in ',
          'resets ',
          'again at ',
          'until ',
          'wait ',
          'Nov ',
          ' AM',
          ' (UTC)',
          ':',
          ' days',
          's',
          'ms',
        ),
        fc.nat().map(String),
        fc.string({ unit: 'binary' }),
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(arbText, arbNow, (text, now) => {
      const resetMs = parseResetTime(text, now);
      if (resetMs !== null) expect(() => new Date(resetMs).toISOString()).not.toThrow();
    }),
  );
});

test('long texts are read in time that grows with their length', () => {
  for (const text of ['wait ', 'again in 1s', 'again in 1 s, and ', 'resets at 1', '1 ', ' '])
    expect(() => parseResetTime(text.repeat(50_000), utc)).not.toThrow();
});
