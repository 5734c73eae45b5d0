/**
 * One commit that changes a few files, for a person's own commands (`config set`, `retry`, `add`). It is made from the parent's
 * tree, never from what is staged, and the user's index gets those entries and keeps all others.
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
  return withScratch(repo, async (folder) => {
    const index = join(folder, 'index');
    await repo.git.run(['read-tree', parent], { index });
    const entries: Entry[] = [];
    for (const [path, text] of Object.entries(request.files))
      entries.push({ path, oid: text === null ? null : await writeBlob(repo, text) });
    await stageEntries(repo, { index, entries });
    const tree = await writeTree(repo, index);
    return makeCommit(repo, { tree, parent, sign, message: request.message });
  });
}

export async function runFileCommit(
  repo: Repo,
  { branch, parent, commit, paths }: Parameters<GitRecord['installFileCommit']>[0],
): Promise<void> {
  await ensurePrivateDir(repo);
  await checkOnBranch(repo, branch);
  await clearOwnLocks(repo, branch);
  const users = userIndexFile(repo);
  const index = commitIndexFile(repo);
  try {
    dropPrivate(index);
    if (existsSync(users)) await copyIndex(users, index);

    const files = await repo.git.run([
      'ls-tree',
      '-r',
      '-z',
      '--full-tree',
      commit,
      '--',
      ...paths.map((path) => `${repo.prefix}${path}`),
    ]);
    const oids = new Map(files.stdout.toString('utf8').split('\0').map(oidOfLine));
    const entries = paths.map((path) => ({ path, oid: oids.get(`${repo.prefix}${path}`) ?? null }));
    await stageEntries(repo, { index, entries });
    await installCommit(repo, { branch, from: parent, commit, index });
  } finally {
    [index, `${index}.lock`].forEach(dropPrivate);
  }
}

/** A file and its blob; null: it is to go. */
interface Entry {
  readonly path: string;
  readonly oid: string | null;
}

/** Byte for byte: no filter of the repository may turn it into something else. */
async function writeBlob(repo: Repo, text: string): Promise<string> {
  const hashed = await repo.git.run(['hash-object', '-w', '--no-filters', '--stdin'], {
    input: Buffer.from(text),
    writes: true,
  });
  return textOf(hashed.stdout);
}

/** A line of ls-tree: mode, kind and id, a tab, the path. */
function oidOfLine(line: string): readonly [path: string, oid: string] {
  const tab = line.indexOf('\t');
  return [line.slice(tab + 1), line.slice(0, tab).split(' ')[2] ?? ''];
}

async function stageEntries(
  repo: Repo,
  { index, entries }: { readonly index: string; readonly entries: readonly Entry[] },
): Promise<void> {
  // Mode 0 takes the entry out; the length of the id must be that of the repository.
  const gone = `0 ${'0'.repeat(entries.find(({ oid }) => oid !== null)?.oid?.length ?? 40)}`;
  const lines = entries.map(
    ({ path, oid }) => `${oid === null ? gone : `100644 ${oid}`}\t${repo.prefix}${path}\0`,
  );
  await repo.git.run(['update-index', '-z', '--index-info'], {
    index,
    input: Buffer.from(lines.join('')),
    writes: true,
  });
}
