/**
 * A line as it is when its control characters have acted and its hidden ones are gone: what `renderTerminal` and `cleanText` make of
 * it. It knows which characters of the source each of its own came from.
 */
import { decoded, joinViews } from './plain-view.ts';
import type { Decoding, PlainView } from './plain-view.ts';
import { escapeSequence, hidden } from './terminal-text.ts';

/** Where something is hidden, or may be in a character of two halves: in a text, and in one that has a character for each byte. */
export const hiddenStarts = {
  text:
    // oxlint-disable-next-line no-control-regex, no-misleading-character-class -- these are what it looks for
    /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff]|\r(?!\n)/g,
  bytes:
    // oxlint-disable-next-line no-control-regex -- these are what it looks for
    /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]|\r(?!\n)|\xc2[\x80-\x9f\xad]|\xcd\x8f|\xd8\x9c|\xe1(?:\x85[\x9f\xa0]|\x9e[\xb4\xb5]|\xa0[\x8b-\x8f])|\xe2(?:\x80[\x8b-\x8f\xa8-\xae]|\x81[\xa0-\xaf])|\xe3\x85\xa4|\xef(?:\xb7[\x90-\xaf]|\xb8[\x80-\x8f]|\xbb\xbf|\xbe\xa0|\xbf[\xb0-\xbb\xbe\xbf])|\xf0\x9b\xb2[\xa0-\xa3]|\xf0\x9d\x85[\xb3-\xba]|[\xf0-\xf4][\x8f\x9f\xaf\xbf]\xbf[\xbe\xbf]|\xf3\xa0/g,
} as const;

/** UTF-8, and what a reader shows of bytes that are none. */
const utf8: Decoding = {
  pattern:
    /[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|\xe0[\xa0-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]|\xed[\x80-\x9f]|\xf0[\x90-\xbf][\x80-\xbf]?|[\xf1-\xf3][\x80-\xbf]{1,2}|\xf4[\x80-\x8f][\x80-\xbf]?|[\x80-\xff]/g,
  decodeOne: (found) => {
    const [first = 0, ...rest] = Array.from(found, (char) => char.charCodeAt(0));
    // By its first bits, the number of bytes.
    const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (found.length !== length) return '\ufffd';
    return String.fromCodePoint(
      rest.reduce((point, byte) => point * 64 + (byte & 63), first & (255 >> (length + 1))),
    );
  },
};

/** What is never shown. */
const unseen: readonly Decoding[] = [
  new RegExp(escapeSequence.source, 'g'),
  new RegExp(hidden.source, 'gu'),
].map((pattern) => ({ pattern, decodeOne: () => '' }));

export interface ShownAs {
  /** The source has a character for each byte. */
  readonly isBytes: boolean;
  /** Carriage returns and backspaces act, as in a log; else they only end lines and vanish, as in an agent's words. */
  readonly isLog: boolean;
}

/** None: nothing is hidden. */
export function shownViews(source: string, { isBytes, isLog }: ShownAs): readonly PlainView[] {
  if (source.search(isBytes ? hiddenStarts.bytes : hiddenStarts.text) === -1) return [];
  const outer = isBytes ? decoded(source, utf8) : null;
  const text = outer?.text ?? source;
  if (!hidden.test(text)) return [];
  const acts = isLog && /[\r\b]/.test(text);
  const views = [...wordsView(text.replaceAll(/[\r\u2028\u2029]/g, '\n')), ...(acts ? [logView(text)] : [])];
  return outer === null ? views : views.map((view) => joinViews(outer, view));
}

/** None: nothing but ends of lines was hidden. */
function wordsView(text: string): readonly PlainView[] {
  let view: PlainView | null = null;
  for (const decoding of unseen) {
    const outer: PlainView | null = view;
    const inner = decoded(outer?.text ?? text, decoding);
    if (inner !== null) view = outer === null ? inner : joinViews(outer, inner);
  }
  return view === null ? [] : [view];
}

function logView(text: string): PlainView {
  const cells: number[] = [];
  let line = 0;
  let column = 0;
  let at = 0;
  const showTo = (end: number): void => {
    while (at < end) {
      const char = charAt(text, at);
      if (char === '\n') {
        line = cells.push(at);
        column = line;
      } else if (char === '\r') {
        column = line;
      } else if (char === '\b') {
        column = Math.max(line, column - 1);
      } else if (!hidden.test(char)) {
        cells[column] = at;
        column += 1;
      }
      at += char.length;
    }
  };
  for (const { 0: sequence, index } of text.matchAll(escapeSequence)) {
    showTo(index);
    at = index + sequence.length;
  }
  showTo(text.length);
  // A character may have two halves.
  const places = cells.flatMap((cell) => (charAt(text, cell).length === 1 ? [cell] : [cell, cell + 1]));
  return { text: cells.map((cell) => charAt(text, cell)).join(''), sourceOf: partOf(places) };
}

function charAt(text: string, at: number): string {
  return String.fromCodePoint(text.codePointAt(at) as number);
}

/** Its characters may be in another order in the source; all between them belongs to the part. */
function partOf(places: readonly number[]): PlainView['sourceOf'] {
  return (start, end) => {
    let first = places[start] as number;
    let last = first;
    for (const place of places.slice(start, end)) {
      first = Math.min(first, place);
      last = Math.max(last, place);
    }
    return { start: first, end: last + 1 };
  };
}
