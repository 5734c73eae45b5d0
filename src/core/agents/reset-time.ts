/** Reads when a limit ends from an agent's message for people. An unknown wording gives no time, never a guess. */

export interface LocalNow {
  readonly epochMs: number;
  /** Minutes east of UTC. */
  readonly offsetMinutes: number;
}

const dayMs = 86_400_000;
const minuteMs = 60_000;
/** A time of day that has just passed was meant, not tomorrow's: a message may be read minutes after it was written. */
const justPassedMs = 10 * minuteMs;
/** The last moment that a Date can hold. */
const latestMs = 8.64e15;
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Milliseconds since 1970, or null when the text states no time. */
export function parseResetTime(text: string, now: LocalNow): number | null {
  return parseSpan(text, now) ?? parseDate(text, now) ?? parseClock(text, now);
}

/** `try again in 2 hours 5 minutes`, `retry after 30s`, `again in 7m12.5s`. */
function parseSpan(text: string, now: LocalNow): number | null {
  const found =
    /(?:again in|retry[- ]after|retry in|reset(?:s)? in|wait)[: ]+((?:\d{1,9}(?:\.\d{1,6})?\s*(?:milliseconds?|ms|seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|[smhd])(?![a-z])[,\s]*(?:and\s+)?)+)/i.exec(
      text,
    );
  if (found === null) return null;
  const parts = [...String(found[1]).matchAll(/(\d+(?:\.\d+)?)\s*(ms|milli|[smhd])/gi)];
  const span = parts.reduce((sum, [, count, unit]) => sum + Number(count) * unitMs(String(unit)), 0);
  return Math.min(latestMs, now.epochMs + Math.round(span));
}

function unitMs(unit: string): number {
  switch (unit.toLowerCase()) {
    case 's':
      return 1000;
    case 'm':
      return minuteMs;
    case 'h':
      return 60 * minuteMs;
    case 'd':
      return dayMs;
    default:
      return 1;
  }
}

/** `at Nov 20th, 2026 1:12 AM`, on the local clock. */
function parseDate(text: string, now: LocalNow): number | null {
  const found =
    /\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4}),?(?: at)? (\d{1,2}):(\d{2}) ?([ap])\.?m/i.exec(
      text,
    );
  if (found === null) return null;
  const [, month, day, year, hour, minute, half] = found;
  const monthIndex = months.indexOf(String(month).toLowerCase());
  const utc = dayNumber({ year: Number(year), monthIndex, day: Number(day) }) * dayMs;
  const clock = clockMs({ hour: Number(hour), minute: Number(minute), half: String(half) });
  return clock === null ? null : utc + clock + minuteMs - now.offsetMinutes * minuteMs;
}

/** Days since 1970. Years are counted from March, so that a leap day is the last of its year. */
function dayNumber(date: {
  readonly year: number;
  readonly monthIndex: number;
  readonly day: number;
}): number {
  const year = date.monthIndex < 2 ? date.year - 1 : date.year;
  const leapDays = Math.floor(year / 4) - Math.floor(year / 100) + Math.floor(year / 400);
  const daysBefore = Math.floor((153 * ((date.monthIndex + 10) % 12) + 2) / 5);
  return 365 * year + leapDays + daysBefore + date.day - 719_469;
}

/** `try again at 1:12 AM` on the local clock, `resets 1:27am (UTC)`, `resets 3pm`: the end of that minute, because agents cut the seconds off. */
function parseClock(text: string, now: LocalNow): number | null {
  const found =
    /(?:again at|resets?(?: at)?|until)\s+(\d{1,2})(?::(\d{2}))?\s?(?:([ap])\.?m\.?)?(?:\s*\(?(UTC|GMT)\)?)?/i.exec(
      text,
    );
  if (found === null) return null;
  const [, hour, minute, half, zone] = found;
  // A bare number is no time of day.
  if (minute === undefined && half === undefined) return null;
  const clock = clockMs({ hour: Number(hour), minute: Number(minute ?? 0), half: half ?? null });
  if (clock === null) return null;
  const offsetMs = zone === undefined ? now.offsetMinutes * minuteMs : 0;
  const fromMs = now.epochMs - justPassedMs;
  // The same time of every day differs by whole days; the remainder of a negative number is negative.
  const aheadMs = (((clock + minuteMs - offsetMs - fromMs) % dayMs) + dayMs) % dayMs;
  return Math.max(fromMs + aheadMs, now.epochMs);
}

function clockMs(clock: {
  readonly hour: number;
  readonly minute: number;
  readonly half: string | null;
}): number | null {
  const { hour, minute, half } = clock;
  if (minute > 59 || hour > (half === null ? 23 : 12)) return null;
  const hours = half === null ? hour : (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  return (hours * 60 + minute) * minuteMs;
}
