/**
 * The live view of `log --follow` on a terminal: the agent's activity scrolls by as plain lines, above the block that `step`
 * and `loop` show for the open iteration. It reads the journal, and leaves the terminal as it was.
 */
import type { FollowEvent } from '../../app/views/follow-log.ts';
import { loadLook } from '../../app/views/look.ts';
import type { Look, LookPorts } from '../../app/views/look.ts';
import { systemHasher } from '../../adapters/files/hasher.ts';
import { ringsOf } from '../../core/iteration/rings.ts';
import type { OpenIteration } from '../../core/views/overview.ts';
import { progressOf } from '../../core/tree/progress.ts';
import { walkTree } from '../../core/tree/tree-walk.ts';
import type { IterationPlace } from '../../ports/iteration-reader.ts';
import type { RunEvent } from '../../ports/reporter.ts';
import { liveReporter } from './live.ts';
import type { LiveReporter } from './live.ts';
import { renderFollowLine } from './log-text.ts';
import type { Settings } from './streams.ts';

export interface FollowView {
  /** False: nobody reads any more. */
  show(event: FollowEvent): Promise<boolean>;
  /** Last call. */
  close(): void;
}

/** Only where lines and view meet on a terminal; everything else gets the lines alone. */
export function hasFollowView({ json, quiet, streams }: Settings): boolean {
  return !json && !quiet && streams.columns() !== null && streams.outColumns() !== null;
}

export function followView(settings: Settings, ports: LookPorts): FollowView {
  let live: LiveReporter | null = null;
  const { out } = settings.streams;
  const close = (): void => {
    live?.close();
    live = null;
  };
  const begin = async (place: IterationPlace): Promise<boolean> => {
    // It may be over before it can be looked at; then its lines are all there is to show.
    const look = await loadLook(ports).catch(() => null);
    const started = look === null ? null : startedEvent(look, place);
    if (started === null) return false;
    live = liveReporter({
      settings: { ...settings, streams: { ...settings.streams, err: out } },
      nowMs: () => Date.now(),
      isPlain: false,
    });
    live.report(started.event, started.atMs);
    return true;
  };
  return {
    close,
    show: async (event) => {
      if (event.kind === 'begun' || event.kind === 'ended' || event.kind === 'left_open') close();
      if (event.kind === 'begun' && (await begin(event.place))) return true;
      if (event.kind === 'usage') {
        live?.report({ type: 'agent_event', place: event.place, event: event.event });
        return true;
      }
      const line = renderFollowLine(event);
      if (live === null) return settings.streams.send(`${line}\n`);
      if (event.kind === 'phase') live.report({ type: 'phase', phase: phaseOf(event.open.phase) });
      else live.say(line);
      return true;
    },
  };
}

type Phase = Extract<RunEvent, { type: 'phase' }>['phase'];

function phaseOf(phase: OpenIteration['phase']): Phase {
  return phase === 'agent' || phase === 'guard' || phase === 'review' ? phase : 'commit';
}

/** Null: another iteration is open by now, or none. */
function startedEvent(
  { holder, entry, tree }: Look,
  { run_id, iter }: IterationPlace,
): { readonly event: RunEvent; readonly atMs: number } | null {
  if (holder === null || entry === null || entry.run_id !== run_id || entry.iter !== iter) return null;
  const { node_id, node_path, purpose, agent, config, run_state } = entry;
  const node = walkTree(tree).find((visit) => visit.node.id === node_id)?.node;
  const isRepair = purpose === 'repair' || node === undefined;
  return {
    atMs: Date.parse(entry.started_at) || Date.now(),
    event: {
      type: 'iteration_started',
      run_id,
      iter,
      node_id,
      node_path,
      title: node?.title ?? '',
      attempts: isRepair ? null : node.attempts,
      max_attempts: isRepair ? null : node.max_attempts,
      max_iterations: config.max_iterations,
      purpose,
      agent,
      credential: null,
      budget_ms: config.iteration_timeout_secs * 1000,
      rings: ringsOf({ config, runState: run_state, sha256: systemHasher().sha256 }),
      progress: progressOf(tree),
      totals: run_state.totals,
    },
  };
}
