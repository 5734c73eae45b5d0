/**
 * The rows of a log on the screen: a line each, or with wrapping as many as it needs, all of the same height. And where a search finds
 * something. Pure: how many characters fit is passed in.
 */
import type { AnsiLine, AnsiSpan } from './ansi.ts';

/** Of a longer line the rest is left out. */
export const lineLengthMax = 2000;

export interface LogRow {
  /** Which line, from 0 on. */
  readonly line: number;
  readonly spans: readonly AnsiSpan[];
  /** Characters of the line in front of it; 0: its first row. */
  readonly from: number;
  /** Characters that are not shown. */
  readonly left: number;
}

export interface LogRows {
  readonly count: number;
  readonly rowAt: (index: number) => LogRow;
  readonly firstRowOf: (line: number) => number;
}

/** `columns`: how many characters fit into a row; null: lines are not wrapped. */
export function layRows(lines: readonly AnsiLine[], columns: number | null): LogRows {
  const row = (line: number, from: number, length: number): LogRow => {
    const spans = lines[line] ?? [];
    const all = lengthOf(spans);
    const left = from + length >= Math.min(all, lineLengthMax) ? Math.max(0, all - lineLengthMax) : 0;
    return { line, from, left, spans: cutSpans(spans, from, Math.min(from + length, lineLengthMax)) };
  };
  if (columns === null) {
    return {
      count: lines.length,
      rowAt: (index) => row(index, 0, lineLengthMax),
      firstRowOf: (line) => line,
    };
  }
  /** The row at which each line begins, and one more for the end. */
  const starts = [0];
  for (const line of lines) {
    const shown = Math.min(lengthOf(line), lineLengthMax);
    starts.push((starts.at(-1) ?? 0) + Math.max(1, Math.ceil(shown / columns)));
  }
  const lineAt = (index: number): number => {
    let [low, high] = [0, lines.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= index) low = middle;
      else high = middle;
    }
    return low;
  };
  return {
    count: starts.at(-1) ?? 0,
    firstRowOf: (line) => starts[Math.max(0, Math.min(line, lines.length))] ?? 0,
    rowAt: (index) => {
      const line = lineAt(index);
      return row(line, (index - (starts[line] ?? 0)) * columns, columns);
    },
  };
}

export function textOf(line: AnsiLine): string {
  return line.map((span) => span.text).join('');
}

function lengthOf(line: AnsiLine): number {
  return line.reduce((sum, span) => sum + span.text.length, 0);
}

/** The characters from `start` to `end`, in their spans. */
function cutSpans(line: AnsiLine, start: number, end: number): readonly AnsiSpan[] {
  const cut: AnsiSpan[] = [];
  let at = 0;
  for (const span of line) {
    const text = span.text.slice(Math.max(0, start - at), Math.max(0, end - at));
    if (text !== '') cut.push({ ...span, text });
    at += span.text.length;
    if (at >= end) break;
  }
  return cut;
}

/** The lines that hold the words, in any case. */
export function searchLines(lines: readonly AnsiLine[], words: string): readonly number[] {
  const wanted = words.toLowerCase();
  if (wanted === '') return [];
  return lines.flatMap((line, index) => (textOf(line).toLowerCase().includes(wanted) ? [index] : []));
}

export interface MarkedSpan extends AnsiSpan {
  readonly isFound: boolean;
}

/** The spans of a row, cut where the words begin and end. A match that two rows share is marked by its line only. */
export function markFound(spans: readonly AnsiSpan[], words: string): readonly MarkedSpan[] {
  const wanted = words.toLowerCase();
  const text = textOf(spans).toLowerCase();
  const plain = spans.map((span) => ({ ...span, isFound: false }));
  // Some characters have another length in the other case.
  if (wanted === '' || text.length !== lengthOf(spans)) return plain;
  const marked: MarkedSpan[] = [];
  let done = 0;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, done)) {
    marked.push(...cutSpans(spans, done, at).map((span) => ({ ...span, isFound: false })));
    done = at + wanted.length;
    marked.push(...cutSpans(spans, at, done).map((span) => ({ ...span, isFound: true })));
  }
  return done === 0
    ? plain
    : [...marked, ...cutSpans(spans, done, text.length).map((span) => ({ ...span, isFound: false }))];
}
