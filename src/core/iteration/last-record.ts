/** Keeps `last.json` within its 32 KiB (§2): each text has its own share, shortened in the middle. */
import { errorTextBytesMax, guardExcerptBytesMax } from '../limits.ts';
import { byteLength, shortenMiddle } from '../text/shorten.ts';
import { cleanText, renderTerminal } from '../text/terminal-text.ts';
import type { LastRecord } from '../types.ts';

const summaryShareBytesMax = 4 * 1024;

export function renderLastRecord(record: LastRecord): LastRecord {
  return {
    iter: record.iter,
    summary: record.summary === null ? null : fit(cleanText(record.summary), summaryShareBytesMax),
    error: record.error === null ? null : fit(cleanText(record.error), errorTextBytesMax),
    guard_output: record.guard_output === null ? null : fit(record.guard_output, guardExcerptBytesMax),
  };
}

/** Counts the bytes in the file, where quotes, backslashes and line breaks are escaped. */
function fit(text: string, bytesMax: number): string {
  let room = bytesMax;
  for (;;) {
    const kept = shortenMiddle(text, room);
    const bytes = byteLength(JSON.stringify(kept));
    if (bytes <= bytesMax) return kept;
    room = Math.floor((room * bytesMax) / bytes);
  }
}

/** Guard text as plain lines, with the reason in front: what the next session reads. */
export function renderGuardOutput(guard: { readonly reason: string; readonly output: string }): string {
  const shown = renderTerminal(guard.output).trim();
  return shown === '' ? guard.reason : `${guard.reason}\n\n${shown}`;
}
