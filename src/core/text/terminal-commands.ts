/**
 * Which controls and escape sequences move, erase or hide, and what they do to the screen. All others are dropped:
 * colours, titles, links, and also insertions, scrolling and repetition, which hide nothing.
 */
import type { Screen } from './terminal-screen.ts';
import {
  breakLine,
  deleteCells,
  deleteLines,
  enterAlternate,
  eraseCells,
  eraseInDisplay,
  eraseInLine,
  leaveAlternate,
  moveBy,
  moveTo,
  printTab,
  resetScreen,
  restoreCursor,
  saveCursor,
} from './terminal-screen.ts';

const extendedColours: readonly number[] = [38, 48, 58];
const alternateScreens: readonly number[] = [47, 1047, 1049];

type Command = (screen: Screen, params: Params) => void;

interface Params {
  /** A count or position: 1 when missing or zero. */
  readonly first: number;
  readonly second: number;
  /** A selector: 0 when missing. */
  readonly choice: number;
}

const commands: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['A', (screen, { first }) => moveBy(screen, -first, 0)],
  ['B', (screen, { first }) => moveBy(screen, first, 0)],
  ['C', (screen, { first }) => moveBy(screen, 0, first)],
  ['D', (screen, { first }) => moveBy(screen, 0, -first)],
  ['E', (screen, { first }) => moveTo(screen, screen.page.row + first, 0)],
  ['F', (screen, { first }) => moveTo(screen, screen.page.row - first, 0)],
  ['G', (screen, { first }) => moveTo(screen, screen.page.row, first - 1)],
  ['H', (screen, { first, second }) => moveTo(screen, screen.page.top + first - 1, second - 1)],
  ['J', (screen, { choice }) => eraseInDisplay(screen, choice)],
  ['K', (screen, { choice }) => eraseInLine(screen, choice)],
  ['M', (screen, { first }) => deleteLines(screen, first)],
  ['P', (screen, { first }) => deleteCells(screen, first)],
  ['X', (screen, { first }) => eraseCells(screen, first)],
  ['`', (screen, { first }) => moveTo(screen, screen.page.row, first - 1)],
  ['a', (screen, { first }) => moveBy(screen, 0, first)],
  ['d', (screen, { first }) => moveTo(screen, screen.page.top + first - 1, screen.page.column)],
  ['e', (screen, { first }) => moveBy(screen, first, 0)],
  ['f', (screen, { first, second }) => moveTo(screen, screen.page.top + first - 1, second - 1)],
  ['s', (screen) => saveCursor(screen)],
  ['u', (screen) => restoreCursor(screen)],
]);

/** With `?` in front of the parameters: the selective erasures and the alternate screen. */
const privateCommands: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['J', (screen, { choice }) => eraseInDisplay(screen, choice)],
  ['K', (screen, { choice }) => eraseInLine(screen, choice)],
  ['h', (screen, { choice }) => (alternateScreens.includes(choice) ? enterAlternate(screen) : undefined)],
  ['l', (screen, { choice }) => (alternateScreens.includes(choice) ? leaveAlternate(screen) : undefined)],
]);

const escapes: ReadonlyMap<string, (screen: Screen) => void> = new Map<string, (screen: Screen) => void>([
  ['7', saveCursor],
  ['8', restoreCursor],
  ['D', (screen) => moveBy(screen, 1, 0)],
  ['E', breakLine],
  ['M', (screen) => moveBy(screen, -1, 0)],
  ['c', resetScreen],
]);

const controls: ReadonlyMap<number, (screen: Screen) => void> = new Map<number, (screen: Screen) => void>([
  [0x08, (screen) => moveBy(screen, 0, -1)],
  [0x09, printTab],
  [0x0a, breakLine],
  [0x0b, breakLine],
  [0x0c, breakLine],
  [0x0d, (screen) => moveTo(screen, screen.page.row, 0)],
]);

export function applyControl(screen: Screen, code: number): void {
  controls.get(code)?.(screen);
}

export function applyEscape(screen: Screen, name: string): void {
  escapes.get(name)?.(screen);
}

export function applyCommand(screen: Screen, name: string, params: string): void {
  if (params.startsWith('?')) privateCommands.get(name)?.(screen, readParams(params.slice(1)));
  else if (/^[<=>]/u.test(params)) return;
  else if (name === 'm') applyStyle(screen, params);
  else commands.get(name)?.(screen, readParams(params));
}

function readParams(params: string): Params {
  const [first, second] = params.split(';').map(Number);
  return { first: countOf(first), second: countOf(second), choice: Number(first) };
}

/** Number() gives 0 for an empty parameter and NaN for one that is missing or no number. */
function countOf(value: number | undefined): number {
  return Math.max(1, Number(value) || 1);
}

/** Of all styles only "concealed" matters: people do not see that text. */
function applyStyle(screen: Screen, params: string): void {
  const codes = params.split(';').map(Number);
  for (let at = 0; at < codes.length; at += 1) {
    const code = Number(codes[at]);
    if (code === 8) screen.concealed = true;
    else if (code === 0 || code === 28) screen.concealed = false;
    else if (extendedColours.includes(code)) at += codes[at + 1] === 5 ? 2 : 4;
  }
}
