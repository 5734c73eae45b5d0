/** A passed node never changes again: same fields, same parent, same order key (§1.3). Compares by id, never by position. */
import type { TreeNode, Violation } from '../types.ts';
import type { Visit } from './tree-walk.ts';
import { indexTree, walkTree } from './tree-walk.ts';

export function checkPassedUnchanged(trees: {
  readonly before: TreeNode;
  readonly next: TreeNode;
}): Violation[] {
  const next = indexTree(trees.next);
  return walkTree(trees.before)
    .filter((visit) => visit.node.passes)
    .flatMap((visit) => checkPassedNode(visit, next.get(visit.node.id)));
}

/** What only the runner may do to passed nodes, and by its commits does: a person's tree that differs in them is told (§10). */
export function checkPassedByHand(trees: {
  readonly before: TreeNode;
  readonly next: TreeNode;
}): Violation[] {
  const before = indexTree(trees.before);
  const set = walkTree(trees.next)
    .filter(({ node }) => node.passes && before.get(node.id)?.node.passes !== true)
    .map(({ node, path }) => ({ path, message: `'${node.id}' was set to passed by hand` }));
  return [...checkPassedUnchanged(trees), ...set];
}

function checkPassedNode(before: Visit, next: Visit | undefined): Violation[] {
  const { id } = before.node;
  if (next === undefined) return [{ path: before.path, message: `passed node '${id}' is missing` }];
  const violations: Violation[] = [];
  if (parentName(before) !== parentName(next)) {
    violations.push({
      path: before.path,
      message: `passed node '${id}' moved from parent '${parentName(before)}' to '${parentName(next)}'`,
    });
  }
  const changed = changedKeys(before.node, next.node);
  if (changed.length > 0)
    violations.push({ path: before.path, message: `passed node '${id}' changed: ${changed.join(', ')}` });

  return violations;
}

function parentName(visit: Visit): string {
  return visit.parent === null ? '<root>' : visit.parent.id;
}

/** Children are compared by their ids; every child of a passed node is passed and compared on its own. */
function changedKeys(before: TreeNode, next: TreeNode): string[] {
  const keys = ['order', 'title', 'goal', 'passes', 'attempts', 'max_attempts'] as const;
  const changed: string[] = keys.filter((key) => before[key] !== next[key]);
  if (!sameTexts(before.acceptance, next.acceptance)) changed.push('acceptance');
  const idsBefore = before.children.map((child) => child.id);
  const idsNext = next.children.map((child) => child.id);
  if (!sameTexts(idsBefore, idsNext)) changed.push('children');
  return changed;
}

export function sameTexts(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, index) => text === b[index]);
}
