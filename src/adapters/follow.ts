/**
 * Follows a growing file and hands on its text as it comes, whole characters only. It reads through its own
 * descriptor, so a process that removes or replaces the file changes nothing, and it keeps one chunk in memory.
 */
import type { FileHandle } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import { continuationsAtStart } from './utf8-bytes.ts';

const chunkBytes = 64 * 1024;
const behindBytesMax = 1024 * 1024;
/** How much one turn may read, so that deadlines are looked at in between. */
const turnBytesMax = 8 * 1024 * 1024;

export interface FollowRequest {
  readonly handle: FileHandle;
  /** Where the followed text starts. */
  readonly position: number;
  readonly onChunk: (text: string) => void;
  /** False: a reader that is far behind skips to the last 64 KiB. */
  readonly followAll: boolean;
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
    if (text !== '') {
      request.onChunk(text);
    }
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
    if (!request.followAll && size - position > behindBytesMax) {
      jumpTo(size - chunkBytes);
    }
    const end = Math.min(size, position + turnBytesMax);
    while (position < end) {
      const want = Math.min(chunkBytes, end - position);
      const { bytesRead } = await request.handle.read(buffer, 0, want, position);
      if (bytesRead === 0) {
        return false;
      }
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
