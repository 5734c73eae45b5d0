/** `runner tree`: the tree with states, attempts and times, read-only. */
import { loadTreeView } from '../../app/views/tree.ts';
import { exitCodes } from '../exit-codes.ts';
import { noteElsewhere } from '../run-elsewhere.ts';
import { paintForOut } from '../output/colour.ts';
import type { CommandCall } from '../program.ts';
import type { Settings } from '../output/streams.ts';
import {
  droppedValue,
  nodeValue,
  renderDroppedLine,
  renderNodeLine,
  renderTreeEnd,
  treeEndValue,
} from '../output/tree-text.ts';
import { openLook } from '../wire/looking.ts';

/** Rows printed at once: few writes, and no second copy of a large tree as text. */
const batch = 1000;

export async function run(settings: Settings, call: CommandCall): Promise<number> {
  const depth = call.options['depth'];
  const view = await loadTreeView(await openLook(settings), {
    depthMax: typeof depth === 'number' ? depth : null,
    isOpenOnly: call.options['open'] === true,
    withDropped: call.options['all'] === true,
  });
  const { json, streams } = settings;
  const columns = streams.outColumns();
  const paint = paintForOut(settings);
  for (let at = 0; at < view.rows.length; at += batch) {
    const lines = view.rows
      .slice(at, at + batch)
      .map((row) => (json ? JSON.stringify(nodeValue(row)) : renderNodeLine(row, columns, paint)));
    if (!(await streams.send(`${lines.join('\n')}\n`))) return exitCodes.ok;
  }
  for (const dropped of view.dropped) {
    const line = json ? JSON.stringify(droppedValue(dropped)) : renderDroppedLine(dropped, columns);
    streams.out(`${line}\n`);
  }
  streams.out(`${json ? JSON.stringify(treeEndValue(view)) : renderTreeEnd(view)}\n`);
  await noteElsewhere(settings);
  return exitCodes.ok;
}
