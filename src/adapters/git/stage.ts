/** Puts all that is on disk outside `.runner/` into the work index, which is ours and free of hidden flags. */
import { join } from 'node:path';
import { RunnerError } from '../../core/errors.ts';
import { shellWord } from '../files/disk-error.ts';
import { lookAt } from '../files/look-at.ts';
import { workPath } from './repo.ts';
import type { Repo } from './repo.ts';
import { splitNul } from './status.ts';
import { loadSetup } from './setup.ts';
import { distrustYoung } from './young.ts';

export function stageArgs(repo: Repo): readonly string[] {
  return ['add', '--all', '--', ':/', `:(top,exclude,literal)${repo.runnerPath}`];
}

export interface Staged {
  readonly isDone: boolean;
  /** What must be put right before it is done once more: a repository inside, or what is neither file nor link nor folder. */
  readonly obstacle: 'nested' | 'special' | null;
  readonly stderr: string;
}

export async function stage(repo: Repo, signal?: AbortSignal): Promise<Staged> {
  // An index that is only half staged is not used again.
  repo.memory.index = null;
  const { idBytes } = await loadSetup(repo);
  distrustYoung(repo, { idBytes, lookedMs: repo.memory.lookedMs });
  repo.memory.lookedMs = Date.now();
  const { code, stderr } = await repo.git(stageArgs(repo), {
    index: repo.files.index,
    writes: 'objects',
    accept: [1, 128],
    isRoutine: true,
    ...(signal === undefined ? {} : { signal }),
  });
  checkOpened(repo, stderr);
  // git says so about `.runner`, which we exclude, when the project ignores it; everything else was added.
  const isOnlyIgnored = code === 1 && /^The following paths are ignored/m.test(stderr);
  return { isDone: code === 0 || isOnlyIgnored, obstacle: obstacleIn(stderr), stderr };
}

function obstacleIn(stderr: string): Staged['obstacle'] {
  if (/adding embedded git repository|does not have a commit checked out/.test(stderr)) {
    return 'nested';
  }
  return /can only add regular files/.test(stderr) ? 'special' : null;
}

/** git goes past a folder that it cannot open, and what is in it would be in no commit. */
function checkOpened(repo: Repo, stderr: string): void {
  const [, folder, why] = /^warning: could not open directory '(.+?)\/?': (.+)$/m.exec(stderr) ?? [];
  if (folder === undefined) {
    return;
  }
  const path = shellWord(join(repo.top, folder));
  throw new RunnerError({
    code: 'GIT_FAILED',
    message: `git cannot look into the folder ${folder}: ${why}`,
    hint: `chmod u+rwx ${path} (or remove it, or add it to .gitignore), then the same command again`,
  });
}

export async function removeEntries(repo: Repo, paths: readonly string[]): Promise<void> {
  if (paths.length > 0) {
    const input = Buffer.from(paths.map((path) => `${path}\0`).join(''), 'latin1');
    await repo.git(['update-index', '--force-remove', '-z', '--stdin'], {
      index: repo.files.index,
      input,
      writes: true,
    });
  }
}

/** A pipe, socket or device where a tracked file was: for git the file is gone, but it refuses to say so. */
export async function removeSpecialEntries(repo: Repo): Promise<void> {
  const { stdout } = await repo.git(['ls-files', '-z'], { index: repo.files.index });
  const names = splitNul(stdout).map((name) => name.toString('latin1'));
  await removeEntries(
    repo,
    names.filter((name) => {
      const found = lookAt(workPath(repo, name));
      return found !== null && !found.isFile() && !found.isSymbolicLink() && !found.isDirectory();
    }),
  );
}
