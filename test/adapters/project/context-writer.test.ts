import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { contextWriter } from '../../../src/adapters/project/context-writer.ts';
import { layout } from '../../../src/adapters/files/layout.ts';
import { scratchFolder } from '../../support/scratch.ts';

const texts = { goal: 'g', history: 'h', failure: 'f' };

test('[ancestor: context context_rewrite_clears_previous_files] three files replaced, nothing lost, nothing behind a link touched', async () => {
  const place = layout(scratchFolder());
  const outside = join(scratchFolder(), 'outside');
  mkdirSync(join(place.contextDir, 'sub'), { recursive: true });
  mkdirSync(outside);
  writeFileSync(join(outside, 'keep'), 'mine');
  writeFileSync(join(place.contextDir, 'stale.md'), 'x');
  writeFileSync(join(place.contextDir, 'sub', 'deep'), 'x');
  symlinkSync(outside, join(place.contextDir, 'link'));
  symlinkSync(join(outside, 'keep'), join(place.contextDir, '.gitignore'));
  symlinkSync(join(outside, 'keep'), place.context.goal);
  mkdirSync(place.context.history);
  await contextWriter(place).save(texts);
  const names = ['.gitignore', 'failure.md', 'goal.md', 'history.md', 'link', 'replaced', 'stale.md', 'sub'];
  expect(readdirSync(place.contextDir)).toEqual(names);
  expect(readFileSync(join(place.contextDir, 'stale.md'), 'utf8')).toBe('x');
  expect(readFileSync(place.context.goal, 'utf8')).toBe('g');
  expect(readFileSync(place.context.history, 'utf8')).toBe('h');
  expect(readFileSync(place.context.failure, 'utf8')).toBe('f');
  expect(readFileSync(join(place.contextDir, '.gitignore'), 'utf8')).toBe('*\n');
  expect(readFileSync(join(outside, 'keep'), 'utf8')).toBe('mine');
});

test('a missing folder is made, a link in its place is refused', async () => {
  const place = layout(scratchFolder());
  await contextWriter(place).save(texts);
  expect(existsSync(place.context.failure)).toBe(true);
  const linked = layout(scratchFolder());
  const outside = scratchFolder();
  mkdirSync(linked.root);
  symlinkSync(outside, linked.contextDir);
  await expect(contextWriter(linked).save(texts)).rejects.toMatchObject({ code: 'LAYOUT_INVALID' });
  expect(readdirSync(outside)).toEqual([]);
});
