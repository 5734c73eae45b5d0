import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { shellWord } from '../../../src/core/text/shell-word.ts';

test('a shell reads the same path back', () => {
  const paths = ['/a/b-c.txt', '/my work', "it's", '$HOME', '`x`', 'a\nb', '*', ''];
  for (const path of paths)
    expect(execFileSync('sh', ['-c', `printf %s ${shellWord(path)}`], { encoding: 'utf8' }), path).toBe(path);
  expect(shellWord('/a/b-c.txt')).toBe('/a/b-c.txt');
});
