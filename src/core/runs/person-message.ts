/**
 * Messages of a person's commits: changes of the tree, answers, attempts and settings (§12). Their subjects never look like an
 * iteration's, and no value can add a line of its own. `entryId`: of a change that waited in the queue.
 */
import { cleanLine } from '../text/terminal-text.ts';
import { findNode } from '../tree/tree-walk.ts';
import type { TreeEdit, TreeEditPlan } from '../tree/tree-edit.ts';
import type { TreeNode } from '../types.ts';

/** More nodes than this are only counted: a message is for reading. */
const namedMax = 50;

export function entryTrailer(entryId: string): string {
  return `Runner-Entry: ${entryId}`;
}

function entryTrailers(entryId: string | null): readonly string[] {
  return entryId === null ? [] : [entryTrailer(entryId)];
}

export function treeEditMessage(edit: TreeEdit, plan: TreeEditPlan, entryId: string | null): string {
  const body = [...listNodes(plan), ...(edit.kind === 'drop' ? [`Why: ${cleanLine(edit.why)}`] : [])];
  const trailers = [
    `Runner-Person: ${edit.kind}`,
    ...(plan.reopened.length > 0 ? ['Runner-Mark: reopened'] : []),
    ...entryTrailers(entryId),
  ];
  return [subjectOf(edit, plan), '', ...body, ...(body.length > 0 ? [''] : []), ...trailers, ''].join('\n');
}

function subjectOf(edit: TreeEdit, { ids, changed }: TreeEditPlan): string {
  const what = {
    add: ids.join(','),
    import: `${ids.length} ${ids.length === 1 ? 'task' : 'tasks'}`,
    move: ids.join(','),
    drop: ids.join(','),
    edit: `${ids.join(',')} ${changed.join(',')}`,
  }[edit.kind];
  return `chore(loop): ${edit.kind} ${what}`;
}

function listNodes({ ids, tree, dropped }: TreeEditPlan): readonly string[] {
  const kept = ids.map((id) => findNode(tree, id)).filter((node) => node !== null);
  const lines = [...kept, ...dropped].map(({ id, title }) => `${id}: ${cleanLine(title)}`);
  const more = lines.length - namedMax;
  return [...lines.slice(0, namedMax), ...(more > 0 ? [`(and ${more} more)`] : [])];
}

export function answerMessage(questionId: string, entryId: string | null): string {
  return render(`answer ${questionId}`, ['Runner-Person: answer', ...entryTrailers(entryId)]);
}

export function configMessage(
  { key, isSet }: { readonly key: string; readonly isSet: boolean },
  entryId: string | null,
): string {
  const what = isSet ? 'set' : 'unset';
  return render(`${what} ${key}`, [`Runner-Person: config ${what}`, ...entryTrailers(entryId)]);
}

export function retryMessage(
  { before, after }: Record<'before' | 'after', TreeNode>,
  entryId: string | null,
): string {
  const { id, title, attempts, max_attempts } = after;
  return render(`retry ${id} attempts=${attempts}/${max_attempts}`, [
    'Runner-Person: retry',
    `Runner-Title: ${cleanLine(title)}`,
    `Runner-Max-Attempts: ${before.max_attempts} -> ${max_attempts}`,
    ...entryTrailers(entryId),
  ]);
}

function render(subject: string, trailers: readonly string[]): string {
  return `chore(loop): ${subject}\n\n${trailers.join('\n')}\n`;
}
