/**
 * Which commits of a run no session made (§14): where it began, and what people committed between two iterations. Commits between an
 * iteration's baseline and its own commit are a session's, whatever they say.
 */
import type { CloneRequest } from '../../../ports/judge.ts';
import { linesOf } from '../quoted-path.ts';
import type { Repo } from '../repo.ts';

const format = '%H%x00%s%x00%(trailers:key=Runner-Baseline,valueonly,separator=%x20)';

/** Newest first; the commit that began the run is the last. Never empty. */
export async function listPersonsCommits(
  { git }: Repo,
  { run_id, baseline }: Pick<CloneRequest, 'run_id' | 'baseline'>,
): Promise<readonly string[]> {
  const { stdout } = await git.run(['log', '--first-parent', `--format=${format}`, baseline, '--']);
  const commits = linesOf(stdout.toString('utf8')).map((line) => line.split('\0'));
  const found: string[] = [];
  let until: string | null = null;
  for (const [commit = '', subject = '', began = ''] of commits) {
    if (until !== null && commit !== until) continue;

    until = null;
    if (subject.startsWith(`chore(loop): run ${run_id} iter `)) until = began === '' ? null : began;
    else found.push(commit);

    if (subject === `chore(loop): start run ${run_id}`) break;
  }
  return found.length === 0 ? [baseline] : found;
}
