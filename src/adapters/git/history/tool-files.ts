/** Which files that other programs execute a run has changed, as the trailers of its commits name them. Reads only. */
import { parseIterationSubject } from '../../../core/iteration/commit-message.ts';
import type { ToolFile } from '../../../ports/git-history.ts';
import { linesOf } from '../quoted-path.ts';
import type { Repo } from '../repo.ts';

/** A run has far fewer; without a limit a long history behind it would be read, too. */
const commitsMax = 5000;

export async function listToolFiles({ git }: Repo, runId: string): Promise<readonly ToolFile[]> {
  const trailers = '%(trailers:key=Runner-Tool-File,valueonly,unfold,separator=%x00)';
  const range = ['--first-parent', `--max-count=${commitsMax}`, `refs/heads/runner/${runId}`, '--'];
  const { code, stdout } = await git.run(['log', `--format=%s%x00${trailers}`, ...range], { accept: [128] });
  if (code !== 0) return [];

  const newest = new Map<string, number>();
  for (const line of linesOf(stdout.toString('utf8'))) {
    const [subject = '', ...paths] = line.split('\0').filter((part) => part !== '');
    const iteration = parseIterationSubject(subject);
    if (iteration?.run_id !== runId) continue;

    for (const path of paths) if (!newest.has(path)) newest.set(path, iteration.iter);
  }
  return [...newest].map(([path, iter]) => ({ path, iter })).toSorted((a, b) => (a.path < b.path ? -1 : 1));
}
