/**
 * Loose objects written without git, as git writes them: complete and synced under a name that git itself clears away, then renamed.
 * An object that is there is left alone, and as young as a new one.
 */
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, utimesSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { constants, deflateSync } from 'node:zlib';
import { diskError, errorCode } from '../files/disk-error.ts';
import { failpoint } from '../files/failpoint.ts';
import { syncFolder } from '../files/folders.ts';
import type { GitObject } from './index-trees.ts';
import { lookAt } from '../files/look-at.ts';
import { dropStage, randomName } from '../files/stage.ts';

export interface ObjectStore {
  /** Where `objects` is. */
  readonly commonDir: string;
}

export function objectPath({ commonDir }: ObjectStore, oid: string): string {
  return join(commonDir, 'objects', oid.slice(0, 2), oid.slice(2));
}

interface Staged {
  readonly fd: number;
  readonly stage: string;
  readonly target: string;
}

/** Most objects are small: they take one block of the disk in any case, and to get ready for packing takes longer than all the rest. */
const smallBytes = 4000;
const adlerBase = 65_521;
/** Open at a time: a system may allow few open files. */
const batchMax = 128;
/** `git gc` takes away what nothing refers to after two weeks; one day is more than any iteration needs. */
const freshMs = 24 * 60 * 60 * 1000;

/** All of them are durable when this returns. */
export function saveObjects(store: ObjectStore, objects: readonly GitObject[]): void {
  const missing = objects.filter(({ oid }) => !isFresh(objectPath(store, oid)));
  for (let at = 0; at < missing.length; at += batchMax) {
    saveBatch(store, missing.slice(at, at + batchMax));
  }
}

/** Whether it is there to stay. One that cannot be made young, because it is somebody else's, is written anew, as git does. */
function isFresh(path: string): boolean {
  const found = lookAt(path);
  if (found?.isFile() !== true) {
    return false;
  }
  const now = Date.now();
  try {
    if (found.mtimeMs < now - freshMs) {
      utimesSync(path, now / 1000, now / 1000);
    }
    return true;
  } catch {
    return false;
  }
}

/** First all are written, then all synced: one trip to the disk serves many. */
function saveBatch(store: ObjectStore, missing: readonly GitObject[]): void {
  const staged: Staged[] = [];
  const folders = new Set<string>();
  try {
    failpoint('write:before:objects');
    for (const object of missing) {
      const target = objectPath(store, object.oid);
      if (makeFolder(dirname(target))) {
        folders.add(dirname(dirname(target)));
      }
      folders.add(dirname(target));
      staged.push(stageObject(object, target));
    }
    for (const { fd } of staged) {
      fsyncSync(fd);
    }
    failpoint('rename:before:objects');
    for (const { stage, target } of staged) {
      renameSync(stage, target);
    }
  } catch (cause) {
    staged.forEach(({ stage }) => dropStage(stage));
    throw diskError({ action: 'write', path: join(store.commonDir, 'objects'), cause });
  } finally {
    staged.forEach(({ fd }) => closeSync(fd));
  }
  failpoint('rename:after:objects');
  folders.forEach(syncFolder);
}

/** True when it had to be made. */
function makeFolder(path: string): boolean {
  if (lookAt(path) !== null) {
    return false;
  }
  try {
    mkdirSync(path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') {
      return false;
    }
    throw error;
  }
}

/** What zlib makes of it at level 0: one stored block (RFC 1950 and 1951). */
function storeUnpacked(bytes: Buffer): Buffer {
  let [low, high] = [1, 0];
  for (const byte of bytes) {
    low = (low + byte) % adlerBase;
    high = (high + low) % adlerBase;
  }
  const head = Buffer.from([0x78, 0x01, 0x01, 0, 0, 0, 0]);
  head.writeUInt16LE(bytes.length, 3);
  head.writeUInt16LE(0xffff - bytes.length, 5);
  const tail = Buffer.alloc(4);
  tail.writeUInt32BE(high * 0x10000 + low);
  return Buffer.concat([head, bytes, tail]);
}

function stageObject({ kind, body }: GitObject, target: string): Staged {
  const head = Buffer.from(`${kind} ${body.length}\0`);
  const whole = Buffer.concat([head, body]);
  const bytes =
    whole.length <= smallBytes ? storeUnpacked(whole) : deflateSync(whole, { level: constants.Z_BEST_SPEED });
  const stage = join(dirname(target), `tmp_obj_${randomName()}`);
  // Who may read it is for the umask to say.
  const fd = openSync(stage, 'wx', 0o444);
  try {
    for (let at = 0; at < bytes.length;) {
      at += writeSync(fd, bytes, at, bytes.length - at, at);
    }
    return { fd, stage, target };
  } catch (error) {
    closeSync(fd);
    dropStage(stage);
    throw error;
  }
}
