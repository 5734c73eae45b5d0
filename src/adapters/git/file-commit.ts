/**
 * One commit that changes a single file, for a person's own commands (`config set`, `retry`, `edit`). It is made from the parent's
 * tree, never from what is staged, and the user's index gets that one entry and keeps all others.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { FileCommit, GitRecord } from '../../ports/git.ts';
import {
  commitIndexFile,
  copyIndex,
  dropPrivate,
  ensurePrivateDir,
  userIndexFile,
  withScratch,
  writeTree,
} from './index-lock.ts';
import { clearOwnLocks } from './locks.ts';
import { checkOnBranch, installCommit, makeCommit } from './record.ts';
import type { Repo } from './repo.ts';
import { textOf } from './repo.ts';

export async function makeFileCommit(repo: Repo, request: FileCommit): Promise<string> {
  const { parent, sign } = request;
  const input = Buffer.from(request.text);
  // Byte for byte: no filter of the repository may turn it into something else.
  const hashed = await repo.git.run(['hash-object', '-w', '--no-filters', '--stdin'], {
    input,
    writes: true,
  });
  return withScratch(repo, async (folder) => {
    const index = join(folder, 'index');
    await repo.git.run(['read-tree', parent], { index });
    await stageEntry(repo, { index, path: request.path, oid: textOf(hashed.stdout) });
    const tree = await writeTree(repo, index);
    return makeCommit(repo, { tree, parent, sign, message: request.message });
  });
}

export async function runFileCommit(
  repo: Repo,
  { branch, parent, commit, path }: Parameters<GitRecord['installFileCommit']>[0],
): Promise<void> {
  await ensurePrivateDir(repo);
  await checkOnBranch(repo, branch);
  await clearOwnLocks(repo, branch);
  const users = userIndexFile(repo);
  const index = commitIndexFile(repo);
  try {
    dropPrivate(index);
    if (existsSync(users)) await copyIndex(users, index);

    const oid = await repo.git.ask(['rev-parse', '--verify', `${commit}:${repo.prefix}${path}`]);
    await stageEntry(repo, { index, path, oid: oid.trimEnd() });
    await installCommit(repo, { branch, from: parent, commit, index });
  } finally {
    [index, `${index}.lock`].forEach(dropPrivate);
  }
}

async function stageEntry(
  repo: Repo,
  { index, path, oid }: { readonly index: string; readonly path: string; readonly oid: string },
): Promise<void> {
  const input = Buffer.from(`100644 ${oid}\t${repo.prefix}${path}\0`);
  await repo.git.run(['update-index', '-z', '--index-info'], { index, input, writes: true });
}
