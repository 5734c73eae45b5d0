/**
 * What a person may change in a node from the command line: more attempts for an open leaf, new texts for an open node. Passed
 * nodes and counters cannot be changed (§1.3, §1.6).
 */
import type { ErrorCode } from '../errors.ts';
import { sameTexts } from './immutability.ts';
import { suggest } from '../text/suggest.ts';
import { mapTree, walkTree } from './tree-walk.ts';
import type { Visit } from './tree-walk.ts';
import type { TreeNode } from '../types.ts';

export interface Refusal {
  readonly ok: false;
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
}

export type FoundNode = { readonly ok: true; readonly visit: Visit } | Refusal;

/** By id, or by the path of ids as other commands print it. */
export function findNamedNode(tree: TreeNode, word: string): FoundNode {
  const visits = walkTree(tree);
  const visit = visits.find(({ node, path }) => node.id === word || path === word);
  if (visit !== undefined) return { ok: true, visit };
  const ids = visits.map(({ node }) => node.id);
  const folded = ids.find((id) => id.toLowerCase() === word.toLowerCase());
  const near = folded ?? suggest(word, ids);
  return {
    ok: false,
    code: 'NODE_UNKNOWN',
    message: `there is no node '${word}' in the tree${near === null ? '' : `; did you mean ${near}?`}`,
    hint: 'runner tree',
  };
}

export interface RetryRequest {
  readonly tree: TreeNode;
  readonly word: string;
  /** Null: as many further attempts as a new node gets. */
  readonly maxAttempts: number | null;
  readonly maxAttemptsDefault: number;
}

export type RetryPlan =
  | {
      readonly ok: true;
      readonly tree: TreeNode;
      readonly before: TreeNode;
      readonly after: TreeNode;
      readonly changed: boolean;
    }
  | Refusal;

/** `attempts` stays: only `max_attempts` is raised, never below what the leaf has already. */
export function planRetry(request: RetryRequest): RetryPlan {
  const found = findNamedNode(request.tree, request.word);
  if (!found.ok) return found;
  const { node, path } = found.visit;
  if (node.passes) return closed(path, 'has passed; there is nothing to try again');
  if (node.children.length > 0) return closed(path, 'has children; attempts belong to its open leaves');
  const wanted =
    request.maxAttempts ?? Math.max(node.max_attempts, node.attempts + request.maxAttemptsDefault);
  if (wanted <= node.attempts) {
    return {
      ok: false,
      code: 'USAGE',
      message: `${path} has used ${node.attempts} attempts; with max_attempts=${wanted} it has none left`,
      hint: `runner retry ${node.id} --max-attempts ${node.attempts + request.maxAttemptsDefault}`,
    };
  }
  const after = { ...node, max_attempts: wanted };
  const tree = mapTree(request.tree, (one) => (one.id === node.id ? { ...one, max_attempts: wanted } : one));
  return { ok: true, tree, before: node, after, changed: wanted !== node.max_attempts };
}

function closed(path: string, why: string): Refusal {
  return { ok: false, code: 'NODE_CLOSED', message: `${path} ${why}`, hint: 'runner select' };
}

/** What people may write of a node. */
export interface NodeTexts {
  readonly title: string;
  readonly goal: string;
  readonly acceptance: readonly string[];
}

export type EditPlan =
  | {
      readonly ok: true;
      readonly id: string;
      readonly tree: TreeNode;
      readonly changed: readonly (keyof NodeTexts)[];
    }
  | Refusal;

/** An open node, leaf or not; a passed one never changes again. */
export function findOpenNode(tree: TreeNode, word: string): FoundNode {
  const found = findNamedNode(tree, word);
  if (!found.ok || !found.visit.node.passes) return found;
  return closed(found.visit.path, 'has passed and cannot be changed');
}

export function planEdit(tree: TreeNode, id: string, texts: Partial<NodeTexts>): EditPlan {
  const found = findOpenNode(tree, id);
  if (!found.ok) return found;
  const { node } = found.visit;
  const next = { ...node, ...texts };
  if (next.title.trim() === '') {
    return {
      ok: false,
      code: 'USAGE',
      message: 'a node needs a title',
      hint: `runner edit ${node.id} --title <text>`,
    };
  }
  const changed = [
    ...(next.title === node.title ? [] : (['title'] as const)),
    ...(next.goal === node.goal ? [] : (['goal'] as const)),
    ...(sameTexts(next.acceptance, node.acceptance) ? [] : (['acceptance'] as const)),
  ];
  const edited = mapTree(tree, (one) => (one.id === node.id ? { ...one, ...texts } : one));
  return { ok: true, id: node.id, tree: edited, changed };
}
