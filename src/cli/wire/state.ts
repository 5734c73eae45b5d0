/** The smallest composition root: the files that decide what comes next. Knows nothing of git, so that it loads fast. */
import { configStore } from '../../adapters/project/config-store.ts';
import { layout } from '../../adapters/files/layout.ts';
import type { Layout } from '../../adapters/files/layout.ts';
import { runStateStore } from '../../adapters/project/run-state-store.ts';
import { treeStore } from '../../adapters/project/tree-store.ts';
import { realFolder } from '../../adapters/project/workspace.ts';
import type { ConfigStore, RunStateStore, TreeStore } from '../../ports/stores.ts';
import type { Settings } from '../output/streams.ts';

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
