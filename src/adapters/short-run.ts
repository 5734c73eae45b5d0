/**
 * Tells V8 that this process will soon be over. Functions that are used a thousand times are otherwise made quicker in the background,
 * and Node does not end before that is done. Changes only when V8 does so; a large tree is still worth it.
 */
import { statSync } from 'node:fs';
import { layout } from './layout.ts';

/** Below it nothing is used often enough. */
const treeBytesMin = 64 * 1024;
/** Thirty times what is usual: bytes of code that run before V8 thinks of making it quicker. */
const budget = '--interrupt-budget=4000000';

export async function expectShortRun(projectDir: string): Promise<void> {
  const bytes = statSync(layout(projectDir).tree, { throwIfNoEntry: false })?.size ?? 0;
  // Tried with the V8 of Node 20; one that does not know the flag would say so on stderr.
  if (bytes < treeBytesMin || !process.versions.v8.startsWith('11.')) {
    return;
  }
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString(budget);
}
