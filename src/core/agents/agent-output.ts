/**
 * Parses an agent's answer (§5): bounded, strict JSON, of the shipped schema. An error is one sentence, which the next session
 * gets; nothing here throws.
 */
import { answerBytesMax, violationsShownMax } from '../limits.ts';
import { validateAgentOutput } from '../shipped.js';
import type { SchemaError, Validator } from '../shipped.js';
import { isObject } from '../text/is-object.ts';
import { byteLength } from '../text/shorten.ts';
import { findJsonEnd, parseStrictJson } from '../text/strict-json.ts';
import type { JsonValue } from '../text/strict-json.ts';
import { renderProblem } from '../text/text-place.ts';
import { renderSchemaError } from '../tree/tree-schema.ts';
import type { AgentOutput, SourceText } from '../types.ts';

/** More than any answer needs. */
const answerDepthMax = 32;

export type ParsedAnswer<T> =
  | { readonly ok: true; readonly output: T }
  | { readonly ok: false; readonly error: string };

/** A missing `children` counts as null: only answers of agents that enforce the schema must have the key. */
export function parseAgentOutput(source: SourceText): ParsedAnswer<AgentOutput> {
  return parseAnswer(source, validateAgentOutput, withChildren);
}

/** `mend` may fill in keys that not every agent has to give. */
export function parseAnswer<T>(
  source: SourceText,
  validate: Validator<T>,
  mend: (value: JsonValue) => JsonValue = (value) => value,
): ParsedAnswer<T> {
  switch (source.kind) {
    case 'missing':
      return { ok: false, error: 'there is no answer' };
    case 'unreadable':
      return { ok: false, error: `the answer cannot be read: ${source.message}` };
    case 'too_large':
      return refuseSize(source.bytes);
    case 'text': {
      const bytes = byteLength(source.text);
      return bytes > answerBytesMax ? refuseSize(bytes) : parseText(source.text, validate, mend);
    }
  }
}

/**
 * The last complete JSON object in a text, for agents that wrap their answer in prose or code fences. Every `{` outside an
 * object already found is tried once. The tries that are still going at one place are nested in each other, inside strings
 * and outside, so the work is at most twice `answerDepthMax` times the length of the text. What is nested deeper is no answer.
 */
export function lastJsonObject(text: string): string | null {
  let last: string | null = null;
  for (let start = text.indexOf('{'); start !== -1;) {
    const end = findJsonEnd(text, start, answerDepthMax);
    if (end !== null) last = text.slice(start, end);
    start = text.indexOf('{', end ?? start + 1);
  }
  return last;
}

function refuseSize(bytes: number): { readonly ok: false; readonly error: string } {
  return { ok: false, error: `the answer has ${bytes} bytes; at most ${answerBytesMax} are allowed` };
}

function parseText<T>(
  text: string,
  validate: Validator<T>,
  mend: (value: JsonValue) => JsonValue,
): ParsedAnswer<T> {
  const json = parseStrictJson(text);
  if (!json.ok) {
    return {
      ok: false,
      error: `the answer is not valid JSON: ${renderProblem(json, json.message)}`,
    };
  }
  const value: unknown = mend(json.value);
  if (validate(value)) return { ok: true, output: value };
  return { ok: false, error: renderErrors(validate.errors as readonly SchemaError[]) };
}

function withChildren(value: JsonValue): JsonValue {
  return isObject(value) && !Object.hasOwn(value, 'children') ? { ...value, children: null } : value;
}

function renderErrors(errors: readonly SchemaError[]): string {
  const messages = [...new Set(errors.map(renderSchemaError))];
  const rest = messages.length - violationsShownMax;
  const more = rest > 0 ? `; and ${rest} more` : '';
  return `the answer does not fit its schema: ${messages.slice(0, violationsShownMax).join('; ')}${more}`;
}
