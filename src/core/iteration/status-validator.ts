/** Whether the answer and the tree say the same about the selected node (§5, "Malformed"). Compares id sets, so swaps are caught. */
import { sameTexts } from '../tree/immutability.ts';
import { summaryBytesMax } from '../limits.ts';
import { byteLength } from '../text/shorten.ts';
import { findVisit, indexTree } from '../tree/tree-walk.ts';
import type { AgentOutput, TreeNode, Violation } from '../types.ts';

export interface StatusInput {
  readonly before: TreeNode;
  readonly next: TreeNode;
  readonly selectedId: string;
  readonly output: AgentOutput;
}

export function checkStatus(input: StatusInput): Violation[] {
  const violations = checkSummary(input.output);
  const before = findVisit(input.before, input.selectedId);
  const next = findVisit(input.next, input.selectedId);
  if (before === null || next === null) return violations;
  const gained = next.node.children
    .map((child) => child.id)
    .filter((id) => !before.node.children.some((child) => child.id === id));
  const listed = input.output.children;
  const say = (message: string): number => violations.push({ path: before.path, message });
  if (input.output.status === 'decomposed') {
    const moved = gained.filter((id) => indexTree(input.before).has(id));
    if (moved.length > 0) say(`children of '${input.selectedId}' must be new nodes, not ${moved.join(', ')}`);
    if (listed !== null && listed.length === 0) say(`status=decomposed with an empty list of children`);
    if (listed === null && gained.length === 0)
      say(`status=decomposed, but '${input.selectedId}' gained no children`);
    if (listed !== null && listed.length > 0 && gained.length > 0)
      say(`status=decomposed with children both in the answer and in tree.json`);

    return violations;
  }
  const { status } = input.output;
  if (gained.length > 0)
    say(`status=${status}, but '${input.selectedId}' gained children: ${gained.join(', ')}`);
  if (listed !== null && listed.length > 0) say(`status=${status} with a list of children in the answer`);
  if (status === 'done' && textChanged(before.node, next.node))
    say(`status=done, but title, goal or acceptance of '${input.selectedId}' changed`);

  return violations;
}

function checkSummary(output: AgentOutput): Violation[] {
  if (byteLength(output.summary) <= summaryBytesMax) return [];
  return [{ path: '', message: `summary is longer than ${summaryBytesMax} bytes` }];
}

export function textChanged(before: TreeNode, next: TreeNode): boolean {
  return (
    before.title !== next.title || before.goal !== next.goal || !sameTexts(before.acceptance, next.acceptance)
  );
}
