/** Ids of runs that have no branch any more (§12): archive refs, and trailers in the history of HEAD. Reads only. */
import type { ArchivedRun } from '../../../ports/git.ts';
import { linesOf } from '../quoted-path.ts';
import { listRefs } from '../refs.ts';
import { headCommit } from '../repo.ts';
import type { Repo } from '../repo.ts';

const archivePrefix = 'refs/runner/archive/';

export async function listArchived(repo: Repo): Promise<readonly ArchivedRun[]> {
  const refs = await listRefs(repo, [archivePrefix]);
  return refs.map(({ name, id }) => ({ run_id: name.slice(archivePrefix.length), commit: id }));
}

export async function listRecordedRuns(repo: Repo): Promise<readonly string[]> {
  if ((await headCommit(repo)) === null) return [];
  const format = '%(trailers:key=Runner-Run,valueonly,unfold)';
  // Without --grep git would have to read the trailers of every commit.
  const range = ['--basic-regexp', '--grep=^Runner-Run: ', `--format=${format}`, 'HEAD', '--'];
  const { stdout } = await repo.git.run(['log', ...range]);
  const ids = linesOf(stdout.toString('utf8')).map((line) => line.trim());
  return [...new Set(ids.filter((id) => id !== ''))].toSorted();
}
