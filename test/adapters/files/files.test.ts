import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { RunnerError } from '../../../src/core/errors.ts';
import {
  ensureDir,
  listDir,
  moveAside,
  loadBytes,
  loadText,
  removeFile,
  saveFile,
  walkFiles,
} from '../../../src/adapters/files/files.ts';
import { stageName } from '../../../src/adapters/files/stage.ts';
import { sweepStages } from '../../../src/adapters/files/stage-sweep.ts';
import { scratchFolder } from '../../support/scratch.ts';

let root = '';
const at = (...parts: readonly string[]): string => path.join(root, ...parts);

async function failure(action: Promise<unknown>): Promise<RunnerError> {
  const error = await action.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(RunnerError);
  return error as RunnerError;
}

beforeEach(() => {
  root = scratchFolder();
});

describe('saveFile', () => {
  test('makes missing folders and leaves nothing but the file', async () => {
    await saveFile(at('a/b/tree.json'), 'é\n', { root });
    expect(readFileSync(at('a/b/tree.json'), 'utf8')).toBe('é\n');
    expect(readdirSync(at('a/b'))).toEqual(['tree.json']);
  });

  test.each([0, 1, 256 * 1024 - 1, 256 * 1024, 256 * 1024 + 1, 1_500_000])('%i bytes', async (length) => {
    const bytes = new Uint8Array(length).map((_, index) => index % 251);
    await saveFile(at('x'), bytes, { root });
    expect(readFileSync(at('x')).equals(bytes)).toBe(true);
  });

  test('a new file is 0644 whatever the umask, an existing one keeps its mode', async () => {
    const umask = process.umask(0o077);
    try {
      await saveFile(at('new'), 'x', { root });
    } finally {
      process.umask(umask);
    }
    expect(statSync(at('new')).mode & 0o777).toBe(0o644);
    for (const mode of [0o600, 0o755, 0o444]) {
      chmodSync(at('new'), mode);
      await saveFile(at('new'), `mode ${mode}`, { root });
      expect(statSync(at('new')).mode & 0o777).toBe(mode);
      expect(readFileSync(at('new'), 'utf8')).toBe(`mode ${mode}`);
    }
  });

  test('refuses a linked folder anywhere below the root, and writes nothing through it', async () => {
    mkdirSync(at('inside'));
    mkdirSync(at('outside/deep'), { recursive: true });
    symlinkSync(at('outside'), at('inside/link'));
    const error = await failure(saveFile(at('inside/link/deep/x'), 'x', { root: at('inside') }));
    expect(error.code).toBe('LAYOUT_INVALID');
    expect(error.message).toContain(`${at('inside/link')} is a symbolic link`);
    expect(error.hint).toBe(`rm ${at('inside/link')}`);
    expect(readdirSync(at('outside/deep'))).toEqual([]);
  });

  test('the root itself may be reached through a link', async () => {
    mkdirSync(at('real'));
    symlinkSync(at('real'), at('alias'));
    await saveFile(at('alias/x'), 'x', { root: at('alias') });
    expect(readFileSync(at('real/x'), 'utf8')).toBe('x');
  });

  test('refuses a link at the target, and the command it prints helps', async () => {
    writeFileSync(at("victim's"), 'precious');
    symlinkSync(at("victim's"), at("it's"));
    const error = await failure(saveFile(at("it's"), 'x', { root }));
    expect(error.code).toBe('LAYOUT_INVALID');
    expect(readFileSync(at("victim's"), 'utf8')).toBe('precious');
    expect(spawnSync('sh', ['-c', error.hint]).status).toBe(0);
    await saveFile(at("it's"), 'x', { root });
    expect(readFileSync(at("victim's"), 'utf8')).toBe('precious');
  });

  test('refuses a folder at the target and a file among the folders', async () => {
    mkdirSync(at('folder'));
    expect((await failure(saveFile(at('folder'), 'x', { root }))).code).toBe('LAYOUT_INVALID');
    writeFileSync(at('file'), 'x');
    const error = await failure(saveFile(at('file/x'), 'x', { root }));
    expect(error.code).toBe('LAYOUT_INVALID');
    expect(error.message).toContain('a regular file, not a real folder');
    expect(readdirSync(root).toSorted()).toEqual(['file', 'folder']);
  });

  test('a path outside the root is our own mistake', async () => {
    const error = await failure(saveFile(at('x'), 'x', { root: at('sub') }));
    expect(error.code).toBe('INTERNAL');
    expect(existsSync(at('x'))).toBe(false);
  });
});

