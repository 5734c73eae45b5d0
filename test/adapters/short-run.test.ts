/** The flag is V8's own affair; what counts is that every command says the same with it. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { expectShortRun } from '../../src/adapters/short-run.ts';

test('no tree, a small one, a large one: nothing is printed and nothing fails', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'runner-short-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  await expectShortRun(folder);
  mkdirSync(join(folder, '.runner/state'), { recursive: true });
  for (const bytes of [10, 100_000, 2_000_000]) {
    writeFileSync(join(folder, '.runner/state/tree.json'), ' '.repeat(bytes));
    await expectShortRun(folder);
  }
});

test('the V8 that is told knows the flag', () => {
  if (!process.versions.v8.startsWith('11.')) return;
  const { status, stderr } = spawnSync(process.execPath, ['--interrupt-budget=4000000', '-e', ''], {
    encoding: 'utf8',
  });
  expect({ status, stderr: stderr.replaceAll(/^.*(?:NODE_|Warning).*\n/gm, '') }).toEqual({
    status: 0,
    stderr: '',
  });
});
