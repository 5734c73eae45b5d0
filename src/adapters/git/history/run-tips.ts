/**
 * The last commit of every run that a ref still holds, with the run's own files there (§12): branches here and on remotes, and
 * archives. Four calls of git, however many runs there are. Reads only.
 */
import type { RunTip } from '../../../core/runs/run-list.ts';
import { loadRunBranches } from '../branches.ts';
import { linesOf } from '../quoted-path.ts';
import { listRefs } from '../refs.ts';
import type { Repo } from '../repo.ts';

const archiveRoot = 'refs/runner/archive/';

type Place = Pick<RunTip, 'run_id' | 'kind' | 'branch' | 'remote' | 'commit'>;

/** `prefixes`: project folders of runs that are not of this one. */
export async function loadRunTips(
  repo: Repo,
  prefixes: ReadonlyMap<string, string>,
): Promise<readonly RunTip[]> {
  const places = await listPlaces(repo);
  if (places.length === 0) return [];
  const isArchived = places.some(({ kind }) => kind === 'archive');
  const [checkouts, finished] = await Promise.all([
    loadCheckouts(repo),
    isArchived ? loadFinished(repo) : new Set<string>(),
  ]);
  const names = places.flatMap(({ run_id, commit }) => {
    const root = `${commit}:${prefixes.get(run_id) ?? repo.prefix}.runner/`;
    return [commit, `${root}GOAL.md`, `${root}state/run_state.json`, `${root}state/tree.json`];
  });
  const texts = await loadObjects(repo, names);
  return places.map((place, at) => {
    const [commit = null, goal = null, run_state = null, tree = null] = texts.slice(4 * at, 4 * at + 4);
    const branch = place.kind === 'local' ? place.branch : null;
    return {
      ...place,
      committed_at: timeOf(commit ?? ''),
      goal,
      run_state,
      tree,
      is_finished: place.kind === 'archive' && finished.has(`${archiveRoot}${place.run_id}`),
      checkout: branch === null ? null : (checkouts.get(`refs/heads/${branch}`) ?? null),
    };
  });
}

async function listPlaces(repo: Repo): Promise<readonly Place[]> {
  const branches = (await loadRunBranches(repo)).map(({ run_id, branch, commit, remote }): Place => {
    return { run_id, kind: remote === null ? 'local' : 'remote', branch, remote, commit };
  });
  const archives = (await listRefs(repo, [archiveRoot])).map(({ name, id }): Place => {
    return {
      run_id: name.slice(archiveRoot.length),
      kind: 'archive',
      branch: null,
      remote: null,
      commit: id,
    };
  });
  return [...branches, ...archives];
}

/** Work trees by the branch they have checked out. */
async function loadCheckouts({ git }: Repo): Promise<ReadonlyMap<string, string>> {
  const { stdout } = await git.run(['worktree', 'list', '--porcelain']);
  const blocks = stdout.toString('utf8').split('\n\n');
  return new Map(
    blocks.flatMap((block) => {
      const lines = block.split('\n');
      const valueOf = (key: string): string | undefined =>
        lines.find((line) => line.startsWith(`${key} `))?.slice(key.length + 1);
      const [path, branch] = [valueOf('worktree'), valueOf('branch')];
      return path === undefined || branch === undefined ? [] : [[branch, path] as const];
    }),
  );
}

/** Archives that commits of `finish` name. */
async function loadFinished({ git }: Repo): Promise<ReadonlySet<string>> {
  const format = '%(trailers:key=Runner-Archive,valueonly,unfold,separator=%x0a)';
  const grep = ['--fixed-strings', `--grep=Runner-Archive: `];
  const { stdout } = await git.run(['log', '--branches', '--remotes', `--format=${format}`, ...grep, '--']);
  return new Set(linesOf(stdout.toString('utf8')).map((line) => line.trim()));
}

/** In the order asked for; null: git has no such object, or the name cannot be asked for. */
async function loadObjects({ git }: Repo, names: readonly string[]): Promise<readonly (string | null)[]> {
  const asked = names.map((name) => (name.includes('\n') ? 'missing' : name));
  const input = Buffer.from(asked.map((name) => `${name}\n`).join(''));
  const { stdout } = await git.run(['cat-file', '--batch'], { input });
  let at = 0;
  return names.map(() => {
    const end = stdout.indexOf(0x0a, at);
    const size = /^[0-9a-f]+ \w+ (\d+)$/u.exec(stdout.subarray(at, end).toString('latin1'))?.[1];
    at = end + 1;
    if (size === undefined) return null;
    const text = stdout.subarray(at, at + Number(size)).toString('utf8');
    at += Number(size) + 1;
    return text;
  });
}

/** From the text of a commit; null where there is none. */
function timeOf(commit: string): string | null {
  const seconds = /^committer .*> (\d+) [+-]\d{4}$/mu.exec(commit.split('\n\n')[0] ?? '')?.[1];
  return seconds === undefined ? null : new Date(Number(seconds) * 1000).toISOString();
}
