/** The smallest composition root: the files that say what comes next. Knows nothing of git, so that it is there at once. */
import { configStore } from '../adapters/config-store.ts';
import { layout } from '../adapters/layout.ts';
import type { Layout } from '../adapters/layout.ts';
import { runStateStore } from '../adapters/run-state-store.ts';
import { treeStore } from '../adapters/tree-store.ts';
import { realFolder } from '../adapters/workspace.ts';
import type { ConfigStore, RunStateStore, TreeStore } from '../ports/stores.ts';
import type { Settings } from './streams.ts';

export interface ProjectState {
  readonly configs: ConfigStore;
  readonly trees: TreeStore;
  readonly runStates: RunStateStore;
}

export async function openState(settings: Settings): Promise<ProjectState> {
  return stateOf(settings, layout(await realFolder(settings.directory)));
}

export function stateOf(settings: Settings, place: Layout): ProjectState {
  return {
    configs: configStore({ place, env: settings.env, flags: [] }),
    trees: treeStore(place),
    runStates: runStateStore(place),
  };
}
