/**
 * What is staged for a file, known without a process when it is what stands on disk. Null stands for "ask git", also when nothing is
 * staged: only an entry that is found is believed.
 */
import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { treeBytesMax } from '../core/limits.ts';
import type { SourceText } from '../core/types.ts';
import { readBytes } from './files.ts';
import type { Repo } from './git-repo.ts';

export interface StagedRequest {
  /** From the top. */
  readonly path: string;
  /** As a hook was given it: git names it relative to the top. */
  readonly index: string | undefined;
}

/** Larger ones take git less time than us. */
const indexBytesMax = 64 * 1024 * 1024;

export async function readStaged(
  repo: Pick<Repo, 'top' | 'gitDir'>,
  { path, index }: StagedRequest,
): Promise<SourceText | null> {
  const id = loadStagedId(index === undefined ? join(repo.gitDir, 'index') : resolve(repo.top, index), path);
  const source = id === null ? null : await readBytes(join(repo.top, path), { bytesMax: treeBytesMax });
  if (id === null || source?.kind !== 'bytes') {
    return null;
  }
  // Loaded here: it brings all of node:crypto.
  const { blobId } = await import('./blob-id.ts');
  const isSame = blobId(source.bytes, id) === id && isUtf8(source.bytes);
  return isSame ? { kind: 'text', text: source.bytes.toString('utf8') } : null;
}

function loadStagedId(file: string, path: string): string | null {
  try {
    return statSync(file).size > indexBytesMax ? null : findStagedId(readFileSync(file), path);
  } catch {
    // Not there, not readable, or it ends too soon.
    return null;
  }
}

const headerBytes = 12;
/** Ten numbers about the file, the last but three of them its mode, then the id and the flags. */
const modeAt = 24;
const idAt = 40;
const flagsAt = 60;
const nameAt = 62;
const isExtended = 0x4000;
const stageBits = 0x3000;
const nameLengthMax = 0x0fff;

/** Git's id of a regular file in an index of version 2 or 3 (gitformat-index). Throws where the bytes end too soon. */
export function findStagedId(bytes: Buffer, path: string): string | null {
  const version = bytes.readUInt32BE(4);
  if (bytes.toString('latin1', 0, 4) !== 'DIRC' || (version !== 2 && version !== 3)) {
    return null;
  }
  const wanted = Buffer.from(path);
  let at = headerBytes;
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    const flags = bytes.readUInt16BE(at + flagsAt);
    const length = flags & nameLengthMax;
    if (length === nameLengthMax) {
      return null;
    }
    const name = at + nameAt + ((flags & isExtended) === 0 ? 0 : 2);
    if (length === wanted.length && bytes.compare(wanted, 0, length, name, name + length) === 0) {
      const isFile = bytes.readUInt32BE(at + modeAt) >> 12 === 0o10 && (flags & stageBits) === 0;
      return isFile ? bytes.toString('hex', at + idAt, at + flagsAt) : null;
    }
    // One to eight NULs after the name, so that the next entry starts at a multiple of eight.
    at += (name - at + length + 8) & ~7;
  }
  return null;
}
