/** Markdown as data: code blocks, tables, headings, inline code. Reads texts it is given and writes none. */

/** Path from the top of the repository, with `/`, to text. */
export type Texts = ReadonlyMap<string, string>;

export interface CodeBlock {
  readonly language: string;
  /** Words behind the language: `schema=meta` gives schema to meta, a bare word gives itself to ''. */
  readonly marks: ReadonlyMap<string, string>;
  readonly body: string;
  /** Of the opening fence, from 1. */
  readonly line: number;
}

export interface Table {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** First and last line, from 0. */
  readonly from: number;
  readonly to: number;
}

export function listCodeBlocks(text: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let open: { readonly info: string; readonly line: number; readonly lines: string[] } | null = null;
  for (const [index, line] of text.split('\n').entries()) {
    const fence = /^```(.*)$/.exec(line);
    if (open === null) {
      if (fence !== null) open = { info: fence[1] ?? '', line: index + 1, lines: [] };
    } else if (fence === null) {
      open.lines.push(line);
    } else {
      const [language = '', ...words] = open.info.split(' ');
      const marks = new Map(
        words.map((word) => {
          const [name = '', ...value] = word.split('=');
          return [name, value.join('=')] as const;
        }),
      );
      blocks.push({ language, marks, body: open.lines.join('\n'), line: open.line });
      open = null;
    }
  }
  return blocks;
}

/** The text with every code block emptied; lines keep their numbers. */
export function withoutCodeBlocks(text: string): string {
  let isInside = false;
  return text
    .split('\n')
    .map((line) => {
      if (!line.startsWith('```')) return isInside ? '' : line;
      isInside = !isInside;
      return '';
    })
    .join('\n');
}

export function listInlineCode(text: string): string[] {
  return [...withoutCodeBlocks(text).matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? '');
}

function listTables(text: string): Table[] {
  const lines = withoutCodeBlocks(text).split('\n');
  const tables: Table[] = [];
  for (let from = 0; from < lines.length; from += 1) {
    if (!/^\|[ :|-]+\|$/.test(lines[from + 1] ?? '') || !isRow(lines[from])) continue;
    let to = from + 1;
    while (isRow(lines[to + 1])) to += 1;
    const [header = [], , ...rows] = lines.slice(from, to + 1).map(cellsOf);
    tables.push({ header, rows, from, to });
    from = to;
  }
  return tables;
}

function isRow(line: string | undefined): boolean {
  return line?.startsWith('|') === true;
}

function cellsOf(line: string): string[] {
  return line
    .slice(1, line.lastIndexOf('|'))
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
}

/** The one table with this header, or null. */
export function findTable(text: string, header: readonly string[]): Table | null {
  return listTables(text).find((table) => table.header.join('|') === header.join('|')) ?? null;
}

/** Anchors as code hosts make them: lower case, spaces to hyphens, everything else but letters and digits left out. */
export function listAnchors(text: string): string[] {
  return [...withoutCodeBlocks(text).matchAll(/^#{1,6} (.+)$/gm)].map((match) =>
    (match[1] ?? '')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

export function replaceTable(text: string, table: Table, rows: readonly (readonly string[])[]): string {
  const lines = text.split('\n');
  const made = [table.header, table.header.map(() => '---'), ...rows].map(
    (cells) => `| ${cells.join(' | ')} |`,
  );
  return lines.toSpliced(table.from, table.to - table.from + 1, ...made).join('\n');
}
