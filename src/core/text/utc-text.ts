/** Renders an instant as text, by arithmetic alone: it uses no clock and accepts any number. */

const dayMs = 86_400_000;
/** The last second of the year 9999. */
const latestMs = 253_402_300_799_000;

/** ISO 8601 in UTC, to the second; times before 1970 or after 9999 are clamped. */
export function renderUtc(epochMs: number): string {
  const ms = Math.min(Math.max(0, epochMs), latestMs);
  const days = Math.floor(ms / dayMs);
  const seconds = Math.floor((ms - days * dayMs) / 1000);
  const clock = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return `${renderDay(days)}T${clock.map((part) => padded(part, 2)).join(':')}Z`;
}

/** Days since 1970 to a date. Years are counted from March, so that a leap day is the last of its year. */
function renderDay(days: number): string {
  const sinceZero = days + 719_468;
  const era = Math.floor(sinceZero / 146_097);
  const dayOfEra = sinceZero - era * 146_097;
  const leapDays =
    Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leapDays) / 365);
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1;
  const month = ((monthFromMarch + 2) % 12) + 1;
  const year = era * 400 + yearOfEra + Math.floor((monthFromMarch + 2) / 12);
  return `${padded(year, 4)}-${padded(month, 2)}-${padded(day, 2)}`;
}

function padded(value: number, digits: number): string {
  return String(value).padStart(digits, '0');
}
