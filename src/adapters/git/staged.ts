/**
 * What is staged for a file, known without a process when it is what stands on disk. Null stands for "ask git", also when nothing is
 * staged: only an entry that is found is believed.
 */
import { isUtf8 } from 'node:buffer';
import { lstatSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gitattributesText } from '../../core/iteration/initial-files.ts';
import { treeBytesMax } from '../../core/limits.ts';
import type { SourceText } from '../../core/types.ts';
import { readBytes } from '../files/files.ts';
import type { Repo } from './repo.ts';

export interface StagedRequest {
  /** From the top. */
  readonly path: string;
  /** As a hook was given it: git names it relative to the top. */
  readonly index: string | undefined;
}

/** Larger ones take git less time than us. */
const indexBytesMax = 64 * 1024 * 1024;

type Place = Pick<Repo, 'top' | 'gitDir' | 'commonDir' | 'runnerPath'>;

export async function readStaged(place: Place, { path, index }: StagedRequest): Promise<SourceText | null> {
  const given = index === undefined ? join(place.gitDir, 'index') : resolve(place.top, index);
  const entry = loadEntry(given, path);
  const file = join(place.top, path);
  const source = entry === null ? null : await readBytes(file, { bytesMax: treeBytesMax });
  if (entry === null || source?.kind !== 'bytes' || !isUtf8(source.bytes)) {
    return null;
  }
  // Looked at after it was read: what changed meanwhile has another state.
  const state = stateOf(file);
  const isKnown = state !== null && isUntouched(entry, state) && isVerbatim(place, path);
  const isSame = isKnown || (await hasId(source.bytes, entry.id));
  return isSame ? { kind: 'text', text: source.bytes.toString('utf8') } : null;
}

/** Loaded where it is needed: it brings all of node:crypto. */
async function hasId(bytes: Buffer, id: string): Promise<boolean> {
  const { blobId } = await import('../project/blob-id.ts');
  return blobId(bytes, id) === id;
}

export interface StagedEntry {
  readonly id: string;
  /** As git saw the file when it was staged: times, inode, owner, size. */
  readonly state: readonly number[];
}

interface LoadedEntry extends StagedEntry {
  readonly indexMtimeNs: bigint;
}

function loadEntry(file: string, path: string): LoadedEntry | null {
  try {
    const { size, mtimeNs } = lstatSync(file, { bigint: true });
    const entry = size > indexBytesMax ? null : findStaged(readFileSync(file), path);
    return entry === null ? null : { ...entry, indexMtimeNs: mtimeNs };
  } catch {
    // Not there, not readable, or it ends too soon.
    return null;
  }
}

const second = 1_000_000_000n;

interface FileState {
  readonly mtimeNs: bigint;
  readonly state: readonly number[];
}

function stateOf(file: string): FileState | null {
  const found = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  if (found === undefined) {
    return null;
  }
  const { ctimeNs, mtimeNs, ino, uid, gid, size } = found;
  const numbers = [
    ctimeNs / second,
    ctimeNs % second,
    mtimeNs / second,
    mtimeNs % second,
    ino,
    uid,
    gid,
    size,
  ];
  return { mtimeNs, state: numbers.map((number) => Number(BigInt.asUintN(32, number))) };
}

/** Git's own rule for what has not changed since it was staged, times in full: a file as young as the index may have. */
function isUntouched(entry: LoadedEntry, { mtimeNs, state }: FileState): boolean {
  return mtimeNs < entry.indexMtimeNs && entry.state.every((number, at) => number === state[at]);
}

/** Whether git stores the bytes as they are: our own attributes stand, and none that would come before them. */
function isVerbatim({ top, commonDir, runnerPath }: Place, path: string): boolean {
  try {
    const folder = join(top, runnerPath);
    const isOurs = readFileSync(join(folder, '.gitattributes'), 'utf8') === gitattributesText;
    const others = [join(commonDir, 'info/attributes'), join(top, path, '../.gitattributes')];
    return (
      isOurs &&
      path.startsWith(`${runnerPath}/state/`) &&
      others.every((file) => lstatSync(file, { throwIfNoEntry: false }) === undefined)
    );
  } catch {
    return false;
  }
}

const headerBytes = 12;
/** Ten numbers about the file: times, device, inode, mode, owner, size; then the id and the flags. */
const stateAts = [0, 4, 8, 12, 20, 28, 32, 36];
const modeAt = 24;
const idAt = 40;
const flagsAt = 60;
const nameAt = 62;
const isExtended = 0x4000;
const stageBits = 0x3000;
const nameLengthMax = 0x0fff;

/** The entry of a regular file in an index of version 2 or 3 (gitformat-index). Throws where the bytes end too soon. */
export function findStaged(bytes: Buffer, path: string): StagedEntry | null {
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
      return isFile ? entryAt(bytes, at) : null;
    }
    // One to eight NULs after the name, so that the next entry starts at a multiple of eight.
    at += (name - at + length + 8) & ~7;
  }
  return null;
}

function entryAt(bytes: Buffer, at: number): StagedEntry {
  return {
    id: bytes.toString('hex', at + idAt, at + flagsAt),
    state: stateAts.map((offset) => bytes.readUInt32BE(at + offset)),
  };
}
