/** How a check says what does not follow: the first of several, both values as short text. */
import { canonicalText } from '../tree/canonical-json.ts';
import { shortenMiddle } from '../text/shorten.ts';
import type { Problem } from './transition.ts';

const shownBytesMax = 400;

export function differ(rule: string, expected: unknown, found: unknown): Problem | null {
  const [left, right] = [canonicalText(expected), canonicalText(found)];
  return left === right ? null : problem(rule, show(expected), show(found));
}

export function problem(rule: string, expected: string, found: string): Problem {
  return {
    rule,
    expected: shortenMiddle(expected, shownBytesMax),
    found: shortenMiddle(found, shownBytesMax),
  };
}

/** `check` is only asked while nothing was found: it may build on what came before. */
export function first(...checks: readonly (() => Problem | null)[]): Problem | null {
  for (const check of checks) {
    const found = check();
    if (found !== null) return found;
  }
  return null;
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : canonicalText(value);
}
