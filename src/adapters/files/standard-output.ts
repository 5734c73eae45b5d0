/** Writes to stdout and stderr of this process at once. A closed reader never ends a run. */
import { writeSync } from 'node:fs';

/** What became of stdout; see `lostOutput`. */
let lost: string | null = null;

/** Why stdout is incomplete, so that readers of the file are not misled; null: it is complete, or the reader left. */
export function lostOutput(): string | null {
  return lost;
}

function noteFailure(file: 1 | 2, error: unknown): void {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (file === 1 && error instanceof Error && code !== 'EPIPE') lost ??= error.message;
}

/**
 * Straight to the file: Node's own streams take longer to load than a quick command takes. They come in where the file is not
 * ready for more. A reader that left, a closed terminal or a full disk behind a log must not end a run.
 */
export function writeOut(file: 1 | 2, text: string): void {
  const bytes = Buffer.from(text);
  let at = 0;
  try {
    while (at < bytes.length && !slow.has(file)) at += writeSync(file, bytes, at);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN'))
      return noteFailure(file, error);
    slow.set(file, file === 1 ? process.stdout : process.stderr);
    slow.get(file)?.on('error', (failure) => noteFailure(file, failure));
  }
  slow.get(file)?.write(bytes.subarray(at));
}

/** From then on everything goes through the stream, so that the order stays. */
const slow = new Map<1 | 2, NodeJS.WriteStream>();

/** Everything is written, or cannot be. Comes before the process ends itself. */
export async function flushOutput(): Promise<void> {
  for (const stream of slow.values()) await new Promise((done) => stream.write('', done));
}

/** For text without end: waits until it is taken. False: nobody reads any more. */
export function sendOut(text: string): Promise<boolean> {
  const { stdout } = process;
  if (stdout.listenerCount('error') === 0) stdout.on('error', (error) => noteFailure(1, error));
  return new Promise((taken) => {
    stdout.write(text, (error) => taken(error === null || error === undefined));
  });
}
