/**
 * Finds the statements of a TOML text: tables, keys and values with their offsets. It trusts that a parser has accepted the
 * text, gives no values, and must never loop or throw on any other text.
 */

export interface TomlEntry {
  /** Parts of the whole key, the table's included. */
  readonly path: readonly string[];
  /** The key as it was begun in the text. */
  readonly start: number;
  readonly valueStart: number;
  /** Behind the last character of the value, before blanks and a comment. */
  readonly valueEnd: number;
}

export interface TomlTable {
  /** Parts of the header; empty for the entries before the first header. */
  readonly path: readonly string[];
  /** Behind the header's line break, where its first line begins. */
  readonly bodyStart: number;
  /** Where the next header's line begins, or the text ends. */
  readonly end: number;
  readonly entries: readonly TomlEntry[];
}

interface OpenTable {
  readonly path: readonly string[];
  readonly bodyStart: number;
  readonly entries: TomlEntry[];
}

export function scanToml(text: string): readonly TomlTable[] {
  const tables: TomlTable[] = [];
  let open: OpenTable = { path: [], bodyStart: 0, entries: [] };
  for (let at = skipSpace(text, 0); at < text.length; at = skipSpace(text, at)) {
    if (text[at] === '#') {
      at = lineEnd(text, at);
    } else if (text[at] === '[') {
      tables.push({ ...open, end: lineStart(text, at) });
      const key = readKey(text, text[at + 1] === '[' ? at + 2 : at + 1);
      const end = lineEnd(text, key.end);
      open = { path: key.path, bodyStart: end, entries: [] };
      at = end;
    } else {
      const entry = readEntry(text, at, open.path);
      open.entries.push(entry);
      at = entry.valueEnd;
    }
  }
  return [...tables, { ...open, end: text.length }];
}

/** The entries of an inline table whose `{` is at the given offset. */
export function scanInlineTable(
  text: string,
  { start, path }: { readonly start: number; readonly path: readonly string[] },
): { readonly entries: readonly TomlEntry[]; readonly start: number; readonly end: number } {
  const entries: TomlEntry[] = [];
  const end = valueEndOf(text, start) - 1;
  for (let at = skipFiller(text, start + 1); at < end; at = skipFiller(text, at)) {
    const entry = readEntry(text, at, path);
    entries.push(entry);
    at = entry.valueEnd;
  }
  return { entries, start, end };
}

function readEntry(text: string, start: number, table: readonly string[]): TomlEntry {
  const key = readKey(text, start);
  const valueStart = skipBlanks(text, key.end + 1);
  // At least one character further, whatever the text is.
  const valueEnd = Math.max(valueEndOf(text, valueStart), start + 1);
  return { path: [...table, ...key.path], start, valueStart, valueEnd };
}

/** `end` is the place of what ends the key: `=` or `]`. */
function readKey(text: string, start: number): { readonly path: readonly string[]; readonly end: number } {
  const path: string[] = [];
  let at = skipBlanks(text, start);
  for (;;) {
    const quote = text[at];
    const isQuoted = quote === '"' || quote === "'";
    const end = isQuoted ? stringEnd(text, at) : bareEnd(text, at);
    path.push(isQuoted ? unquote(text.slice(at, end)) : text.slice(at, end));
    at = skipBlanks(text, end);
    if (text[at] !== '.') return { path, end: at };
    at = skipBlanks(text, at + 1);
  }
}

/** An escape in a key is left as it is: none of our keys has one. */
function unquote(text: string): string {
  return text.slice(1, -1);
}

function bareEnd(text: string, start: number): number {
  return matchEnd(/[\w-]*/y, text, start);
}

/** Behind a value: a text, a list, an inline table, or a word up to what ends it. */
function valueEndOf(text: string, start: number): number {
  let depth = 0;
  let at = start;
  while (at < text.length) {
    const character = text.charAt(at);
    if (character === '"' || character === "'") {
      at = stringEnd(text, at);
    } else if (character === '[' || character === '{') {
      depth += 1;
      at += 1;
    } else if (character === ']' || character === '}') {
      depth -= 1;
      at += 1;
    } else if (depth > 0 && character === '#') {
      at = lineEnd(text, at);
    } else if (depth > 0) {
      at += 1;
    } else {
      at = wordEnd(text, at);
    }
    if (depth <= 0) return at;
  }
  return at;
}

/** A date may have one blank in it; other blanks before the end belong to no value. */
function wordEnd(text: string, start: number): number {
  const end = matchEnd(/[^\n\r#,[\]{}]*/y, text, start);
  return start + Math.max(text.slice(start, end).trimEnd().length, 1);
}

function stringEnd(text: string, start: number): number {
  const quote = text.charAt(start);
  const isLong = text.startsWith(quote.repeat(3), start);
  const mark = isLong ? quote.repeat(3) : quote;
  let at = start + mark.length;
  while (at < text.length && !text.startsWith(mark, at)) at += quote === '"' && text[at] === '\\' ? 2 : 1;
  const end = Math.min(at + mark.length, text.length);
  // Up to two quotes may precede the three that end a long text.
  return isLong ? matchEnd(quote === '"' ? /"*/y : /'*/y, text, end) : end;
}

function skipBlanks(text: string, start: number): number {
  return matchEnd(/[ \t]*/y, text, start);
}

function skipSpace(text: string, start: number): number {
  return matchEnd(/[ \t\r\n\uFEFF]*/y, text, start);
}

/** Skips what separates the entries of an inline table. */
function skipFiller(text: string, start: number): number {
  return matchEnd(/(?:[ \t\r\n,]|#[^\n]*)*/y, text, start);
}

function matchEnd(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = Math.min(start, text.length);
  // All of them also match nothing, so this always finds an end.
  pattern.test(text);
  return pattern.lastIndex;
}

export function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1;
}

/** Behind the line break, or the end of the text. */
export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end + 1;
}
