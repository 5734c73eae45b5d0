import { chmodSync, mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { blobId } from '../../../src/adapters/project/blob-id.ts';
import { knownBlobs } from '../../../src/adapters/project/known-blobs.ts';
import type { KnownBlobs } from '../../../src/adapters/project/known-blobs.ts';
import { scratchFolder } from '../../support/scratch.ts';

const sha1 = '0'.repeat(40);

/** The id of what is there, and whether the file was read for it. */
function idOf(blobs: KnownBlobs, file: string, like = sha1): { oid: string | null; isRead: boolean } {
  const looked = blobs.look(file, like);
  if (looked === null || looked.oid !== null) return { oid: looked?.oid ?? null, isRead: false };
  return { oid: blobs.keep(file, looked, { bytes: readFileSync(file), like }), isRead: true };
}

/** Only the clock of the system can make a file old in every way, so the look is given another time instead. */
function later<T>(look: () => T): T {
  const { now } = Date;
  Date.now = () => now() + 60_000;
  try {
    return look();
  } finally {
    Date.now = now;
  }
}

test('a file that has been left alone for a while is read once', () => {
  const file = join(scratchFolder(), 'file');
  writeFileSync(file, 'text');
  const oid = blobId(Buffer.from('text'), sha1);
  const blobs = knownBlobs();
  expect(later(() => idOf(blobs, file))).toEqual({ oid, isRead: true });
  expect(idOf(blobs, file)).toEqual({ oid, isRead: false });
  expect(idOf(blobs, file, '0'.repeat(64)).oid).toHaveLength(64);
});

test('one that was written just now is read again, for the next write may leave no trace', () => {
  const file = join(scratchFolder(), 'file');
  writeFileSync(file, 'text');
  const blobs = knownBlobs();
  expect(idOf(blobs, file).isRead).toBe(true);
  expect(idOf(blobs, file).isRead).toBe(true);
});

test.each<[string, (file: string) => void]>([
  ['as long', (file) => writeFileSync(file, 'TEXT')],
  ['longer', (file) => writeFileSync(file, 'texts')],
  [
    'with its old time',
    (file) => {
      writeFileSync(file, 'TEXT');
      utimesSync(file, 1, 1);
    },
  ],
])('one that was written to is read again: %s', (_, change) => {
  const file = join(scratchFolder(), 'file');
  writeFileSync(file, 'text');
  utimesSync(file, 1, 1);
  const blobs = knownBlobs();
  later(() => idOf(blobs, file));
  expect(idOf(blobs, file).isRead).toBe(false);
  change(file);
  expect(idOf(blobs, file)).toEqual({ oid: blobId(readFileSync(file), sha1), isRead: true });
});

test('what is no regular file has no id, and who may run it is told', () => {
  const folder = scratchFolder();
  const blobs = knownBlobs();
  const file = join(folder, 'file');
  writeFileSync(file, '');
  expect(blobs.look(file, sha1)).toMatchObject({ bytes: 0, isExecutable: false });
  chmodSync(file, 0o755);
  expect(blobs.look(file, sha1)).toMatchObject({ isExecutable: true });
  mkdirSync(join(folder, 'folder'));
  symlinkSync(file, join(folder, 'link'));
  for (const name of ['folder', 'link', 'missing', 'file/below']) {
    expect(blobs.look(join(folder, name), sha1), name).toBeNull();
  }
});
