/**
 * A complete, verified, synced file under a fresh name, ready to be renamed over its target. It never touches the
 * target.
 */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  openSync,
  readSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { giveToFolder } from './owner.ts';

const chunkBytes = 256 * 1024;

export interface StageRequest {
  readonly stage: string;
  readonly bytes: Buffer;
  readonly mode: number;
  /** False: what a power cut takes from it need not be kept. */
  readonly isDurable: boolean;
}

const nameBytes = 16;
/** Many at once: asking for each takes longer than all the rest of a name. */
let pool = Buffer.alloc(0);

/** Unpredictable, so that nothing can be planted at the name beforehand. */
export function randomName(): string {
  if (pool.length === 0) pool = randomBytes(nameBytes * 64);

  const name = pool.toString('hex', 0, nameBytes);
  pool = pool.subarray(nameBytes);
  return name;
}

export function stageName(): string {
  return `.runner-stage-${randomName()}`;
}

/**
 * Every byte is written, synced and read back. The caller drops the stage when this fails. At once: handing each of these calls
 * to another thread takes longer than the calls do.
 */
export function saveStage({ stage, bytes, mode, isDurable }: StageRequest): void {
  const fd = openSync(stage, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at, bytes.length - at, at);

    fchmodSync(fd, mode);
    giveToFolder(fd, stage);
    if (isDurable) fsyncSync(fd);

    checkStage(fd, bytes);
  } finally {
    closeSync(fd);
  }
}

function checkStage(fd: number, bytes: Buffer): void {
  const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, bytes.length + 1));
  for (let at = 0; at <= bytes.length; at += chunk.length) {
    const bytesRead = readSync(fd, chunk, 0, chunk.length, at);
    if (!chunk.subarray(0, bytesRead).equals(bytes.subarray(at, at + chunk.length)))
      throw new Error(`what was read back differs from what was written, from byte ${at} on`);
  }
}

export function dropStage(stage: string): void {
  try {
    unlinkSync(stage);
  } catch {
    // The first failure is the one to tell; a stage that stays is swept later.
  }
}
