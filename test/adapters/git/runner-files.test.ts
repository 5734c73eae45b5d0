import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadRepo } from '../../../src/adapters/git/repo.ts';
import { holdsRunnerFiles, readRunnerFiles } from '../../../src/adapters/git/runner-files.ts';
import type { StagedFile } from '../../../src/adapters/git/runner-files.ts';
import { asNobody } from '../../support/nobody.ts';
import { makeRepo, startTestRun } from '../../support/repo.ts';

test('a file that cannot be read is left to git, and is not what was committed', async () => {
  const repo = makeRepo();
  startTestRun(repo);
  chmodSync(repo.base, 0o755);
  const opened = await loadRepo({ projectDir: repo.dir, env: repo.env });
  const { files } = asNobody(() => readRunnerFiles(opened, { idBytes: 20, held: [] })) ?? { files: [] };
  expect(files.map(({ path }) => path)).toContain('.runner/state/tree.json');
  expect(asNobody(() => holdsRunnerFiles(opened, files))).toBe(true);
  chmodSync(join(repo.dir, '.runner/state/tree.json'), 0o200);
  expect(asNobody(() => readRunnerFiles(opened, { idBytes: 20, held: [] }))).toBeNull();
  expect(asNobody(() => holdsRunnerFiles(opened, files))).toBe(false);
});

test('what the commit below holds is not saved again, and a file is read only when it has been written to', async () => {
  const repo = makeRepo();
  startTestRun(repo);
  const opened = await loadRepo({ projectDir: repo.dir, env: repo.env });
  const read = (held: readonly StagedFile[]) => readRunnerFiles(opened, { idBytes: 20, held });
  const first = read([]);
  expect(first?.blobs.map(({ oid }) => oid)).toEqual(first?.files.map(({ oid }) => oid));
  const held = first?.files ?? [];
  expect(read(held)).toEqual({ files: held, blobs: [] });
  expect(holdsRunnerFiles(opened, held)).toBe(true);
  // The same length, written right behind the look.
  const goal = repo.read('.runner/GOAL.md');
  const other = [...goal].toReversed().join('');
  expect(other).not.toBe(goal);
  repo.write('.runner/GOAL.md', other);
  expect(holdsRunnerFiles(opened, held)).toBe(false);
  const after = read(held);
  expect(after?.blobs.map(({ body }) => body.toString())).toEqual([other]);
  repo.write('.runner/GOAL.md', goal);
  expect(read(held)).toEqual({ files: held, blobs: [] });
});
