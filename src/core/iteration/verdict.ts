/**
 * Judges what a session left behind: the tree, then the answer, then both against the rules (§5). The same code serves `step`
 * and recovery. It judges the session; the outcome table decides what that means for the run.
 */
import { parseAgentOutput } from '../agents/agent-output.ts';
import { assert } from '../errors.ts';
import { checkPassedUnchanged } from '../tree/immutability.ts';
import { treeBytesMax, treeDepthMax, treeNodesMax, violationsShownMax } from '../limits.ts';
import { applyChildren } from './state-updater.ts';
import { checkStatus, textChanged } from './status-validator.ts';
import { checkStructure } from './structure-rules.ts';
import { treeDiskBytes } from '../tree/tree-bytes.ts';
import { readAgentTree } from '../tree/tree-schema.ts';
import { findNode, walkTree } from '../tree/tree-walk.ts';
import type { AgentOutput, Purpose, SourceText, TreeNode, Violation } from '../types.ts';

export type Judgement =
  | { readonly kind: 'tree_invalid'; readonly violations: readonly Violation[]; readonly answered: boolean }
  | { readonly kind: 'no_answer'; readonly error: string }
  | { readonly kind: 'malformed'; readonly violations: readonly Violation[] }
  | {
      readonly kind: 'accepted';
      readonly output: AgentOutput;
      readonly tree: TreeNode;
      /** `retry` may change the selected node's texts; the change is marked and reported (§5). */
      readonly textChanged: boolean;
    }
  | { readonly kind: 'repaired'; readonly tree: TreeNode; readonly answered: boolean }
  | { readonly kind: 'fruitless'; readonly violations: readonly Violation[]; readonly answered: boolean };

export interface JudgeInput {
  readonly purpose: Purpose;
  readonly before: TreeNode;
  readonly nodeId: string;
  readonly agentTree: SourceText;
  readonly answer: SourceText;
  readonly allowRemoval: boolean;
  readonly maxAttemptsDefault: number;
  readonly takenIds: readonly string[];
  readonly sha256: (text: string) => string;
}

export function judge(input: JudgeInput): Judgement {
  const answer = parseAgentOutput(input.answer);
  const reading = readAgentTree({
    source: input.agentTree,
    before: input.before,
    maxAttemptsDefault: input.maxAttemptsDefault,
  });
  if (input.purpose === 'repair') return judgeRepair(input, reading, answer.ok);
  if (reading.kind === 'invalid')
    return { kind: 'tree_invalid', violations: reading.violations, answered: answer.ok };

  if (!answer.ok) return { kind: 'no_answer', error: answer.error };
  if (reading.kind !== 'tree') return { kind: 'malformed', violations: reading.violations };
  return judgeAnswer(input, reading.tree, answer.output);
}

function judgeRepair(
  input: JudgeInput,
  reading: ReturnType<typeof readAgentTree>,
  answered: boolean,
): Judgement {
  if (reading.kind !== 'tree') return { kind: 'fruitless', violations: reading.violations, answered };
  const violations = checkTrees(input, { next: reading.tree, selectedId: null });
  return violations.length > 0
    ? { kind: 'fruitless', violations, answered }
    : { kind: 'repaired', tree: reading.tree, answered };
}

function judgeAnswer(input: JudgeInput, next: TreeNode, output: AgentOutput): Judgement {
  const violations = [
    ...checkTrees(input, { next, selectedId: input.nodeId }),
    ...checkStatus({ before: input.before, next, selectedId: input.nodeId, output }),
  ];
  if (violations.length > 0) return { kind: 'malformed', violations };
  if (output.status !== 'decomposed' || output.children === null)
    return { kind: 'accepted', output, tree: next, textChanged: selectedTextChanged(input, next) };

  const tree = applyChildren({
    tree: next,
    parentId: input.nodeId,
    children: output.children,
    takenIds: input.takenIds,
    maxAttempts: input.maxAttemptsDefault,
    sha256: input.sha256,
  });
  const tooLarge = [
    ...checkStructure({ before: next, next: tree, selectedId: input.nodeId, allowRemoval: false }),
    ...checkSize(tree),
  ];
  if (tooLarge.length > 0) return { kind: 'malformed', violations: tooLarge };
  return { kind: 'accepted', output, tree, textChanged: selectedTextChanged(input, next) };
}

function checkTrees(
  input: JudgeInput,
  target: { readonly next: TreeNode; readonly selectedId: string | null },
): Violation[] {
  // A valid tree that stayed as it was has broken no rule about changes.
  if (target.next === input.before) return checkSize(target.next);
  return [
    ...checkPassedUnchanged({ before: input.before, next: target.next }),
    ...checkStructure({ before: input.before, ...target, allowRemoval: input.allowRemoval }),
    ...checkSize(target.next),
  ];
}

function checkSize(tree: TreeNode): Violation[] {
  const visits = walkTree(tree);
  const deepest = visits.find((visit) => visit.depth > treeDepthMax);
  const violations: Violation[] = [];
  if (deepest !== undefined)
    violations.push({ path: deepest.path, message: `the tree is deeper than ${treeDepthMax} levels` });

  if (visits.length > treeNodesMax)
    violations.push({ path: '', message: `the tree has more than ${treeNodesMax} nodes` });

  if (treeDiskBytes(visits) > treeBytesMax)
    violations.push({ path: '', message: `tree.json would have more than ${treeBytesMax} bytes` });

  return violations;
}

function selectedTextChanged(input: JudgeInput, next: TreeNode): boolean {
  const before = findNode(input.before, input.nodeId);
  const after = findNode(next, input.nodeId);
  assert(before !== null && after !== null, 'the selected node is in both trees');
  return textChanged(before, after);
}

export function renderViolations(violations: readonly Violation[]): string {
  const shown = violations
    .slice(0, violationsShownMax)
    .map(({ path, message }) => (path === '' ? `- ${message}` : `- ${path}: ${message}`));
  const more = violations.length - shown.length;
  return [...shown, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n');
}
