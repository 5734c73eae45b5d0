/** The packed tarball, installed globally into an empty prefix or called by npx, works like the checkout; without a network. */
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { cleanEnv, repositoryRoot, tempFolder } from '../support/project.ts';

test('npm pack gives one self-contained program', async () => {
  const folder = tempFolder('package');
  const home = join(folder, 'home');
  mkdirSync(home);
  const env = cleanEnv(home);
  const options = { env, extendEnv: false, stdin: 'ignore' } as const;
  const packed = await execa('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], {
    ...options,
    cwd: repositoryRoot,
  });
  const [{ filename, files }] = JSON.parse(packed.stdout) as [
    { filename: string; files: readonly { path: string }[] },
  ];
  const paths = files.map(({ path }) => path);
  expect(paths).toContain('dist/main.js');
  expect(paths).toContain('dist/THIRD_PARTY_LICENSES.txt');
  expect(paths).toContain('schemas/task_tree/v1.schema.json');
  expect(paths.filter((path) => path.startsWith('src/') || path.startsWith('test/'))).toEqual([]);
  const prefix = join(folder, 'prefix');
  await execa('npm', ['install', '-g', '--offline', '--prefix', prefix, join(folder, filename)], {
    ...options,
    cwd: folder,
  });
  expect(readdirSync(join(prefix, 'lib', 'node_modules'))).toHaveLength(1);
  const runner = join(prefix, 'bin', 'runner');
  expect((await execa(runner, ['--version'], { ...options, cwd: folder })).stdout).toMatch(/^\d+\.\d+\.\d+$/);
  const demo = await execa(runner, ['demo'], { ...options, env: { ...env, TMPDIR: folder }, cwd: folder });
  expect(demo.stdout).toMatch(/^loop: status=complete run=demo steps=7 started_at_iter=1$/m);
  const once = ['--offline', '--yes', '--package', join(folder, filename), 'runner'];
  const npx = (...args: readonly string[]) => execa('npx', [...once, ...args], { ...options, cwd: home });
  expect((await npx('--version')).stdout).toMatch(/^\d+\.\d+\.\d+$/);
  expect((await npx('init')).stdout).toBe('initialized .runner/');
});
