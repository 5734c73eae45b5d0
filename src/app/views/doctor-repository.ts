/** The part of `runner doctor` that asks about the repository: branch, identity, a merge that stopped, where `git.push` leads. Reads only. */
import { RunnerError } from '../../core/errors.ts';
import { refuseConflict } from '../../core/runs/merge-conflict.ts';
import { shownAddress } from '../../core/runs/push.ts';
import type { Config } from '../../core/types.ts';
import { good } from '../../core/views/doctor.ts';
import type { Check } from '../../core/views/doctor.ts';
import type { GitPort } from '../../ports/git.ts';
import type { Journal } from '../../ports/stores.ts';

/** An error becomes one more failed check, with its own hint. */
export async function attempt(
  name: string,
  look: () => Promise<readonly Check[]>,
): Promise<readonly Check[]> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof RunnerError)) throw error;
    const more = error.details.length === 0 ? '' : `: ${error.details.slice(0, 3).join('; ')}`;
    return [{ status: 'fail', name, message: `${error.message}${more}`, fix: error.hint }];
  }
}

/** Null: git did not stop in a merge. */
export async function findConflict(git: GitPort | null): Promise<Check | null> {
  const snapshot = (await git?.snapshot().catch(() => null)) ?? null;
  const refusal = snapshot === null ? null : refuseConflict(snapshot.dirty, snapshot.branch);
  if (refusal === null) return null;
  return { status: 'fail', name: 'merge', message: refusal.message, fix: refusal.hint };
}

export async function checkRepository({
  git,
  journal,
}: {
  readonly git: GitPort | null;
  readonly journal: Journal | null;
}): Promise<readonly Check[]> {
  if (git === null) {
    return [
      {
        status: 'fail',
        name: 'repository',
        message: 'not inside a git work tree',
        fix: 'git init, then commit something',
      },
    ];
  }
  const identity = await attempt('identity', async () => {
    await git.checkSetup();
    return [good('identity', 'git has a name and an address to commit with')];
  });
  return [...(await attempt('repository', () => lookAtBranch(git, journal))), ...identity];
}

async function lookAtBranch(git: GitPort, journal: Journal | null): Promise<readonly Check[]> {
  const { head, branch, dirty } = await git.snapshot();
  if (head === null) {
    const fix = 'git add -A && git commit --allow-empty -m "initial commit"';
    return [{ status: 'fail', name: 'repository', message: 'the repository has no commit yet', fix }];
  }
  if (branch === null)
    return [{ status: 'warn', name: 'repository', message: 'HEAD is detached', fix: 'git switch <branch>' }];

  const message = `branch ${branch}, ${dirty.length} changed ${dirty.length === 1 ? 'path' : 'paths'}`;
  const isHalfMerged = refuseConflict(dirty, branch) !== null;
  if (dirty.length === 0 || isHalfMerged || !branch.startsWith('runner/'))
    return [good('repository', message)];
  // Work of an open iteration is for the next step to keep; the journal has a line of its own.
  const isOpen = await journal?.load().then(
    (entry) => entry !== null,
    () => true,
  );
  if (isOpen === true) return [good('repository', message)];
  const fix = 'git add -A && git commit, or: git stash -u';
  return [
    { status: 'warn', name: 'repository', message: `${message}; the next step needs a clean work tree`, fix },
  ];
}

export async function checkPush(git: GitPort | null, config: Config | null): Promise<readonly Check[]> {
  const remote = config?.git.push ?? null;
  if (git === null || remote === null) return [];
  return attempt('push', async () => [
    good(
      'push',
      `each iteration is pushed to ${remote} (${shownAddress(await git.pushAddress(remote))}); not tried`,
    ),
  ]);
}
