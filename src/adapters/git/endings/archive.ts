/** Archive refs (§12): the last commit of a run that has ended, and the branches that go then. Every move names its expected value. */
import type { Archive, RunPlaces } from '../../../ports/endings.ts';
import { linesOf } from '../quoted-path.ts';
import { isAncestor, moveRef, refCommit, removeRef, saveRescue } from '../refs.ts';
import { textOf } from '../repo.ts';
import type { Repo } from '../repo.ts';

const root = 'refs/runner/archive/';

export async function saveArchive(
  repo: Repo,
  { run_id, commit }: Parameters<RunPlaces['archive']>[0],
): Promise<string> {
  const ref = `${root}${run_id}`;
  const held = await refCommit(repo, ref);
  if (held === commit) return ref;
  if (held !== null && !(await isAncestor(repo, { ancestor: held, descendant: commit })))
    await saveRescue(repo, { run_id, name: 'archive', commit: held });
  await moveRef(repo, { ref, to: commit, from: held ?? '', reason: 'runner: run ended' });
  return ref;
}

export async function listArchives({ git }: Repo): Promise<readonly Archive[]> {
  const format = '--format=%(refname)%00%(objectname)%00%(committerdate:unix)';
  const answer = await git.run(['for-each-ref', format, root]);
  return linesOf(answer.stdout.toString('utf8')).map((line) => {
    const [name = '', commit = '', seconds = '0'] = line.split('\0');
    const committed_at = new Date(Number(seconds) * 1000).toISOString();
    return { run_id: name.slice(root.length), commit, committed_at };
  });
}

export async function runDropBranch(
  repo: Repo,
  { branch, from }: Parameters<RunPlaces['dropBranch']>[0],
): Promise<void> {
  const ref = `refs/heads/${branch}`;
  if ((await refCommit(repo, ref)) !== null) await removeRef(repo, { ref, from });
  await repo.git.run(['config', '--remove-section', `branch.${branch}`], { accept: [1, 128], writes: true });
}

export async function loadBytes({ git }: Repo, ref: string): Promise<number> {
  const others = ['--not', '--branches', '--tags', '--remotes'];
  const { stdout } = await git.run(['rev-list', '--disk-usage', '--objects', ref, ...others], {
    accept: [128, 129],
  });
  return Number(textOf(stdout)) || 0;
}

export async function runDropRef(repo: Repo, ref: string): Promise<void> {
  const commit = await refCommit(repo, ref);
  if (commit !== null) await removeRef(repo, { ref, from: commit });
}

export async function isBranchName({ git }: Repo, name: string): Promise<boolean> {
  return (await git.run(['check-ref-format', '--branch', name], { accept: [1, 128] })).code === 0;
}
