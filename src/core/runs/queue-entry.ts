/**
 * A person's change of the tree that waits for the next iteration (§12), as it lies in the queue. An agent could forge one: so only
 * changes that it could make itself can be written here, and they are read strictly.
 */
import * as z from 'zod';
import { parseStrictJson } from '../text/strict-json.ts';
import { renderProblem } from '../text/text-place.ts';
import { treeEditSchema } from '../tree/tree-edit.ts';
import type { TreeEdit } from '../tree/tree-edit.ts';

const entrySchema = z.strictObject({
  version: z.literal(1),
  /** The trailer of its commit has it: an id that is on the branch already was applied. */
  id: z.string().regex(/^[0-9a-f]{16,64}$/u),
  run_id: z.string().min(1),
  at: z.string(),
  edit: treeEditSchema,
});

export type QueueEntry = z.infer<typeof entrySchema>;

const refusedSchema = z.strictObject({ reason: z.string(), entry: entrySchema });
export type RefusedFile = z.infer<typeof refusedSchema>;

export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: string };

export function parseQueueEntry(text: string): Parsed<QueueEntry> {
  return parseWith(entrySchema, text);
}

export function parseRefused(text: string): Parsed<RefusedFile> {
  return parseWith(refusedSchema, text);
}

export function renderQueueFile(value: QueueEntry | RefusedFile): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function parseWith<T>(schema: z.ZodType<T>, text: string): Parsed<T> {
  const json = parseStrictJson(text);
  if (!json.ok) return { ok: false, problem: renderProblem(json, json.message) };
  const parsed = schema.safeParse(json.value);
  return parsed.success
    ? { ok: true, value: parsed.data }
    : { ok: false, problem: z.prettifyError(parsed.error).split('\n').join(' ') };
}

/** One line for people: what it is about. */
export function describeEdit(edit: TreeEdit): string {
  switch (edit.kind) {
    case 'add':
      return `add below ${edit.parent}: ${edit.nodes.map(({ title }) => title).join(', ')}`;
    case 'import':
      return `import ${edit.file} below ${edit.parent} (${edit.nodes.length})`;
    case 'move':
    case 'drop':
    case 'edit':
      return `${edit.kind} ${edit.node}`;
  }
}
