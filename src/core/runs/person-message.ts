/** Messages of the commits by which a person changes the tree or answers a question (§12). No value can add a line of its own. */
import { cleanLine } from '../text/terminal-text.ts';
import { findNode } from '../tree/tree-walk.ts';
import type { TreeEdit, TreeEditPlan } from '../tree/tree-edit.ts';

/** More nodes than this are only counted: a message is for reading. */
const namedMax = 50;

/** The trailer of a change that waited in the queue. */
export function entryTrailer(entryId: string): string {
  return `Runner-Entry: ${entryId}`;
}

export function treeEditMessage(edit: TreeEdit, plan: TreeEditPlan, entryId: string | null): string {
  const body = [...listNodes(plan), ...(edit.kind === 'drop' ? [`Why: ${cleanLine(edit.why)}`] : [])];
  const trailers = [
    `Runner-Person: ${edit.kind}`,
    ...(plan.reopened.length > 0 ? ['Runner-Mark: reopened'] : []),
    ...(entryId === null ? [] : [entryTrailer(entryId)]),
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

function listNodes({ ids, tree }: TreeEditPlan): readonly string[] {
  const lines = ids.flatMap((id) => {
    const node = findNode(tree, id);
    return node === null ? [] : [`${id}: ${cleanLine(node.title)}`];
  });
  const more = lines.length - namedMax;
  return [...lines.slice(0, namedMax), ...(more > 0 ? [`(and ${more} more)`] : [])];
}

export function answerMessage(questionId: string): string {
  return `chore(loop): answer ${questionId}\n\nRunner-Person: answer\n`;
}