describe('loadText', () => {
  const read = (name: string): ReturnType<typeof loadText> => loadText(at(name), { bytesMax: 100, root });

  test('text, with its byte order mark', async () => {
    writeFileSync(at('x'), '\uFEFFé');
    expect(await read('x')).toEqual({ kind: 'text', text: '\uFEFFé' });
  });

  test('an empty file, and one of exactly the limit', async () => {
    writeFileSync(at('empty'), '');
    writeFileSync(at('full'), 'x'.repeat(100));
    expect(await read('empty')).toEqual({ kind: 'text', text: '' });
    expect(await read('full')).toEqual({ kind: 'text', text: 'x'.repeat(100) });
  });

  test('missing: no file, no folder, a file in place of the folder', async () => {
    writeFileSync(at('file'), '');
    expect(await read('x')).toEqual({ kind: 'missing' });
    expect(await read('a/b/c')).toEqual({ kind: 'missing' });
    expect(await loadText(at('file/x'), { bytesMax: 1 })).toEqual({ kind: 'missing' });
  });

  test('too large, by one byte and by five gigabytes that are not there', async () => {
    writeFileSync(at('x'), 'x'.repeat(101));
    expect(await read('x')).toEqual({ kind: 'too_large', bytes: 101, bytesMax: 100 });
    truncateSync(at('x'), 5_000_000_000);
    expect(await read('x')).toEqual({ kind: 'too_large', bytes: 5_000_000_000, bytesMax: 100 });
  });

  test('invalid UTF-8 is named with its offset', async () => {
    writeFileSync(at('x'), Buffer.from([0x61, 0xe2, 0x82, 0xac, 0xff]));
    expect(await read('x')).toEqual({
      kind: 'unreadable',
      message: `${at('x')} is not valid UTF-8 (byte 4)`,
    });
  });

  test('what is not a regular file is named and never waited for', async () => {
    writeFileSync(at('file'), 'text');
    symlinkSync(at('file'), at('link'));
    symlinkSync('/dev/zero', at('zero'));
    mkdirSync(at('folder'));
    expect(spawnSync('mkfifo', [at('pipe')]).status).toBe(0);
    const server = createServer().listen(at('socket'));
    await new Promise((resolve) => {
      server.once('listening', resolve);
    });
    const kinds = {
      link: 'a symbolic link',
      zero: 'a symbolic link',
      folder: 'a folder',
      pipe: 'a named pipe',
      socket: 'a socket',
    };
    for (const [name, kind] of Object.entries(kinds)) {
      expect(await read(name)).toEqual({
        kind: 'unreadable',
        message: `${at(name)} is ${kind}, not a regular file`,
      });
    }
    expect(await loadText('/dev/zero', { bytesMax: 1 })).toMatchObject({ kind: 'unreadable' });
    server.close();
  });

  test('a linked folder makes it unreadable when a root is given', async () => {
    mkdirSync(at('outside'));
    writeFileSync(at('outside/x'), 'secret');
    symlinkSync(at('outside'), at('link'));
    expect(await read('link/x')).toMatchObject({ kind: 'unreadable' });
  });

  test('bytes as they are', async () => {
    writeFileSync(at('x'), Buffer.from([0, 255]));
    const source = await loadBytes(at('x'), { bytesMax: 2 });
    expect(source.kind === 'bytes' && [...source.bytes]).toEqual([0, 255]);
  });
});

describe('removeFile', () => {
  test('removes, and is fine when there is nothing', async () => {
    writeFileSync(at('x'), '');
    await removeFile(at('x'), { root });
    expect(existsSync(at('x'))).toBe(false);
    await removeFile(at('x'), { root });
    await removeFile(at('no/such/folder/x'), { root });
  });

  test('removes a link, not what it points to, and goes through no linked folder', async () => {
    mkdirSync(at('outside'));
    writeFileSync(at('outside/x'), 'precious');
    symlinkSync(at('outside/x'), at('x'));
    symlinkSync(at('outside'), at('folder'));
    await removeFile(at('x'), { root });
    expect((await failure(removeFile(at('folder/x'), { root }))).code).toBe('LAYOUT_INVALID');
    expect(readdirSync(root)).toEqual(['folder', 'outside']);
    expect(readFileSync(at('outside/x'), 'utf8')).toBe('precious');
  });

  test('a folder is refused', async () => {
    mkdirSync(at('folder'));
    expect((await failure(removeFile(at('folder'), { root }))).code).toBe('DISK');
  });
});

