/** `.runner/nodes/<id>/`: a person's extra context for a node, and the runner's record of its last attempt (§2). */
import { rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseDropped } from '../../core/tree/dropped.ts';
import type { DroppedNode } from '../../core/tree/dropped.ts';
import { parseLastRecord } from '../../core/iteration/last-file.ts';
import { lastRecordBytesMax, textFileBytesMax } from '../../core/limits.ts';
import type { Sidecars } from '../../ports/stores.ts';
import { loadText, removeFile, walkFiles } from '../files/files.ts';
import type { Layout } from '../files/layout.ts';
import { loadStateText } from '../files/state-text.ts';

/** JSON escapes may make a record several times as long as its texts. */
const lastFileBytesMax = 8 * lastRecordBytesMax;

export function sidecars(place: Layout): Sidecars {
  const below = { root: place.projectDir };
  return {
    loadContext: async (nodeId) => {
      const path = place.node(nodeId).context;
      const text = await loadStateText({
        path,
        ...below,
        code: 'LAYOUT_INVALID',
        bytesMax: textFileBytesMax,
      });
      return text ?? '';
    },
    loadLast: async (nodeId) => {
      const source = await loadText(place.node(nodeId).last, { ...below, bytesMax: lastFileBytesMax });
      return source.kind === 'text' ? parseLastRecord(source.text) : null;
    },
    removeLast: async (nodeId) => {
      const { dir, last } = place.node(nodeId);
      await removeFile(last, below);
      try {
        rmdirSync(dir);
      } catch {
        // Other files in it, or no folder at all.
      }
    },
    listDropped: async () => {
      const { files } = await walkFiles(place.nodesDir);
      const found: DroppedNode[] = [];
      for (const path of files.filter((file) => file.endsWith('/dropped.json'))) {
        const source = await loadText(join(place.nodesDir, path), { ...below, bytesMax: textFileBytesMax });
        const dropped = source.kind === 'text' ? parseDropped(source.text) : null;
        if (dropped !== null && `${dropped.node.id}/dropped.json` === path) found.push(dropped);
      }
      return found;
    },
    listIds: async () => {
      // Git keeps no empty folders, and a clone must hand out the same ids.
      const { files } = await walkFiles(place.nodesDir);
      return [
        ...new Set(files.flatMap((path) => (path.includes('/') ? [path.slice(0, path.indexOf('/'))] : []))),
      ];
    },
  };
}
