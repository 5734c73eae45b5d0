/** Which run `audit` means: by its branch, or, if it is named, by its archive (§15). Reads only. */
import { RunnerError } from '../../core/errors.ts';
import { chooseRun } from '../../core/runs/run-choice.ts';
import type { GitBranches, GitLook } from '../../ports/git.ts';
import type { AuditRequest } from './audit.ts';

export interface RunFinder {
  readonly git: Pick<GitBranches, 'listRunBranches' | 'listArchived'> & Pick<GitLook, 'headBranch'>;
}

export type AuditedRun = Pick<AuditRequest, 'run_id' | 'tip' | 'isEnded'>;

/** Throws RUN_UNKNOWN. */
export async function findAudited({ git }: RunFinder, word: string | null): Promise<AuditedRun> {
  const branches = await git.listRunBranches();
  const wanted = word?.replace(/^runner\//u, '');
  const archives = (await git.listArchived()).filter(({ run_id }) => run_id === wanted);
  const known = [...branches, ...archives].map(({ run_id }) => ({ run_id, is_complete: false }));
  const choice = chooseRun({ command: 'audit', word, branch: await git.headBranch(), known });
  if (!choice.ok) throw new RunnerError(choice);
  const { run_id } = choice;
  const branch = branches.find((one) => one.run_id === run_id);
  const tip = branch?.commit ?? String(archives[0]?.commit);
  return { run_id, tip, isEnded: branch === undefined };
}
