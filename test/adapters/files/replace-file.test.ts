import {
  chmodSync,
  existsSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { replaceFile } from '../../../src/adapters/files/replace-file.ts';
import { scratchFolder } from '../../support/scratch.ts';
import { canMount, mountSmallDisk } from '../../support/small-disk.ts';

test('text and bytes replace what was there; the mode stays, and missing folders are made', async () => {
  const root = scratchFolder();
  const file = path.join(root, 'a', 'b', 'report.html');
  await replaceFile(file, 'old and longer', { root });
  expect(statSync(file).mode & 0o777).toBe(0o644);
  chmodSync(file, 0o600);
  await replaceFile(file, 'ü', { root });
  expect(readFileSync(file, 'utf8')).toBe('ü');
  await replaceFile(file, Buffer.from([0, 255]), { root });
  expect([...readFileSync(file)]).toEqual([0, 255]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(path.dirname(file))).toEqual(['report.html']);
});

test('a link and a folder are refused, and what the link points to stays', async () => {
  const root = scratchFolder();
  const [target, link] = [path.join(root, 'target'), path.join(root, 'link')];
  writeFileSync(target, 'old');
  symlinkSync(target, link);
  await expect(replaceFile(link, 'new', { root })).rejects.toMatchObject({ code: 'LAYOUT_INVALID' });
  await expect(replaceFile(root, 'new', { root: path.dirname(root) })).rejects.toMatchObject({
    code: 'LAYOUT_INVALID',
  });
  expect(readFileSync(target, 'utf8')).toBe('old');
});

test.skipIf(!canMount)('on a full disk the old file stays (needs the right to mount)', async () => {
  const root = mountSmallDisk();
  const [file, fresh] = [path.join(root, 'meta.json'), path.join(root, 'fresh.json')];
  await replaceFile(file, 'old', { root });
  for (const name of [file, fresh]) {
    const error: unknown = await replaceFile(name, 'n'.repeat(100_000), { root }).catch(
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ code: 'DISK' });
    expect(String(error)).toContain(`cannot write ${name} (100000 bytes needed): ENOSPC`);
  }
  expect(readFileSync(file, 'utf8')).toBe('old');
  expect(existsSync(fresh)).toBe(false);
  expect(readdirSync(root)).toEqual(['meta.json']);
});
