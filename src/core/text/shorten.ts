/**
 * Measures texts in UTF-8 bytes and shortens them in the middle (§6). Never cuts inside a character and never returns more
 * bytes than it was allowed.
 */

/** How much of a kept part may be given up to end it at a line break. */
const lineBreakShare = 0.25;

/** UTF-8 length; a lone surrogate counts as the three bytes of the U+FFFD it would become. */
export function byteLength(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at += 1) {
    const width = widthAt(text, at);
    bytes += width;
    if (width === 4) at += 1;
  }
  return bytes;
}

/** Bytes of the character that begins here. */
function widthAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  if (unit < 0x80) return 1;
  if (unit < 0x800) return 2;
  return startsPair(text, at) ? 4 : 3;
}

/** Head and tail with a line between them that counts what was left out; the text itself when it fits. */
export function shortenMiddle(text: string, bytesMax: number): string {
  return cutMiddle(text, bytesMax).text;
}

/** The same, with the count. */
export function cutMiddle(
  text: string,
  bytesMax: number,
): { readonly text: string; readonly left_out_bytes: number } {
  // No UTF-16 unit takes more than three bytes.
  if (text.length * 3 <= bytesMax) return { text, left_out_bytes: 0 };
  const bytes = byteLength(text);
  if (bytes <= bytesMax) return { text, left_out_bytes: 0 };
  const room = bytesMax - byteLength(marker(bytes));
  if (room < 0) {
    const start = text.slice(0, headEnd(text, bytesMax));
    return { text: start, left_out_bytes: bytes - byteLength(start) };
  }
  const head = atLineEnd(text.slice(0, headEnd(text, Math.ceil(room / 2))));
  const tail = atLineStart(text.slice(tailStart(text, Math.floor(room / 2))));
  const left_out_bytes = bytes - byteLength(head) - byteLength(tail);
  return { text: head + marker(left_out_bytes) + tail, left_out_bytes };
}

function marker(bytes: number): string {
  return `\n[… ${bytes} bytes left out …]\n`;
}

function startsPair(text: string, at: number): boolean {
  return isHigh(text.charCodeAt(at)) && isLow(text.charCodeAt(at + 1));
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** Index after the last character that still fits from the front. */
function headEnd(text: string, bytesMax: number): number {
  let end = 0;
  let bytes = 0;
  while (end < text.length) {
    const width = widthAt(text, end);
    bytes += width;
    if (bytes > bytesMax) break;
    end += width === 4 ? 2 : 1;
  }
  return end;
}

/** Index of the first character that still fits from the back. */
function tailStart(text: string, bytesMax: number): number {
  let start = text.length;
  let bytes = 0;
  while (start > 0) {
    const next = start - (startsPair(text, start - 2) ? 2 : 1);
    bytes += widthAt(text, next);
    if (bytes > bytesMax) break;
    start = next;
  }
  return start;
}

/** The marker brings its own line breaks, so the one at the cut is left out too. */
function atLineEnd(head: string): string {
  const lineBreak = head.lastIndexOf('\n');
  return lineBreak >= head.length * (1 - lineBreakShare) ? head.slice(0, lineBreak) : head;
}

function atLineStart(tail: string): string {
  const lineBreak = tail.indexOf('\n');
  return lineBreak >= 0 && lineBreak < tail.length * lineBreakShare ? tail.slice(lineBreak + 1) : tail;
}
