/**
 * Redacts secrets where text enters what the runner writes (§14): known values in every form, and what looks like a secret, also
 * inside JSON escapes, percent codes and colours. It can miss a secret of an unknown shape. Pure; everything else stays as it is.
 */
import { secretFinder } from './secret-finder.ts';
import type { Finder } from './secret-finder.ts';
import type { Part } from './secret-shapes.ts';

export const redactedWord = '[redacted]';

const blockLength = 64 * 1024;
/** A line this long is taken in pieces. */
const lineLengthMax = 256 * 1024;
/** What a shape may need behind the end of a piece, and a character of a value in its longest form. */
const shapeLengthMax = 8192;
const codedCharLength = 12;

/** A stretch of the input: as it was, or redacted. */
export interface Piece {
  readonly text: string;
  /** Length of that stretch in the input. */
  readonly length: number;
  readonly isSecret: boolean;
}

export interface RedactStream {
  /** Contract: gives back what is decided; a secret that is split over two writes is found. */
  readonly write: (text: string) => readonly Piece[];
  /** Contract: gives back the rest. Last call. */
  readonly end: () => readonly Piece[];
}

export interface StreamOptions {
  /** Every whole line at once, for a live view. */
  readonly isEager?: boolean;
  /** The text has a character for each byte. */
  readonly isBytes?: boolean;
}

export interface Redactor {
  readonly redact: (text: string) => string;
  readonly stream: (options?: StreamOptions) => RedactStream;
}

/** `values`: texts that are secret wherever they occur; short ones are ignored. */
export function redactor(values: readonly string[]): Redactor {
  // Made at the first text: most commands have none.
  let finder: Finder | null = null;
  const known = (): Finder => {
    finder ??= secretFinder(values);
    return finder;
  };
  return {
    stream: (options = {}) => openStream(known(), options),
    redact: (text) => {
      if (text === '') return text;

      // Most texts are a line.
      if (text.length <= blockLength) {
        const { parts } = known().find(text, { isInKey: false, isBytes: false });
        return joinPieces(cutPieces(text, parts));
      }
      const { write, end } = openStream(known(), {});
      return joinPieces([...write(text), ...end()]);
    },
  };
}

function joinPieces(pieces: readonly Piece[]): string {
  return pieces.map((piece) => piece.text).join('');
}

/** Every text inside a value; keys and everything else stay. */
export function redactDeep<T>(value: T, redact: (text: string) => string): T {
  const walk = (one: unknown): unknown => {
    if (typeof one === 'string') return redact(one);
    if (Array.isArray(one)) return one.map(walk);
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(Object.entries(one).map(([key, inner]) => [key, walk(inner)]));
  };
  return walk(value) as T;
}

function openStream(
  { find, reach }: Finder,
  { isEager = false, isBytes = false }: StreamOptions,
): RedactStream {
  /** From how many waiting characters on whole lines are taken. */
  const readyLength = isEager ? 1 : blockLength;
  let waiting = '';
  let isInKey = false;
  const take = (length: number): readonly Piece[] => {
    const found = find(waiting.slice(0, length), { isInKey, isBytes });
    const pieces = cutPieces(waiting.slice(0, length), found.parts);
    isInKey = found.isInKey;
    waiting = waiting.slice(length);
    return pieces;
  };
  /** A line without an end: up to where no secret can begin that is not whole here. */
  const takePart = (): readonly Piece[] => {
    const { parts } = find(waiting, { isInKey, isBytes });
    const wanted = waiting.length - shapeLengthMax - reach * codedCharLength;
    const crossing = parts.find((part) => part.start < wanted && part.end > wanted);
    const end = beforeCode(waiting, Math.max(1, crossing?.start ?? wanted));
    const pieces = cutPieces(
      waiting.slice(0, end),
      parts.filter((part) => part.end <= end),
    );
    waiting = waiting.slice(end);
    return pieces;
  };
  const takeReady = (): readonly Piece[] => {
    const newline = waiting.lastIndexOf('\n');
    if (newline !== -1) return take(newline + 1);
    return waiting.length < lineLengthMax + reach * codedCharLength ? [] : takePart();
  };
  return {
    write: (text) => {
      const pieces: Piece[] = [];
      // In bounded steps, however long the text is.
      for (let at = 0; at < text.length; at += blockLength) {
        waiting += text.slice(at, at + blockLength);
        if (waiting.length >= readyLength) pieces.push(...takeReady());
      }
      return pieces;
    },
    end: () => take(waiting.length),
  };
}

/** So that no piece ends inside a code, which is then decoded in neither. */
function beforeCode(text: string, end: number): number {
  // oxlint-disable-next-line no-control-regex -- it is what it looks for
  const at = text.slice(Math.max(0, end - codedCharLength), end).search(/[\\%\u001b]/);
  return at === -1 ? end : Math.max(1, end - codedCharLength) + at;
}

function cutPieces(text: string, parts: readonly Part[]): readonly Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  const keep = (end: number): void => {
    if (end > at) pieces.push({ text: text.slice(at, end), length: end - at, isSecret: false });
  };
  for (const part of parts) {
    keep(part.start);
    pieces.push({ text: redactedWord, length: part.end - part.start, isSecret: true });
    at = part.end;
  }
  keep(text.length);
  return pieces;
}
