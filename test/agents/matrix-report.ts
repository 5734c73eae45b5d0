/** The matrix CLI × case: every test notes its cell in a file, and the whole is rendered from it at the end. */
import { appendFileSync, readFileSync } from 'node:fs';

/** Names the file of cells to the tests. */
export const cellsVariable = 'RUNNER_AGENTS_CELLS';

export interface Cell {
  readonly row: string;
  readonly column: string;
  readonly text: string;
  readonly secs: number;
}

/** Notes how the case came out, also when it fails. */
export async function noteCell(
  place: Pick<Cell, 'row' | 'column'>,
  run: () => Promise<string>,
): Promise<void> {
  const startMs = performance.now();
  const note = (text: string): void => {
    const file = process.env[cellsVariable];
    const cell: Cell = { ...place, text, secs: (performance.now() - startMs) / 1000 };
    if (file !== undefined) appendFileSync(file, `${JSON.stringify(cell)}\n`);
  };
  try {
    note(await run());
  } catch (error) {
    note('**failed**');
    throw error;
  }
}

export function loadCells(file: string): readonly Cell[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Cell);
}

/** A Markdown table; rows and columns in order of their first cell. */
export function renderMatrix(cells: readonly Cell[]): string {
  const rows = [...new Set(cells.map(({ row }) => row))];
  const columns = [...new Set(cells.map(({ column }) => column))].toSorted();
  const found = new Map(cells.map((cell) => [`${cell.row}\n${cell.column}`, cell]));
  const show = (row: string, column: string): string => {
    const cell = found.get(`${row}\n${column}`);
    return cell === undefined ? '–' : `${cell.text}, ${cell.secs.toFixed(0)} s`;
  };
  const table = [
    ['case', ...columns],
    ['case', ...columns].map(() => '---'),
    ...rows.map((row) => [row, ...columns.map((column) => show(row, column))]),
  ];
  return `${table.map((line) => `| ${line.join(' | ')} |`).join('\n')}\n`;
}
