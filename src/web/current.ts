/** What a status says about now: the current node, the phases of its iteration, and the title of the tab. Pure. */
import type { ProjectAnswer, StatusAnswer } from '../core/views/web-api.ts';

/** The node that is worked on, or else the one that comes next. */
export function currentNodeOf(status: StatusAnswer | null): string | null {
  if (status === null) return null;
  if (status.iteration !== null) return status.iteration.node_id;
  return status.next.status === 'complete' ? null : status.next.id;
}

/** The node that a runner works on right now; null: none does. */
export function atWorkIn({ runner, iteration }: StatusAnswer): string | null {
  return runner === null ? null : (iteration?.node_id ?? null);
}

/** How long the open iteration has worked; waits do not count. */
export function workedMs({ iteration, situation }: StatusAnswer, nowMs: number): number {
  if (iteration === null) return 0;
  const { state, since, waited_ms } = situation;
  const untilMs = state === 'waiting' && since !== null ? Date.parse(since) : nowMs;
  return untilMs - Date.parse(iteration.started_at) - waited_ms;
}

const phaseNames = [
  ['agent', 'agent'],
  ['ended', 'collect'],
  ['guard', 'guard'],
  ['review', 'review'],
  ['verdict', 'verdict'],
  ['persisting', 'commit'],
] as const;

export interface PhaseStep {
  readonly name: string;
  readonly is: 'past' | 'now' | 'ahead';
}

/** The phases of an iteration in their order; a review is shown only while there is one. */
export function listPhases(phase: string): readonly PhaseStep[] {
  const at = phaseNames.findIndex(([key]) => key === phase);
  return phaseNames
    .map(
      ([key, name], index) =>
        ({ key, name, is: index < at ? 'past' : index === at ? 'now' : 'ahead' }) as const,
    )
    .filter(({ key, is }) => key !== 'review' || is === 'now')
    .map(({ name, is }) => ({ name, is }));
}

const signs: Readonly<Record<StatusAnswer['situation']['state'], string>> = {
  fresh: '○',
  ready: '○',
  working: '●',
  waiting: '◔',
  paused: '‖',
  stopped: '✕',
  limit: '✕',
  stuck: '■',
  crashed: '✕',
  complete: '✓',
};

const aboutMax = 60;

/** Readable in a row of tabs: what matters is in front, and which project it is at the end. */
export function titleOfTab(status: StatusAnswer | null, page: string, project: ProjectAnswer | null): string {
  const about = (project?.goal_title || project?.folder || 'runner').slice(0, aboutMax);
  if (status === null) return `${page} · ${about}`;
  const { situation, progress, run_id } = status;
  const count = run_id === null ? '' : ` ${progress.passed}/${progress.leaves}`;
  return `${signs[situation.state]} ${situation.title}${count} · ${page} · ${about}`;
}
