/** Renders positions in a text: `line 3, column 1: …`, or with the file in front, as editors know it, `path:3:1: …`. */

export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** Line and column, both from 1, of an index. */
export function placeAt(text: string, index: number): TextPlace {
  let line = 1;
  let lineStart = 0;
  for (let end = text.indexOf('\n'); end !== -1 && end < index; end = text.indexOf('\n', lineStart)) {
    line += 1;
    lineStart = end + 1;
  }
  return { line, column: index - lineStart + 1 };
}

export function renderProblem({ line, column }: TextPlace, message: string): string {
  return `line ${line}, column ${column}: ${message}`;
}

const placed = /^line (\d+), column (\d+): /;

/** A problem of a file for people: with the path in front of the place, where it has one. */
export function withPath(path: string, problem: string): string {
  return problem.replace(placed, (_, line: string, column: string) => `${path}:${line}:${column}: `);
}
