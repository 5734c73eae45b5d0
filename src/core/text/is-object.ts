/** Tells an object of JSON, TOML or YAML from everything else such a text can hold. It never throws. */
import type { JsonObject, JsonValue } from './strict-json.ts';

export function isObject(value: JsonValue): value is JsonObject;
export function isObject(value: unknown): value is Readonly<Record<string, unknown>>;
export function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
