/** Random edits of a tree as an agent would make them in tree.json: sound, careless and forbidden ones. */
import fc from 'fast-check';
import type { TreeNode } from '../../src/core/types.ts';
import { node } from './trees.ts';

const editKinds = [
  'add',
  'add_here',
  'remove',
  'move',
  'retitle',
  'retitle_here',
  'reorder',
  'own',
  'swap_ids',
  'reverse',
] as const;

export interface Edit {
  readonly kind: (typeof editKinds)[number];
  readonly at: number;
  readonly to: number;
}

export const arbEdit: fc.Arbitrary<Edit> = fc.record({
  kind: fc.constantFrom(...editKinds),
  at: fc.nat({ max: 30 }),
  to: fc.nat({ max: 30 }),
});

export interface Draft {
  id: string;
  order: number;
  title: string;
  goal: string;
  acceptance: string[];
  passes: boolean;
  attempts: number;
  max_attempts: number;
  children: Draft[];
}

export function thaw(tree: TreeNode): Draft {
  return JSON.parse(JSON.stringify(tree)) as Draft;
}

function nodesOf(draft: Draft): readonly Draft[] {
  return [draft, ...draft.children.flatMap(nodesOf)];
}

function pickNode(draft: Draft, number: number): Draft {
  const nodes = nodesOf(draft);
  return nodes[number % nodes.length] ?? draft;
}

function detach(draft: Draft, target: Draft): void {
  for (const { children } of nodesOf(draft)) {
    const at = children.indexOf(target);
    if (at >= 0) children.splice(at, 1);
  }
}

export interface EditScene {
  readonly nodeId: string;
  /** Makes ids of new nodes; null when the tree may grow no more. */
  readonly newId: (() => string) | null;
}

export function applyEdit(draft: Draft, edit: Edit, { nodeId, newId }: EditScene): void {
  const target = pickNode(draft, edit.at);
  const other = pickNode(draft, edit.to);
  const here = nodesOf(draft).find(({ id }) => id === nodeId) ?? draft;
  const grow = (parent: Draft): void => {
    // What an agent claims about a new node counts for nothing (§3).
    if (newId !== null)
      parent.children.push(thaw(node(newId(), { order: edit.to, passes: true, attempts: 2 })));
  };
  const edits: Readonly<Record<Edit['kind'], () => void>> = {
    add: () => grow(target),
    add_here: () => grow(here),
    remove: () => detach(draft, target),
    move: () => {
      if (target === draft || nodesOf(target).includes(other)) return;
      detach(draft, target);
      other.children.push(target);
    },
    retitle: () => (target.title = `${target.title} and more`.slice(-100)),
    retitle_here: () => (here.goal = `other goal ${edit.to}`),
    reorder: () => (target.order = edit.to - 10),
    own: () => {
      target.passes = !target.passes;
      target.attempts = edit.to % (target.max_attempts + 1);
    },
    swap_ids: () => ([target.id, other.id] = [other.id, target.id]),
    reverse: () => (target.children = target.children.toReversed()),
  };
  edits[edit.kind]();
}
