/**
 * Sets or removes one key in the text of `config.toml` and keeps every other byte: comments, order, blank lines, line endings
 * (§9). It knows positions, not meanings; the caller parses the result before it is written.
 */
import { lineEnd, lineStart, scanInlineTable, scanToml } from '../text/toml-scan.ts';
import type { TomlEntry, TomlTable } from '../text/toml-scan.ts';

export type SettingValue = string | number | boolean | readonly string[];

/** As TOML writes it, on one line. */
export function renderSetting(value: SettingValue): string {
  if (typeof value === 'string') return renderText(value);
  if (typeof value === 'object') return `[${value.map(renderText).join(', ')}]`;
  return String(value);
}

/** TOML takes JSON's escapes; only DEL, which JSON leaves unescaped, must be escaped. */
function renderText(text: string): string {
  return JSON.stringify(text).replaceAll('\u007F', String.raw`\u007F`);
}

/** The text with the key set: an existing value is replaced in place, else one line is added to its table. */
export function applySetting(text: string, key: string, value: SettingValue): string {
  const literal = renderSetting(value);
  const { tables, inline, found } = lookUp(text, key);
  if (found !== null) return splice(text, { start: found.valueStart, end: found.valueEnd }, literal);
  if (inline !== null) return addInline(text, inline, `${below(key, inline.path)} = ${literal}`);
  return addLine(text, tables, { key, literal });
}

/** The text without the key: its line goes, and with it a comment behind the value. The same text when it is not set. */
export function removeSetting(text: string, key: string): string {
  const { inline, found } = lookUp(text, key);
  if (found === null) return text;
  if (inline !== null) return removeInline(text, inline, found);
  // Only blanks, and in the first line a byte order mark, may precede a key.
  const blanks = /[ \t]*$/.exec(text.slice(lineStart(text, found.start), found.start));
  return splice(text, { start: found.start - String(blanks).length, end: lineEnd(text, found.valueEnd) }, '');
}

/** The line (from 1) where the file sets the key; null when it does not. */
export function findSettingLine(text: string, key: string): number | null {
  const { found } = lookUp(text, key);
  return found === null ? null : text.slice(0, found.start).split('\n').length;
}

interface Lookup {
  readonly tables: readonly TomlTable[];
  readonly inline: Inline | null;
  readonly found: TomlEntry | null;
}

function lookUp(text: string, key: string): Lookup {
  const tables = scanToml(text);
  const inline = findInline(text, tables, key);
  return { tables, inline, found: findEntry(inline === null ? tables : [inline], key) };
}

function nameOf(key: string): string {
  return key.slice(key.lastIndexOf('.') + 1);
}

/** The key as it is written in a table. */
function below(key: string, table: readonly string[]): string {
  return key.split('.').slice(table.length).join('.');
}

/** `agent` of `agent.name`, nothing for a key outside tables. */
function sectionOf(key: string): string {
  return key.slice(0, Math.max(0, key.lastIndexOf('.')));
}

interface Range {
  readonly start: number;
  readonly end: number;
}

function splice(text: string, { start, end }: Range, put: string): string {
  return text.slice(0, start) + put + text.slice(end);
}

interface Entries {
  readonly entries: readonly TomlEntry[];
}

function findEntry(tables: readonly Entries[], key: string): TomlEntry | null {
  return tables.flatMap(({ entries }) => entries).find(({ path }) => path.join('.') === key) ?? null;
}

interface Inline extends Entries {
  readonly path: readonly string[];
  /** Offsets of its `{` and its `}`. */
  readonly start: number;
  readonly end: number;
}

/** The innermost `{ … }` that the key is in, or would have to be in. */
function findInline(text: string, tables: readonly TomlTable[], key: string): Inline | null {
  let inline: Inline | null = null;
  let entries: readonly TomlEntry[] = tables.flatMap((table) => table.entries);
  for (;;) {
    const owner = entries.find(
      ({ path, valueStart }) => text[valueStart] === '{' && key.startsWith(`${path.join('.')}.`),
    );
    if (owner === undefined) return inline;
    const { path, valueStart: start } = owner;
    inline = { ...scanInlineTable(text, { start, path }), path };
    ({ entries } = inline);
  }
}

