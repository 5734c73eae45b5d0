import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { searchPathNotes, withAbsolutePath } from '../../../src/adapters/processes/search-path.ts';
import { tempFolder } from '../../support/project.ts';

test('relative and empty entries are left out; anything else stays as it is', () => {
  expect(withAbsolutePath({ PATH: '/a::.:b/c:/d:', HOME: '/h' })).toEqual({ PATH: '/a:/d', HOME: '/h' });
  for (const env of [{ PATH: '/a:/b' }, { PATH: '' }, { HOME: '/h' }])
    expect(withAbsolutePath(env)).toBe(env);
});

test('folders of the work tree are named, by their name and by where they lead; so is what was left out', () => {
  const base = tempFolder('path');
  const top = join(base, 'repo');
  mkdirSync(join(top, '.venv/bin'), { recursive: true });
  mkdirSync(join(top, '..bin'));
  symlinkSync(join(top, '.venv/bin'), join(base, 'linked'));
  const notes = (...folders: readonly string[]) => searchPathNotes({ PATH: folders.join(':') }, top);
  const inside = 'programs are taken from .venv/bin inside the work tree';
  expect(notes('/usr/bin', base, join(base, 'repository'))).toEqual([]);
  expect(notes(join(top, '.venv/bin'), '/usr/bin', join(base, 'linked'))).toEqual([inside]);
  expect(notes(top, join(top, '..bin'), join(top, 'none'))).toEqual([
    'programs are taken from ., ..bin, none inside the work tree',
  ]);
  expect(notes('/usr/bin', '', 'node_modules/.bin')).toEqual([
    'left out of PATH, because it is not absolute: "", "node_modules/.bin"',
  ]);
  expect(searchPathNotes({}, top)).toEqual([]);
});
