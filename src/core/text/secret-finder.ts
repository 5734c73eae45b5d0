/**
 * Finds the secrets of a text: known values, private keys and shapes, in the text as it is and in its lines as a reader would see
 * them. It says where they are and changes nothing.
 */
import { codeStart, joinViews, plainViews } from './plain-view.ts';
import type { PlainView } from './plain-view.ts';
import { keyEndWord, keyParts, keyPartsBefore, keyStart, keyWord } from './secret-keys.ts';
import { secretShapes } from './secret-shapes.ts';
import type { Part, Shape } from './secret-shapes.ts';
import { hiddenStarts, shownViews } from './shown-view.ts';
import { wordScanner } from './word-scan.ts';

/** Shorter values would be found in the middle of ordinary words. */
const secretLengthMin = 8;
/** So much of a value is looked for; the rest is compared. */
const valueWordLength = 16;

export interface Finding {
  /** In order, apart from each other. */
  readonly parts: readonly Part[];
  /** The text ends inside a private key. */
  readonly isInKey: boolean;
}

export interface Reading {
  /** The text before this one ended inside a private key. */
  readonly isInKey: boolean;
  /** The text has a character for each byte. */
  readonly isBytes: boolean;
}

export interface Finder {
  readonly find: (text: string, reading: Reading) => Finding;
  /** Length of the longest value. */
  readonly reach: number;
}

export function secretFinder(given: readonly string[]): Finder {
  const values = knownValues(given);
  const rules = secretShapes();
  const scan = wordScanner([
    keyWord,
    keyEndWord,
    ...rules.map(({ word }) => word),
    ...values.map((value) => value.slice(0, valueWordLength)),
  ]);
  const shapes = [...rules.map((rule) => rule.shapes), ...values.map((value) => [valueShape(value)])];
  const firstValue = 2 + rules.length;
  const findPlain = (text: string, isInKey: boolean): Finding => {
    const first = isInKey ? keyParts(text, 0) : { parts: [], end: 0, isOpen: false };
    const parts: Part[] = [...first.parts];
    let key = first;
    let lastEnd = 0;
    let hiddenTo = 0;
    scan(text, (word, start) => {
      if (word > 1) {
        // Inside a token there are words of others; looking there again and again would take long.
        if (start < hiddenTo && word < firstValue) return;

        for (const shape of shapes[word - 2] as readonly Shape[]) {
          for (const part of shape(text, start)) {
            hiddenTo = Math.max(hiddenTo, part.end);
            parts.push(part);
          }
        }
      } else if (start >= key.end) {
        const from = word === 0 ? keyStart(text, start) : null;
        if (from !== null) key = keyParts(text, from);
        parts.push(...(from === null ? keyPartsBefore(text, { start, floor: lastEnd }) : key.parts));
        lastEnd = start;
      }
    });
    return { parts, isInKey: key.isOpen };
  };
  return {
    reach: Math.max(0, ...values.map((value) => value.length)),
    find: (text, { isInKey, isBytes }) => {
      const { parts, isInKey: isOpen } = findPlain(text, isInKey);
      const found = linesWithCodes(text, isBytes).flatMap(({ start, line }) =>
        viewsOf(line, isBytes).flatMap(({ view, isRaw }) =>
          findPlain(view.text, false).parts.map((part) => {
            const there = moved(view.sourceOf(part.start, part.end), start);
            return isRaw ? outsideEscapes(text, there) : there;
          }),
        ),
      );
      const whole = parts.map((part) => outsideEscapes(text, part));
      return { parts: joinParts([...whole, ...found]), isInKey: isOpen };
    },
  };
}

/** Each as it is, and as a reader sees it: a value may itself look like a code, or have characters that nobody sees. */
function knownValues(given: readonly string[]): readonly string[] {
  const all = given.flatMap((value) => [value, ...viewsOf(value, false).map(({ view }) => view.text)]);
  return [...new Set(all)].filter((value) => value.length >= secretLengthMin);
}

function valueShape(value: string): Shape {
  return (text, start) => (text.startsWith(value, start) ? [{ start, end: start + value.length }] : []);
}

/** The lines in which something is coded or hidden. */
function linesWithCodes(
  text: string,
  isBytes: boolean,
): readonly { readonly start: number; readonly line: string }[] {
  const lines = [];
  const starts = [codeStart, isBytes ? hiddenStarts.bytes : hiddenStarts.text].map((pattern) => ({
    pattern,
    at: -1,
  }));
  for (let from = 0; ;) {
    for (const one of starts) if (one.at < from) one.at = firstFrom(text, one.pattern, from);
    const at = Math.min(...starts.map((one) => one.at));
    if (at === Infinity) return lines;
    const start = text.lastIndexOf('\n', at) + 1;
    const newline = text.indexOf('\n', at);
    const end = newline === -1 ? text.length : newline;
    lines.push({ start, line: text.slice(start, end) });
    from = end;
  }
}

function firstFrom(text: string, pattern: RegExp, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? Infinity;
}

interface View {
  readonly view: PlainView;
  /** Nothing was decoded: a part of it may begin or end inside an escape. */
  readonly isRaw: boolean;
}

/** All decoded; and as it is shown, before and after each decoding. */
function viewsOf(line: string, isBytes: boolean): readonly View[] {
  const all = plainViews(line);
  const shown = all.flatMap((outer) =>
    shownViews(outer.text, { isBytes, isLog: false }).map((inner) => joinViews(outer, inner)),
  );
  const views = [
    ...[...all.slice(-1), ...shown].map((view) => ({ view, isRaw: false })),
    ...shownViews(line, { isBytes, isLog: true }).map((view) => ({ view, isRaw: true })),
  ];
  // Most are alike, and each costs a search.
  return views.filter(({ view }, at) => !views.slice(0, at).some((other) => other.view.text === view.text));
}

function moved({ start, end }: Part, by: number): Part {
  return { start: start + by, end: end + by };
}

/** The `n` of `\\n` is no part of a secret: without it the line would be no JSON any more. */
function outsideEscapes(text: string, { start, end }: Part): Part {
  const length = /^u[0-9a-fA-F]{4}/.test(text.slice(start, start + 5)) ? 5 : 1;
  return {
    start: isEscaped(text, start) ? Math.min(start + length, end) : start,
    end: isEscaped(text, end) ? end - 1 : end,
  };
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text[at - 1 - slashes] === '\\') slashes += 1;
  return slashes % 2 === 1;
}

function joinParts(parts: readonly Part[]): readonly Part[] {
  const joined: Part[] = [];
  for (const part of parts.toSorted((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last === undefined || part.start > last.end) joined.push(part);
    else joined[joined.length - 1] = { start: last.start, end: Math.max(last.end, part.end) };
  }
  return joined;
}
