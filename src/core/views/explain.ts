/**
 * Explains why the selector chose a leaf (§4): the path to it, why the other open leaves wait, and what would change the
 * choice. It is given the choice and never makes one itself.
 */
import { isStuck } from '../tree/selector.ts';
import { walkTree } from '../tree/tree-walk.ts';
import type { Visit } from '../tree/tree-walk.ts';
import type { Config, Selection, TreeNode } from '../types.ts';

export interface ExplainInput {
  readonly tree: TreeNode;
  readonly config: Pick<Config, 'on_stuck' | 'tree'>;
  /** The selector's result for exactly these inputs. */
  readonly selection: Selection;
}

/** A node and its explanation. */
export interface NodeText {
  readonly id: string;
  readonly path: string;
  readonly text: string;
}

/** Something that can happen or be done, and its effect. */
export interface Change {
  readonly when: string;
  readonly effect: string;
}

export interface Explanation {
  /** From the root down to what was chosen. */
  readonly walk: readonly NodeText[];
  /** The first open leaves that were not. */
  readonly others: readonly NodeText[];
  readonly others_left_out: number;
  readonly changes: readonly Change[];
}

const othersShownMax = 10;

export function explainSelection(input: ExplainInput): Explanation {
  const chosen = chosenPath(input.selection);
  const others = listOpenLeaves(input.tree).filter(({ path }) => path !== chosen);
  return {
    walk: explainWalk(input),
    others: others.slice(0, othersShownMax).map((visit) => textOf(visit, explainNode(input, visit))),
    others_left_out: Math.max(0, others.length - othersShownMax),
    changes: listChanges(input),
  };
}

/** Why a node is next or is not. */
export function explainNode(input: ExplainInput, { node, path }: Visit): string {
  const { tree, selection } = input;
  if (node.passes) return 'passed; a passed node is never worked on again';
  if (node.children.length > 0) {
    const first = listOpenLeaves(node).map(({ node: leaf }) => leaf.id)[0];
    return `open; only leaves get sessions, and its first open leaf is ${first}`;
  }
  const chosen = chosenPath(selection);
  if (path === chosen) return leafText(input, node);
  const state = isStuck(node) ? `stuck: ${attemptsOf(node)}` : `open: ${attemptsOf(node)}`;
  if (chosen === null) return `${state}; a rejected tree is repaired before any leaf`;
  const paths = listOpenLeaves(tree).map((visit) => visit.path);
  return paths.indexOf(path) < paths.indexOf(chosen)
    ? `${state}; deferred, because on_stuck = "defer"`
    : `${state}; comes after ${chosen}`;
}

/** What would make a node next, or follow on it. */
export function listNodeChanges(input: ExplainInput, { node, path }: Visit): readonly Change[] {
  if (node.passes || node.children.length > 0) return [];
  if (path === chosenPath(input.selection)) return listChanges(input);
  if (isStuck(node)) return [{ when: `runner retry ${node.id}`, effect: 'it gets attempts again' }];
  const at = listOpenLeaves(input.tree).findIndex((visit) => visit.path === path);
  const done = at === 1 ? '1 open leaf before it is done' : `${at} open leaves before it are done`;
  return [...(at === 0 ? [] : [{ when: done, effect: 'it is next' }]), reordered];
}

export type NodeState = 'passed' | 'open' | 'stuck';

export function stateOf(node: TreeNode): NodeState {
  if (node.passes) return 'passed';
  return isStuck(node) ? 'stuck' : 'open';
}

function attemptsOf({ attempts, max_attempts }: TreeNode): string {
  return `${attempts}/${max_attempts} attempts used`;
}

function textOf({ node, path }: Visit, text: string): NodeText {
  return { id: node.id, path, text };
}

function listOpenLeaves(tree: TreeNode): readonly Visit[] {
  return walkTree(tree).filter(({ node }) => node.children.length === 0 && !node.passes);
}

/** Null where no leaf was chosen. */
function chosenPath(selection: Selection): string | null {
  return selection.kind === 'leaf' || selection.kind === 'stuck' ? selection.leaf.path : null;
}

function explainWalk(input: ExplainInput): readonly NodeText[] {
  const { tree, selection, config } = input;
  if (selection.kind === 'complete')
    return [{ id: tree.id, path: tree.id, text: 'passed, and with it every node of the tree' }];

  if (selection.kind === 'repair') {
    const { node_id, count } = selection.repair;
    const spent = `${count} of ${config.tree.max_repairs} fruitless repairs so far`;
    const text = `its session left a tree that was rejected; repairing it comes before any leaf (${spent})`;
    return [{ id: node_id, path: selection.leaf?.path ?? node_id, text }];
  }
  const { path: chosen } = selection.leaf;
  const ids = chosen.split('/');
  return walkTree(tree)
    .filter(({ path }) => `${chosen}/`.startsWith(`${path}/`))
    .map((visit) => {
      const next = ids[visit.depth];
      return textOf(visit, next === undefined ? leafText(input, visit.node) : groupText(visit.node, next));
    });
}

