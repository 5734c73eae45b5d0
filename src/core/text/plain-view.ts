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

/** Null: there is nothing to decode. */
export function plainView(source: string): PlainView | null {
  let view: PlainView | null = null;
  for (let depth = 0; depth < depthMax; depth += 1) {
    const inner = decode(view?.text ?? source);
    if (inner === null) break;
    const outer: PlainView | null = view;
    view = outer === null ? inner : joined(outer, inner);
  }
  return view;
}

function joined(outer: PlainView, inner: PlainView): PlainView {
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

function decode(source: string): PlainView | null {
  const begins: number[] = [-1];
  const there: number[] = [0];
  const here: number[] = [0];
  const parts: string[] = [];
  let length = 0;
  let last = 0;
  code.lastIndex = 0;
  for (let found = code.exec(source); found !== null; found = code.exec(source)) {
    const char = decodeOne(found[0]);
    parts.push(source.slice(last, found.index), char);
    length += found.index - last + char.length;
    last = code.lastIndex;
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
  // The last character may be a code: then all of it belongs to the part.
  const isCode = begins[index + 1] === at;
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
