/**
 * What of `.runner/` belongs in a commit: every regular file but the local-only folders and unfinished writes (§2), also
 * when the project ignores `.runner`. Follows no link.
 */
import { readFileSync, readdirSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { join } from 'node:path';
import { diskError } from '../files/disk-error.ts';
import { lookAt } from '../files/look-at.ts';
import type { GitObject } from './index-trees.ts';
import { workPath } from './repo.ts';
import type { Repo } from './repo.ts';
import { knownBlobs } from '../project/known-blobs.ts';
import type { KnownBlobs } from '../project/known-blobs.ts';
import { isStageName } from '../files/stage-name.ts';

const localFolders = ['context', 'iterations'];

/** Paths relative to the top as latin1 text, which holds every byte; `gitFolders` are folders with a `.git` in them. */
export interface RunnerFiles {
  readonly files: readonly string[];
  readonly gitFolders: readonly string[];
}

export function listRunnerFiles(repo: Repo): RunnerFiles {
  const files: string[] = [];
  const gitFolders: string[] = [];
  const root = Buffer.from(repo.runnerPath).toString('latin1');
  const isReal = lookAt(join(repo.top, repo.runnerPath))?.isDirectory() === true;
  const pending = isReal ? [root] : [];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    for (const entry of listFolder(repo, folder)) {
      const path = `${folder}/${entry.name}`;
      if (entry.name === '.git') {
        gitFolders.push(folder);
      } else if (entry.isDirectory && !(folder === root && localFolders.includes(entry.name))) {
        pending.push(path);
      } else if (entry.isFile && !isStageName(entry.name)) {
        files.push(path);
      }
    }
  }
  return { files: files.toSorted(), gitFolders: gitFolders.toSorted() };
}

function listFolder(
  repo: Repo,
  folder: string,
): readonly { readonly name: string; readonly isFile: boolean; readonly isDirectory: boolean }[] {
  const path = Buffer.concat([Buffer.from(`${repo.top}/`), Buffer.from(folder, 'latin1')]);
  try {
    return readdirSync(path, { withFileTypes: true, encoding: 'buffer' }).map((entry) => ({
      name: Buffer.from(entry.name).toString('latin1'),
      isFile: entry.isFile(),
      isDirectory: entry.isDirectory(),
    }));
  } catch (cause) {
    throw diskError({ action: 'list', path: path.toString('utf8'), cause });
  }
}

/** As it stands in a commit; paths as latin1 text. */
export interface StagedFile {
  readonly path: string;
  readonly oid: string;
  readonly mode: string;
}

function modeText(isExecutable: boolean): string {
  return isExecutable ? '100755' : '100644';
}

function modeOf(found: Stats | null): string {
  return modeText(((found?.mode ?? 0) & 0o100) !== 0);
}

/**
 * Adds them to an index that has nothing of `.runner/` yet, byte for byte: a filter from the repository's own settings must not
 * turn them into something else (§1). A name with a line break cannot be asked for like this; it is an agent's own and goes the usual
 * way, and then null is returned instead of what was added.
 */
export async function stageRunnerFiles(repo: Repo, index: string): Promise<readonly StagedFile[] | null> {
  const { files } = listRunnerFiles(repo);
  const staged: StagedFile[] = [];
  const plain = files.filter((path) => !path.includes('\n'));
  const odd = files.filter((path) => path.includes('\n'));
  if (plain.length > 0) {
    const names = Buffer.from(plain.map((path) => `${path}\n`).join(''), 'latin1');
    const hashed = await repo.git(['hash-object', '-w', '--no-filters', '--stdin-paths'], {
      input: names,
      writes: true,
    });
    const oids = hashed.stdout.toString('latin1').trimEnd().split('\n');
    staged.push(
      ...plain.map((path, at) => ({ path, oid: oids[at] ?? '', mode: modeOf(lookAt(workPath(repo, path))) })),
    );
    const entries = staged.map(({ path, oid, mode }) => `${mode} ${oid}\t${path}\0`).join('');
    const input = Buffer.from(entries, 'latin1');
    await repo.git(['update-index', '-z', '--index-info'], { index, input, writes: true });
  }
  if (odd.length > 0) {
    const input = Buffer.from(odd.map((path) => `${path}\0`).join(''), 'latin1');
    await repo.git(['update-index', '--add', '-z', '--stdin'], { index, input, writes: true });
    return null;
  }
  return staged;
}

/** Larger ones are left to git, which does not hold them in memory. */
const bytesInMemoryMax = 16 * 1024 * 1024;

/**
 * The same without git, as objects yet to be saved; null when a name, a size or a file that cannot be read is git's business. What is in
 * `held`, the files of the commit below, needs no saving.
 */
export function readRunnerFiles(
  repo: Repo,
  { idBytes, held }: { readonly idBytes: number; readonly held: readonly StagedFile[] },
): { readonly files: readonly StagedFile[]; readonly blobs: readonly GitObject[] } | null {
  const saved = new Set(held.map(({ oid }) => oid));
  const like = '0'.repeat(idBytes * 2);
  const files: StagedFile[] = [];
  const blobs: GitObject[] = [];
  let bytes = 0;
  for (const path of listRunnerFiles(repo).files) {
    const file = workPath(repo, path);
    const looked = blobsOf(repo).look(file, like);
    bytes += looked?.bytes ?? 0;
    if (
      looked === null ||
      bytes > bytesInMemoryMax ||
      !path.slice(repo.prefix.length).split('/').every(isPlainName)
    ) {
      return null;
    }
    const mode = modeText(looked.isExecutable);
    if (looked.oid !== null && saved.has(looked.oid)) {
      files.push({ path, oid: looked.oid, mode });
      continue;
    }
    const content = readSafely(file);
    if (content === null) {
      return null;
    }
    const oid = blobsOf(repo).keep(file, looked, { bytes: content, like });
    files.push({ path, oid, mode });
    if (!saved.has(oid)) {
      blobs.push({ oid, kind: 'blob', body: content });
    }
  }
  return { files, blobs };
}

/** Names that no system takes for another name, or for a git folder: git refuses some of those. */
function isPlainName(name: string): boolean {
  return (
    /^(?:\.?[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_-])?)$/.test(name) &&
    (!/^\.git/i.test(name) || ['.gitignore', '.gitattributes', '.gitkeep'].includes(name))
  );
}

/** Whether `.runner/` on disk is exactly this; no, when it is too much to be read here. */
export function holdsRunnerFiles(repo: Repo, staged: readonly StagedFile[]): boolean {
  const { files, gitFolders } = listRunnerFiles(repo);
  let bytes = 0;
  const isSame = ({ path, oid, mode }: StagedFile, at: number): boolean => {
    const file = workPath(repo, path);
    const looked = blobsOf(repo).look(file, oid);
    bytes += looked?.bytes ?? 0;
    const isLikely =
      looked !== null &&
      files[at] === path &&
      modeText(looked.isExecutable) === mode &&
      bytes <= bytesInMemoryMax;
    if (!isLikely || looked.oid !== null) {
      return isLikely && looked.oid === oid;
    }
    const content = readSafely(file);
    return content !== null && blobsOf(repo).keep(file, looked, { bytes: content, like: oid }) === oid;
  };
  return gitFolders.length === 0 && files.length === staged.length && staged.every(isSame);
}

function blobsOf({ memory }: Repo): KnownBlobs {
  return (memory.blobs ??= knownBlobs());
}

function readSafely(file: Buffer): Buffer | null {
  try {
    return readFileSync(file);
  } catch {
    return null;
  }
}
