/**
 * Puts single files of the work tree back to a commit's bytes and mode. The user's index stays as it is; a folder or link
 * in the way is moved into the quarantine, never written through.
 */
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { diskError } from '../files/disk-error.ts';
import { moveAside } from '../files/files.ts';
import { withScratch } from './index-lock.ts';
import { lookAt } from '../files/look-at.ts';
import type { Repo } from './repo.ts';
import { requireSound } from './sound.ts';
import { joinPaths, linesOf, shownPath, unquotePath } from './quoted-path.ts';

/** For the arguments of one call. */
const pathsMax = 200;

export interface RestoreRequest {
  readonly commit: string;
  readonly paths: readonly string[];
}

export async function runRestore(repo: Repo, { commit, paths }: RestoreRequest): Promise<void> {
  if (paths.length === 0) return;

  await withScratch(repo, async (folder) => {
    const index = join(folder, 'index');
    await repo.git.run(['read-tree', commit], { index });
    // A name shown with replacement characters is found again by its bytes.
    const wanted = new Set(paths);
    const entries = linesOf(await repo.git.ask(['ls-files', '--stage'], { index })).map((line) => ({
      isSubmodule: line.startsWith('160000 '),
      name: unquotePath(line.slice(line.indexOf('\t') + 1)),
    }));
    const found = entries.filter(({ name }) => wanted.has(shownPath(name)));
    const kinds = new Map(found.map(({ name, isSubmodule }) => [shownPath(name), isSubmodule]));
    // Its folder is a repository of its own, with work that no commit of ours holds.
    const held = found.filter(({ isSubmodule }) => !isSubmodule).map(({ name }) => name);
    for (const path of paths.filter((wish) => kinds.get(wish) !== true))
      await (kinds.has(path) ? clearWay(repo, path) : removeFile(repo, path));

    if (held.length > 0) {
      // What a session wrote over in the object store must not come into the work tree as the reference of a guard.
      const root = (await repo.git.ask(['rev-parse', '--verify', commit])).trimEnd();
      const asked = held.length > pathsMax ? [] : held.map(shownPath);
      await requireSound(repo, { roots: [root], paths: asked });
      const args = ['checkout-index', '--force', '-z', '--stdin'];
      await repo.git.run(args, { index, input: joinPaths(held) });
    }
  });
}

/** The commit has no such file, so it is removed. A folder there holds other files and stays. */
async function removeFile(repo: Repo, path: string): Promise<void> {
  const file = join(repo.top, path);
  const parent = lookAt(dirname(file));
  const found = lookAt(file);
  if (parent?.isDirectory() === true && found !== null && !found.isDirectory()) {
    await rm(file).catch((cause: unknown) => {
      throw diskError({ action: 'remove', path: file, cause });
    });
  }
}

/** git would delete a folder where the file belongs, and a file or link where a folder belongs. */
async function clearWay(repo: Repo, path: string): Promise<void> {
  const parts = path.split('/');
  for (let depth = 1; depth <= parts.length; depth += 1) {
    const inWay = join(repo.top, ...parts.slice(0, depth));
    const found = lookAt(inWay);
    if (found === null) return;

    if (found.isDirectory() === (depth === parts.length)) {
      await moveAside({ from: inWay, toDir: repo.files.quarantine('restore'), root: repo.gitDir });
      return;
    }
  }
}