/** Children are sorted: those before the chosen one have passed, or hold nothing but stuck leaves. */
function groupText(node: TreeNode, childId: string): string {
  const at = node.children.findIndex(({ id }) => id === childId);
  const before = node.children.slice(0, at);
  const passed = before.filter(({ passes }) => passes).length;
  const deferred = before.length - passed;
  if (before.length === 0) return `open; its first child is ${childId}`;
  const parts = [
    ...(passed === 0 ? [] : [`${passed} passed`]),
    ...(deferred === 0 ? [] : [`${deferred} stuck and deferred`]),
    `then ${childId}`,
  ];
  return `open; its children in order: ${parts.join(', ')}`;
}

/** Of the leaf that was chosen, or that is in the way. */
function leafText({ tree, selection, config }: ExplainInput, node: TreeNode): string {
  const isFirst = listOpenLeaves(tree).findIndex((visit) => visit.node.id === node.id) === 0;
  if (!isFirst) return `the first open leaf that is not stuck (${attemptsOf(node)})`;
  if (!isStuck(node)) return `the first open leaf (${attemptsOf(node)})`;
  const stuck = `the first open leaf, and stuck: ${attemptsOf(node)}`;
  if (selection.kind === 'leaf') return `${stuck}; on_stuck = "decompose" gives it one planning session`;
  const why = {
    stop: 'on_stuck = "stop" ends the run here',
    defer: 'on_stuck = "defer", but every other open leaf is stuck too',
    decompose: 'its one planning session (on_stuck = "decompose") is used up',
  }[config.on_stuck];
  return `${stuck}; ${why}`;
}

function listChanges(input: ExplainInput): readonly Change[] {
  const { selection, config } = input;
  switch (selection.kind) {
    case 'complete':
      return [
        { when: 'runner finish', effect: 'the work becomes one commit on the branch that the run came from' },
        { when: 'GOAL.md gets a new goal, then: runner start', effect: 'a new run with a fresh tree' },
      ];
    case 'repair': {
      const effect = `the tree is accepted, or after ${config.tree.max_repairs} fruitless repairs dropped; then the first open leaf is next`;
      return [{ when: 'runner step', effect }];
    }
    case 'stuck':
      return stuckChanges(input, selection.leaf.node);
    case 'leaf':
      return selection.purpose === 'plan'
        ? planChanges(selection.leaf.node)
        : leafChanges(input, selection.leaf.node);
  }
}

function stuckChanges({ tree, config }: ExplainInput, { id }: TreeNode): readonly Change[] {
  const free = listOpenLeaves(tree).find(({ node }) => !isStuck(node));
  const decompose = { when: 'on_stuck = "decompose"', effect: `one planning session may split ${id}` };
  return [
    { when: `runner retry ${id}`, effect: 'it gets attempts again and is next' },
    { when: `runner edit ${id}`, effect: `you clarify the goal; then: runner retry ${id}` },
    ...(config.on_stuck === 'stop' && free !== undefined
      ? [{ when: 'on_stuck = "defer"', effect: `${free.path} is next` }]
      : []),
    ...(config.on_stuck === 'decompose' ? [] : [decompose]),
  ];
}

function planChanges({ id }: TreeNode): readonly Change[] {
  return [
    { when: 'the session answers decomposed', effect: `the first child of ${id} is next` },
    { when: 'it answers anything else', effect: `the run ends stuck at ${id}` },
    { when: `runner retry ${id}`, effect: 'it gets attempts again and is worked on as a leaf' },
  ];
}

function leafChanges(input: ExplainInput, chosen: TreeNode): readonly Change[] {
  const leaves = listOpenLeaves(input.tree);
  const others = leaves.filter(({ node }) => node.id !== chosen.id);
  const deferred = leaves.slice(
    0,
    leaves.findIndex(({ node }) => node.id === chosen.id),
  );
  const { on_stuck } = input.config;
  return [
    { when: `${chosen.id} passes`, effect: afterPass(others, on_stuck) },
    { when: `${chosen.id} is decomposed`, effect: 'its first child is next' },
    {
      when: `${chosen.id} has used its ${chosen.max_attempts} attempts`,
      effect: `on_stuck = "${on_stuck}": ${onStuckText[on_stuck]}`,
    },
    ...deferred.slice(0, othersShownMax).map(({ node }) => ({
      when: `runner retry ${node.id}`,
      effect: `${node.id} comes before and is next`,
    })),
    ...(others.length === 0 ? [] : [reordered]),
  ];
}

const reordered: Change = {
  when: 'another order in .runner/state/tree.json, committed',
  effect: 'siblings go by order, then by id',
};

function afterPass(others: readonly Visit[], onStuck: Config['on_stuck']): string {
  const [first] = others;
  if (first === undefined) return 'the tree is complete';
  const next = onStuck === 'defer' ? others.find(({ node }) => !isStuck(node)) : first;
  if (next === undefined) return 'only stuck leaves are left';
  return isStuck(next.node) ? `${next.path} is in the way, and stuck` : `${next.path} is next`;
}

const onStuckText: Readonly<Record<Config['on_stuck'], string>> = {
  stop: 'the run ends, exit 3',
  defer: 'the next open leaf is taken',
  decompose: 'one planning session may split it',
};
