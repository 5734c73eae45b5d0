/** The runs that `start` has to know of (§12): branches, archive refs, records, and a run whose branch is gone but whose files are at HEAD. Reads only. */
import { parseRunState } from '../../core/iteration/run-state-schema.ts';
import type { RunRecord } from '../../core/runs/record.ts';
import type { KnownRun } from '../../core/runs/start-plan.ts';
import { parseTree } from '../../core/tree/tree-schema.ts';
import type { RunState } from '../../core/types.ts';
import type { Ports } from '../../ports/ports.ts';
import { loadHeldIds } from './held-ids.ts';
import type { HeldIds } from '../../core/runs/free-id.ts';

export type KnownRunPorts = Pick<Ports, 'git' | 'records' | 'goals' | 'hasher'>;

export interface RunsHere {
  readonly known: readonly KnownRun[];
  readonly held: HeldIds;
}

export async function loadKnownRuns(ports: KnownRunPorts, head: string): Promise<RunsHere> {
  const held = await loadHeldIds(ports);
  const found = await ports.records.list();
  const { prefix } = await ports.git.locate();
  const records = new Map(found.flatMap(recordOf).filter(([, record]) => record.prefix === prefix));
  const atWork = new Set(
    found.flatMap((each) => (each.kind === 'record' && each.is_alive ? [each.record.run_id] : [])),
  );
  const archives = new Map((await ports.git.listArchived()).map(({ run_id, commit }) => [run_id, commit]));
  const recorded = (run_id: string): 'finished' | 'abandoned' | null => {
    const status = records.get(run_id)?.status;
    return status === 'finished' || status === 'abandoned' ? status : null;
  };
  const ended = (run_id: string, isComplete: boolean): KnownRun['state'] =>
    recorded(run_id) ?? (isComplete || held.history.includes(run_id) ? 'finished' : 'abandoned');
  const known: KnownRun[] = [];
  for (const { run_id, commit } of await ports.git.listRunBranches()) {
    const place: KnownRun['place'] = !records.has(run_id)
      ? 'branch'
      : atWork.has(run_id)
        ? 'at-work'
        : 'background';
    const tip = await describeTip(ports, { run_id, commit, place });
    const record = records.get(run_id);
    // A background run that begins has its branch, and no commit of its own yet.
    const run = tip.state === 'elsewhere' && record ? { ...describeRecord(record), place } : tip;
    // An end that was cut off made only the archive.
    const isHeld = run.state !== 'elsewhere' && archives.get(run_id) === commit;
    const end = isHeld ? (recorded(run_id) ?? (await finishOf(ports, run_id))) : null;
    known.push(end === null ? run : { ...run, state: end });
    archives.delete(run_id);
    records.delete(run_id);
  }
  for (const [run_id, commit] of archives) {
    const run = await describeTip(ports, { run_id, commit, place: 'none' });
    known.push(run.state === 'elsewhere' ? run : { ...run, state: ended(run_id, run.state === 'complete') });
    records.delete(run_id);
  }
  for (const record of records.values()) known.push(describeRecord(record));
  const here = await describeHead(ports, head, known);
  // A merge that a person squashed left no trailer.
  const history = [...held.history, ...here.map(({ run_id }) => run_id)];
  return { known: [...known, ...here], held: { ...held, history } };
}

function recordOf(
  found: Awaited<ReturnType<KnownRunPorts['records']['list']>>[number],
): readonly (readonly [string, RunRecord])[] {
  return found.kind === 'record' ? [[found.record.run_id, found.record]] : [];
}

/** Asked only where an archive and a branch are the same, and no record tells. */
async function finishOf({ git }: KnownRunPorts, runId: string): Promise<'finished' | null> {
  const tips = await git.listRunTips(new Map());
  return tips.some(({ run_id, is_finished }) => run_id === runId && is_finished) ? 'finished' : null;
}

/** A background run that has no branch yet, or none any more. */
function describeRecord({ run_id, status, goal_sha256 }: RunRecord): KnownRun {
  const isEnd = status === 'complete' || status === 'finished' || status === 'abandoned';
  const goals = goal_sha256 === null ? [] : [goal_sha256];
  return { run_id, state: isEnd ? status : 'open', place: 'none', goals };
}

interface Tip {
  readonly run_id: string;
  readonly commit: string;
  readonly place: KnownRun['place'];
}

async function describeTip(ports: KnownRunPorts, tip: Tip): Promise<KnownRun> {
  const { run_id, commit, place } = tip;
  const parsed = await stateAt(ports, commit);
  // Another project folder of the repository has runs of its own; what cannot be read may be ours.
  const isOurs = parsed !== null && (!parsed.ok || parsed.state.run_id === run_id);
  if (!isOurs) return { run_id, state: 'elsewhere', place, goals: [] };
  const isComplete = await isCompleteAt(ports, commit);
  const state = parsed.ok ? parsed.state : null;
  const began = state?.goal_sha256 ?? null;
  return {
    run_id,
    place,
    state: isComplete ? 'complete' : 'open',
    goals: isComplete
      ? await goalAt(ports, { run_id, commit: await lastOwnCommit(ports, tip, state) })
      : [...(began === null ? [] : [began]), ...(await goalAt(ports, tip))],
  };
}

/** What a complete run has done is the goal of its last iteration; a person may have written another since. */
async function lastOwnCommit(ports: KnownRunPorts, tip: Tip, state: RunState | null): Promise<string> {
  const iter = state?.next_iter ?? 1;
  return (await ports.git.findOwnCommit({ run_id: tip.run_id, iter, at: tip.commit })) ?? tip.commit;
}

/** A person merged the run and deleted its branch: HEAD has its files, and nothing else knows of it. */
async function describeHead(
  ports: KnownRunPorts,
  head: string,
  known: readonly KnownRun[],
): Promise<readonly KnownRun[]> {
  const parsed = await stateAt(ports, head);
  if (parsed?.ok !== true || parsed.state.run_id === null) return [];
  const { run_id, goal_sha256, resolved, next_iter } = parsed.state;
  if (known.some((run) => run.run_id === run_id)) return [];
  // A start that was cut off, and committed by a person: that run never began, and no audit could tell where another of its id does.
  if (resolved === null && next_iter === 1) return [{ run_id, state: 'abandoned', place: 'none', goals: [] }];
  const state = (await isCompleteAt(ports, head)) ? 'finished' : 'open';
  return [{ run_id, state, place: 'head', goals: goal_sha256 === null ? [] : [goal_sha256] }];
}

async function stateAt({ git }: KnownRunPorts, commit: string) {
  const source = await git.loadText({ commit, path: '.runner/state/run_state.json' });
  return source.kind === 'text' ? parseRunState(source.text) : null;
}

async function isCompleteAt({ git }: KnownRunPorts, commit: string): Promise<boolean> {
  const parsed = parseTree(await git.loadText({ commit, path: '.runner/state/tree.json' }));
  return parsed.ok && parsed.tree.passes;
}

/** A goal with another id, or none, is what a person wants next; one that cannot be read equals none. */
async function goalAt(
  { git, goals, hasher }: KnownRunPorts,
  { run_id, commit }: Pick<Tip, 'run_id' | 'commit'>,
): Promise<readonly string[]> {
  const source = await git.loadText({ commit, path: '.runner/GOAL.md' });
  const goal = source.kind === 'text' ? await goals.parse(source.text).catch(() => null) : null;
  return goal?.id === run_id ? [hasher.sha256(goal.body)] : [];
}
