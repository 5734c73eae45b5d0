/** Cleans long text for the terminal (§1 promise 8): piece by piece, cut at line ends, in constant memory. */
import { cleanText } from './terminal-text.ts';

/** A line without an end is handed on in parts of about this length. */
const heldLengthMax = 1024 * 1024;

export interface CleanStream {
  /** What can be shown by now; may be empty. */
  readonly add: (piece: string) => string;
  /** The rest. Last call. */
  readonly end: () => string;
}

export function cleanStream(): CleanStream {
  let held = '';
  const hand = (end: number): string => {
    const text = held.slice(0, end);
    held = held.slice(end);
    return cleanText(text);
  };
  return {
    add: (piece) => {
      held += piece;
      return hand(held.length > heldLengthMax ? held.length : held.lastIndexOf('\n') + 1);
    },
    end: () => hand(held.length),
  };
}
