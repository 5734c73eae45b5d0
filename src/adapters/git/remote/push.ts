/** Pushes the run branch as the person would (§13): their address, their credentials, no force, no prompt, bounded in time. */
import { RunnerError } from '../../../core/errors.ts';
import type { PushAnswer } from '../../../core/runs/push.ts';
import { readPush } from '../../../core/runs/push.ts';
import type { PushRequest } from '../../../ports/git.ts';
import type { Repo } from '../repo.ts';

/** A branch that grew by one iteration is small; a server that hangs must not hold up the run. */
const pushTimeoutMs = 2 * 60 * 1000;

export async function loadPushAddress(repo: Repo, remote: string): Promise<string> {
  const { code, stdout } = await repo.git.run(['remote', 'get-url', '--push', '--', remote], {
    accept: [2, 128],
  });
  const address = stdout.toString('utf8').replace(/\n$/, '');
  if (code === 0 && address !== '') return address;
  throw new RunnerError({
    code: 'CONFIG_INVALID',
    message: `git.push names the remote '${remote}', which the repository does not have`,
    hint: 'git remote -v',
  });
}

/** By address: a session may change where a remote leads, and that must not lead the person's credentials elsewhere. */
export async function runPush(repo: Repo, { address, branch, run_hooks }: PushRequest): Promise<PushAnswer> {
  const ref = `refs/heads/${branch}`;
  const args = ['push', '--porcelain', '--no-follow-tags', '--recurse-submodules=no', '--no-signed'];
  try {
    const answer = await repo.git.run([...args, '--', address, `${ref}:${ref}`], {
      accept: [1, 128],
      timeoutMs: pushTimeoutMs,
      transport: 'any',
      hooks: run_hooks,
    });
    return readPush({ ...answer, stdout: answer.stdout.toString('utf8') });
  } catch (error) {
    if (!(error instanceof RunnerError)) throw error;
    return { kind: 'failed', reason: error.message };
  }
}
