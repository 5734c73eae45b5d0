/** Folders of clones: swept only when their process is gone. */
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import {
  makeCloneFolder,
  removeCloneFolder,
  sweepCloneFolders,
} from '../../../src/adapters/processes/clone-folder.ts';
import { scratchFolder } from '../../support/scratch.ts';

function placeIn(base: string, name = 'repo') {
  return { env: { HOME: base }, commonDir: join(base, name, '.git'), top: join(base, name) };
}

function own(folder: string, owner: unknown): void {
  writeFileSync(join(folder, 'owner.json'), JSON.stringify(owner));
}

test('those of living processes stay, those of dead ones and half-made ones go', async () => {
  const place = placeIn(scratchFolder());
  const living = await makeCloneFolder(place, 'r');
  const dead = await makeCloneFolder(place, 'other');
  const owner = JSON.parse(readFileSync(join(living, 'owner.json'), 'utf8')) as object;
  own(dead, { ...owner, start: 'of an earlier process' });
  const half = join(dirname(living), 'clone-half');
  mkdirSync(half);
  const broken = await makeCloneFolder(place, 'r');
  writeFileSync(join(broken, 'owner.json'), '{');
  const elsewhere = await makeCloneFolder(place, 'r');
  own(elsewhere, { ...owner, origin: 'another host', start: 'x' });
  await sweepCloneFolders(place);
  expect([living, elsewhere, dead, half, broken].map((folder) => existsSync(folder))).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});

test('clones of another repository are not ours', async () => {
  const base = scratchFolder();
  const theirs = await makeCloneFolder(placeIn(base, 'theirs'), 'r');
  own(theirs, { pid: 1, start: 'gone', origin: 'x' });
  await sweepCloneFolders(placeIn(base));
  expect(existsSync(theirs)).toBe(true);
});

test('the folders of run and repository go with their last clone', async () => {
  const base = scratchFolder();
  const place = placeIn(base);
  const one = await makeCloneFolder(place, 'r');
  const two = await makeCloneFolder(place, 'r');
  removeCloneFolder(one);
  expect(existsSync(dirname(two))).toBe(true);
  removeCloneFolder(two);
  expect(readdirSync(join(base, '.local/state/runner/judge'))).toEqual([]);
});
