import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { layout } from '../../../src/adapters/files/layout.ts';
import { sidecars } from '../../../src/adapters/project/sidecars.ts';
import { renderLastFile } from '../../../src/core/iteration/last-file.ts';
import { textFileBytesMax } from '../../../src/core/limits.ts';
import { scratchFolder } from '../../support/scratch.ts';

const record = { iter: 2, summary: 's', error: null, guard_output: null };

test('the last record comes and goes, with its folder when that is empty', async () => {
  const place = layout(scratchFolder());
  const store = sidecars(place);
  expect(await store.loadLast('a')).toBeNull();
  const save = (id: string): void => {
    mkdirSync(place.node(id).dir, { recursive: true });
    writeFileSync(place.node(id).last, renderLastFile(record));
  };
  save('a');
  expect(await store.loadLast('a')).toEqual(record);
  await store.removeLast('a');
  await store.removeLast('a');
  expect(existsSync(place.node('a').dir)).toBe(false);
  expect(await store.loadLast('a')).toBeNull();
  save('b');
  writeFileSync(place.node('b').context, 'x');
  await store.removeLast('b');
  expect(existsSync(place.node('b').context)).toBe(true);
});

test('a damaged or oversized record is none, and never worth a stop', async () => {
  const place = layout(scratchFolder());
  mkdirSync(place.node('a').dir, { recursive: true });
  for (const text of ['{', '{"iter":1}', ' '.repeat(1_000_000)]) {
    writeFileSync(place.node('a').last, text);
    expect(await sidecars(place).loadLast('a')).toBeNull();
  }
});

test('context is a text or empty; what cannot be read is named', async () => {
  const place = layout(scratchFolder());
  expect(await sidecars(place).loadContext('a')).toBe('');
  mkdirSync(place.node('a').dir, { recursive: true });
  writeFileSync(place.node('a').context, 'mind the gap\n');
  expect(await sidecars(place).loadContext('a')).toBe('mind the gap\n');
  writeFileSync(place.node('a').context, Buffer.alloc(textFileBytesMax + 1, 0x61));
  await expect(sidecars(place).loadContext('a')).rejects.toMatchObject({ code: 'LAYOUT_INVALID' });
});

test('ids are the folders that hold a file: a clone has no empty ones', async () => {
  const place = layout(scratchFolder());
  expect(await sidecars(place).listIds()).toEqual([]);
  for (const id of ['b', 'a.1', 'empty', 'deep']) mkdirSync(place.node(id).artifactsDir, { recursive: true });

  writeFileSync(place.node('b').context, '');
  writeFileSync(place.node('b').tools, '');
  writeFileSync(place.node('a.1').last, '');
  writeFileSync(`${place.node('deep').artifactsDir}/x`, '');
  writeFileSync(`${place.nodesDir}/stray`, '');
  symlinkSync('/', `${place.nodesDir}/link`);
  expect(await sidecars(place).listIds()).toEqual(['a.1', 'b', 'deep']);
});
