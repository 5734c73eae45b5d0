/**
 * Makes text from outside fit to be shown: a log as a terminal would finally show it, an agent's words without anything
 * that acts or hides (§1 promise 8, §6). What it returns holds no control character but line feed and tab.
 */
import { applyCommand, applyControl, applyEscape } from './terminal-commands.ts';
import { scanTerminal } from './terminal-scan.ts';
import { createScreen, printCell, renderScreen } from './terminal-screen.ts';

/**
 * Characters nobody sees but a model reads or a terminal obeys: controls, bidi and zero-width characters, the default
 * ignorable ones (tags and variation selectors can smuggle text), line separators, surrogates without their other half.
 * Noncharacters at the end of each plane are added below.
 */
const hiddenRanges: readonly (readonly [number, number])[] = [
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xd800, 0xdfff],
  [0xfdd0, 0xfdef],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
];
const planes = Array.from({ length: 17 }, (_, plane) => plane * 0x10000);

/** One such character. */
export const hidden = hiddenPattern();

/** Most text is; it need not be looked at character by character. */
const plain = /^[\t\n -~]*$/u;

const tab = 0x09;
const lineFeed = 0x0a;

/** What a terminal would finally show of a log: overwritten and erased text is absent. */
export function renderTerminal(text: string): string {
  const screen = createScreen(text.length);
  scanTerminal(text, {
    print: (char) => {
      if (!isHidden(char)) printCell(screen, char);
    },
    control: (code) => applyControl(screen, code),
    escape: (name) => applyEscape(screen, name),
    command: (name, params) => applyCommand(screen, name, params),
  });
  return renderScreen(screen);
}

/** The text without escape sequences and hidden characters; CR, CRLF and Unicode separators become line feeds. */
export function cleanText(text: string): string {
  if (plain.test(text) || !hidden.test(text)) return text;
  const parts: string[] = [];
  scanTerminal(text.replace(/\r\n?|[\u2028\u2029]/gu, '\n'), {
    print: (char) => {
      if (!isHidden(char)) parts.push(char);
    },
    control: (code) => {
      if (code === lineFeed || code === tab) parts.push(String.fromCharCode(code));
    },
    escape: () => {},
    command: () => {},
  });
  return parts.join('');
}

/** The clean text on one line: runs of white space become one space, none at the ends. */
export function cleanLine(text: string): string {
  return cleanText(text).replace(/\s+/gu, ' ').trim();
}

function hiddenPattern(): RegExp {
  const ends = planes.map((plane) => [plane + 0xfffe, plane + 0xffff] as const);
  const escaped = (code: number): string => `\\u{${code.toString(16)}}`;
  const classes = [...hiddenRanges, ...ends].map(([from, to]) => `${escaped(from)}-${escaped(to)}`);
  return new RegExp(`[${classes.join('')}]`, 'u');
}

function isHidden(char: string): boolean {
  return (char < ' ' || char > '~') && hidden.test(char);
}
