/** stdout and stderr of this process, written at once. Never ends a run because nobody reads it any more. */
import { writeSync } from 'node:fs';

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
    if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) return;
    slow.set(file, file === 1 ? process.stdout : process.stderr);
    slow.get(file)?.on('error', () => {});
  }
  slow.get(file)?.write(bytes.subarray(at));
}

/** From then on everything goes through the stream, so that the order stays. */
const slow = new Map<1 | 2, NodeJS.WriteStream>();

/** For text without end: waits until it is taken. False: nobody reads any more. */
export function sendOut(text: string): Promise<boolean> {
  const { stdout } = process;
  if (stdout.listenerCount('error') === 0) stdout.on('error', () => {});
  return new Promise((taken) => {
    stdout.write(text, (error) => taken(error === null || error === undefined));
  });
}
