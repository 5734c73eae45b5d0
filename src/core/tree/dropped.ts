/** `.runner/nodes/<id>/dropped.json`: a node that a person took out of the tree, and why (§12). Its id is never given again. */
import * as z from 'zod';
import { parseStrictJson } from '../text/strict-json.ts';
import type { TreeNode } from '../types.ts';

const droppedSchema = z.strictObject({
  why: z.string(),
  parent: z.string(),
  node: z.strictObject({
    id: z.string(),
    order: z.int(),
    title: z.string(),
    goal: z.string(),
    acceptance: z.array(z.string()),
    attempts: z.int().min(0),
    max_attempts: z.int().min(1),
  }),
});

export type DroppedNode = Readonly<z.infer<typeof droppedSchema>>;

export function droppedFile(id: string): string {
  return `nodes/${id}/dropped.json`;
}

export function renderDropped(dropped: {
  readonly node: TreeNode;
  readonly parent: string;
  readonly why: string;
}): string {
  const { node, parent, why } = dropped;
  const { id, order, title, goal, acceptance, attempts, max_attempts } = node;
  const kept: DroppedNode = {
    why,
    parent,
    node: { id, order, title, goal, acceptance: [...acceptance], attempts, max_attempts },
  };
  return `${JSON.stringify(kept, null, 2)}\n`;
}

/** Null: it is not what the runner wrote. */
export function parseDropped(text: string): DroppedNode | null {
  const json = parseStrictJson(text);
  const parsed = json.ok ? droppedSchema.safeParse(json.value) : null;
  return parsed?.success === true ? parsed.data : null;
}
