/**
 * Classifies an iteration by its changed paths: its mode (§5 `mode`) and the marks of its commit; and matches globs of the settings.
 * Paths are relative to the top of the work tree unless said otherwise.
 */
import { sameTexts } from '../tree/immutability.ts';
import { walkTree } from '../tree/tree-walk.ts';
import { selectToolFiles } from '../guard/tool-files.ts';
import type { Mode, Purpose, TreeNode } from '../types.ts';

export type ChangeMark = 'changed-guard-files' | 'changed-ignore-rules' | 'changed-tool-files';

interface ChangeInput {
  readonly purpose: Purpose;
  readonly changedPaths: readonly string[];
  readonly treeChanged: boolean;
}

interface MarkInput {
  readonly changedPaths: readonly string[];
  /** Project folder inside the work tree, `''` or ending in `/`. */
  readonly prefix: string;
  readonly guardCommand: readonly string[];
  /** Of the guard's own files those that the work has in another version (§14). */
  readonly guardFiles: readonly string[];
}

const justfiles: readonly string[] = ['justfile', '.justfile'];

export function classifyChange({ purpose, changedPaths, treeChanged }: ChangeInput): Mode {
  if (purpose === 'repair') return 'repair';
  return treeChanged && changedPaths.length === 0 ? 'decompose' : 'execute';
}

/** What agents may change: `passes` and `attempts` are the runner's own and tell nothing about a session. */
export function isSameShape(trees: { readonly before: TreeNode; readonly after: TreeNode }): boolean {
  const before = walkTree(trees.before);
  const after = walkTree(trees.after);
  // Parents before children: with the depths the order says who is below whom.
  return (
    after.length <= before.length &&
    before.every(({ node, depth }, at) => {
      const other = after[at];
      return other !== undefined && depth === other.depth && isSameNode(node, other.node);
    })
  );
}

function isSameNode(before: TreeNode, after: TreeNode): boolean {
  // Trees share what an iteration did not change.
  if (before === after) return true;
  const keys = ['id', 'order', 'title', 'goal', 'max_attempts'] as const;
  return keys.every((key) => before[key] === after[key]) && sameTexts(before.acceptance, after.acceptance);
}

/** Sorted by name. */
export function findMarks({ changedPaths, prefix, guardCommand, guardFiles }: MarkInput): ChangeMark[] {
  const named = new Set([...guardFiles, ...guardCommand.flatMap((argument) => namedFiles(argument, prefix))]);
  const isGuardFile = (path: string): boolean =>
    named.has(path) ||
    (path.startsWith(prefix) && justfiles.includes(path.slice(prefix.length).toLowerCase()));
  return [
    ...(changedPaths.some(isGuardFile) ? (['changed-guard-files'] as const) : []),
    ...(changedPaths.some(isIgnoreFile) ? (['changed-ignore-rules'] as const) : []),
    ...(selectToolFiles(changedPaths).length > 0 ? (['changed-tool-files'] as const) : []),
  ];
}

function isIgnoreFile(path: string): boolean {
  return path === '.gitignore' || path.endsWith('/.gitignore');
}

/** The files an argument may name: itself, and the part after `=` in `--file=ci/check.just`. */
function namedFiles(argument: string, prefix: string): string[] {
  return [argument, argument.slice(argument.indexOf('=') + 1)]
    .filter((file) => !file.startsWith('/'))
    .map((file) => normalisePath(prefix + file));
}

function normalisePath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}
