import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadRepo } from '../../src/adapters/git-repo.ts';
import { holdsRunnerFiles, readRunnerFiles } from '../../src/adapters/git-runner-files.ts';
import { makeRepo, startTestRun } from '../support/repo.ts';

/** For root no file is unreadable. */
function asNobody<T>(look: () => T): T {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    return look();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

test('a file that cannot be read is left to git, and is not what was committed', async () => {
  const repo = makeRepo();
  startTestRun(repo);
  chmodSync(repo.base, 0o755);
  const opened = await loadRepo({ projectDir: repo.dir, env: repo.env });
  const { files } = asNobody(() => readRunnerFiles(opened, 20)) ?? { files: [] };
  expect(files.map(({ path }) => path)).toContain('.runner/state/tree.json');
  expect(asNobody(() => holdsRunnerFiles(opened, files))).toBe(true);
  chmodSync(join(repo.dir, '.runner/state/tree.json'), 0o200);
  expect(asNobody(() => readRunnerFiles(opened, 20))).toBeNull();
  expect(asNobody(() => holdsRunnerFiles(opened, files))).toBe(false);
});
