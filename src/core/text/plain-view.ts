/**
 * A line as its reader would see it: JSON escapes and percent codes decoded, colour codes removed, also where one is inside the
 * other. It knows which characters of the source each of its own came from.
 */

export interface PlainView {
  readonly text: string;
  /** The part of the source that a part of this text came from. */
  readonly sourceOf: (start: number, end: number) => { readonly start: number; readonly end: number };
}

/** `%` alone is common; only a code counts. */
export const codeStart =
  // oxlint-disable-next-line no-control-regex -- it is what it looks for
  /[\\\u001b]|%[0-9a-fA-F]{2}/g;

const code =
  // oxlint-disable-next-line no-control-regex -- these are what it looks for
  /\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|033|[nrtbfe"'/\\])|%[0-9a-fA-F]{2}|\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b\n]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])/g;

const letters: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  e: '\u001b',
};

/** JSON within JSON within JSON; deeper ones are read as they are. */
const depthMax = 3;

/** Decoded once, twice and three times, as far as there is something to decode. */
export function plainViews(source: string): readonly PlainView[] {
  const views: PlainView[] = [];
  for (let depth = 0; depth < depthMax; depth += 1) {
    const outer = views.at(-1);
    const inner = decoded(outer?.text ?? source, { pattern: code, decodeOne });
    if (inner === null) break;
    views.push(outer === undefined ? inner : joinViews(outer, inner));
  }
  return views;
}

/** `inner` is a view of the text of `outer`. */
export function joinViews(outer: PlainView, inner: PlainView): PlainView {
  return {
    text: inner.text,
    sourceOf: (start, end) => {
      const part = inner.sourceOf(start, end);
      return outer.sourceOf(part.start, part.end);
    },
  };
}

interface Codes {
  /** Where each code begins in the source, and where source and text go on behind it. */
  readonly begins: readonly number[];
  readonly there: readonly number[];
  readonly here: readonly number[];
}

export interface Decoding {
  readonly pattern: RegExp;
  readonly decodeOne: (found: string) => string;
}

/** Null: there is nothing to decode. */
export function decoded(source: string, { pattern, decodeOne: read }: Decoding): PlainView | null {
  const begins: number[] = [-1];
  const there: number[] = [0];
  const here: number[] = [0];
  const parts: string[] = [];
  let length = 0;
  let last = 0;
  pattern.lastIndex = 0;
  for (let found = pattern.exec(source); found !== null; found = pattern.exec(source)) {
    const char = read(found[0]);
    parts.push(source.slice(last, found.index), char);
    length += found.index - last + char.length;
    last = pattern.lastIndex;
    begins.push(found.index);
    there.push(last);
    here.push(length);
  }
  if (last === 0) return null;

  parts.push(source.slice(last));
  return { text: parts.join(''), sourceOf: (start, end) => partOf({ begins, there, here }, start, end) };
}

function partOf(codes: Codes, start: number, end: number): { readonly start: number; readonly end: number } {
  const { begins, there } = codes;
  const index = lastBefore(codes, end - 1);
  const at = charAt(codes, end - 1, index);
  // The last character may be a code, or half of what a code means: then all of it belongs to the part.
  const isCode = at >= (begins[index + 1] ?? Infinity);
  return {
    start: charAt(codes, start, lastBefore(codes, start)),
    end: isCode ? (there[index + 1] as number) : at + 1,
  };
}

/** The last code that ends at or before a character of the text. */
function lastBefore({ here }: Codes, at: number): number {
  let low = 0;
  let high = here.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((here[middle] as number) <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

function charAt({ here, there }: Codes, at: number, index: number): number {
  return (there[index] as number) + at - (here[index] as number);
}

function decodeOne(found: string): string {
  if (found.startsWith('\u001b')) return '';
  if (found.startsWith('%')) return String.fromCharCode(Number.parseInt(found.slice(1), 16));
  if (found.length > 3 && found !== '\\033') return String.fromCharCode(Number.parseInt(found.slice(2), 16));
  return found === '\\033' ? '\u001b' : (letters[found.slice(1)] ?? found.slice(1));
}
