/**
 * A person's change of the tree as data (§12): what the command line says, what waits in the queue while a loop is at work, and
 * the tree that results. One plan for all of them; a change that does not apply is a refusal, never an error.
 */
import * as z from 'zod';
import { droppedFile, renderDropped } from './dropped.ts';
import { planEdit } from './person-edit.ts';
import type { NodeTexts, Refusal } from './person-edit.ts';
import { planAdd, planDrop, planMove } from './person-shape.ts';
import type { ShapeGround, ShapeResult } from './person-shape.ts';
import type { TreeNode } from '../types.ts';

const word = z.string().min(1);
const text = z.string();
const texts = z.strictObject({ title: text, goal: text, acceptance: z.array(text) });
const spot = { before: word.nullable(), after: word.nullable() };

export const treeEditSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('add'), parent: word, nodes: z.array(texts).min(1), ...spot }),
  z.strictObject({ kind: z.literal('import'), parent: word, nodes: z.array(texts).min(1), file: text }),
  z.strictObject({ kind: z.literal('move'), node: word, under: word.nullable(), ...spot }),
  z.strictObject({ kind: z.literal('drop'), node: word, why: text }),
  z.strictObject({ kind: z.literal('edit'), node: word, texts: texts.partial() }),
]);

export type TreeEdit = z.infer<typeof treeEditSchema>;

export interface TreeEditPlan {
  readonly ok: true;
  readonly tree: TreeNode;
  /** The nodes that were added, moved, dropped or edited. */
  readonly ids: readonly string[];
  readonly reopened: readonly string[];
  readonly split: string | null;
  /** Every node that left the tree, from the top. */
  readonly dropped: readonly Pick<TreeNode, 'id' | 'title'>[];
  /** Of an edit: what changed; empty: nothing. */
  readonly changed: readonly (keyof NodeTexts)[];
  /** Other files of `.runner/`; null removes one that is there. */
  readonly files: Readonly<Record<string, string | null>>;
}

export type TreeEditResult = TreeEditPlan | Refusal;

export function planTreeEdit(ground: ShapeGround, edit: TreeEdit): TreeEditResult {
  switch (edit.kind) {
    case 'add':
      return shaped(planAdd(ground, edit));
    case 'import':
      return shaped(planAdd(ground, { ...edit, before: null, after: null }));
    case 'move':
      return shaped(planMove(ground.tree, edit));
    case 'drop':
      return shaped(planDrop(ground.tree, edit.node), edit.why);
    case 'edit':
      return edited(ground.tree, edit);
  }
}

/** What happened last on a node is forgotten when it is split or goes (§2). */
function shaped(plan: ShapeResult, why = ''): TreeEditResult {
  if (!plan.ok) return plan;
  const { dropped, split, ...rest } = plan;
  const forgotten = [...dropped.map(({ node }) => node.id), ...(split === null ? [] : [split])];
  const files = {
    ...Object.fromEntries(forgotten.map((id) => [`nodes/${id}/last.json`, null])),
    ...Object.fromEntries(dropped.map((one) => [droppedFile(one.node.id), renderDropped({ ...one, why })])),
  };
  const gone = dropped.map(({ node: { id, title } }) => ({ id, title }));
  return { ...rest, split, dropped: gone, changed: [], files };
}

/** Keys that are missing do not change; the schema reads them as not there. */
function edited(tree: TreeNode, edit: Extract<TreeEdit, { kind: 'edit' }>): TreeEditResult {
  const given = Object.entries(edit.texts).filter(([, value]) => value !== undefined);
  const plan = planEdit(tree, edit.node, Object.fromEntries(given));
  if (!plan.ok) return plan;
  const { changed, id } = plan;
  return { ok: true, tree: plan.tree, ids: [id], reopened: [], split: null, dropped: [], changed, files: {} };
}
