/**
 * Files of a tree by path, their texts, and trees with some files exchanged. Objects are git's; nothing in the work tree, the user's
 * index or refs is touched.
 */
import { join } from 'node:path';
import { textFileBytesMax } from '../../../core/limits.ts';
import type { LaidFile, TreeFile } from '../../../core/guard/ratchet.ts';
import { findBlobs, loadBlobs } from './blobs.ts';
import { withScratch, writeTree } from '../index-lock.ts';
import { linesOf, shownPath, unquotePath } from '../quoted-path.ts';
import { asBytes, textOf } from '../repo.ts';
import type { Repo } from '../repo.ts';

/** More names than this do not go on one command line; then all files are listed. */
const namedMax = 200;

/** Regular files and links; submodules and folders are none. Null: every path. */
export async function listTreeFiles(
  { git }: Repo,
  { tree, paths }: { readonly tree: string; readonly paths: readonly string[] | null },
): Promise<readonly TreeFile[]> {
  if (paths?.length === 0) return [];
  const named = paths === null || paths.length > namedMax ? null : paths;
  const args = ['ls-tree', '--full-tree', ...(named === null ? ['-r', tree] : [tree, '--', ...named])];
  const { stdout } = await git.run(args);
  const files = linesOf(stdout.toString('latin1')).flatMap((line) => {
    const [, mode = '', kind, oid = '', name = ''] = /^(\d+) (\w+) (\w+)\t(.*)$/.exec(line) ?? [];
    return kind === 'blob' ? [{ mode, oid, path: shownPath(unquotePath(name)) }] : [];
  });
  const wanted = paths === null ? null : new Set(paths);
  return wanted === null ? files : files.filter(({ path }) => wanted.has(path));
}

/** By blob id. Left out: one that git no longer has, and one that is too large to be read as a script. */
export async function loadBlobTexts(
  repo: Repo,
  oids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const few = await findBlobs(repo, { oids, bytesMax: textFileBytesMax });
  const blobs = few ?? (await loadBlobs(repo, await listReadable(repo, oids)));
  return new Map([...blobs].map(([oid, bytes]) => [oid, bytes.toString('utf8')]));
}

async function listReadable(repo: Repo, oids: readonly string[]): Promise<readonly string[]> {
  const sizes = await sizesOf(repo, oids);
  return [...sizes].filter(([, bytes]) => bytes <= textFileBytesMax).map(([oid]) => oid);
}

async function sizesOf({ git }: Repo, oids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (oids.length === 0) return new Map();
  const input = Buffer.from([...new Set(oids)].map((oid) => `${oid}\n`).join(''));
  const { stdout } = await git.run(['cat-file', '--batch-check'], { input });
  const rows = linesOf(stdout.toString('latin1')).map((line) => line.split(' '));
  const blobs = rows.filter(([, kind]) => kind === 'blob');
  return new Map(blobs.map(([oid = '', , size]) => [oid, Number(size)]));
}

/** The tree with these files instead of its own; null: git no longer has one of their blobs. */
export async function makeLaidTree(
  repo: Repo,
  { tree, files }: { readonly tree: string; readonly files: readonly LaidFile[] },
): Promise<string | null> {
  const wanted = files.flatMap((file) => ('oid' in file ? [file.oid] : []));
  const held = await sizesOf(repo, wanted);
  if (wanted.some((oid) => !held.has(oid))) return null;
  return withScratch(repo, async (folder) => {
    const index = join(folder, 'index');
    await repo.git.run(['read-tree', tree], { index });
    const lines: string[] = [];
    for (const file of files) lines.push(await indexLine(repo, { file, noId: '0'.repeat(tree.length) }));
    const args = ['update-index', '--add', '--replace', '-z', '--index-info'];
    await repo.git.run(args, { index, input: Buffer.from(lines.join(''), 'latin1') });
    return writeTree(repo, index);
  });
}

async function indexLine(
  { git }: Repo,
  { file, noId }: { readonly file: LaidFile; readonly noId: string },
): Promise<string> {
  const path = asBytes(file.path);
  if (file.mode === null) return `0 ${noId}\t${path}\0`;
  const oid =
    'oid' in file
      ? file.oid
      : textOf(
          (await git.run(['hash-object', '-w', '--stdin'], { input: Buffer.from(file.text), writes: true }))
            .stdout,
        );
  return `${file.mode} ${oid}\t${path}\0`;
}
