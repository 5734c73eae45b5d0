/** What an agent wrote to stderr, out of its log; read-only. */
import { stderrHeading } from '../../core/agents/readable.ts';
import { cleanText, renderTerminal } from '../../core/text/terminal-text.ts';
import type { IterationPlace, IterationReader } from '../../ports/iteration-reader.ts';

/** False of `onText` ends it. An agent may print the heading itself: then more is shown. */
export async function streamStderr(
  iterations: IterationReader,
  place: IterationPlace,
  onText: (text: string) => Promise<boolean>,
): Promise<void> {
  let held = '';
  let isStderr = false;
  await iterations.stream({ ...place, name: 'executor.log' }, async (piece) => {
    if (isStderr) return onText(cleanText(renderTerminal(piece)));
    held += piece;
    const at = held.indexOf(stderrHeading);
    isStderr = at !== -1;
    const text = isStderr ? held.slice(at + 1) : '';
    held = held.slice(-stderrHeading.length);
    return text === '' || onText(cleanText(renderTerminal(text)));
  });
}
