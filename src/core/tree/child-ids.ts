/** Ids of new nodes (§5): `<parent>.<k>` with the lowest numbers that are free. Same tree, same ids. */
import { idLengthMax } from '../limits.ts';
import type { TreeNode } from '../types.ts';
import { walkTree } from './tree-walk.ts';

export interface IdSource {
  readonly tree: TreeNode;
  readonly parentId: string;
  /** Names under `.runner/nodes/`: an id is never handed out twice. */
  readonly takenIds: readonly string[];
  readonly sha256: (text: string) => string;
}

/** Every call gives the next id. */
export function freeIds({ tree, parentId, takenIds, sha256 }: IdSource): () => string {
  const taken = new Set(
    [...walkTree(tree).map(({ node }) => node.id), ...takenIds].map((id) => id.toLowerCase()),
  );
  let k = 0;
  return () => {
    for (;;) {
      k += 1;
      const id = childId(`${parentId}.${k}`, sha256);
      if (!taken.has(id.toLowerCase())) return id;
    }
  };
}

function childId(id: string, sha256: IdSource['sha256']): string {
  return id.length <= idLengthMax ? id : `${id.slice(0, 100)}-${sha256(id).slice(0, 16)}`;
}
