import { describe, expect, test } from 'vitest';
import {
  breakLine,
  createScreen,
  deleteCells,
  eraseInDisplay,
  eraseInLine,
  moveTo,
  printCell,
  printTab,
  renderScreen,
  type Screen,
} from '../../../src/core/text/terminal-screen.ts';

function screenWith(text: string): Screen {
  const screen = createScreen(text.length);
  for (const char of text) {
    if (char === '\n') breakLine(screen);
    else if (char === '\t') printTab(screen);
    else printCell(screen, char);
  }
  return screen;
}

describe('a screen', () => {
  test('shows what was printed', () => {
    expect(renderScreen(screenWith('a\tb\n\nc'))).toBe('a\tb\n\nc');
  });

  test('counts a tab as the columns it covers', () => {
    const screen = screenWith('a\tb');
    expect(screen.page.column).toBe(9);
    moveTo(screen, 0, 4);
    printCell(screen, 'X');
    expect(renderScreen(screen)).toBe('a   X   b');
  });

  test('keeps a column beyond the limit of moves when text got there', () => {
    const screen = screenWith('x'.repeat(12_000));
    moveTo(screen, 0, 11_000);
    expect(screen.page.column).toBe(11_000);
    moveTo(screen, 0, 99_999);
    expect(screen.page.column).toBe(11_000);
  });

  test('makes only rows the text can afford', () => {
    const screen = screenWith('abc');
    moveTo(screen, 50, 0);
    expect(screen.page.lines).toHaveLength(51);
    screen.spareCells = 10;
    moveTo(screen, 90, 0);
    expect(screen.page).toMatchObject({ row: 50 });
    moveTo(screen, 60, 0);
    expect(screen.page).toMatchObject({ row: 60 });
  });

  test('parks a cursor that goes far down at the bottom of a window, or of the text', () => {
    const screen = screenWith('abc');
    moveTo(screen, 998, 998);
    expect(screen.page).toMatchObject({ row: 99, column: 998 });
    const long = screenWith('\n'.repeat(500));
    moveTo(long, 998, 0);
    expect(long.page.row).toBe(500);
    eraseInDisplay(long, 1);
    moveTo(long, 998, 0);
    expect(long.page.row).toBe(599);
  });

  test('pays for what it fills, blanks and moves', () => {
    const screen = screenWith('abcdef');
    const before = screen.spareCells;
    moveTo(screen, 0, 10);
    printCell(screen, 'x');
    expect(screen.spareCells).toBe(before - 4);
    moveTo(screen, 0, 1);
    eraseInLine(screen, 1);
    expect(screen.spareCells).toBe(before - 6);
    deleteCells(screen, 2);
    expect(screen.spareCells).toBe(before - 16);
    expect(renderScreen(screen)).toBe(' def    x');
  });

  test('forgets rows above an erasure without touching them', () => {
    const screen = screenWith('a\nb\nc');
    eraseInDisplay(screen, 1);
    expect(screen.page).toMatchObject({ top: 2, row: 2, column: 1 });
    expect(renderScreen(screen)).toBe('');
  });
});
