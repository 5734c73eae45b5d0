/**
 * A person's change that waits for the next iteration (§12), as it lies in the queue. It is read strictly: an agent that can write
 * there could forge one, so then only changes count that it could make itself.
 */
import * as z from 'zod';
import { parseStrictJson } from '../text/strict-json.ts';
import { renderProblem } from '../text/text-place.ts';
import { treeEditSchema } from '../tree/tree-edit.ts';
import type { TreeEdit } from '../tree/tree-edit.ts';

const word = z.string().min(1);

const changeSchema = z.discriminatedUnion('kind', [
  treeEditSchema,
  z.strictObject({ kind: z.literal('retry'), node: word, max_attempts: z.int().min(1).nullable() }),
  z.strictObject({ kind: z.literal('answer'), question: word, text: z.string() }),
  /** `typed` as on the command line; null takes the key out. */
  z.strictObject({ kind: z.literal('config'), key: word, typed: z.string().nullable() }),
]);

export type PersonChange = z.infer<typeof changeSchema>;

const entrySchema = z.strictObject({
  version: z.literal(1),
  /** The trailer of its commit has it: an id that is on the branch already was applied. */
  id: z.string().regex(/^[0-9a-f]{16,64}$/u),
  run_id: z.string().min(1),
  at: z.string(),
  edit: changeSchema,
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

/** What an agent could do to the tree itself. Attempts, settings and a person's word it must not get. */
export function isTreeEdit(change: PersonChange): change is TreeEdit {
  return change.kind !== 'retry' && change.kind !== 'answer' && change.kind !== 'config';
}

/** One line for people: what it is about. */
export function describeChange(change: PersonChange): string {
  switch (change.kind) {
    case 'add':
      return `add below ${change.parent}: ${change.nodes.map(({ title }) => title).join(', ')}`;
    case 'import':
      return `import ${change.file} below ${change.parent} (${change.nodes.length})`;
    case 'move':
    case 'drop':
    case 'edit':
    case 'retry':
      return `${change.kind} ${change.node}`;
    case 'answer':
      return `answer ${change.question}`;
    case 'config':
      return `config ${change.typed === null ? 'unset' : 'set'} ${change.key}`;
  }
}
