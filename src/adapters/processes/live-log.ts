/**
 * The log of a guard while it runs, for live views: without secrets, line by line, up to a limit. The log that counts replaces it
 * at the end. It keeps its own descriptor, so nothing that the guard does to the path redirects it; a full disk ends it quietly.
 */
import { closeSync, constants, openSync, rmSync, writeSync } from 'node:fs';
import type { Redactor } from '../../core/text/redact.ts';

export interface LiveLog {
  add(chunk: string): void;
  close(): void;
}

const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

export function openLiveLog(request: {
  readonly file: string;
  readonly redactor: Redactor;
  readonly bytesMax: number;
}): LiveLog {
  let descriptor = openNew(request.file);
  let left = request.bytesMax;
  const stream = request.redactor.stream({ isEager: true });
  const close = (): void => {
    if (descriptor !== null) closeSync(descriptor);
    descriptor = null;
  };
  const write = (text: string): void => {
    if (descriptor === null || text === '') return;
    left -= Buffer.byteLength(text);
    try {
      writeSync(descriptor, left < 0 ? '[the rest follows when it has ended]\n' : text);
      if (left < 0) close();
    } catch {
      close();
    }
  };
  return {
    close,
    add: (chunk) => {
      if (descriptor === null) return;
      const pieces = stream.write(chunk);
      write(pieces.map((piece) => piece.text).join(''));
    },
  };
}

/** Null: it cannot be opened; the run continues without it. */
function openNew(file: string): number | null {
  try {
    rmSync(file, { force: true });
    return openSync(file, flags, 0o644);
  } catch {
    return null;
  }
}
