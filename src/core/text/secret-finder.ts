/**
 * Finds the secrets of a text: known values, private keys and shapes, in the text as it is and in its lines as a reader would see
 * them. It says where they are and changes nothing.
 */
import { codeStart, plainView } from './plain-view.ts';
import { keyEndWord, keyParts, keyPartsBefore, keyStart, keyWord } from './secret-keys.ts';
import { secretShapes } from './secret-shapes.ts';
import type { Part, Shape } from './secret-shapes.ts';
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

export interface Finder {
  /** `isInKey`: the text before this one ended inside a private key. */
  readonly find: (text: string, isInKey: boolean) => Finding;
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
  const findPlain: Finder['find'] = (text, isInKey) => {
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
    find: (text, isInKey) => {
      const { parts, isInKey: isOpen } = findPlain(text, isInKey);
      const hidden = viewsOf(text).flatMap(({ start, view }) =>
        findPlain(view.text, false).parts.map((part) => moved(view.sourceOf(part.start, part.end), start)),
      );
      const whole = parts.map((part) => outsideEscapes(text, part));
      return { parts: joinParts([...whole, ...hidden]), isInKey: isOpen };
    },
  };
}

/** Each as it is, and as a reader sees it: a value may itself look like a code. */
function knownValues(given: readonly string[]): readonly string[] {
  const all = given.flatMap((value) => [value, plainView(value)?.text ?? value]);
  return [...new Set(all)].filter((value) => value.length >= secretLengthMin);
}

function valueShape(value: string): Shape {
  return (text, start) => (text.startsWith(value, start) ? [{ start, end: start + value.length }] : []);
}

/** The lines that have something to decode. */
function viewsOf(
  text: string,
): readonly { readonly start: number; readonly view: NonNullable<ReturnType<typeof plainView>> }[] {
  const views = [];
  for (let at = firstCode(text, 0); at !== -1;) {
    const start = text.lastIndexOf('\n', at) + 1;
    const newline = text.indexOf('\n', at);
    const end = newline === -1 ? text.length : newline;
    const view = plainView(text.slice(start, end));
    if (view !== null) views.push({ start, view });
    at = firstCode(text, end);
  }
  return views;
}

function firstCode(text: string, from: number): number {
  codeStart.lastIndex = from;
  return codeStart.exec(text)?.index ?? -1;
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
