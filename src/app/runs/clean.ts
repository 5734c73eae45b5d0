/** Removes what finished and abandoned runs left (§12). Lists first, decides with core, then removes just that. */
import { endOf, planClean } from '../../core/runs/clean-plan.ts';
import type { CleanRequest, Leftover } from '../../core/runs/clean-plan.ts';
import { compareCodePoints } from '../../core/tree/tree-walk.ts';
import type { EndingPorts } from './whole-run.ts';

export interface CleanOutcome {
  readonly removed: readonly Leftover[];
  readonly kept: readonly Leftover[];
  readonly dry_run: boolean;
}

export async function clean(
  ports: EndingPorts,
  request: CleanRequest & { readonly isDryRun: boolean },
): Promise<CleanOutcome> {
  return ports.repositoryLock.hold('runner clean', async () => {
    const runs = await loadEnded(ports);
    const plan = planClean(request, runs);
    const held = await findHeld(ports, plan.remove);
    const remove = plan.remove.filter((one) => !held.has(one));
    const keep = [...plan.keep, ...held];
    if (!request.isDryRun) {
      for (const leftover of remove) await removeOne(ports, leftover);
      await forgetEmpty(ports, runs, remove);
    }
    return { removed: remove, kept: keep, dry_run: request.isDryRun };
  });
}

interface EndedRun {
  readonly run_id: string;
  readonly ended_at: string | null;
  readonly leftovers: readonly Leftover[];
}

async function loadEnded(ports: EndingPorts): Promise<readonly EndedRun[]> {
  const archives = await ports.endings.listArchives();
  const records = await ports.records.list();
  const rescues = await ports.git.listRescues();
  const work_trees = (await ports.endings.listWorkTrees()).map(({ path }) => path);
  const { prefix } = await ports.git.locate();
  const ids = [
    ...archives.map(({ run_id }) => run_id),
    ...records.flatMap((found) => (found.kind === 'record' ? [found.record.run_id] : [])),
  ];
  const runs: EndedRun[] = [];
  for (const run_id of [...new Set(ids)].toSorted(compareCodePoints)) {
    const found = records.find((one) => one.kind === 'record' && one.record.run_id === run_id);
    const known = found?.kind === 'record' ? found : null;
    const ended_at = endOf({
      run_id,
      record: known?.record ?? null,
      is_alive: known?.is_alive ?? false,
      archive: archives.find((one) => one.run_id === run_id) ?? null,
      branch: await ports.endings.commitOf(`refs/heads/runner/${run_id}`),
    });
    if (ended_at === null) continue;
    const refs = [
      ...archives.filter((one) => one.run_id === run_id).map(() => `refs/runner/archive/${run_id}`),
      ...rescues.filter((one) => one.run_id === run_id).map(({ ref }) => ref),
    ];
    const leftovers = [...(await ports.leftovers.list({ run_id, work_trees, prefix }))];
    for (const place of refs) {
      const kind = place.startsWith('refs/runner/archive/') ? 'archive' : 'rescue';
      leftovers.push({ run_id, kind, place, bytes: await ports.endings.bytesOf(place) });
    }
    runs.push({ run_id, ended_at, leftovers });
  }
  return runs;
}

/** Work trees with work that nothing else has. */
async function findHeld(ports: EndingPorts, leftovers: readonly Leftover[]): Promise<ReadonlySet<Leftover>> {
  const held = new Set<Leftover>();
  for (const leftover of leftovers.filter(({ kind }) => kind === 'worktrees')) {
    const { files, commit, submodules } = await ports.endings.findUnsaved(leftover.place);
    const what = [
      ...(files.length > 0 ? ['uncommitted files'] : []),
      ...(commit === null ? [] : [`commit ${commit.slice(0, 8)}`]),
      ...submodules.map((folder) => `submodule ${folder}`),
    ];
    if (what.length === 0) continue;
    held.add(leftover);
    ports.note(`${leftover.place} stays: only it has ${what.join(', ')}`);
  }
  return held;
}

async function removeOne(ports: EndingPorts, { kind, place }: Leftover): Promise<void> {
  switch (kind) {
    case 'archive':
    case 'rescue':
      return ports.endings.dropRef(place);
    case 'worktrees':
      await ports.endings.removeWorkTree(place);
      return ports.leftovers.remove(place);
    case 'logs':
      return ports.leftovers.remove(place);
  }
}

/** A run of which nothing is left needs no record: its id is free again. */
async function forgetEmpty(
  ports: EndingPorts,
  runs: readonly EndedRun[],
  removed: readonly Leftover[],
): Promise<void> {
  const gone = new Set(removed);
  for (const { run_id, leftovers } of runs) {
    const isTouched = leftovers.some((one) => gone.has(one));
    if (!isTouched || leftovers.some((one) => !gone.has(one))) continue;
    await ports.records.remove(run_id);
    await ports.leftovers.removeProgress(run_id);
  }
}
