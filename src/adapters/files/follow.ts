/**
 * Follows a growing file and passes on its text as it comes, whole characters only. It reads through its own descriptor, so a
 * process that removes or replaces the file changes nothing, and it keeps one chunk in memory.
 */
import { readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { continuationsAtStart } from './utf8-bytes.ts';

const chunkBytes = 64 * 1024;
const nearEnd: Skipping = { behindBytesMax: 1024 * 1024, keptBytes: chunkBytes, onSkip: () => {} };
/** How much one turn may read, so that deadlines are looked at in between. */
const turnBytesMax = 8 * 1024 * 1024;

export interface FollowRequest {
  /** Open for reading. */
  readonly handle: { readonly fd: number };
  /** Where the followed text starts. */
  readonly position: number;
  readonly onChunk: (text: string) => void;
  /** False: a reader that is far behind skips to the last 64 KiB. */
  readonly followAll: boolean;
  /** Asked again and again: whether less than all would do by now. */
  readonly skipping?: (() => Skipping | null) | undefined;
}

export interface Skipping {
  /** Bytes behind from which on the reader skips, and how many it then reads. */
  readonly behindBytesMax: number;
  readonly keptBytes: number;
  readonly onSkip: () => void;
}

export interface Follower {
  /** Contract: hands on what is there, a bounded part of it; true when more is waiting. */
  readSome(size: number): Promise<boolean>;
  /** Contract: hands on the rest, an unfinished character as U+FFFD. Last call. */
  finish(size: number): Promise<void>;
}

export function follow(request: FollowRequest): Follower {
  const buffer = Buffer.alloc(chunkBytes);
  let decoder = new StringDecoder('utf8');
  let position = request.position;
  let isSkipping = false;

  function hand(text: string): void {
    if (text !== '') request.onChunk(text);
  }

  function jumpTo(start: number): void {
    position = start;
    decoder = new StringDecoder('utf8');
    isSkipping = start > 0;
  }

  async function readSome(size: number): Promise<boolean> {
    if (size < position) {
      // The process cut its own file: what follows is new text.
      jumpTo(0);
    }
    const skipping = request.followAll ? (request.skipping?.() ?? null) : nearEnd;
    if (skipping !== null && size - position > skipping.behindBytesMax) {
      jumpTo(size - skipping.keptBytes);
      skipping.onSkip();
    }
    const end = Math.min(size, position + turnBytesMax);
    while (position < end) {
      const want = Math.min(chunkBytes, end - position);
      // At once: what is there is in memory already, and waiting takes longer than reading.
      const bytesRead = readSync(request.handle.fd, buffer, 0, want, position);
      if (bytesRead === 0) return false;

      const bytes = buffer.subarray(0, bytesRead);
      hand(decoder.write(isSkipping ? bytes.subarray(continuationsAtStart(bytes)) : bytes));
      isSkipping = false;
      position += bytesRead;
    }
    return position < size;
  }

  return {
    readSome,
    finish: async (size) => {
      while (await readSome(size)) {
        // Bounded by the size given.
      }
      hand(decoder.end());
    },
  };
}