function addInline(text: string, { entries, start, end }: Inline, item: string): string {
  const last = entries.at(-1);
  if (last === undefined) return splice(text, { start: start + 1, end }, ` ${item} `);
  return splice(text, { start: last.valueEnd, end: last.valueEnd }, `, ${item}`);
}

/** With the comma that joined it to its neighbour. */
function removeInline(text: string, { entries }: Inline, found: TomlEntry): string {
  const at = entries.indexOf(found);
  const after = entries[at + 1];
  if (after !== undefined) return splice(text, { start: found.start, end: after.start }, '');
  return splice(text, { start: entries[at - 1]?.valueEnd ?? found.start, end: found.valueEnd }, '');
}

interface Addition {
  readonly key: string;
  readonly literal: string;
}

function addLine(text: string, tables: readonly TomlTable[], { key, literal }: Addition): string {
  const section = sectionOf(key);
  const name = nameOf(key);
  const table = tables.find(({ path }) => path.join('.') === section);
  if (table !== undefined)
    return insertLines(text, placeInTable(text, table, name), [`${name} = ${literal}`]);
  const dotted = findDotted(tables, section);
  if (dotted !== null) {
    const line = `${below(key, dotted.table)} = ${literal}`;
    return insertLines(text, lineEnd(text, dotted.entry.valueEnd), [line]);
  }

  const gap = text.trim() === '' || /\n\r?\n$/.test(text) ? [] : [''];
  return insertLines(text, text.length, [...gap, `[${section}]`, `${name} = ${literal}`]);
}

interface Dotted {
  readonly entry: TomlEntry;
  readonly table: readonly string[];
}

/** The last dotted key that began the section or a table above it: such a table may not get a header. */
function findDotted(tables: readonly TomlTable[], section: string): Dotted | null {
  const parts = section.split('.');
  for (const [at] of parts.toReversed().entries()) {
    const begun = parts.slice(0, parts.length - at);
    const found = tables
      .filter(({ path }) => path.length < begun.length)
      .flatMap(({ path, entries }) => entries.map((entry) => ({ entry, table: path })))
      .findLast(({ entry }) => begun.every((part, index) => entry.path[index] === part));
    if (found !== undefined) return found;
  }
  return null;
}

/** Below its commented default, as `init` writes them; else behind the last key of the table; else at its top. */
function placeInTable(text: string, table: TomlTable, name: string): number {
  const comment = findComment(text, table, name);
  if (comment !== null) return comment;
  const last = table.entries.at(-1);
  if (last !== undefined) return lineEnd(text, last.valueEnd);
  return table.path.length > 0 ? table.bodyStart : placeAtTop(text, table);
}

/** Where the line behind `# name = …` begins; a `#` inside a text or a list is no comment. */
function findComment(text: string, table: TomlTable, name: string): number | null {
  for (let at = table.bodyStart; at < table.end; at = lineEnd(text, at)) {
    const line = text.slice(at, lineEnd(text, at));
    const isInside = table.entries.some((entry) => entry.start < at && at < entry.valueEnd);
    if (!isInside && /^[ \t]*#[ \t]*([\w-]+)[ \t]*=/.exec(line)?.[1] === name) return lineEnd(text, at);
  }
  return null;
}

/** In a file without a key of its own: above the comment that belongs to the first header, below what speaks of the file. */
function placeAtTop(text: string, { end }: TomlTable): number {
  if (end === text.length) return end;
  let at = end;
  while (at > 0 && text.slice(lineStart(text, at - 1), at).trim() !== '') at = lineStart(text, at - 1);
  return at > 0 ? lineStart(text, at - 1) : fileHead(text);
}

/** Behind a byte order mark and a line for editors, which must stay the first. */
function fileHead(text: string): number {
  const start = text.startsWith('\uFEFF') ? 1 : 0;
  return text.startsWith('#:', start) ? lineEnd(text, start) : start;
}

/** Whole lines, with the line ending of the file; the line before gets one when it has none. */
function insertLines(text: string, at: number, lines: readonly string[]): string {
  const ending = text.includes('\r\n') ? '\r\n' : '\n';
  const before = text.slice(0, at);
  const isOpen = !/(?:^\uFEFF?|\n)$/.test(before);
  const added = lines.map((line) => `${line}${ending}`).join('');
  return `${before}${isOpen ? ending : ''}${added}${text.slice(at)}`;
}
