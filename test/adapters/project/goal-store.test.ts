import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { goalStore } from '../../../src/adapters/project/goal-store.ts';
import { layout } from '../../../src/adapters/files/layout.ts';
import type { Layout } from '../../../src/adapters/files/layout.ts';
import { scratchFolder } from '../../support/scratch.ts';

function newPlace(text: string | Buffer | null): Layout {
  const place = layout(scratchFolder());
  mkdirSync(place.root);
  if (text !== null) writeFileSync(place.goal, text);

  return place;
}

test('id and body are read, the id is written, every other byte stays', async () => {
  const place = newPlace('---\r\nowner: me\r\n---\r\n# Goal\r\n');
  const store = goalStore(place);
  expect(await store.load()).toEqual({ id: null, body: '# Goal\r\n' });
  await store.saveId('run-1');
  expect(await store.load()).toEqual({ id: 'run-1', body: '# Goal\r\n' });
  expect(readFileSync(place.goal, 'utf8').replace('id: run-1\r\n', '')).toBe(
    '---\r\nowner: me\r\n---\r\n# Goal\r\n',
  );
});

test('an id that is already there leaves the file alone', async () => {
  const place = newPlace('---\nid: x\n---\n');
  const before = statSync(place.goal).ino;
  await goalStore(place).saveId('x');
  expect(statSync(place.goal).ino).toBe(before);
});

test('missing and unreadable goals are named', async () => {
  await expect(goalStore(newPlace(null)).load()).rejects.toMatchObject({
    code: 'LAYOUT_MISSING',
    hint: 'runner init',
  });
  await expect(goalStore(newPlace(null)).saveId('x')).rejects.toMatchObject({ code: 'LAYOUT_MISSING' });
  await expect(goalStore(newPlace(Buffer.from([0xc3]))).load()).rejects.toMatchObject({
    code: 'GOAL_INVALID',
  });
  await expect(goalStore(newPlace('---\nid: [a]\n---\n')).load()).rejects.toMatchObject({
    code: 'GOAL_INVALID',
  });
});
