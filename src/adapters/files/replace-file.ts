/** Replaces whole files that are not state: exports, reports, records of evals. State, journal and logs use `saveFile`. */
import { writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { diskError } from './disk-error.ts';
import { ensureDir, targetMode } from './files.ts';
import type { Below } from './folders.ts';

/** The old file stays until the new one is whole; a power cut may undo it. Throws DISK, LAYOUT_INVALID. */
export async function replaceFile(path: string, data: string | Uint8Array, below: Below): Promise<void> {
  const bytes = Buffer.from(data);
  await ensureDir(dirname(path), below);
  const mode = targetMode(path);
  const { default: writeFileAtomic } = await import('write-file-atomic');
  // On a full disk write-file-atomic renames a short file and reports success; here the space is taken first, or this fails.
  const tmpfileCreated = (stage: string): void => writeFileSync(stage, bytes);
  try {
    await writeFileAtomic(path, bytes, { mode, tmpfileCreated });
  } catch (cause) {
    throw diskError({ action: 'write', path, bytesNeeded: bytes.length, cause });
  }
}
