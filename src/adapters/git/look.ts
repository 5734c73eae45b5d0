/** The current state: status, refs, and whether git here can carry a run. Reads only and takes no git lock. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { RunnerError } from '../../core/errors.ts';
import { compareCodePoints } from '../../core/tree/tree-walk.ts';
import type { DirtyPath, GitSnapshot } from '../../ports/git.ts';
import { lookAt } from '../files/look-at.ts';
import { makeTempFolder } from '../files/temp-folder.ts';
import { findNested } from './settle/nested.ts';
import { shownPath } from './quoted-path.ts';
import type { Repo } from './repo.ts';
import { parseStatus, parseTracked, sortDirty } from './status.ts';

const statusArgs = ['status', '--porcelain=v2', '--branch', '--no-renames', '--ignore-submodules=none'];

export async function loadSnapshot(repo: Repo): Promise<GitSnapshot> {
  const [status, tracked] = await Promise.all([
    repo.git.ask([...statusArgs, '--untracked-files=all']),
    repo.git.run(['ls-files', '-v']),
  ]);
  const facts = parseStatus(status);
  const { isHiding, folders } = parseTracked(tracked.stdout.toString('latin1'));
  const seen = new Set(facts.dirty.map(({ path }) => path));
  const hidden = facts.head !== null && isHiding ? await loadUnhidden(repo) : [];
  const nested = (await findNested(repo, folders)).map(shownPath);
  return {
    head: facts.head,
    branch: facts.branch,
    dirty: sortDirty([...facts.dirty, ...hidden.filter(({ path }) => !seen.has(path))]),
    nested_repositories: [...new Set([...facts.nested, ...nested])].toSorted(compareCodePoints),
    dirty_submodules: facts.dirtySubmodules,
    is_index_plain: !isHiding,
  };
}

/** A fresh index from HEAD carries no flags; it is outside the git folder, because this only reads. */
async function loadUnhidden({ git }: Repo): Promise<readonly DirtyPath[]> {
  const folder = await makeTempFolder('runner-index-');
  try {
    const index = join(folder, 'index');
    await git.run(['read-tree', 'HEAD'], { index });
    return parseStatus(await git.ask([...statusArgs, '--untracked-files=no'], { index })).dirty;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Without `.gitmodules` there are no submodules. New ones are only in the work index. */
export async function loadDirtySubmodules(repo: Repo): Promise<readonly string[]> {
  if (lookAt(join(repo.top, '.gitmodules')) === null) return [];

  const index = lookAt(repo.files.index)?.isFile() === true ? { index: repo.files.index } : {};
  return parseStatus(await repo.git.ask([...statusArgs, '--untracked-files=no'], index)).dirtySubmodules;
}

/** `hasIdentity`: git has said already who commits. */
export async function checkSetup(repo: Repo, hasIdentity: boolean): Promise<void> {
  const asked = hasIdentity ? [] : ['GIT_AUTHOR_IDENT', 'GIT_COMMITTER_IDENT'];
  // Strict: git refuses here exactly when a commit would fail.
  await Promise.all(asked.map((name) => repo.git.ask(['var', name])));
  await checkSparse(repo);
}

/** The private index knows no "not checked out": it would take the missing files for deleted ones and commit that. */
async function checkSparse({ git }: Repo): Promise<void> {
  const { stdout } = await git.run(['config', '--type=bool', '--get', 'core.sparseCheckout'], {
    accept: [1],
  });
  if (stdout.toString().trim() === 'true') {
    throw new RunnerError({
      code: 'GIT_UNSUPPORTED',
      message:
        'a sparse checkout is not supported: files that are not checked out would be committed as deleted',
      hint: 'git sparse-checkout disable',
    });
  }
}
