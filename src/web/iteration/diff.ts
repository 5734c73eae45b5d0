/** Parses a patch of git, file by file. Pure; anything it does not understand is kept as a note, so nothing of a patch is lost. */

export interface DiffLine {
  readonly kind: 'add' | 'del' | 'same' | 'hunk' | 'note';
  readonly text: string;
  readonly oldNumber: number | null;
  readonly newNumber: number | null;
}

export interface DiffFile {
  readonly path: string;
  /** Where it was before, when it moved. */
  readonly oldPath: string | null;
  readonly kind: 'added' | 'deleted' | 'renamed' | 'changed';
  readonly isBinary: boolean;
  readonly additions: number;
  readonly deletions: number;
  readonly lines: readonly DiffLine[];
}

interface OpenFile {
  path: string;
  oldPath: string | null;
  kind: DiffFile['kind'];
  isBinary: boolean;
  additions: number;
  deletions: number;
  readonly lines: DiffLine[];
  oldNumber: number;
  newNumber: number;
  /** Lines of the hunk that are still to come; 0 and 0: between hunks. */
  oldLeft: number;
  newLeft: number;
}

const hunkHead = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/u;

export function parseDiff(patch: string): readonly DiffFile[] {
  const files: OpenFile[] = [];
  for (const line of patch.split('\n')) {
    if (line.startsWith('diff --git ')) {
      files.push(openFile(line));
    } else {
      const file = files.at(-1);
      if (file !== undefined) addLine(file, line);
    }
  }
  return files.map(({ oldNumber: _old, newNumber: _new, oldLeft: _ol, newLeft: _nl, ...file }) => file);
}

function openFile(head: string): OpenFile {
  return {
    path: pathOfHead(head),
    oldPath: null,
    kind: 'changed',
    isBinary: false,
    additions: 0,
    deletions: 0,
    lines: [],
    oldNumber: 0,
    newNumber: 0,
    oldLeft: 0,
    newLeft: 0,
  };
}

/** `a/x b/x`: both names are the same unless the file moved, and then other lines tell. */
function pathOfHead(head: string): string {
  const rest = head.slice('diff --git '.length);
  if (rest.startsWith('"')) return unquote(rest.slice(rest.lastIndexOf(' "') + 1)).replace(/^b\//u, '');
  const half = rest.slice(0, Math.floor(rest.length / 2));
  return half.replace(/^a\//u, '');
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\u0007',
  b: '\b',
  f: '\f',
  v: '\v',
};

/** Git quotes names with special characters: bytes beyond ASCII in octal, some controls by letter. */
export function unquote(name: string): string {
  if (!name.startsWith('"')) return name;
  const inside = name.slice(1, name.endsWith('"') ? -1 : undefined);
  return inside.replaceAll(/(?:\\[0-7]{3})+|\\(.)/gu, (all, char: string | undefined) =>
    char === undefined ? decodeOctal(all) : (escapes[char] ?? char),
  );
}

function decodeOctal(text: string): string {
  const bytes = text
    .split('\\')
    .slice(1)
    .map((code) => Number.parseInt(code, 8) & 0xff);
  return new TextDecoder().decode(new Uint8Array(bytes));
}

function addLine(file: OpenFile, line: string): void {
  if (file.oldLeft > 0 || file.newLeft > 0) addHunkLine(file, line);
  else if (hunkHead.test(line)) openHunk(file, line);
  else addHeader(file, line);
}

function openHunk(file: OpenFile, line: string): void {
  const [, oldStart = '0', oldCount = '1', newStart = '0', newCount = '1'] = hunkHead.exec(line) ?? [];
  file.oldNumber = Number(oldStart);
  file.newNumber = Number(newStart);
  file.oldLeft = Number(oldCount);
  file.newLeft = Number(newCount);
  file.lines.push({ kind: 'hunk', text: line, oldNumber: null, newNumber: null });
}

function addHunkLine(file: OpenFile, line: string): void {
  const text = line.slice(1);
  switch (line.slice(0, 1)) {
    case '+':
      file.lines.push({ kind: 'add', text, oldNumber: null, newNumber: file.newNumber });
      file.newNumber += 1;
      file.newLeft -= 1;
      file.additions += 1;
      return;
    case '-':
      file.lines.push({ kind: 'del', text, oldNumber: file.oldNumber, newNumber: null });
      file.oldNumber += 1;
      file.oldLeft -= 1;
      file.deletions += 1;
      return;
    case '\\':
      file.lines.push({ kind: 'note', text: line.slice(2), oldNumber: null, newNumber: null });
      return;
    default:
      file.lines.push({ kind: 'same', text, oldNumber: file.oldNumber, newNumber: file.newNumber });
      file.oldNumber += 1;
      file.newNumber += 1;
      file.oldLeft -= 1;
      file.newLeft -= 1;
  }
}

function addHeader(file: OpenFile, line: string): void {
  const value = (prefix: string): string => unquote(line.slice(prefix.length));
  if (line.startsWith('new file mode')) file.kind = 'added';
  else if (line.startsWith('deleted file mode')) file.kind = 'deleted';
  else if (line.startsWith('rename from ')) [file.kind, file.oldPath] = ['renamed', value('rename from ')];
  else if (line.startsWith('rename to ')) file.path = value('rename to ');
  else if (line.startsWith('Binary files ') || line === 'GIT binary patch') file.isBinary = true;
  else if (line.startsWith('+++ ') && !line.startsWith('+++ /dev/null'))
    file.path = value('+++ ').replace(/^b\//u, '').replace(/\t$/u, '');
  else if (!/^(?:index |--- |\+\+\+ |similarity |old mode|new mode|$)/u.test(line))
    file.lines.push({ kind: 'note', text: line, oldNumber: null, newNumber: null });
}
