/** Removes what finished and abandoned runs left (§12). Lists first, decides with core, then removes just that. */
import { checkGoalId } from '../../core/config/goal-id.ts';
import { endOf, planClean } from '../../core/runs/clean-plan.ts';
import type { CleanRequest, Leftover } from '../../core/runs/clean-plan.ts';
import { compareCodePoints } from '../../core/tree/tree-walk.ts';
import { removeWorkTree } from './own-work-tree.ts';
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
  const runs = await loadLeftovers(ports);
  const { remove, keep } = planClean(request, runs);
  if (request.isDryRun) {
    const held = await findHeld(ports, remove);
    const removed = remove.filter((one) => !held.has(one));
    return { removed, kept: [...keep, ...held], dry_run: true };
  }
  return ports.repositoryLock.hold('runner clean', async () => {
    // Measuring takes long, so it had no lock: a run may have been opened again, or ended anew, since.
    const now = await loadEnded(ports);
    const same = runs.filter((run) => run.ended_at === now.get(run.run_id));
    const ids = new Set(same.map(({ run_id }) => run_id));
    const wanted = remove.filter(({ run_id }) => ids.has(run_id));
    const held = await findHeld(ports, wanted);
    const removed = wanted.filter((one) => !held.has(one));
    for (const leftover of removed) await removeOne(ports, leftover);
    await forgetEmpty(ports, same, removed);
    const kept = [...keep.filter(({ run_id }) => ids.has(run_id)), ...held];
    return { removed, kept, dry_run: false };
  });
}

interface EndedRun {
  readonly run_id: string;
  readonly ended_at: string;
  readonly leftovers: readonly Leftover[];
}

/** When each run that has ended did so, sorted by id. */
async function loadEnded(ports: EndingPorts): Promise<ReadonlyMap<string, string>> {
  const archives = await ports.endings.listArchives();
  const records = await ports.records.list();
  const ids = [
    ...archives.map(({ run_id }) => run_id),
    ...records.flatMap((found) => (found.kind === 'record' ? [found.record.run_id] : [])),
  ];
  // A ref may have any name.
  const valid = [...new Set(ids)].filter((id) => checkGoalId(id) === null);
  const ended = new Map<string, string>();
  for (const run_id of valid.toSorted(compareCodePoints)) {
    const found = records.find((one) => one.kind === 'record' && one.record.run_id === run_id);
    const known = found?.kind === 'record' ? found : null;
    const ended_at = endOf({
      run_id,
      record: known?.record ?? null,
      is_alive: known?.is_alive ?? false,
      archive: archives.find((one) => one.run_id === run_id) ?? null,
      branch: await ports.endings.commitOf(`refs/heads/runner/${run_id}`),
    });
    if (ended_at !== null) ended.set(run_id, ended_at);
  }
  return ended;
}

async function loadLeftovers(ports: EndingPorts): Promise<readonly EndedRun[]> {
  const archives = await ports.endings.listArchives();
  const rescues = await ports.git.listRescues();
  const all = await ports.endings.listWorkTrees();
  const work_trees = all.map(({ path }) => path);
  const { prefix } = await ports.git.locate();
  const runs: EndedRun[] = [];
  for (const [run_id, ended_at] of await loadEnded(ports)) {
    const refs = [
      ...archives.filter((one) => one.run_id === run_id).map(() => `refs/runner/archive/${run_id}`),
      ...rescues.filter((one) => one.run_id === run_id).map(({ ref }) => ref),
    ];
    // Somebody went on in it with another branch.
    const taken = all.filter(({ branch }) => branch !== null && branch !== `runner/${run_id}`);
    const isFree = ({ place }: Leftover): boolean => taken.every(({ path }) => path !== place);
    const leftovers = (await ports.leftovers.list({ run_id, work_trees, prefix })).filter(isFree);
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

async function removeOne(ports: EndingPorts, leftover: Leftover): Promise<void> {
  const { run_id, kind, place } = leftover;
  switch (kind) {
    case 'archive':
      return ports.endings.dropRef(place);
    case 'rescue':
      return place.startsWith('refs/') ? ports.endings.dropRef(place) : ports.leftovers.remove(leftover);
    case 'worktrees':
      await removeWorkTree(ports, { path: place, run_id });
      return ports.leftovers.remove(leftover);
    case 'logs':
      return ports.leftovers.remove(leftover);
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
    // What was moved aside in its work tree is kept.
    if ((await ports.leftovers.list({ run_id, work_trees: [], prefix: '' })).length > 0) continue;
    await ports.records.remove(run_id);
    await ports.leftovers.removeProgress(run_id);
  }
}
