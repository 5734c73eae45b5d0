/** Whether a login file that a session changed is the same login with new tokens (§13.8). Anything else is not brought back. */
import { isObject } from '../text/is-object.ts';
import { parseStrictJson } from '../text/strict-json.ts';
import type { JsonValue } from '../text/strict-json.ts';

/** As droid and gemini seal theirs: three values in base64 or hexadecimal. */
const sealed = /^[\w+/=-]+:[\w+/=-]+:[\w+/=-]+\s*$/;

/**
 * Both are sealed, or JSON objects: whatever was there is still there and of the same type. New keys are fine: programs add some. New
 * commands are not: pi runs a value that begins with `!`.
 */
export function isRenewal(before: string, after: string): boolean {
  if (sealed.test(before)) return sealed.test(after);
  const [old, now] = [parseStrictJson(before), parseStrictJson(after)];
  return (
    old.ok &&
    now.ok &&
    isObject(old.value) &&
    isObject(now.value) &&
    keeps(old.value, now.value) &&
    !addsCommand(old.value, now.value)
  );
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

function addsCommand(old: JsonValue, now: JsonValue): boolean {
  const known = listCommands(old);
  return listCommands(now).some((command) => !known.includes(command));
}

function listCommands(value: JsonValue): readonly string[] {
  if (typeof value === 'string') return value.startsWith('!') ? [value] : [];
  return value === null || typeof value !== 'object' ? [] : Object.values(value).flatMap(listCommands);
}

function kindOf(value: Plain | readonly JsonValue[]): string {
  return Array.isArray(value) ? 'list' : typeof value;
}
