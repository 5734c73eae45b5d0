/**
 * Splits text from outside into pieces that are safe to read: invisible characters are shown by name, and text too long for a
 * view is cut. Pure; the pieces become text nodes and nothing else.
 */
import { hidden } from './terminal-text.ts';

export interface Piece {
  readonly text: string;
  /** The text is the name of characters that would not be seen. */
  readonly isMark: boolean;
}

const anyHidden = new RegExp(`(${hidden.source})\\1*`, 'gu');
const emojiStyle = '\uFE0F';

/** `U+202E`, or `U+200B×40` for a run of them. */
function nameHidden(run: string): string {
  const code = Number(run.codePointAt(0));
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  const times = Array.from(run).length;
  return times === 1 ? name : `${name}×${times}`;
}

/** No script stacks more on one character; more would hide the lines around it. */
const stackedMax = 6;
const stacked = new RegExp(String.raw`([\p{Mn}\p{Me}]{${stackedMax}})([\p{Mn}\p{Me}]+)`, 'gu');

export function splitVisible(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const match of text.matchAll(stacked)) {
    const [run, kept = '', left = ''] = match;
    pieces.push(...splitHidden(text.slice(at, match.index + kept.length)));
    pieces.push({ text: `+${Array.from(left).length} marks`, isMark: true });
    at = match.index + run.length;
  }
  return [...pieces, ...splitHidden(text.slice(at))];
}

function splitHidden(text: string): readonly Piece[] {
  if (!hidden.test(text)) return text === '' ? [] : [{ text, isMark: false }];
  const pieces: Piece[] = [];
  let at = 0;
  for (const match of text.matchAll(anyHidden)) {
    const [run] = match;
    // One such selector only asks for the coloured form of the character before it.
    if (run === emojiStyle && match.index > 0) continue;
    if (match.index > at) pieces.push({ text: text.slice(at, match.index), isMark: false });
    pieces.push({ text: nameHidden(run), isMark: true });
    at = match.index + run.length;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), isMark: false });
  return pieces;
}

/** The same as one text, for places without markup: names are put in `⟨⟩`. */
export function renderVisible(text: string): string {
  return splitVisible(text)
    .map(({ text: shown, isMark }) => (isMark ? `⟨${shown}⟩` : shown))
    .join('');
}

export interface Cut {
  readonly text: string;
  /** Characters that are left out. */
  readonly left: number;
}

/** The beginning, never half of a character. */
export function cutText(text: string, lengthMax: number): Cut {
  if (text.length <= lengthMax) return { text, left: 0 };
  const last = text.charCodeAt(lengthMax - 1);
  const end = last >= 0xd800 && last <= 0xdbff ? lengthMax - 1 : lengthMax;
  return { text: text.slice(0, end), left: text.length - end };
}
