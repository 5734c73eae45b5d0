/** Decides how much of a file goes into an exported page: all of a short one; the beginning and the end of a long one, cut at lines. */
import type { ExportedFile } from './web-api.ts';

export const exportHeadBytesMax = 64 * 1024;
export const exportTailBytesMax = 192 * 1024;

/** At the cut, where a line is too long to look for its end, this much is dropped: half a secret must not be left. */
const seamCharsMax = 2048;

export interface FileEnds {
  readonly bytes: number;
  /** The whole text, or its beginning. */
  readonly head: string;
  /** Null: `head` is all of it. */
  readonly tail: string | null;
  /** Bytes between them. */
  readonly bytesBetween: number;
}

export function renderExportText(
  { bytes, head, tail, bytesBetween }: FileEnds,
  redact: (text: string) => string,
): ExportedFile {
  if (tail === null) return { text: redact(head), bytes, bytes_cut: 0 };
  const first = redact(cutEnd(head));
  const last = redact(cutStart(tail));
  return {
    text: `${first}\n[${bytesBetween} bytes and the lines around them were left out of this page]\n${last}`,
    bytes,
    bytes_cut: bytesBetween,
  };
}

function cutEnd(text: string): string {
  const at = text.lastIndexOf('\n', text.length - 1);
  return at >= text.length - seamCharsMax && at !== -1 ? text.slice(0, at) : text.slice(0, -seamCharsMax);
}

function cutStart(text: string): string {
  const at = text.indexOf('\n');
  return at !== -1 && at < seamCharsMax ? text.slice(at + 1) : text.slice(seamCharsMax);
}
