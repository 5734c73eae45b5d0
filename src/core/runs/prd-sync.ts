/**
 * The results of a run, for the PRD its tasks were imported from (§12): status, failure notes and last run of each task.
 * Every other byte of the text stays as it is.
 */
import { isMap, isSeq, parseDocument } from 'yaml';
import type { Document, Scalar, YAMLMap } from 'yaml';
import { parseStrictJson } from '../text/strict-json.ts';
import { renderProblem } from '../text/text-place.ts';
import { walkTree } from '../tree/tree-walk.ts';
import type { TreeNode } from '../types.ts';
import { idOf, sourceIdOf } from './import-tasks.ts';

export interface PrdSync {
  readonly text: string;
  readonly tree: TreeNode;
  readonly runId: string;
  /** Why the last session on a node did not pass, by the node's id. */
  readonly failures: ReadonlyMap<string, string>;
}

export interface SyncedTask {
  readonly source_id: string;
  readonly node_ids: readonly string[];
  readonly status: 'review' | 'in_progress';
}

export type PrdSyncResult =
  | {
      readonly ok: true;
      readonly text: string;
      readonly synced: readonly SyncedTask[];
      /** Imported tasks that the file no longer has. */
      readonly missing: readonly string[];
    }
  | { readonly ok: false; readonly message: string };

interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export function syncPrd(input: PrdSync): PrdSyncResult {
  const json = parseStrictJson(input.text);
  if (!json.ok) return { ok: false, message: renderProblem(json, json.message) };
  // JSON is YAML, and its parser says where each value is.
  const tasks = tasksOf(parseDocument(input.text, { schema: 'json', logLevel: 'silent' }));
  if (tasks === null) return { ok: false, message: 'it has no list "userStories" or "tasks"' };
  const synced: SyncedTask[] = [];
  const missing: string[] = [];
  const splices: Splice[] = [];
  for (const [source_id, nodes] of nodesBySource(input.tree)) {
    const task = tasks.find((one) => idOf(one.get('id')) === source_id);
    if (task === undefined) {
      missing.push(source_id);
      continue;
    }
    const passes = nodes.every((node) => node.passes);
    const node_ids = nodes.map(({ id }) => id);
    synced.push({ source_id, node_ids, status: passes ? 'review' : 'in_progress' });
    const below = nodes.flatMap((node) => walkTree(node).map((visit) => visit.node.id));
    const notes = passes ? [] : [...new Set(below)].flatMap((id) => input.failures.get(id) ?? []);
    splices.push(...spliceTask(input.text, task, fieldsOf(task, { passes, notes, runId: input.runId })));
  }
  return { ok: true, text: applySplices(input.text, splices), synced, missing };
}

/** A task may have been imported twice, and an agent may have copied the note to children: only all of them finish it. */
function nodesBySource(tree: TreeNode): ReadonlyMap<string, readonly TreeNode[]> {
  const found = new Map<string, TreeNode[]>();
  for (const { node } of walkTree(tree)) {
    const id = sourceIdOf(node);
    if (id !== null) found.set(id, [...(found.get(id) ?? []), node]);
  }
  return found;
}

function tasksOf({ contents }: Document): readonly YAMLMap[] | null {
  const lists = isMap(contents) ? [contents.get('userStories'), contents.get('tasks')] : [contents];
  const list = lists.find((one) => isSeq(one));
  return list === undefined ? null : list.items.filter((item) => isMap(item));
}

interface TaskEnd {
  readonly passes: boolean;
  readonly notes: readonly string[];
  readonly runId: string;
}

/** Keys as the file spells them; `passes` only where it has one, notes of a failure only while there are some. */
function fieldsOf(task: YAMLMap, { passes, notes, runId }: TaskEnd): ReadonlyMap<string, unknown> {
  const keyOf = (camel: string, snake: string): string => (task.has(snake) ? snake : camel);
  const notesKey = keyOf('failureNotes', 'failure_notes');
  const told = notes.length > 0 ? notes.join('\n') : null;
  return new Map<string, unknown>([
    ['status', passes ? 'review' : 'in_progress'],
    ...(task.has('passes') ? [['passes', passes] as const] : []),
    ...(told !== null || task.has(notesKey) ? [[notesKey, told] as const] : []),
    [keyOf('lastRun', 'last_run'), runId],
  ]);
}

/** A value that is there is replaced in its place; a new key comes after the last one, with the same indent. */
function spliceTask(text: string, task: YAMLMap, fields: ReadonlyMap<string, unknown>): readonly Splice[] {
  const pairs = task.items.map(({ key, value }) => ({
    key: rangeOf(key),
    value: rangeOf(value),
    name: nameOf(key),
  }));
  const splices: Splice[] = [];
  let added = '';
  const last = pairs.at(-1) as (typeof pairs)[number];
  const before = text.slice(0, last.key.start);
  const gap = before.slice(before.trimEnd().length);
  for (const [name, value] of fields) {
    const pair = pairs.find((one) => one.name === name);
    if (pair === undefined) added += `,${gap}${JSON.stringify(name)}: ${JSON.stringify(value)}`;
    else splices.push({ ...pair.value, text: JSON.stringify(value) });
  }
  return [...splices, { start: last.value.end, end: last.value.end, text: added }];
}

function nameOf(key: unknown): string {
  return String((key as Scalar).value);
}

function rangeOf(node: unknown): { readonly start: number; readonly end: number } {
  const [start, end] = (node as { readonly range: readonly [number, number, number] }).range;
  return { start, end };
}

/** From the end to the start, so that places stay true. */
function applySplices(text: string, splices: readonly Splice[]): string {
  return splices
    .toSorted((a, b) => b.start - a.start)
    .reduce((now, { start, end, text: put }) => now.slice(0, start) + put + now.slice(end), text);
}
