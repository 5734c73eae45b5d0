import {
  appendFileSync,
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { appendLine, clearLines } from '../../../src/adapters/files/append-line.ts';
import { asNobody } from '../../support/nobody.ts';
import { scratchFolder } from '../../support/scratch.ts';
import { canMount, mountSmallDisk } from '../../support/small-disk.ts';

function place(): { readonly root: string; readonly file: string } {
  const root = scratchFolder();
  return { root, file: join(root, 'own', 'lines') };
}

test('lines one after the other, in a folder that is made, in one file that stays', async () => {
  const { root, file } = place();
  await appendLine(file, 'one', { root });
  const { ino } = statSync(file);
  await appendLine(file, 'two', { root });
  expect(readFileSync(file, 'utf8')).toBe('one\n\ntwo\n');
  await clearLines(file);
  await clearLines(file);
  expect(readFileSync(file, 'utf8')).toBe('');
  await appendLine(file, 'three', { root });
  expect(readFileSync(file, 'utf8')).toBe('three\n');
  expect(statSync(file).ino).toBe(ino);
});

test('what was never finished stands on a line by itself', async () => {
  const { root, file } = place();
  await appendLine(file, 'whole', { root });
  appendFileSync(file, 'tor');
  await appendLine(file, 'next', { root });
  expect(readFileSync(file, 'utf8').split('\n').filter(Boolean)).toEqual(['whole', 'tor', 'next']);
});

test('nothing to clear is fine, and is not made', async () => {
  const { root, file } = place();
  await clearLines(file);
  expect(readdirSync(root)).toEqual([]);
});

test.each([
  ['a link', (file: string) => symlinkSync('/etc/hostname', file), 'a symbolic link'],
  ['a folder', (file: string) => mkdirSync(file), 'a folder'],
])('%s in its place is refused, never followed', async (_, put, kind) => {
  const { root, file } = place();
  mkdirSync(join(root, 'own'));
  put(file);
  const before = lstatSync(file).ino;
  for (const refused of [appendLine(file, 'x', { root }), clearLines(file)]) {
    await expect(refused).rejects.toMatchObject({
      code: 'LAYOUT_INVALID',
      message: expect.stringContaining(`${file} is ${kind}`) as unknown,
    });
  }
  expect(lstatSync(file).ino).toBe(before);
});

test('a file with a second name is left to that name', async () => {
  const { root, file } = place();
  mkdirSync(join(root, 'own'));
  writeFileSync(join(root, 'work.txt'), 'work\n');
  linkSync(join(root, 'work.txt'), file);
  await appendLine(file, 'line', { root });
  expect(readFileSync(file, 'utf8')).toBe('line\n');
  linkSync(file, join(root, 'other.txt'));
  await clearLines(file);
  expect(readFileSync(file, 'utf8')).toBe('');
  expect(readFileSync(join(root, 'other.txt'), 'utf8')).toBe('line\n');
  expect(readFileSync(join(root, 'work.txt'), 'utf8')).toBe('work\n');
});

test('a file that may not be written makes way for one that may', async () => {
  const { root, file } = place();
  await appendLine(file, 'old', { root });
  for (const folder of [root, join(root, 'own')]) chmodSync(folder, 0o777);
  chmodSync(file, 0o444);
  await asNobody(() => appendLine(file, 'new', { root }));
  expect(readFileSync(file, 'utf8')).toBe('new\n');
});

test.skipIf(!canMount)('a full disk takes nothing of what is there', async () => {
  const root = mountSmallDisk();
  const file = join(root, 'lines');
  await appendLine(file, 'kept', { root });
  await expect(appendLine(file, 'x'.repeat(200_000), { root })).rejects.toMatchObject({ code: 'DISK' });
  expect(readFileSync(file, 'utf8')).toBe('kept\n');
  await appendLine(file, 'more', { root });
  expect(readFileSync(file, 'utf8')).toBe('kept\n\nmore\n');
});
