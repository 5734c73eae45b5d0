/**
 * Checks the commits between iterations (§12, §15): the one a run begins with, those of a person's commands, and plain ones. None of
 * them can make a node pass or change what it used up.
 */
import { defaultRunState } from '../iteration/run-state.ts';
import { renderTree } from '../tree/canonical-json.ts';
import { checkPassedUnchanged } from '../tree/immutability.ts';
import { parseTree } from '../tree/tree-schema.ts';
import { indexTree, mapTree, walkTree } from '../tree/tree-walk.ts';
import type { Visit } from '../tree/tree-walk.ts';
import type { SourceText, TreeNode } from '../types.ts';
import { checkPersonsFiles, personsFiles } from './check-files.ts';
import { hasMark } from './check-description.ts';
import { differ, first, problem } from './problem.ts';
import { differingKey, readRunState } from './run-states.ts';
import type { ProvenKey } from './run-states.ts';
import type { Facts, Problem, Transition } from './transition.ts';

type Between = Exclude<Transition, { kind: 'iteration' }>;

interface Trees {
  /** The newest of the run that could be read; a commit of a person may hold a broken one. */
  readonly known: TreeNode | null;
  readonly after: TreeNode | null;
}

export function checkBetween(transition: Between, facts: Facts, known: TreeNode | null): Problem | null {
  const tree = parseTree(facts.after.tree);
  const trees = { known, after: tree.ok ? tree.tree : null };
  switch (transition.kind) {
    case 'start':
      return first(
        () => differ('files outside .runner/', [], facts.outside),
        () => (transition.isFirst ? checkFirst(facts, transition, trees.after) : null),
        () => (transition.isFirst ? null : checkAgain(facts, trees)),
      );
    case 'person':
      return first(
        () => checkSameState(facts, []),
        () =>
          personsFiles(transition.command) === null
            ? checkByHand(trees)
            : checkCommand(transition, facts, trees),
      );
    case 'plain':
      // Where it is merged is for people to say.
      return checkSameState(facts, ['base_branch']) ?? checkByHand(trees);
  }
}

function checkSameState({ before, after }: Facts, free: readonly ProvenKey[]): Problem | null {
  if (isSameText(before.runState, after.runState)) return null;
  const [was, is] = [readRunState(before.runState), readRunState(after.runState)];
  if (was === null || is === null) return problem('run_state.json', 'unchanged', 'not readable');
  return differingKey(was, is, free);
}

function isSameText(a: SourceText, b: SourceText): boolean {
  return a.kind === 'text' && b.kind === 'text' && a.text === b.text;
}

/** Nothing has passed and nothing was used up before a run begins. */
function checkFirst(facts: Facts, { commit }: Between, after: TreeNode | null): Problem | null {
  const state = readRunState(facts.after.runState);
  if (after === null || state === null) return problem('start', 'a valid tree and run state', 'not readable');
  const parent = commit.parents[0] ?? null;
  // A run that begins on the branch of another comes from where that one came from.
  const bases = [parent, readRunState(facts.before.runState)?.base_commit ?? null, null];
  const worked = walkTree(after).find(({ node }) => node.passes || node.attempts > 0);
  return first(
    () => differingKey(defaultRunState, state, startKeys),
    () => (worked === undefined ? null : problem('start', 'no passed node and no attempt', worked.path)),
    () =>
      bases.includes(state.base_commit) ? null : differ('run_state.base_commit', parent, state.base_commit),
  );
}

/** What a later start may find anew. */
const foundKeys = ['guard_baseline', 'guard_checkout', 'resolved'] as const;
const startKeys = [...foundKeys, ...(['run_id', 'base_branch', 'base_commit', 'goal_sha256'] as const)];

/** `start` on a run that goes on: the runner's files are brought up to date, the guard may be asked again. */
function checkAgain(facts: Facts, trees: Trees): Problem | null {
  return checkSameState(facts, foundKeys) ?? checkByHand(trees);
}

/** A tree that people commit is the new baseline (§1.3), but no proof of what it says has passed. */
function checkByHand({ known, after }: Trees): Problem | null {
  return known === null || after === null ? null : checkUsed(known, after);
}

function checkUsed(known: TreeNode, after: TreeNode): Problem | null {
  const [changed] = checkPassedUnchanged({ before: known, next: after });
  if (changed !== undefined)
    return problem('passed nodes', 'unchanged', `${changed.path}: ${changed.message}`);
  const before = indexTree(known);
  const was = (node: TreeNode): Pick<TreeNode, 'passes' | 'attempts'> =>
    before.get(node.id)?.node ?? { passes: false, attempts: 0 };
  const wrong = walkTree(after).find(
    ({ node }) => node.passes !== was(node).passes || node.attempts !== was(node).attempts,
  );
  const show = (path: string, { passes, attempts }: Pick<TreeNode, 'passes' | 'attempts'>): string =>
    `${path}: passes=${passes} attempts=${attempts}`;
  return wrong === undefined
    ? null
    : problem('changed by hand', show(wrong.path, was(wrong.node)), show(wrong.path, wrong.node));
}

function checkCommand(
  { command, trailers }: Extract<Between, { kind: 'person' }>,
  facts: Facts,
  { known, after }: Trees,
): Problem | null {
  if (known === null || after === null) return problem('tree.json', 'readable', 'it cannot be read');
  const reopened = findReopened(known, after);
  const isTouched = facts.inside.some(({ path }) => path === 'state/tree.json');
  return first(
    () => checkPersonsFiles(command, facts),
    () =>
      isTouched ? differ('tree.json', { kind: 'text', text: renderTree(after) }, facts.after.tree) : null,
    () => checkDropped(command, facts, { known, after }),
    () =>
      checkUsed(
        mapTree(known, (node) => (reopened.has(node.id) ? { ...node, passes: false } : node)),
        after,
      ),
    () => differ('Runner-Mark: reopened', reopened.size > 0, hasMark(trailers, 'reopened')),
  );
}

/** Passed nodes with children that are open again, and otherwise the same: something was put below them (§12). */
function findReopened(known: TreeNode, after: TreeNode): ReadonlySet<string> {
  const now = indexTree(after);
  const opened = walkTree(known).filter((visit) => {
    const is = now.get(visit.node.id);
    if (!visit.node.passes || visit.node.children.length === 0 || is?.node.passes !== false) return false;
    return differ('', own(visit), own(is)) === null;
  });
  return new Set(opened.map(({ node }) => node.id));
}

function own({ node, parent }: Visit): readonly unknown[] {
  const { id, order, title, goal, acceptance, attempts, max_attempts } = node;
  return [id, order, title, goal, acceptance, attempts, max_attempts, parent?.id ?? null];
}

/** What was taken out is kept beside (§12). */
function checkDropped(
  command: string,
  { inside }: Facts,
  { known, after }: { readonly known: TreeNode; readonly after: TreeNode },
): Problem | null {
  const kept = new Set(inside.filter(({ file }) => file !== null).map(({ path }) => path));
  const gone = walkTree(known)
    .map(({ node }) => node.id)
    .find((id) => !indexTree(after).has(id) && !(command === 'drop' && kept.has(`nodes/${id}/dropped.json`)));
  return gone === undefined ? null : problem('dropped nodes', `${gone} is kept`, `${gone} is gone`);
}
