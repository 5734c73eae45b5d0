/** The next leaf, read-only; needs neither git nor a started run (§4, §10). */
import { selectNext } from '../../core/tree/selector.ts';
import type { Selection } from '../../core/types.ts';
import type { ConfigStore, RunStateStore, TreeStore } from '../../ports/stores.ts';

export async function select(ports: {
  readonly trees: TreeStore;
  readonly runStates: RunStateStore;
  readonly configs: ConfigStore;
}): Promise<Selection> {
  const tree = await ports.trees.load();
  const runState = await ports.runStates.load();
  const config = await ports.configs.load();
  return selectNext({ tree, runState, onStuck: config.on_stuck });
}
