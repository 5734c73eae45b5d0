/**
 * The screen of a terminal without a height: what printing, moving and erasing leave on it. Work and memory stay linear in
 * the text: what a move would fill beyond that is left out, what an erasure cannot afford to blank is cut off.
 */
import { assert } from '../errors.ts';

interface Page {
  /** One cell a column; a tab is `\t` followed by empty cells up to the next tab stop. */
  lines: string[][];
  /** First row still shown; those above were erased. */
  top: number;
  row: number;
  column: number;
}

export interface Screen {
  page: Page;
  /** The ordinary page while the alternate one is shown. */
  main: Page | null;
  saved: { readonly row: number; readonly column: number };
  /** Text printed while this is set is invisible (SGR 8). */
  concealed: boolean;
  /** Cells and rows that moves and erasures may still touch without having been paid for by printed text. */
  spareCells: number;
}

/** How far moves reach where no text has been: a wide line, a tall window. */
const columnMax = 10_000;
const rowMax = 100;
const tabColumns = 8;

export function createScreen(textLength: number): Screen {
  const saved = { row: 0, column: 0 };
  return { page: createPage(), main: null, saved, concealed: false, spareCells: textLength + columnMax };
}

export function renderScreen(screen: Screen): string {
  const pages = screen.main === null ? [screen.page] : [screen.main, screen.page];
  return pages.flatMap((page) => page.lines.slice(page.top).map((line) => line.join(''))).join('\n');
}

export function printCell(screen: Screen, char: string): void {
  const line = reach(screen);
  breakTab(line, screen.page.column);
  line[screen.page.column] = screen.concealed ? ' ' : char;
  screen.page.column += 1;
}

/** Over printed text a tab only moves, as on a terminal; at the end of the line it is kept as a tab. */
export function printTab(screen: Screen): void {
  const line = reach(screen);
  const stop = nextTabStop(screen.page.column);
  if (screen.page.column === line.length) {
    line.push('\t');
    while (line.length < stop) line.push('');
  }
  screen.page.column = stop;
}

export function breakLine(screen: Screen): void {
  const { page } = screen;
  page.row += 1;
  page.column = 0;
  if (page.row === page.lines.length) page.lines.push([]);
}

/** A row that was never printed is made if it is near enough and the text can afford it. */
export function moveTo(screen: Screen, row: number, column: number): void {
  const { page } = screen;
  page.column = Math.max(0, Math.min(column, Math.max(page.column, columnMax)));
  page.row = Math.max(page.top, Math.min(row, Math.max(page.lines.length, page.top + rowMax) - 1));
  const missing = page.row - page.lines.length + 1;
  if (missing > 0 && !spend(screen, missing)) page.row = page.lines.length - 1;
  while (page.lines.length <= page.row) page.lines.push([]);
}

export function moveBy(screen: Screen, rows: number, columns: number): void {
  moveTo(screen, screen.page.row + rows, screen.page.column + columns);
}

/** `ESC [ n K`: 0 to the end, 1 from the start, 2 the whole line. */
export function eraseInLine(screen: Screen, part: number): void {
  const line = currentLine(screen);
  if (part === 0) cutLine(line, screen.page.column);
  else if (part === 1) blank(screen, 0, screen.page.column + 1);
  else if (part === 2) line.length = 0;
}

/** `ESC [ n J`: 0 below, 1 above, 2 and 3 everything. */
export function eraseInDisplay(screen: Screen, part: number): void {
  const { page } = screen;
  if (part === 0) {
    eraseInLine(screen, 0);
    page.lines.length = page.row + 1;
  } else if (part === 1) {
    page.top = page.row;
    eraseInLine(screen, 1);
  } else if (part === 2 || part === 3) screen.page = { ...createPage(), column: page.column };
}

export function eraseCells(screen: Screen, count: number): void {
  blank(screen, screen.page.column, screen.page.column + count);
}

export function deleteCells(screen: Screen, count: number): void {
  const line = currentLine(screen);
  const { column } = screen.page;
  if (column >= line.length) return;
  if (!spend(screen, line.length - column)) return cutLine(line, column);
  breakTab(line, column);
  breakTab(line, column + count);
  line.splice(column, count);
}

export function deleteLines(screen: Screen, count: number): void {
  const { page } = screen;
  if (spend(screen, page.lines.length - page.row)) page.lines.splice(page.row, count);
  else page.lines.length = page.row;
  if (page.row === page.lines.length) page.lines.push([]);
}

export function saveCursor(screen: Screen): void {
  screen.saved = { row: screen.page.row, column: screen.page.column };
}

export function restoreCursor(screen: Screen): void {
  moveTo(screen, screen.saved.row, screen.saved.column);
}

export function enterAlternate(screen: Screen): void {
  if (screen.main !== null) return;
  screen.main = screen.page;
  screen.page = createPage();
}

export function leaveAlternate(screen: Screen): void {
  if (screen.main === null) return;
  screen.page = screen.main;
  screen.main = null;
}

export function resetScreen(screen: Screen): void {
  screen.page = createPage();
  screen.main = null;
  screen.concealed = false;
}

function createPage(): Page {
  return { lines: [[]], top: 0, row: 0, column: 0 };
}

function currentLine({ page }: Screen): string[] {
  const line = page.lines[page.row];
  assert(line !== undefined, 'the cursor is on a row of the screen');
  return line;
}

function spend(screen: Screen, cells: number): boolean {
  if (cells > screen.spareCells) return false;
  screen.spareCells -= cells;
  return true;
}

/** Fills the gap a move left before the cursor, or takes the cursor back to the end of the line. */
function reach(screen: Screen): string[] {
  const line = currentLine(screen);
  const gap = screen.page.column - line.length;
  if (gap > 0 && !spend(screen, gap)) screen.page.column = line.length;
  while (line.length < screen.page.column) line.push(' ');
  return line;
}

function blank(screen: Screen, from: number, to: number): void {
  const line = currentLine(screen);
  if (to >= line.length) return cutLine(line, from);
  if (!spend(screen, to - from)) return cutLine(line, from);
  breakTab(line, from);
  breakTab(line, to);
  line.fill(' ', from, to);
}

function cutLine(line: string[], column: number): void {
  breakTab(line, column);
  line.length = Math.min(line.length, column);
}

/** Turns the tab that covers the column into spaces, so that a part of it can change. */
function breakTab(line: string[], column: number): void {
  let start = column;
  while (line[start] === '') start -= 1;
  if (line[start] !== '\t') return;
  line[start] = ' ';
  for (let at = start + 1; line[at] === ''; at += 1) line[at] = ' ';
}

function nextTabStop(column: number): number {
  return column - (column % tabColumns) + tabColumns;
}
