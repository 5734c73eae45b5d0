import { appendFileSync, statSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { follow } from '../../../src/adapters/files/follow.ts';
import type { Follower } from '../../../src/adapters/files/follow.ts';
import { scratchFolder } from '../../support/scratch.ts';

interface Followed {
  readonly file: string;
  readonly follower: Follower;
  readonly text: () => string;
}

async function followed(start: string, followAll = false): Promise<Followed> {
  const file = path.join(scratchFolder(), 'log');
  writeFileSync(file, start);
  const handle = await open(file);
  onTestFinished(() => handle.close());
  const chunks: string[] = [];
  const onChunk = (text: string): void => {
    chunks.push(text);
  };
  return {
    file,
    follower: follow({ handle, position: Buffer.byteLength(start), onChunk, followAll }),
    text: () => chunks.join(''),
  };
}

test('hands on only what is new, whole characters at a time', async () => {
  const { file, follower, text } = await followed('old');
  const bytes = Buffer.from('a€😀');
  const seen = new Set<string>();
  for (const byte of bytes) {
    appendFileSync(file, Buffer.from([byte]));
    expect(await follower.readSome(statSync(file).size)).toBe(false);
    seen.add(text());
  }
  expect([...seen]).toEqual(['a', 'a€', 'a€😀']);
});

test('goes on reading a file whose name is gone', async () => {
  const { file, follower, text } = await followed('');
  appendFileSync(file, 'text');
  const { size } = statSync(file);
  unlinkSync(file);
  await follower.finish(size);
  expect(text()).toBe('text');
});

test('a reader far behind skips to the end, at a character', async () => {
  const { file, follower, text } = await followed('');
  appendFileSync(file, `${'€'.repeat(1_000_000)}end`);
  await follower.finish(statSync(file).size);
  expect(Buffer.byteLength(text())).toBeGreaterThan(60_000);
  expect(Buffer.byteLength(text())).toBeLessThanOrEqual(64 * 1024);
  expect(text()).toMatch(/^€+end$/);
});

test('followAll hands on everything, in bounded turns', async () => {
  const { file, follower, text } = await followed('', true);
  appendFileSync(file, 'é'.repeat(5_000_000));
  expect(await follower.readSome(statSync(file).size)).toBe(true);
  expect(text().length).toBeLessThan(5_000_000);
  await follower.finish(statSync(file).size);
  expect(text()).toBe('é'.repeat(5_000_000));
});

test('followAll passes over what is not needed any more, once that is so', async () => {
  const file = path.join(scratchFolder(), 'log');
  writeFileSync(file, 'é'.repeat(100));
  const handle = await open(file);
  onTestFinished(() => handle.close());
  const seen: string[] = [];
  let isNeeded = true;
  const follower = follow({
    handle,
    position: 0,
    onChunk: (text) => seen.push(text),
    followAll: true,
    skipping: () =>
      isNeeded ? null : { behindBytesMax: 100, keptBytes: 3, onSkip: () => seen.push('skipped') },
  });
  await follower.readSome(200);
  isNeeded = false;
  appendFileSync(file, 'a'.repeat(100));
  await follower.readSome(300);
  appendFileSync(file, 'é'.repeat(51));
  await follower.finish(402);
  expect(seen).toEqual(['é'.repeat(100), 'a'.repeat(100), 'skipped', 'é']);
});

test('a file that was cut is read from its start', async () => {
  const { file, follower, text } = await followed('');
  appendFileSync(file, 'before');
  await follower.readSome(6);
  truncateSync(file, 0);
  appendFileSync(file, 'new');
  await follower.finish(3);
  expect(text()).toBe('beforenew');
});

test('an unfinished character at the very end is shown as such', async () => {
  const { file, follower, text } = await followed('');
  appendFileSync(file, Buffer.from([0x61, 0xe2]));
  await follower.finish(2);
  expect(text()).toBe('a\uFFFD');
});
