/**
 * Compares two states of a project and lists the changes. A watcher may lose or repeat its hints; comparing states does not
 * depend on them.
 */
import type { UiChange } from './event-ring.ts';

/** Which file it is and in which state; empty: there is none. */
export type Stamp = string;

export interface IterationLook {
  readonly is_complete: boolean;
  /** Sizes by name. */
  readonly files: ReadonlyMap<string, number>;
}

export interface ProjectLook {
  readonly tree: Stamp;
  readonly run_state: Stamp;
  readonly config: Stamp;
  readonly memory: Stamp;
  readonly runs: ReadonlyMap<string, ReadonlyMap<number, IterationLook>>;
  /** Background runs by id; empty where the server has no control. */
  readonly background: ReadonlyMap<string, Stamp>;
}

export const emptyLook: ProjectLook = {
  tree: '',
  run_state: '',
  config: '',
  memory: '',
  runs: new Map(),
  background: new Map(),
};

export function listChanges(before: ProjectLook, after: ProjectLook): readonly UiChange[] {
  const states: readonly UiChange[] = [
    ...(before.tree === after.tree ? [] : [{ name: 'tree_changed', data: {} } as const]),
    ...(before.run_state === after.run_state ? [] : [{ name: 'run_state_changed', data: {} } as const]),
    ...(before.config === after.config ? [] : [{ name: 'config_changed', data: {} } as const]),
    ...(before.memory === after.memory ? [] : [{ name: 'memory_changed', data: {} } as const]),
  ];
  const iterations: UiChange[] = [];
  for (const [run_id, looks] of after.runs) {
    const known = before.runs.get(run_id);
    // The same map: nothing below it was looked at again.
    if (known === looks) continue;
    for (const [iter, look] of looks) {
      const place = { run_id, iter };
      iterations.push(...changesOf(place, known?.get(iter), look));
    }
  }
  return [...states, ...iterations, ...backgroundChanges(before.background, after.background)];
}

function backgroundChanges(
  before: ProjectLook['background'],
  after: ProjectLook['background'],
): readonly UiChange[] {
  const ids = [...new Set([...before.keys(), ...after.keys()])];
  return ids
    .filter((run_id) => before.get(run_id) !== after.get(run_id))
    .map((run_id) => ({ name: 'run_changed', data: { run_id } }));
}

function changesOf(
  place: { readonly run_id: string; readonly iter: number },
  before: IterationLook | undefined,
  after: IterationLook,
): readonly UiChange[] {
  if (before === after) return [];
  const changes: UiChange[] = before === undefined ? [{ name: 'iteration_added', data: place }] : [];
  for (const [file, bytes] of after.files) {
    if (before?.files.get(file) !== bytes)
      changes.push({ name: 'stream_updated', data: { ...place, file, bytes } });
  }
  if (after.is_complete && before?.is_complete !== true)
    changes.push({ name: 'iteration_completed', data: place });

  return changes;
}
