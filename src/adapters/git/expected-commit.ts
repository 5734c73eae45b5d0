/**
 * The commit that the runner is about to make, noted where a session cannot forge it. After a crash no other commit counts as the
 * iteration's (§1, §7).
 */
import { trustedFile } from '../project/trusted-file.ts';
import type { TrustedFile } from '../project/trusted-file.ts';
import type { Repo } from './repo.ts';

export interface Expected {
  readonly branch: string;
  readonly parent: string;
  readonly tree: string;
  readonly subject: string;
}

function fileOf({ env, gitDir }: Repo): TrustedFile {
  return trustedFile({ env, gitDir }, 'commit.json');
}

/** The note stays until the next one: a crash may come at any time before the iteration is closed. */
export async function saveExpected(repo: Repo, expected: Expected): Promise<void> {
  await fileOf(repo).save(`${JSON.stringify(expected)}\n`);
}

export async function dropExpected(repo: Repo): Promise<void> {
  await fileOf(repo).remove();
}

export async function loadExpected(repo: Repo): Promise<Expected | null> {
  try {
    return JSON.parse((await fileOf(repo).load()) ?? 'null') as Expected | null;
  } catch {
    // Where the git folder has to do, anything may be there.
    return null;
  }
}

/** What all subjects of an iteration's commit begin with. */
export function iterationWords({ run_id, iter }: { readonly run_id: string; readonly iter: number }): string {
  return `chore(loop): run ${run_id} iter ${iter} node `;
}
