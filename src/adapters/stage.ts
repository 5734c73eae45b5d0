/**
 * A complete, verified, synced file under a fresh name, ready to be renamed over its target. It never touches the
 * target.
 */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open, unlink } from 'node:fs/promises';
import writeFileAtomic from 'write-file-atomic';

const chunkBytes = 256 * 1024;
/** Our own name, or the one write-file-atomic derives from it. */
const stagePattern = /^\.runner-stage-[0-9a-f]{32}(?:\.\d+)?$/;

export interface StageRequest {
  readonly stage: string;
  readonly bytes: Buffer;
  readonly mode: number;
}

/** Unpredictable, so that nothing can be planted at the name beforehand. */
export function stageName(): string {
  return `.runner-stage-${randomBytes(16).toString('hex')}`;
}

export function isStageName(name: string): boolean {
  return stagePattern.test(name);
}

/** The caller drops the stage when this fails. */
export async function saveStage(request: StageRequest): Promise<void> {
  surviveSizeLimit();
  await writeFileAtomic(request.stage, request.bytes, { mode: 0o600 });
  await completeStage(request);
}

export async function dropStage(stage: string): Promise<void> {
  try {
    await unlink(stage);
  } catch {
    // The first failure is the one to tell; a stage that stays is swept later.
  }
}

/**
 * Node ignores SIGXFSZ, so that a file over the size limit is an error; write-file-atomic's exit hook undoes that and
 * would let the process die instead. A listener of our own that stays keeps it an error.
 */
function surviveSizeLimit(): void {
  if (!process.listeners('SIGXFSZ').includes(ignoreSignal)) {
    process.on('SIGXFSZ', ignoreSignal);
  }
}

function ignoreSignal(): void {
  // The failed write is told by its error.
}

/**
 * write-file-atomic writes once and takes a short write on a full disk for success. Writing the rest either completes
 * the file or brings out the system's real error; then all bytes are read back.
 */
async function completeStage({ stage, bytes, mode }: StageRequest): Promise<void> {
  const handle = await open(stage, constants.O_RDWR | constants.O_NOFOLLOW);
  try {
    let written = (await handle.stat()).size;
    const isShort = written < bytes.length;
    while (written < bytes.length) {
      written += (await handle.write(bytes, written, bytes.length - written, written)).bytesWritten;
    }
    await handle.chmod(mode);
    if (isShort) {
      await handle.sync();
    }
    const chunk = Buffer.alloc(chunkBytes);
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
