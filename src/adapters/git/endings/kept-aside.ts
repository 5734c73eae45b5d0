/**
 * What the runner moved aside in a linked work tree is in the git folder of that work tree, which goes with it: kept in the common git
 * folder instead (§1.4). Copies nothing, overwrites nothing.
 */
import { readFileSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { moveAside } from '../../files/files.ts';
import { privateLayout, repositoryLayout } from '../../files/layout.ts';
import type { Repo } from '../repo.ts';

/** Returns where it is now; null: there was nothing. Also for a work tree that was deleted by hand. */
export async function keepAside(
  { commonDir }: Pick<Repo, 'commonDir'>,
  { path, run_id }: { readonly path: string; readonly run_id: string },
): Promise<string | null> {
  const toDir = repositoryLayout(commonDir).kept(run_id);
  let isKept = false;
  for (const gitDir of listGitDirs(commonDir, path)) {
    const { nestedDir, specialDir, quarantineDir, queueDir } = privateLayout(gitDir);
    for (const from of [nestedDir, specialDir, quarantineDir, queueDir].filter(holdsFile)) {
      await moveAside({ from, toDir, root: commonDir });
      isKept = true;
    }
  }
  return isKept ? toDir : null;
}

/** By git's own note in each of them, which is there also when the work tree is not. */
function listGitDirs(commonDir: string, path: string): readonly string[] {
  const folder = join(commonDir, 'worktrees');
  return listNames(folder)
    .map((name) => join(folder, name))
    .filter((gitDir) => {
      const noted = loadNote(join(gitDir, 'gitdir'));
      return noted !== null && realOf(dirname(resolve(gitDir, noted))) === realOf(path);
    });
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function loadNote(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trimEnd();
  } catch {
    return null;
  }
}

function holdsFile(folder: string): boolean {
  try {
    return readdirSync(folder, { withFileTypes: true, recursive: true }).some(
      (entry) => !entry.isDirectory(),
    );
  } catch {
    return false;
  }
}
