/** Reads a small file at once, for polling. Anything but a small regular file gives null; it never waits. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

export function loadSmallFile(path: string, bytesMax: number): string | null {
  try {
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stats = fstatSync(descriptor);
      return stats.isFile() && stats.size <= bytesMax ? readFileSync(descriptor, 'utf8') : null;
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // Missing or unreadable.
    return null;
  }
}
