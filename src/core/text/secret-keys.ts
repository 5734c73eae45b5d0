/**
 * Private keys in PEM form. Only lines that look like part of the key are secret: a key without an end must not take the rest of a
 * log with it.
 */
import type { Part } from './secret-shapes.ts';

export const keyWord = '-----begin';
export const keyEndWord = '-----end';

const beginning = /-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----/iy;
const ending = /-----END[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----/i;
const endingHere = new RegExp(ending.source, 'iy');
/** Lines of a key have 64 or 76 characters, the last one fewer. */
const longRun = /[A-Za-z0-9+/]{24,}={0,2}/g;
const shortRun = /^[^A-Za-z0-9+/]*([A-Za-z0-9+/]{2,23}={0,2})[^A-Za-z0-9+/]*$/;
/** `Proc-Type: 4,ENCRYPTED` and empty lines may come before the key. */
const keyHeader = /^[^A-Za-z0-9]*(?:[A-Za-z-]{2,30}: .{0,200})?$/;

export interface KeyParts {
  readonly parts: readonly Part[];
  /** Everything before it was looked at. */
  readonly end: number;
  /** The text ends inside a key. */
  readonly isOpen: boolean;
}

/** Where a key begins; null: the word begins something else. */
export function keyStart(text: string, start: number): number | null {
  beginning.lastIndex = start;
  return beginning.test(text) ? beginning.lastIndex : null;
}

/** The parts of a key from here on, up to its end or to the first line that is none of it. */
export function keyParts(text: string, from: number): KeyParts {
  const parts: Part[] = [];
  for (let at = from; at < text.length;) {
    const lineEnd = text.indexOf('\n', at);
    const line = text.slice(at, lineEnd === -1 ? text.length : lineEnd);
    const end = ending.exec(line);
    const found = runsOf(end === null ? line : line.slice(0, end.index), parts.length > 0);
    for (const { start, end: stop } of found.runs) parts.push({ start: at + start, end: at + stop });

    const isOver = end !== null || found.isLast || (found.runs.length === 0 && !isBefore(line, parts));
    if (isOver)
      return { parts, end: at + (end === null ? line.length : end.index + end[0].length), isOpen: false };
    at += line.length + 1;
  }
  return { parts, end: text.length, isOpen: true };
}

function isBefore(line: string, parts: readonly Part[]): boolean {
  return parts.length === 0 && keyHeader.test(line);
}

function runsOf(
  line: string,
  isInside: boolean,
): { readonly runs: readonly Part[]; readonly isLast: boolean } {
  const runs = [...line.matchAll(longRun)].map(({ 0: run, index }) => ({
    start: index,
    end: index + run.length,
  }));
  const rest = runs.length === 0 && isInside ? shortRun.exec(line) : null;
  if (rest === null) return { runs, isLast: false };

  const start = line.indexOf(rest[1] as string);
  return { runs: [{ start, end: start + (rest[1] as string).length }], isLast: true };
}

/** The lines of a key whose beginning was cut off, if the end of a key is here. `floor`: what is before it is known. */
export function keyPartsBefore(
  text: string,
  { start, floor }: { readonly start: number; readonly floor: number },
): readonly Part[] {
  endingHere.lastIndex = start;
  if (!endingHere.test(text)) return [];

  const parts: Part[] = [];
  for (let end = start; end > floor;) {
    // Never further back than what is new: a line full of ends is read once.
    const from = floor + text.slice(floor, end).lastIndexOf('\n') + 1;
    const { runs } = runsOf(text.slice(from, end), true);
    if (runs.length === 0 && end !== start) return parts;
    for (const run of runs) parts.push({ start: from + run.start, end: from + run.end });
    end = from - 1;
  }
  return parts;
}
