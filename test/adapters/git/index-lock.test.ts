import { chmodSync, linkSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { overwritePrivate } from '../../../src/adapters/git/index-lock.ts';
import { asNobody } from '../../support/nobody.ts';
import { scratchFolder } from '../../support/scratch.ts';

test('a mark is written, changed and emptied in one file', () => {
  const file = join(scratchFolder(), 'mark');
  overwritePrivate(file, 'long text');
  const { ino } = statSync(file);
  overwritePrivate(file, 'text');
  expect([readFileSync(file, 'utf8'), statSync(file).ino]).toEqual(['text', ino]);
  overwritePrivate(file, '');
  expect(readFileSync(file, 'utf8')).toBe('');
});

test.each<[string, (file: string, other: string) => void]>([
  ['a link', (file, other) => symlinkSync(other, file)],
  ['a second name', (file, other) => linkSync(other, file)],
  ['a folder', (file) => mkdirSync(join(file, 'inner'), { recursive: true })],
])('%s in its place makes way, and nothing is written through it', (_, put) => {
  const folder = scratchFolder();
  const [file, other] = [join(folder, 'mark'), join(folder, 'work.txt')];
  writeFileSync(other, 'work');
  put(file, other);
  overwritePrivate(file, 'mark');
  expect(readFileSync(file, 'utf8')).toBe('mark');
  expect(readFileSync(other, 'utf8')).toBe('work');
});

test('one that may not be written makes way', () => {
  const folder = scratchFolder();
  const file = join(folder, 'mark');
  overwritePrivate(file, 'old');
  chmodSync(folder, 0o777);
  chmodSync(file, 0o444);
  asNobody(() => overwritePrivate(file, 'new'));
  expect(readFileSync(file, 'utf8')).toBe('new');
});
