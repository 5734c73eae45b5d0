/** tree.json and, while a repair is due, tree.rejected.json. Decides nothing about trees: core parses and renders them. */
import { RunnerError } from '../../core/errors.ts';
import { rejectedTreeBytesMax, treeBytesMax } from '../../core/limits.ts';
import { withPath } from '../../core/text/text-place.ts';
import { parseTree } from '../../core/tree/tree-schema.ts';
import type { TreeStore } from '../../ports/stores.ts';
import { loadText, removeFile } from '../files/files.ts';
import type { Layout } from '../files/layout.ts';
import { lookAt } from '../files/look-at.ts';

export function treeStore(place: Layout): TreeStore {
  const below = { root: place.projectDir };
  const loadSource = () => loadText(place.tree, { ...below, bytesMax: treeBytesMax });
  return {
    load: async () => {
      const source = await loadSource();
      if (source.kind === 'missing') {
        throw new RunnerError({
          code: 'LAYOUT_MISSING',
          message: `there is no ${place.tree}`,
          // With a state there is a project, and `start` completes it.
          hint: lookAt(place.runState) === null ? 'runner init' : 'runner start',
        });
      }
      const parsed = parseTree(source);
      if (parsed.ok) return parsed.tree;

      const count = parsed.violations.length;
      throw new RunnerError({
        code: 'TREE_INVALID',
        message: `${place.tree} is not a valid task tree: ${count} ${count === 1 ? 'violation' : 'violations'}`,
        details: parsed.violations.map(({ path, message }) =>
          path === '' ? withPath(place.tree, message) : `${path}: ${message}`,
        ),
        hint: 'correct the file, then run: runner validate',
      });
    },
    loadSource,
    loadRejected: () => loadText(place.rejectedTree, { ...below, bytesMax: rejectedTreeBytesMax }),
    removeRejected: () => removeFile(place.rejectedTree, below),
  };
}
