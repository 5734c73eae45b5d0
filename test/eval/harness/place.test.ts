import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { evalPlace, isBelow, makeEvalFolders, nameSeed } from '../../../src/eval/harness/place.ts';
import { scratchFolder } from '../../support/scratch.ts';

test('everything is below eval/ of the folder; only the cases may be elsewhere, and trials always are', () => {
  const env = { HOME: '/home/me' };
  expect(evalPlace({ root: '/p', cases: null, env })).toEqual({
    root: '/p',
    casesDir: '/p/eval/cases',
    trialsDir: expect.stringMatching(/^\/home\/me\/\.local\/state\/runner\/eval\/[0-9a-f]{16}$/),
    workspacesDir: '/p/eval/workspaces',
    resultsDir: '/p/eval/results',
    recordingsDir: '/p/eval/recordings',
  });
  expect(isBelow(evalPlace({ root: '/home/me', cases: null, env }).trialsDir, '/home/me')).toBe(false);
  expect(evalPlace({ root: '/', cases: null, env }).trialsDir).toMatch(/^\/home\/me\//);
  expect(evalPlace({ root: '/p', cases: 'mine' }).casesDir).toBe('/p/mine');
  expect(evalPlace({ root: '/p', cases: '/else' }).casesDir).toBe('/else');
});

test('the folders that are made are not seen by git; what a person wrote into them stays', async () => {
  const root = scratchFolder();
  const place = evalPlace({ root, cases: null, env: { HOME: scratchFolder() } });
  mkdirSync(place.resultsDir, { recursive: true });
  writeFileSync(join(place.resultsDir, '.gitignore'), '*.log\n');
  await makeEvalFolders(place);
  await makeEvalFolders(place);
  expect(readFileSync(join(place.workspacesDir, '.gitignore'), 'utf8')).toBe('*\n');
  expect(readFileSync(join(place.resultsDir, '.gitignore'), 'utf8')).toBe('*.log\n');
  writeFileSync(join(place.workspacesDir, 'x'), '');
  await execa('git', ['init', '-q'], { cwd: root });
  const { stdout } = await execa('git', ['status', '--porcelain', '-uall'], { cwd: root });
  expect(stdout).toBe('?? eval/results/.gitignore');
});

test('a link in the place of a folder is refused, not followed', async () => {
  const root = scratchFolder();
  mkdirSync(join(root, 'eval'));
  symlinkSync(scratchFolder(), join(root, 'eval/results'));
  await expect(
    makeEvalFolders(evalPlace({ root, cases: null, env: { HOME: scratchFolder() } })),
  ).rejects.toMatchObject({
    code: 'LAYOUT_INVALID',
  });
});

test('names of one second differ', () => {
  const made = Array.from({ length: 200 }, () => nameSeed().suffix);
  expect(new Set(made).size).toBe(200);
});
