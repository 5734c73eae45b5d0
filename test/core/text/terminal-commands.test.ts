import { describe, expect, test } from 'vitest';
import { applyCommand, applyControl, applyEscape } from '../../../src/core/text/terminal-commands.ts';
import { createScreen, moveTo, type Screen } from '../../../src/core/text/terminal-screen.ts';

function screenAt(row: number, column: number): Screen {
  const screen = createScreen(1000);
  moveTo(screen, row, column);
  return screen;
}

describe('cursor moves', () => {
  test.each([
    ['A', '', [4, 5]],
    ['A', '2', [3, 5]],
    ['A', '99', [0, 5]],
    ['B', '2', [7, 5]],
    ['C', '2', [5, 7]],
    ['D', '2', [5, 3]],
    ['D', '99', [5, 0]],
    ['E', '2', [7, 0]],
    ['F', '2', [3, 0]],
    ['G', '3', [5, 2]],
    ['`', '3', [5, 2]],
    ['H', '', [0, 0]],
    ['H', '3;4', [2, 3]],
    ['f', ';4', [0, 3]],
    ['d', '3', [2, 5]],
    ['a', '2', [5, 7]],
    ['e', '2', [7, 5]],
    ['C', '999999999999999999999', [5, 10_000]],
    ['C', 'x', [5, 6]],
    ['C', '>9', [5, 5]],
    ['C', '?9', [5, 5]],
    [' C', '9', [5, 5]],
  ])('%s %s', (name, params, place) => {
    const screen = screenAt(5, 5);
    applyCommand(screen, name, params);
    expect([screen.page.row, screen.page.column]).toEqual(place);
  });

  test('controls and escapes', () => {
    const screen = screenAt(5, 5);
    applyControl(screen, 0x08);
    applyEscape(screen, 'M');
    expect(screen.page).toMatchObject({ row: 4, column: 4 });
    applyEscape(screen, '7');
    applyControl(screen, 0x0d);
    applyEscape(screen, 'D');
    expect(screen.page).toMatchObject({ row: 5, column: 0 });
    applyEscape(screen, '8');
    expect(screen.page).toMatchObject({ row: 4, column: 4 });
    applyControl(screen, 0x07);
    applyEscape(screen, '=');
    expect(screen.page).toMatchObject({ row: 4, column: 4 });
  });
});

test.each([
  ['8', true],
  ['1;8', true],
  ['8;0', false],
  ['8;', false],
  ['8;28', false],
  ['38;5;8', false],
  ['38;5;1;8', true],
  ['48;2;8;8;8', false],
  ['58;2;1;2;3;8', true],
  ['38:5:8', false],
])('style %s conceals: %s', (params, concealed) => {
  const screen = screenAt(0, 0);
  applyCommand(screen, 'm', params);
  expect(screen.concealed).toBe(concealed);
});
