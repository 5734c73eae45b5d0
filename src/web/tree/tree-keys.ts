/** The keys of a tree, the same in drawing and list (WAI-ARIA's tree pattern). Pure: maps a key to the node that becomes active. */
import { toggleFold } from './tree-fold.ts';
import type { Folded, ShownNode } from './tree-fold.ts';

export interface TreeMove {
  readonly active: string;
  readonly folded: Folded;
}

interface KeyInput {
  readonly key: string;
  readonly shown: readonly ShownNode[];
  readonly active: number;
  readonly folded: Folded;
}

/** Null: not a key of the tree. */
export function moveInTree({ key, shown, active, folded }: KeyInput): TreeMove | null {
  const item = shown[active];
  if (item === undefined) return null;
  const to = (index: number): TreeMove => ({
    active: (shown[Math.min(shown.length - 1, Math.max(0, index))] ?? item).node.id,
    folded,
  });
  const { node, isFolded, parent } = item;
  const hasChildren = node.children.length > 0;
  const turn = (): TreeMove => ({ active: node.id, folded: toggleFold(folded, node.id) });
  switch (key) {
    case 'ArrowDown':
    case 'j':
      return to(active + 1);
    case 'ArrowUp':
    case 'k':
      return to(active - 1);
    case 'Home':
      return to(0);
    case 'End':
      return to(shown.length - 1);
    case 'PageDown':
      return to(active + 20);
    case 'PageUp':
      return to(active - 20);
    case ' ':
      return hasChildren ? turn() : to(active);
    case 'ArrowRight':
    case 'l':
      if (!hasChildren) return to(active);
      return isFolded ? turn() : to(active + 1);
    case 'ArrowLeft':
    case 'h':
      if (hasChildren && !isFolded) return turn();
      return parent === null ? to(active) : { active: parent.id, folded };
    default:
      return null;
  }
}
