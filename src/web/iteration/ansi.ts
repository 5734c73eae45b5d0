/**
 * Terminal output as lines of spans with class names. Colours and emphasis are kept; all other sequences are dropped, links and
 * titles too. Pure: no sequence reaches the page.
 */
import { isErrorLine } from '../../core/text/error-line.ts';
import { escapeSequence } from '../../core/text/terminal-text.ts';

export interface AnsiSpan {
  readonly text: string;
  /** Class names with a space between them; empty: plain. */
  readonly cls: string;
}

export type AnsiLine = readonly AnsiSpan[];

/** Colours by number: 0 to 7, and 8 to 15 for the bright ones. */
export interface AnsiStyle {
  readonly fg: number | null;
  readonly bg: number | null;
  readonly marks: ReadonlySet<AnsiMark>;
}

type AnsiMark = 'bold' | 'dim' | 'italic' | 'underline' | 'inverse';

export const plainStyle: AnsiStyle = { fg: null, bg: null, marks: new Set() };

const marksOn: ReadonlyMap<number, AnsiMark> = new Map([
  [1, 'bold'],
  [2, 'dim'],
  [3, 'italic'],
  [4, 'underline'],
  [7, 'inverse'],
]);
const marksOff: ReadonlyMap<number, readonly AnsiMark[]> = new Map([
  [22, ['bold', 'dim']],
  [23, ['italic']],
  [24, ['underline']],
  [27, ['inverse']],
]);

export interface AnsiText {
  readonly lines: readonly AnsiLine[];
  /** In force after the last character. */
  readonly style: AnsiStyle;
}

const breaks = new RegExp(`(${escapeSequence.source}|[\\n\\r])`, 'u');
// oxlint-disable-next-line no-control-regex -- this is what it looks for
const colours = /^(?:\u001b\[|\u009b)([\d;:]*)m$/u;
// oxlint-disable-next-line no-control-regex -- these are what it looks for
const special = /[\u0000-\u0008\u000b-\u001f\u0080-\u009f]/u;

export function parseAnsi(text: string, from: AnsiStyle = plainStyle): AnsiText {
  if (!special.test(text)) {
    const cls = classOf(from);
    return { lines: text.split('\n').map((line) => (line === '' ? [] : [{ text: line, cls }])), style: from };
  }
  const lines: AnsiLine[] = [];
  /** What was written from the beginning of the line each time; the last one is open. */
  let layers: AnsiSpan[][] = [[]];
  let style = from;
  let run = '';
  const closeRun = (): void => {
    if (run !== '') layers.at(-1)?.push({ text: run, cls: classOf(style) });
    run = '';
  };
  const closeLine = (): void => {
    closeRun();
    lines.push(joinLayers(layers));
    layers = [[]];
  };
  // Even entries are texts, odd entries the sequences between them.
  for (const [index, part] of text.split(breaks).entries()) {
    if (index % 2 === 0) {
      run += part;
    } else if (part === '\n') {
      closeLine();
    } else if (part === '\r') {
      closeRun();
      layers.push([]);
    } else {
      const codes = colours.exec(part)?.[1];
      if (codes === undefined) continue;
      closeRun();
      style = applyColours(style, codes);
    }
  }
  closeLine();
  return { lines, style };
}

const layersShownMax = 3;

/**
 * A progress bar is shown as it ended, with a word about what it wrote over. Few layers are all shown, with the character between them:
 * nobody hides an error behind an `ok`.
 */
function joinLayers(layers: readonly AnsiLine[]): AnsiLine {
  const written = layers.filter((layer) => layer.length > 0);
  if (written.length > layersShownMax)
    return [{ text: `[${written.length - 1} times written over] `, cls: 'dim' }, ...(written.at(-1) ?? [])];

  return written.flatMap((layer, at) => (at === 0 ? layer : [{ text: '\r', cls: '' }, ...layer]));
}

function classOf({ fg, bg, marks }: AnsiStyle): string {
  if (fg === null && bg === null && marks.size === 0) return '';
  return [...(fg === null ? [] : [`fg${fg}`]), ...(bg === null ? [] : [`bg${bg}`]), ...marks].join(' ');
}

function applyColours(before: AnsiStyle, params: string): AnsiStyle {
  const codes = params.split(/[;:]/u).map((part) => (part === '' ? 0 : Number(part)));
  let style = before;
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    if (code === 38 || code === 48) {
      const { colour, used } = readColour(codes.slice(at + 1));
      if (colour !== null) style = code === 38 ? { ...style, fg: colour } : { ...style, bg: colour };
      at += used;
    } else {
      style = applyCode(style, code);
    }
  }
  return style;
}

function applyCode(style: AnsiStyle, code: number): AnsiStyle {
  if (code === 0) return plainStyle;
  const on = marksOn.get(code);
  if (on !== undefined) return { ...style, marks: new Set([...style.marks, on]) };
  const off = marksOff.get(code);
  if (off !== undefined)
    return { ...style, marks: new Set([...style.marks].filter((mark) => !off.includes(mark))) };

  if (code >= 30 && code <= 37) return { ...style, fg: code - 30 };
  if (code >= 90 && code <= 97) return { ...style, fg: code - 82 };
  if (code === 39) return { ...style, fg: null };
  if (code >= 40 && code <= 47) return { ...style, bg: code - 40 };
  if (code >= 100 && code <= 107) return { ...style, bg: code - 92 };
  return code === 49 ? { ...style, bg: null } : style;
}

/** The colour after 38 or 48, as the nearest of the sixteen, and how many numbers it took. */
function readColour(codes: readonly number[]): { readonly colour: number | null; readonly used: number } {
  const [kind, ...rest] = codes;
  if (kind === 5) return { colour: nearestOf(paletteOf(rest[0] ?? 0)), used: 2 };
  if (kind === 2) return { colour: nearestOf([rest[0] ?? 0, rest[1] ?? 0, rest[2] ?? 0]), used: 4 };
  return { colour: null, used: 0 };
}

type Rgb = readonly [number, number, number];

const sixteen: readonly Rgb[] = Array.from({ length: 16 }, (_, index) => {
  const level = index === 8 ? 128 : index === 7 ? 192 : index > 8 ? 255 : 170;
  const on = (bit: number): number => (index === 8 || (index & bit) !== 0 ? level : 0);
  return [on(1), on(2), on(4)];
});

function paletteOf(index: number): Rgb {
  if (index < 16) return sixteen[index] ?? [0, 0, 0];
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return [grey, grey, grey];
  }
  const cube = index - 16;
  const level = (step: number): number => (step === 0 ? 0 : 55 + step * 40);
  return [level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)];
}

function nearestOf(rgb: Rgb): number {
  const distance = (other: Rgb): number =>
    rgb.reduce((sum, part, at) => sum + (part - (other[at] ?? 0)) ** 2, 0);
  const distances = sixteen.map(distance);
  return distances.indexOf(Math.min(...distances));
}

/** The first line that tells of an error; null: none does. */
export function findFirstError(lines: readonly string[]): number | null {
  const found = lines.findIndex(isErrorLine);
  return found === -1 ? null : found;
}
