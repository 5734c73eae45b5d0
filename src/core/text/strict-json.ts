/**
 * Parses JSON strictly, so that no text can be read in two ways (§3): every error names line and column. It never recurses, so
 * no input can exhaust the stack, and it never throws.
 */
import { jsonDepthMax } from '../limits.ts';
import { placeAt } from './text-place.ts';

export interface JsonObject {
  [key: string]: JsonValue;
}
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

export type StrictJson =
  | { readonly ok: true; readonly value: JsonValue }
  | {
      readonly ok: false;
      /** `limit`: well-formed as far as read, but nested too deep. */
      readonly kind: 'syntax' | 'limit';
      readonly message: string;
      readonly line: number;
      readonly column: number;
    };

interface Fault {
  readonly kind: 'syntax' | 'limit';
  readonly message: string;
  readonly at: number;
}

/** State of the parser. Read functions return undefined, which is no JSON value, after they have set `fault`. */
interface Reader {
  readonly text: string;
  readonly depthMax: number;
  at: number;
  fault: Fault;
}

/** An open array or object; `key` is the member whose value comes next. */
interface Frame {
  readonly holder: JsonValue[] | JsonObject;
  readonly closer: string;
  readonly parent: Frame | null;
  readonly depth: number;
  key: string;
}

const literals: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ['true', true],
  ['false', false],
  ['null', null],
]);
const numberGrammar = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
/** What may be a literal or a number. Bounded: no number that can be kept exactly needs more. */
const wordLengthMax = 400;
const wordAt = new RegExp(`[-+.\\w]{1,${wordLengthMax}}`, 'y');
const escapeAt = /\\(?:["\\/bfnrt]|u([0-9a-fA-F]{4}))/y;
const pairAt = /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}/y;
const otherThanSpace = /[^ \n\r\t]/g;
/** What ends a string, or must be looked at: quotes, backslashes, control characters, surrogates. */
// oxlint-disable-next-line no-control-regex
const otherThanPlain = /["\\\u0000-\u001f\ud800-\udfff]/g;
const shownLengthMax = 60;
const quote = 0x22;
const backslash = 0x5c;

/** Strict JSON value of the whole text. Keys are own properties; `__proto__` is refused, so no prototype is ever touched. */
export function parseStrictJson(text: string, depthMax: number = jsonDepthMax): StrictJson {
  const reader = openReader({ text, at: 0, depthMax });
  const value = text.startsWith('\uFEFF')
    ? fail(reader, 'the text starts with a byte order mark; save it as UTF-8 without one')
    : readWhole(reader);
  if (value !== undefined) return { ok: true, value };
  const { kind, message, at } = reader.fault;
  return { ok: false, kind, message, ...placeAt(text, at) };
}

/** Index just past the strict JSON value that starts at `at`, whatever follows it; null when none does. */
export function findJsonEnd(text: string, at: number, depthMax = jsonDepthMax): number | null {
  const reader = openReader({ text, at, depthMax });
  return readValue(reader) === undefined ? null : reader.at;
}

function openReader(start: Omit<Reader, 'fault'>): Reader {
  return { ...start, fault: { kind: 'syntax', message: '', at: 0 } };
}

function fail(reader: Reader, message: string, at: number = reader.at): undefined {
  reader.fault = { kind: 'syntax', message, at };
  return undefined;
}

function readWhole(reader: Reader): JsonValue | undefined {
  skipSpace(reader);
  if (reader.at === reader.text.length) return fail(reader, 'the text is empty');
  const value = readValue(reader);
  if (value === undefined) return undefined;
  skipSpace(reader);
  return reader.at === reader.text.length ? value : failExpected(reader, 'the end of the text');
}

function readValue(reader: Reader): JsonValue | undefined {
  let top: Frame | null = null;
  let root: JsonValue | undefined;
  for (;;) {
    skipSpace(reader);
    const char = reader.text[reader.at];
    const holder: Frame['holder'] | null = char === '{' ? {} : char === '[' ? [] : null;
    const value: JsonValue | undefined = holder ?? readScalar(reader);
    if (value === undefined) return undefined;
    if (top === null) root = value;
    else addTo(top, value);
    if (holder !== null) {
      if (top !== null && top.depth >= reader.depthMax) return failDepth(reader);
      top = openFrame(reader, holder, top);
    }
    let isFirst = holder !== null;
    // A value may end several containers; the one that stays open expects its next value.
    while (top !== null) {
      const turn: Turn | undefined = readTurn(reader, top, isFirst);
      if (turn === undefined) return undefined;
      if (turn === 'value') break;
      top = top.parent;
      isFirst = false;
    }
    if (top === null) return root;
  }
}

type Turn = 'value' | 'closed';

function openFrame(reader: Reader, holder: Frame['holder'], parent: Frame | null): Frame {
  reader.at += 1;
  const depth = parent === null ? 1 : parent.depth + 1;
  return { holder, closer: Array.isArray(holder) ? ']' : '}', parent, depth, key: '' };
}

function addTo(frame: Frame, value: JsonValue): void {
  if (Array.isArray(frame.holder)) frame.holder.push(value);
  else frame.holder[frame.key] = value;
}

/** After an opening bracket or a member: closes the container, or moves to where the next value starts. */
function readTurn(reader: Reader, frame: Frame, isFirst: boolean): Turn | undefined {
  skipSpace(reader);
  const char = reader.text[reader.at];
  if (char === frame.closer) {
    reader.at += 1;
    return 'closed';
  }
  if (!isFirst) {
    if (char !== ',') return failExpected(reader, `',' or '${frame.closer}'`);
    const comma = reader.at;
    reader.at += 1;
    skipSpace(reader);
    if (reader.text[reader.at] === frame.closer)
      return fail(reader, `trailing comma before '${frame.closer}'`, comma);
  }
  if (Array.isArray(frame.holder)) return 'value';
  const key = readKey(reader, frame.holder);
  if (key === undefined) return undefined;
  frame.key = key;
  return 'value';
}

function readKey(reader: Reader, holder: JsonObject): string | undefined {
  const start = reader.at;
  if (reader.text[start] !== '"') return failExpected(reader, 'a key in double quotes');
  const key = readString(reader);
  if (key === undefined) return undefined;
  if (key === '__proto__') return fail(reader, "the key '__proto__' is not allowed", start);
  if (Object.hasOwn(holder, key)) return fail(reader, `duplicate key '${escapeText(key)}'`, start);
  skipSpace(reader);
  if (reader.text[reader.at] !== ':') return failExpected(reader, "':' after the key");
  reader.at += 1;
  return key;
}

function readScalar(reader: Reader): JsonValue | undefined {
  if (reader.text[reader.at] === '"') return readString(reader);
  wordAt.lastIndex = reader.at;
  const word = wordAt.exec(reader.text)?.[0];
  if (word === undefined) return failExpected(reader, 'a value');
  const value = literals.has(word) ? literals.get(word) : readNumber(reader, word);
  if (value !== undefined) reader.at += word.length;
  return value;
}

function readNumber(reader: Reader, word: string): number | undefined {
  if (word.length === wordLengthMax)
    return fail(reader, `a bare word of ${wordLengthMax} characters or more`);
  if (!numberGrammar.test(word)) {
    return fail(
      reader,
      `'${escapeText(word)}' is not JSON; only true, false, null and plain decimal numbers may be unquoted`,
    );
  }
  const value = Number(word);
  const isTooLarge = Number.isInteger(value) ? !Number.isSafeInteger(value) : !Number.isFinite(value);
  const isLost = value === 0 && /^[^eE]*[1-9]/.test(word);
  if (isTooLarge || isLost)
    return fail(reader, `the number ${escapeText(word)} is not safe: it cannot be kept exactly`);

  return value === 0 ? 0 : value;
}

/** The string whose opening quote is at the reader. It is checked here and, when it holds escapes, decoded by JSON.parse. */
function readString(reader: Reader): string | undefined {
  const { text } = reader;
  const start = reader.at;
  let at = start + 1;
  let hasEscape = false;
  for (;;) {
    at = findNext(text, otherThanPlain, at);
    const code = text.charCodeAt(at);
    if (code === quote) break;
    if (code === backslash) {
      const length = readEscape(reader, at);
      if (length === undefined) return undefined;
      hasEscape = true;
      at += length;
    } else if (isPair(code, text.charCodeAt(at + 1))) {
      at += 2;
    } else {
      return failInString(reader, at);
    }
  }
  reader.at = at + 1;
  return hasEscape ? (JSON.parse(text.slice(start, at + 1)) as string) : text.slice(start + 1, at);
}

/** Length of the escape at `at`; both halves of an escaped surrogate pair count as one. */
function readEscape(reader: Reader, at: number): number | undefined {
  escapeAt.lastIndex = at;
  const found = escapeAt.exec(reader.text);
  if (found === null) return fail(reader, 'a backslash that starts no JSON escape', at);
  const [escape, hex] = found;
  if (hex === undefined || !isSurrogate(Number.parseInt(hex, 16))) return escape.length;
  pairAt.lastIndex = at;
  return pairAt.test(reader.text) ? escape.length * 2 : fail(reader, `lone surrogate ${escape}`, at);
}

function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdfff;
}

function isPair(high: number, low: number): boolean {
  return high >= 0xd800 && high <= 0xdbff && low >= 0xdc00 && low <= 0xdfff;
}

function skipSpace(reader: Reader): void {
  reader.at = findNext(reader.text, otherThanSpace, reader.at);
}

/** Index of the next match of one character; the end of the text when there is none. */
function findNext(text: string, char: RegExp, at: number): number {
  char.lastIndex = at;
  return char.test(text) ? char.lastIndex - 1 : text.length;
}

function failInString(reader: Reader, at: number): undefined {
  const char = reader.text[at];
  if (char === undefined) return fail(reader, 'this string has no closing quote');
  const name = `U+${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
  if (isSurrogate(char.charCodeAt(0))) return fail(reader, `lone surrogate ${name} in a string`, at);
  return fail(reader, `control character ${name} in a string; write it as an escape`, at);
}

function failExpected(reader: Reader, expected: string): undefined {
  const char = reader.text[reader.at];
  if (char === undefined) return fail(reader, `the text ends where ${expected} should stand`);
  if (char === '/' || char === '#') return fail(reader, 'comments are not allowed in JSON');
  if (char === "'") return fail(reader, 'use double quotes for strings');
  return fail(reader, `expected ${expected}, found '${escapeText(char)}'`);
}

function failDepth(reader: Reader): undefined {
  reader.fault = { kind: 'limit', message: `nested more than ${reader.depthMax} levels deep`, at: reader.at };
  return undefined;
}

/** Foreign text for one line of a message: short, and nothing in it that a terminal would obey. */
export function escapeText(text: string): string {
  const short = text.length > shownLengthMax ? `${text.slice(0, shownLengthMax)}…` : text;
  return short.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (char) =>
    char
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
