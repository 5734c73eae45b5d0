/**
 * One commit that changes a single file, for a person's own commands (`config set`, `retry`, `edit`). It is made from the parent's
 * tree, never from what is staged, and the user's index gets that one entry and keeps all others.
 */
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileCommit } from '../ports/git-manager.ts';
import { checkOnBranch, installCommit, makeCommit } from './git-commit.ts';
import { commitIndexFile, copyIndex, withScratch, writeTree } from './git-index.ts';
import { clearOwnLocks } from './git-locks.ts';
import type { Repo } from './git-repo.ts';
import { textOf } from './git-repo.ts';

export async function runFileCommit(repo: Repo, request: FileCommit): Promise<string> {
  const { branch, parent } = request;
  await checkOnBranch(repo, branch);
  await clearOwnLocks(repo, branch);
  const index = commitIndexFile(repo);
  try {
    return await withScratch(repo, async (folder) => {
      const entry = await saveEntry(repo, request);
      const commit = await buildCommit(repo, { ...request, entry, folder });
      const users = join(repo.gitDir, 'index');
      await rm(index, { force: true });
      if (existsSync(users)) {
        await copyIndex(users, index);
      }
      await stageEntry(repo, { index, entry });
      await installCommit(repo, { branch, from: parent, commit, index });
      return commit;
    });
  } finally {
    await Promise.all([index, `${index}.lock`].map((file) => rm(file, { force: true })));
  }
}

/** The file as an object, byte for byte, and the line that puts it into an index. */
async function saveEntry(repo: Repo, { path, text }: FileCommit): Promise<Buffer> {
  const input = Buffer.from(text);
  const { stdout } = await repo.git(['hash-object', '-w', '--no-filters', '--stdin'], {
    input,
    writes: true,
  });
  return Buffer.from(`100644 ${textOf(stdout)}\t${repo.prefix}${path}\0`);
}

async function stageEntry(
  repo: Repo,
  { index, entry }: { readonly index: string; readonly entry: Buffer },
): Promise<void> {
  await repo.git(['update-index', '-z', '--index-info'], { index, input: entry, writes: true });
}

async function buildCommit(
  repo: Repo,
  request: FileCommit & { readonly entry: Buffer; readonly folder: string },
): Promise<string> {
  const { parent, sign, entry, folder } = request;
  const index = join(folder, 'index');
  await repo.git(['read-tree', parent], { index });
  await stageEntry(repo, { index, entry });
  const messageFile = join(folder, 'message');
  await writeFile(messageFile, request.message);
  return makeCommit(repo, { tree: await writeTree(repo, index), parent, sign, messageFile });
}
