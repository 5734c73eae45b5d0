/**
 * Follows a runner in this work tree by its logs alone: what the agent does, phase by phase, iteration after iteration, until
 * the runner is gone. It only reads; the runner does not notice it.
 */
import { parseActivityLine, parseUsageLine } from '../../core/agents/event-line.ts';
import type { ActivityLine, UsageLine } from '../../core/agents/event-line.ts';
import type { OpenIteration } from '../../core/views/overview.ts';
import type { IterationMeta } from '../../core/agents/session.ts';
import type { SignalName } from '../../core/types.ts';
import type { IterationPlace, IterationReader, LineFollower } from '../../ports/iteration-reader.ts';
import type { Waiter } from '../../ports/sessions.ts';
import { loadActivity } from './look.ts';
import type { Activity, WorkTreePorts } from './look.ts';

export interface FollowPorts {
  readonly iterations: IterationReader;
  readonly workTree: WorkTreePorts | null;
  readonly waiter: Waiter;
}

export type FollowEvent =
  | {
      readonly kind: 'begun';
      readonly place: IterationPlace;
      readonly node_id: string;
      readonly node_path: string;
    }
  | { readonly kind: 'phase'; readonly open: OpenIteration }
  | { readonly kind: 'activity'; readonly place: IterationPlace; readonly activity: ActivityLine }
  /** For a view of what a run uses; no line. */
  | (UsageLine & { readonly kind: 'usage' })
  | { readonly kind: 'ended'; readonly meta: IterationMeta }
  /** The runner is gone and has not finished this one. */
  | { readonly kind: 'left_open'; readonly place: IterationPlace };

export interface FollowRequest {
  readonly run_id: string;
  /** Where to begin; null: the newest. */
  readonly from: number | null;
  /** Only iterations on this node. */
  readonly node: string | null;
  /** Waited for; false: nobody listens any more. */
  readonly onEvent: (event: FollowEvent) => Promise<boolean>;
}

const lookEveryMs = 200;
/** The others are over in an instant. */
const phasesTold: readonly OpenIteration['phase'][] = ['agent', 'guard', 'review'];

interface Cursor {
  readonly place: IterationPlace;
  readonly lines: LineFollower;
  isBegun: boolean;
  phase: OpenIteration['phase'] | null;
}

/** The signal that ended it, or null when there is nothing left to follow. */
export async function followLog(ports: FollowPorts, request: FollowRequest): Promise<SignalName | null> {
  let cursor: Cursor | null = null;
  let isHeard = true;
  const tell: Tell = async (event) => {
    isHeard &&= await request.onEvent(event);
  };
  let after = request.from === null ? null : request.from - 1;
  try {
    for (;;) {
      // Looked at first: when nobody is at work then, all that is read afterwards is the last of it.
      const activity = await loadActivity(ports.workTree);
      const listed = await ports.iterations.listIterations(request.run_id);
      if (cursor === null) {
        const iter = after === null ? listed.at(-1) : listed.find((each) => each > Number(after));
        cursor = iter === undefined ? null : openCursor(ports, { run_id: request.run_id, iter });
      }
      const isOver = cursor !== null && (await readOn({ ports, request, cursor, activity, listed, tell }));
      if (!isHeard) return null;
      if (cursor !== null && isOver) {
        after = cursor.place.iter;
        await cursor.lines.close();
        cursor = null;
        if (listed.some((iter) => iter > Number(after))) continue;
      }
      if (activity.holder === null) {
        if (cursor !== null) await tell({ kind: 'left_open', place: cursor.place });
        return null;
      }
      const signal = await ports.waiter.wait({ ms: lookEveryMs, onTick: () => {} });
      if (signal !== null) return signal;
    }
  } finally {
    await cursor?.lines.close();
  }
}

function openCursor({ iterations }: FollowPorts, place: IterationPlace): Cursor {
  return { place, lines: iterations.follow({ ...place, name: 'events.jsonl' }), isBegun: false, phase: null };
}

type Tell = (event: FollowEvent) => Promise<void>;

interface Turn {
  readonly ports: FollowPorts;
  readonly request: FollowRequest;
  readonly cursor: Cursor;
  readonly activity: Activity;
  readonly listed: readonly number[];
  readonly tell: Tell;
}

/** Tells what is new in the iteration; true when nothing more will come of it. */
async function readOn({ ports, request, cursor, activity, listed, tell }: Turn): Promise<boolean> {
  const { place } = cursor;
  const meta = await ports.iterations.loadMeta(place);
  const { iteration } = activity;
  const open = iteration?.run_id === place.run_id && iteration.iter === place.iter ? iteration : null;
  const known = meta ?? open;
  const isShown = request.node === null || request.node === known?.node_id;
  const lines = await cursor.lines.readNew();
  if (isShown) {
    if (known !== null && !cursor.isBegun) {
      cursor.isBegun = true;
      await tell({ kind: 'begun', place, node_id: known.node_id, node_path: known.node_path });
    }
    if (open?.phase === 'agent') await tellPhase(tell, cursor, open);
    for (const line of lines) {
      const activityLine = parseActivityLine(line);
      if (activityLine !== null) await tell({ kind: 'activity', place, activity: activityLine });
      const usage = activityLine === null ? parseUsageLine(line) : null;
      if (usage !== null) await tell({ kind: 'usage', ...usage });
    }
    if (open !== null) await tellPhase(tell, cursor, open);
    if (meta !== null) await tell({ kind: 'ended', meta });
  }
  // One that was dropped has no record and never will have one.
  return meta !== null || (open === null && listed.some((iter) => iter > place.iter));
}

async function tellPhase(tell: Tell, cursor: Cursor, open: OpenIteration): Promise<void> {
  if (cursor.phase === open.phase || !phasesTold.includes(open.phase)) return;
  cursor.phase = open.phase;
  await tell({ kind: 'phase', open });
}
