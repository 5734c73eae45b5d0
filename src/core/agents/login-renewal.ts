/** Whether a login file that a session changed is the same login with new tokens (§13.8). Anything else is not brought back. */
import { parseStrictJson } from '../text/strict-json.ts';
import type { JsonValue } from '../text/strict-json.ts';

/** Both are JSON objects; whatever was there is still there and of the same type. New keys are fine: programs add some. */
export function isRenewal(before: string, after: string): boolean {
  const [old, now] = [parseStrictJson(before), parseStrictJson(after)];
  return old.ok && now.ok && isObject(old.value) && isObject(now.value) && keeps(old.value, now.value);
}

type Plain = Exclude<JsonValue, readonly JsonValue[] | null>;

function keeps(old: JsonValue, now: JsonValue | undefined): boolean {
  if (now === undefined) return false;
  // What was empty may have been filled, and the other way round.
  if (old === null || now === null) return true;
  if (isObject(old)) {
    return (
      isObject(now) &&
      Object.entries(old).every(([key, value]) =>
        keeps(value, Object.hasOwn(now, key) ? now[key] : undefined),
      )
    );
  }
  return kindOf(old) === kindOf(now);
}

function kindOf(value: Plain | readonly JsonValue[]): string {
  return Array.isArray(value) ? 'list' : typeof value;
}

function isObject(
  value: JsonValue,
): value is Exclude<JsonValue, string | number | boolean | null | JsonValue[]> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