describe('folders', () => {
  test('ensureDir is fine with what exists and refuses links', async () => {
    await ensureDir(at('a/b/c'), { root });
    await ensureDir(at('a/b/c'), { root });
    await ensureDir(root, { root });
    symlinkSync(at('a'), at('link'));
    expect((await failure(ensureDir(at('link/new'), { root }))).code).toBe('LAYOUT_INVALID');
    expect(readdirSync(at('a'))).toEqual(['b']);
  });

  test('many at once make the same folder', async () => {
    await Promise.all(Array.from({ length: 20 }, () => ensureDir(at('a/b/c'), { root })));
    expect(statSync(at('a/b/c')).isDirectory()).toBe(true);
  });

  test('listDir sorts by code point and tells kinds', async () => {
    mkdirSync(at('dir'));
    writeFileSync(at('\uFF5E'), '');
    writeFileSync(at('😀'), '');
    symlinkSync('x', at('link'));
    spawnSync('mkfifo', [at('pipe')]);
    expect(await listDir(root)).toEqual([
      { name: 'dir', kind: 'folder' },
      { name: 'link', kind: 'link' },
      { name: 'pipe', kind: 'other' },
      { name: '\uFF5E', kind: 'file' },
      { name: '😀', kind: 'file' },
    ]);
    expect(await listDir(at('none'))).toEqual([]);
    expect((await failure(listDir(at('link')))).code).toBe('LAYOUT_INVALID');
  });

  test('walkFiles goes deep without following a link', async () => {
    const deep = Array.from({ length: 500 }, () => 'd').join('/');
    mkdirSync(at(deep), { recursive: true });
    writeFileSync(at(deep, 'x'), '');
    writeFileSync(at('a'), '');
    symlinkSync(root, at('d/loop'));
    spawnSync('mkfifo', [at('d/pipe')]);
    expect(await walkFiles(root)).toEqual({
      files: ['a', `${deep}/x`],
      links: ['d/loop'],
      others: ['d/pipe'],
    });
    expect(await walkFiles(at('none'))).toEqual({ files: [], links: [], others: [] });
  });

  test('sweepStages removes stages of ours and nothing else', async () => {
    const mine = [at(stageName()), at('sub', stageName())];
    const kept = [at('skipped', stageName()), at('.runner-stage-notes'), at('sub/x')];
    mkdirSync(at('sub'));
    mkdirSync(at('skipped'));
    for (const file of [...mine, ...kept]) writeFileSync(file, 'precious');

    const link = at(stageName());
    symlinkSync(at('sub/x'), link);
    expect([...(await sweepStages(root, { skip: ['skipped'] }))].toSorted()).toEqual(mine.toSorted());
    expect(kept.every((file) => readFileSync(file, 'utf8') === 'precious')).toBe(true);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(await sweepStages(at('none'))).toEqual([]);
  });
});

describe('moveAside', () => {
  test('keeps the name, then counts', async () => {
    for (const expected of ['x', 'x-2', 'x-3']) {
      writeFileSync(at('x'), expected);
      expect(await moveAside({ from: at('x'), toDir: at('aside'), root })).toBe(at('aside', expected));
      expect(readFileSync(at('aside', expected), 'utf8')).toBe(expected);
    }
    expect(await moveAside({ from: at('x'), toDir: at('aside'), root })).toBeNull();
  });

  test('a link and a whole folder are moved as they are', async () => {
    mkdirSync(at('outside'));
    writeFileSync(at('outside/x'), 'precious');
    symlinkSync(at('outside'), at('link'));
    await moveAside({ from: at('link'), toDir: at('aside'), root });
    expect(readlinkSync(at('aside/link'))).toBe(at('outside'));
    await moveAside({ from: at('outside'), toDir: at('aside'), root });
    expect(readFileSync(at('aside/outside/x'), 'utf8')).toBe('precious');
  });

  test('refuses a linked target folder', async () => {
    mkdirSync(at('outside'));
    symlinkSync(at('outside'), at('aside'));
    writeFileSync(at('x'), '');
    const error = await failure(moveAside({ from: at('x'), toDir: at('aside'), root }));
    expect(error.code).toBe('LAYOUT_INVALID');
    expect(readdirSync(at('outside'))).toEqual([]);
  });

  const elsewhere = ['/dev/shm', '/tmp'].find(
    (folder) => existsSync(folder) && statSync(folder).dev !== statSync(tmpdir()).dev,
  );

  test.skipIf(elsewhere === undefined)('works across file systems (needs a second one)', async () => {
    const other = path.join(elsewhere ?? '', `runner-other-${path.basename(root)}`);
    mkdirSync(path.join(other, 'from/sub'), { recursive: true });
    writeFileSync(path.join(other, 'from/sub/x'), 'work', { mode: 0o755 });
    symlinkSync('sub/x', path.join(other, 'from/link'));
    spawnSync('mkfifo', [path.join(other, 'from/pipe')]);
    expect(await moveAside({ from: path.join(other, 'from'), toDir: at('aside'), root })).toBe(
      at('aside/from'),
    );
    expect(readdirSync(other)).toEqual([]);
    expect(readdirSync(at('aside/from')).toSorted()).toEqual(['link', 'sub']);
    expect(readlinkSync(at('aside/from/link'))).toBe('sub/x');
    expect(readFileSync(at('aside/from/sub/x'), 'utf8')).toBe('work');
    expect(statSync(at('aside/from/sub/x')).mode & 0o777).toBe(0o755);
    spawnSync('rmdir', [other]);
  });
});
