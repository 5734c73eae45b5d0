/** Whether git here can carry a run: identity, foreign locks, kinds of checkout we cannot keep whole. Reads only. */
import { join } from 'node:path';
import { RunnerError } from '../../core/errors.ts';
import { checkNested } from './nested.ts';
import { checkForeignLocks } from './locks.ts';
import { checkIdentity } from './identity.ts';
import { headRef } from './repo.ts';
import type { Repo } from './repo.ts';
import { loadSetup } from './setup.ts';

/** What holds for the whole of a process: who commits, and what kind of checkout this is. */
export async function checkSetup(repo: Repo): Promise<void> {
  await checkIdentity(repo);
  await checkSparse(repo);
  await checkNested(repo, join(repo.gitDir, 'index'));
}

export async function checkLocks(repo: Repo): Promise<void> {
  const ref = await headRef(repo);
  await checkForeignLocks(repo, ref === null ? null : ref.replace(/^refs\/heads\//, ''));
}

/** The private index knows no "not checked out": it would take the missing files for deleted ones and commit that. */
async function checkSparse(repo: Repo): Promise<void> {
  const { isSparse } = await loadSetup(repo);
  if (isSparse) {
    throw new RunnerError({
      code: 'GIT_UNSUPPORTED',
      message:
        'a sparse checkout is not supported: files that are not checked out would be committed as deleted',
      hint: 'git sparse-checkout disable',
    });
  }
}
