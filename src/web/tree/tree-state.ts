/** What both views of the tree share: which parts are folded, which node is active, what a search finds. */
import { signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { TreeNode } from '../../core/types.ts';
import { foldAtFirst, listShown, openWay, searchTree } from './tree-fold.ts';
import type { Folded, ShownNode } from './tree-fold.ts';

/** Null: nobody has folded anything yet. Kept while other pages are looked at. */
export const folded = signal<Folded | null>(null);
export const activeId = signal<string | null>(null);
export const query = signal('');
/** Increased when somebody asks for the active node: it is brought into sight, also where it was the active one before. */
export const sightWish = signal(0);

export interface TreeState {
  readonly shown: readonly ShownNode[];
  readonly active: number;
  readonly found: readonly string[];
}

export function useTreeState(tree: TreeNode, currentId: string | null): TreeState {
  const first = useMemo(() => foldAtFirst(tree, currentId), [tree.id]);
  // The way to the leaf that is worked on is opened when the work moves; what people folded otherwise stays.
  useEffect(() => {
    folded.value = openWay(tree, folded.value ?? first, currentId);
  }, [currentId, tree.id]);
  const now = folded.value ?? first;
  const shown = useMemo(() => listShown(tree, now), [tree, now]);
  const found = useMemo(() => searchTree(tree, query.value), [tree, query.value]);
  const wanted = activeId.value ?? currentId;
  const active = Math.max(
    0,
    shown.findIndex(({ node }) => node.id === wanted),
  );
  return { shown, active, found };
}

/** Makes a node the active one, wherever it is. */
export function goToNode(tree: TreeNode, id: string): void {
  folded.value = openWay(tree, folded.value ?? foldAtFirst(tree, id), id);
  activeId.value = id;
  sightWish.value += 1;
}

/** The next or the one before it among what a search found. */
export function goToFound(tree: TreeNode, found: readonly string[], step: 1 | -1): void {
  if (found.length === 0) return;
  const at = activeId.value === null ? -1 : found.indexOf(activeId.value);
  const next = at === -1 ? (step === 1 ? 0 : found.length - 1) : (at + step + found.length) % found.length;
  const id = found[next];
  if (id !== undefined) goToNode(tree, id);
}
