/** Logs read back: whatever stands in the folder, what is ours is found, and nothing outside is looked at. */
import { appendFileSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { iterationReader } from '../../../src/adapters/project/iteration-reader.ts';
import { layout } from '../../../src/adapters/files/layout.ts';
import { metaWith } from '../../support/iteration-metas.ts';
import { scratchFolder } from '../../support/scratch.ts';

let dir = '';
beforeEach(() => {
  dir = scratchFolder();
});
const reader = () => iterationReader(layout(dir));
const logs = (path: string): string => join(dir, '.runner/iterations', path);

function put(path: string, text: string): void {
  mkdirSync(dirname(logs(path)), { recursive: true });
  writeFileSync(logs(path), text);
}

function putMeta(iter: number, text = JSON.stringify(metaWith({ iter }))): void {
  put(`demo/${iter}/meta.json`, text);
}

test('a fresh clone has no runs and no iterations', async () => {
  expect(await reader().listRuns()).toEqual([]);
  expect(await reader().listIterations('demo')).toEqual([]);
});

test('iterations by number; what stepped aside, stray files, links and foreign folders are passed over', async () => {
  for (const iter of [10, 9, 1]) putMeta(iter);
  for (const name of ['1.old-1', 'replaced', '03', '0', '-1', '1e3']) put(`demo/${name}/meta.json`, '{}');
  put('demo/4', 'a file');
  put('other/1/meta.json', '{}');
  put('stray', 'a file');
  symlinkSync(logs('demo/1'), logs('demo/5'));
  symlinkSync(logs('demo'), logs('linked'));
  expect(await reader().listRuns()).toEqual(['demo', 'other']);
  expect(await reader().listIterations('demo')).toEqual([1, 9, 10]);
});

test('a run name that leads elsewhere has nothing', async () => {
  mkdirSync(join(dir, 'elsewhere/1'), { recursive: true });
  mkdirSync(logs('demo/1'), { recursive: true });
  for (const name of ['../../elsewhere', '..', '.', '', 'demo/', 'a\0b', '/'])
    expect(await reader().listIterations(name), name).toEqual([]);
});

test('a link in place of a folder is refused, not followed', async () => {
  mkdirSync(join(dir, 'elsewhere/1'), { recursive: true });
  mkdirSync(logs(''), { recursive: true });
  symlinkSync(join(dir, 'elsewhere'), logs('demo'));
  await expect(reader().listIterations('demo')).rejects.toMatchObject({ code: 'LAYOUT_INVALID' });
});

test('a record is read when it is whole, and is none otherwise', async () => {
  putMeta(1);
  putMeta(2, JSON.stringify(metaWith({ iter: 2 })).slice(0, 80));
  putMeta(3, JSON.stringify(metaWith({ iter: 4 })));
  mkdirSync(logs('demo/4/meta.json'), { recursive: true });
  mkdirSync(logs('demo/5'), { recursive: true });
  for (const iter of [5, 6]) put(`aside/${iter}/meta.json`, JSON.stringify(metaWith({ iter })));
  symlinkSync(logs('aside/5/meta.json'), logs('demo/5/meta.json'));
  symlinkSync(logs('aside/6'), logs('demo/6'));
  expect(await reader().loadMeta({ run_id: 'demo', iter: 1 })).toEqual(metaWith({ iter: 1 }));
  for (const iter of [2, 3, 4, 5, 6, 7])
    expect(await reader().loadMeta({ run_id: 'demo', iter }), String(iter)).toBeNull();
});

test('the files of an iteration: regular ones only', async () => {
  put('demo/1/prompt.md', 'hello');
  put('demo/1/kept/x', '');
  symlinkSync('/etc/passwd', logs('demo/1/guard.log'));
  const place = { run_id: 'demo', iter: 1 };
  expect(await reader().listFiles(place)).toEqual([
    { name: 'prompt.md', bytes: 5, path: logs('demo/1/prompt.md') },
  ]);
  expect(await reader().read({ ...place, name: 'prompt.md' }, 10)).toEqual({ kind: 'text', text: 'hello' });
  expect(await reader().read({ ...place, name: 'prompt.md' }, 4)).toMatchObject({ kind: 'too_large' });
  expect(await reader().read({ ...place, name: 'guard.log' }, 10)).toMatchObject({ kind: 'unreadable' });
  expect(await reader().listFiles({ run_id: 'demo', iter: 2 })).toEqual([]);
});

describe('a file in pieces', () => {
  const place = { run_id: 'demo', iter: 1, name: 'guard.log' };

  async function piecesOf(takes = Infinity): Promise<readonly string[]> {
    const pieces: string[] = [];
    const ended = await reader().stream(place, async (text) => {
      pieces.push(text);
      return pieces.length < takes;
    });
    expect(ended).toEqual({ kind: 'read' });
    return pieces;
  }

  test('whole characters, whatever the cuts; bytes that are none are shown as such', async () => {
    const text = '好🙂é'.repeat(30_000);
    put('demo/1/guard.log', text);
    const pieces = await piecesOf();
    expect(pieces.length).toBeGreaterThan(3);
    expect(pieces.join('')).toBe(text);
    writeFileSync(logs('demo/1/guard.log'), Buffer.from([0x61, 0xff, 0xe5]));
    expect((await piecesOf()).join('')).toBe('a\uFFFD\uFFFD');
  });

  test('it ends when nobody takes more', async () => {
    put('demo/1/guard.log', 'x'.repeat(1_000_000));
    expect(await piecesOf(2)).toHaveLength(2);
  });

  test('what is missing or no regular file is a value', async () => {
    const take = async (): Promise<boolean> => true;
    expect(await reader().stream(place, take)).toEqual({ kind: 'missing' });
    mkdirSync(logs('demo/1'), { recursive: true });
    symlinkSync('/etc/passwd', logs('demo/1/guard.log'));
    expect(await reader().stream(place, take)).toMatchObject({ kind: 'unreadable' });
  });
});

test('lines are followed as they come, also in a file that takes the place of another', async () => {
  const lines = reader().follow({ run_id: 'demo', iter: 1, name: 'events.jsonl' });
  expect(await lines.readNew()).toEqual([]);
  put('demo/1/events.jsonl', 'one\ntw');
  expect(await lines.readNew()).toEqual(['one']);
  appendFileSync(logs('demo/1/events.jsonl'), 'o\n');
  expect(await lines.readNew()).toEqual(['two']);
  expect(await lines.readNew()).toEqual([]);
  appendFileSync(logs('demo/1/events.jsonl'), 'last of the old\n');
  renameSync(logs('demo/1'), logs('demo/1.old-1'));
  put('demo/1/events.jsonl', 'first of the new\n');
  expect(await lines.readNew()).toEqual(['last of the old', 'first of the new']);
  await lines.close();
  await lines.close();
});
