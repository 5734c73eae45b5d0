/**
 * The part of a log that is in view, as chunks of lines: a long file is opened at its end, paged backwards, and grows while it is
 * written. Pure: bytes are passed in.
 */
import { parseAnsi, plainStyle } from './ansi.ts';
import type { AnsiLine, AnsiStyle } from './ansi.ts';

interface Chunk {
  readonly start: number;
  readonly lines: readonly AnsiLine[];
}

export interface LogWindow {
  /** The bytes from `start` to `end` of `total` are in it. */
  readonly start: number;
  readonly end: number;
  readonly total: number;
  readonly chunks: readonly Chunk[];
  readonly style: AnsiStyle;
  /** Lines that came in front since the file was opened, less those that were let go: where a line is moves by as much. */
  readonly shift: number;
  /** Bytes of a last line that may go on. */
  readonly open: Uint8Array;
}

export const pageBytes = 256 * 1024;
const linesMax = 40_000;
const lineFeed = 10;

export const emptyLog: LogWindow = {
  start: 0,
  end: 0,
  total: 0,
  chunks: [],
  style: plainStyle,
  shift: 0,
  open: new Uint8Array(),
};

/** Where the first whole line begins, or else the first whole character. */
function firstLineIn(bytes: Uint8Array): number {
  const feed = bytes.indexOf(lineFeed);
  if (feed !== -1 && feed < bytes.length - 1) return feed + 1;
  const whole = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return whole === -1 ? 0 : whole;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** The bytes in front of the window. */
export function prependLog(log: LogWindow, start: number, bytes: Uint8Array): LogWindow {
  const from = start === 0 ? 0 : firstLineIn(bytes);
  const text = decode(bytes.subarray(from)).replace(/\n$/u, '');
  const chunk = { start: start + from, lines: parseAnsi(text).lines };
  return {
    ...log,
    start: chunk.start,
    chunks: [chunk, ...log.chunks],
    shift: log.shift + chunk.lines.length,
  };
}

/** The bytes behind the window; the first ones ever set its beginning. What is far above is let go. */
export function appendLog(log: LogWindow, start: number, bytes: Uint8Array, total: number): LogWindow {
  const isFirst = log.chunks.length === 0 && log.open.length === 0;
  const from = isFirst && start > 0 ? firstLineIn(bytes) : 0;
  const joined = joinBytes(log.open, bytes.subarray(from));
  const last = joined.lastIndexOf(lineFeed) + 1;
  const at = isFirst ? start + from : log.end - log.open.length;
  const { lines, style } =
    last === 0 ? { lines: [], style: log.style } : parseAnsi(decode(joined.subarray(0, last - 1)), log.style);
  const all = last === 0 ? log.chunks : [...log.chunks, { start: at, lines }];
  const chunks = trim(all);
  return {
    start: chunks[0]?.start ?? at,
    end: start + bytes.length,
    total,
    chunks,
    style,
    shift: log.shift - countLines(all) + countLines(chunks),
    open: joined.slice(last),
  };
}

function joinBytes(a: Uint8Array, b: Uint8Array): Uint8Array {
  const joined = new Uint8Array(a.length + b.length);
  joined.set(a);
  joined.set(b, a.length);
  return joined;
}

function countLines(chunks: readonly Chunk[]): number {
  return chunks.reduce((sum, chunk) => sum + chunk.lines.length, 0);
}

function trim(chunks: readonly Chunk[]): readonly Chunk[] {
  let kept = chunks;
  let count = countLines(chunks);
  while (count > linesMax && kept.length > 1) {
    count -= kept[0]?.lines.length ?? 0;
    kept = kept.slice(1);
  }
  return kept;
}

/** All lines of the window, an unfinished one last. */
export function linesOf(log: LogWindow): readonly AnsiLine[] {
  const whole = log.chunks.flatMap((chunk) => chunk.lines);
  return log.open.length === 0 ? whole : [...whole, ...parseAnsi(decode(log.open), log.style).lines];
}
