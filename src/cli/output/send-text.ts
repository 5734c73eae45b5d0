/** Sends long text to stdout without holding all of it in memory. */
import type { Streams } from './streams.ts';

/** False: nobody reads any more, so the rest need not be made. */
export async function sendText(streams: Streams, text: string): Promise<boolean> {
  if (streams.send !== undefined) return streams.send(text);
  streams.out(text);
  return true;
}
