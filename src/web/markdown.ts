/**
 * Markdown as blocks and spans: headings, paragraphs, lists, quotes, code, emphasis. What it does not know stays text: HTML, images, and
 * links, of which only the words and the address are shown. Pure; nothing in it can act, and no text is lost but its marks.
 */

export type Span =
  | { readonly kind: 'text' | 'code' | 'strong' | 'emphasis'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly address: string };

export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly spans: readonly Span[] }
  | { readonly kind: 'paragraph'; readonly spans: readonly Span[] }
  | { readonly kind: 'quote'; readonly spans: readonly Span[] }
  | { readonly kind: 'item'; readonly depth: number; readonly mark: string; readonly spans: readonly Span[] }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'rule' };

const fence = /^ {0,3}(`{3,}|~{3,})/u;
/** Four spaces or a tab; inside a list it is the text of the item. */
const indented = /^(?: {4}|\t)(.*)$/su;
const heading = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/su;
/** A line may hold what `.` does not match: a separator of Unicode. */
const item = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/su;
const rule = /^ {0,3}(?:-\s*){3,}$|^ {0,3}(?:\*\s*){3,}$|^ {0,3}(?:_\s*){3,}$/u;
const quote = /^ {0,3}>\s?(.*)$/su;

/** A block that the next plain line may go on. */
type Open = Exclude<Block, { readonly kind: 'code' | 'rule' }>;

export function parseMarkdown(text: string): readonly Block[] {
  const blocks: Block[] = [];
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  let open: { readonly block: Open; readonly words: string[] } | null = null;
  const close = (): void => {
    if (open !== null) blocks.push({ ...open.block, spans: parseSpans(open.words.join(' ')) });
    open = null;
  };
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const mark = fence.exec(line)?.[1];
    const begun = mark === undefined ? beginBlock(line) : null;
    if (mark !== undefined) {
      close();
      const end = endOfFence(lines, at + 1, mark);
      // Mostly the language; it may hold any text.
      const info = line.trim().slice(mark.length).trim();
      if (info !== '') blocks.push({ kind: 'paragraph', spans: [{ kind: 'code', text: info }] });
      blocks.push({ kind: 'code', text: lines.slice(at + 1, end).join('\n') });
      at = end;
    } else if (line.trim() === '') {
      close();
    } else if (begun === 'rule') {
      close();
      blocks.push({ kind: 'rule' });
    } else if (begun !== null) {
      close();
      open = { block: begun.block, words: [begun.words] };
      if (begun.block.kind === 'heading') close();
    } else if (open === null && indented.test(line) && blocks.at(-1)?.kind !== 'item') {
      const end = endOfIndented(lines, at);
      const code = lines.slice(at, end).map((each) => indented.exec(each)?.[1] ?? '');
      blocks.push({ kind: 'code', text: code.join('\n') });
      at = end - 1;
    } else if (open === null) {
      open = { block: { kind: 'paragraph', spans: [] }, words: [line.trim()] };
    } else {
      // Where a text was broken to fit a width is not where it is broken here.
      open.words.push(line.trim());
    }
  }
  close();
  return blocks;
}

/** Where the fence is closed, or the end of the text. */
function endOfFence(lines: readonly string[], from: number, mark: string): number {
  const isEnd = (line: string): boolean => {
    const found = fence.exec(line)?.[1];
    return found !== undefined && found.startsWith(mark) && line.trim() === found;
  };
  const found = lines.findIndex((line, index) => index >= from && isEnd(line));
  return found === -1 ? lines.length : found;
}

/** Behind the last line that is indented; empty lines between such are part of the code. */
function endOfIndented(lines: readonly string[], from: number): number {
  let end = from;
  for (let at = from; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (indented.test(line) && line.trim() !== '') end = at + 1;
    else if (line.trim() !== '') break;
  }
  return end;
}

/** Null: a line of text, which begins a paragraph or goes on with what is open. */
function beginBlock(line: string): { readonly block: Open; readonly words: string } | 'rule' | null {
  if (rule.test(line)) return 'rule';
  const [, signs, title = ''] = heading.exec(line) ?? [];
  if (signs !== undefined)
    return { block: { kind: 'heading', level: signs.length, spans: [] }, words: title };
  const [, indent = '', mark, words = ''] = item.exec(line) ?? [];
  if (mark !== undefined) {
    const depth = Math.min(6, Math.floor(indent.replaceAll('\t', '    ').length / 2));
    return { block: { kind: 'item', depth, mark: /\d/u.test(mark) ? mark : '•', spans: [] }, words };
  }
  const quoted = quote.exec(line)?.[1];
  return quoted === undefined ? null : { block: { kind: 'quote', spans: [] }, words: quoted };
}

/** The longest mark comes first; what has no end is text. Every repetition excludes its own end, so no text takes long. */
const inline =
  /(`{1,3})(?!`)([^`]+)\1(?!`)|\*\*([^\s*][^*]*)\*\*|__([^\s_][^_]*)__|\*([^\s*][^*\n]*)\*|(?<![\w])_([^\s_][^_\n]*)_(?![\w])|\[([^\][]{1,500})\]\(([^()\s]{1,2000})\)/gu;

export function parseSpans(text: string): readonly Span[] {
  const spans: Span[] = [];
  let at = 0;
  for (const match of text.matchAll(inline)) {
    const [whole, , code, bold, heavy, italic, slanted, words, address] = match;
    if (match.index > at) spans.push({ kind: 'text', text: text.slice(at, match.index) });
    const strong = bold ?? heavy;
    const emphasis = italic ?? slanted;
    if (code !== undefined) spans.push({ kind: 'code', text: code });
    else if (strong !== undefined) spans.push({ kind: 'strong', text: strong });
    else if (emphasis !== undefined) spans.push({ kind: 'emphasis', text: emphasis });
    else spans.push({ kind: 'link', text: words ?? '', address: address ?? '' });
    at = match.index + whole.length;
  }
  if (at < text.length) spans.push({ kind: 'text', text: text.slice(at) });
  return spans;
}
