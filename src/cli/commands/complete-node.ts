/** The hidden command that shells ask for node ids: id and title, one node a line. Whatever is wrong, it says nothing: a person is typing. */
import { layout } from '../../adapters/files/layout.ts';
import { treeStore } from '../../adapters/project/tree-store.ts';
import { cleanLine } from '../../core/text/terminal-text.ts';
import { walkTree } from '../../core/tree/tree-walk.ts';
import { exitCodes } from '../exit-codes.ts';
import type { CommandCall } from '../program.ts';
import type { Settings } from '../output/streams.ts';

export async function run(settings: Settings, call: CommandCall): Promise<number> {
  const [prefix = ''] = call.args;
  const tree = await treeStore(layout(settings.directory))
    .load()
    .catch(() => null);
  const nodes = tree === null ? [] : walkTree(tree).map(({ node }) => node);
  const lines = nodes
    .filter(({ id }) => id.startsWith(prefix))
    .map(({ id, title }) => `${id}\t${cleanLine(title)}\n`);
  settings.streams.out(lines.join(''));
  return exitCodes.ok;
}
