/**
 * Tells V8 that this process will soon be over. Functions that are used a thousand times are otherwise made quicker in the background,
 * and Node does not end before that is done. A large tree is worth it.
 */
import { statSync } from 'node:fs';
import { layout } from './layout.ts';

/** Below it nothing is used often enough; above it the quicker functions pay. */
const treeBytesMin = 64 * 1024;
const treeBytesMax = 1024 * 1024;
/** Thirty times what is usual: bytes of code that run before V8 thinks of making it quicker. */
const budget = '--interrupt-budget=4000000';

export async function expectShortRun(projectDir: string): Promise<void> {
  const bytes = statSync(layout(projectDir).tree, { throwIfNoEntry: false })?.size ?? 0;
  // Tried with the V8 of Node 20; one that does not know the flag would say so on stderr.
  if (bytes < treeBytesMin || bytes > treeBytesMax || !process.versions.v8.startsWith('11.')) {
    return;
  }
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString(budget);
}
