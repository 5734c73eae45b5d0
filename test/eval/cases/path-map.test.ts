/** Paths of a container become real ones: whole paths, and never a part of another name. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mapCommand, mapPaths } from '../../../src/eval/cases/path-map.ts';

const map = [
  ['/app', '/w'],
  ['/app/data', '/d'],
  ['/tests', '/h x'],
] as const;

test.each([
  ['cat /app/a.txt > /tests/b', 'cat /w/a.txt > /h x/b'],
  ['"/app", \'/app\', (/app) =/app :/app;', '"/w", \'/w\', (/w) =/w :/w;'],
  ['/app/data/x /app/database', '/d/x /w/database'],
  ['it is in /app.', 'it is in /w.'],
  ['/apple /app-x /app.py /app_2', '/apple /app-x /app.py /app_2'],
  [
    '/usr/app ./app ~/app $HOME/app ${X}/app $(pwd)/app x/app //app',
    '/usr/app ./app ~/app $HOME/app ${X}/app $(pwd)/app x/app //app',
  ],
])('%s', (text, wanted) => {
  expect(mapPaths(text, map)).toBe(wanted);
});

test('a command, all its words and values', () => {
  expect(mapCommand({ cmd: ['sh', '-c', 'ls /app'], env: { D: '/tests' }, other: 1 }, map)).toEqual({
    cmd: ['sh', '-c', 'ls /w'],
    env: { D: '/h x' },
    other: 1,
  });
});

test('without a map, and without a path in it, a text stays as it is', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(mapPaths(text, [])).toBe(text);
      if (!text.includes('/zzz')) expect(mapPaths(text, [['/zzz', '/w']])).toBe(text);
    }),
  );
});
