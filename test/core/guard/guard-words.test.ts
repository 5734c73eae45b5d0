import { expect, test } from 'vitest';
import { commandsOf, folderOf, joinPath, optionOf, plainWords } from '../../../src/core/guard/guard-words.ts';

test.each<readonly [string, readonly (readonly string[])[]]>([
  ['', []],
  ['a b; c && d | e\nf', [['a', 'b'], ['c'], ['d'], ['e'], ['f']]],
  [`sh -c "a; b" 'c d'`, [['sh', '-c', 'a; b', 'c d']]],
  ['x="a b"c', [['x=a bc']]],
  ['(cd a) `b`', [['cd', 'a'], ['b']]],
  [`it's; make`, [['it', 's'], ['make']]],
])('%j', (text, commands) => {
  expect(commandsOf(text)).toEqual(commands);
});

test('options, plain words and folders', () => {
  expect(optionOf('--file=a/b=c')).toBe('a/b=c');
  expect(optionOf('a')).toBe('a');
  expect(plainWords(['-s', 'A=b', '--x=y', 'run', 'a-b=c'])).toEqual(['run', 'a-b=c']);
  expect([folderOf('a/b/c'), folderOf('a')]).toEqual(['a/b/', '']);
});

test('paths stay inside the work tree', () => {
  expect(joinPath('a/b/', './../c//d')).toBe('a/c/d');
  expect(joinPath('a/', '..')).toBe('');
  for (const path of ['../..', '/x', '~/x', 'a\0b']) expect(joinPath('a/', path)).toBe(null);
});
