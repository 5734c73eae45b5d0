/** A folder of its own for a test, gone when the test is; and waiting for something to become true, with a deadline. */
import { mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

export function scratchFolder(): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'runner-test-')));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** A file is there a moment before its text is. */
export function hasText(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** Resolves with the first value that is neither undefined, null nor false; fails the test after the deadline. */
export async function waitUntil<T>(
  what: string,
  look: () => T | Promise<T>,
  timeoutMs = 30_000,
): Promise<Exclude<T, undefined | null | false>> {
  const untilMs = performance.now() + timeoutMs;
  for (;;) {
    const value = await look();
    if (value !== undefined && value !== null && value !== false)
      return value as Exclude<T, undefined | null | false>;

    if (performance.now() > untilMs) throw new Error(`waited ${timeoutMs} ms in vain: ${what}`);

    await sleep(10);
  }
}
