/**
 * A complete, verified, synced file under a fresh name, ready to be renamed over its target. It never touches the
 * target.
 */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open, unlink } from 'node:fs/promises';

const chunkBytes = 256 * 1024;

export interface StageRequest {
  readonly stage: string;
  readonly bytes: Buffer;
  readonly mode: number;
}

/** Unpredictable, so that nothing can be planted at the name beforehand. */
export function stageName(): string {
  return `.runner-stage-${randomBytes(16).toString('hex')}`;
}

/** Every byte is written, synced and read back. The caller drops the stage when this fails. */
export async function saveStage({ stage, bytes, mode }: StageRequest): Promise<void> {
  const handle = await open(stage, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    for (let at = 0; at < bytes.length;) {
      at += (await handle.write(bytes, at, bytes.length - at, at)).bytesWritten;
    }
    await handle.chmod(mode);
    await handle.sync();
    const chunk = Buffer.alloc(Math.min(chunkBytes, bytes.length + 1));
    for (let at = 0; at <= bytes.length; at += chunk.length) {
      const { bytesRead } = await handle.read(chunk, 0, chunk.length, at);
      if (!chunk.subarray(0, bytesRead).equals(bytes.subarray(at, at + chunk.length))) {
        throw new Error(`what was read back differs from what was written, from byte ${at} on`);
      }
    }
  } finally {
    await handle.close();
  }
}

export async function dropStage(stage: string): Promise<void> {
  try {
    await unlink(stage);
  } catch {
    // The first failure is the one to tell; a stage that stays is swept later.
  }
}
