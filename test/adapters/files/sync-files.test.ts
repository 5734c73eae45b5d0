import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stampFile } from '../../../src/adapters/files/look-at.ts';
import { syncFiles, syncFolders } from '../../../src/adapters/files/sync-files.ts';
import { scratchFolder } from '../../support/scratch.ts';

test('files of the folder, each again when it was written to since, and nothing else', async () => {
  const folder = scratchFolder();
  const [one, two] = [join(folder, 'one'), join(folder, 'two')];
  writeFileSync(one, '1');
  writeFileSync(two, '2');
  mkdirSync(join(folder, 'inner'));
  writeFileSync(join(folder, 'inner', 'three'), '3');
  symlinkSync('one', join(folder, 'link'));
  const synced = new Map<string, string>();
  await syncFiles(folder, synced);
  // Their order is that in which the disk answered.
  expect(synced).toEqual(new Map([one, two].map((path) => [path, stampFile(path)])));
  const before = synced.get(two);
  writeFileSync(one, 'other');
  await syncFiles(folder, synced);
  expect(synced.get(one)).toBe(stampFile(one));
  expect(synced.get(two)).toBe(before);
});

test('a folder that is gone is one clear error', async () => {
  const folder = scratchFolder();
  await syncFolders([folder]);
  await expect(syncFolders([folder, join(folder, 'gone')])).rejects.toMatchObject({
    code: 'DISK',
    message: expect.stringContaining(join(folder, 'gone')) as unknown,
  });
});
