/** What a status says about now: the current work and its description. Pure. */
import type { StatusAnswer } from '../core/views/web-api.ts';

/** The node that is worked on, or else the one that comes next. */
export function currentNodeOf(status: StatusAnswer | null): string | null {
  if (status === null) return null;
  if (status.iteration !== null) return status.iteration.node_id;
  return status.next.status === 'complete' ? null : status.next.id;
}

export interface NowText {
  readonly name: 'running' | 'idle' | 'done' | 'stuck' | 'unfinished';
  readonly text: string;
  readonly advice: string;
}

export function describeNow({ run_id, runner, iteration, next }: StatusAnswer): NowText {
  if (runner !== null) {
    const where = runner.is_here ? '' : ' on another host';
    return { name: 'running', text: 'Running', advice: `${runner.command}, pid ${runner.pid}${where}` };
  }
  if (run_id === null) return { name: 'idle', text: 'No run yet', advice: 'Begin one with: runner start' };
  if (iteration !== null) {
    return {
      name: 'unfinished',
      text: 'Left unfinished',
      advice: 'A runner ended in the middle of this iteration. Finish it with: runner step',
    };
  }
  switch (next.status) {
    case 'complete':
      return { name: 'done', text: 'Complete', advice: 'Every node has passed.' };
    case 'stuck':
      return {
        name: 'stuck',
        text: 'Stuck',
        advice: `${next.id} has no attempts left. Allow more with: runner retry ${next.id}`,
      };
    case 'repair':
      return {
        name: 'idle',
        text: 'Paused',
        advice: 'The next session repairs the tree. Go on with: runner loop',
      };
    case 'open':
      return { name: 'idle', text: 'Paused', advice: 'Nobody is at work. Go on with: runner loop' };
  }
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
