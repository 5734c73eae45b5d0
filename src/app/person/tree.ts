/**
 * A person's change of the tree (§12): `add`, `move`, `drop`, `import` and `edit`, each as one commit. What a change may do is
 * decided in core/tree; this is the order of effects, for the command line and for the queue alike.
 */
import { RunnerError } from '../../core/errors.ts';
import type { LeftWork } from '../../core/runs/left-work.ts';
import { treeEditMessage } from '../../core/runs/person-message.ts';
import { renderTree } from '../../core/tree/canonical-json.ts';
import type { Refusal } from '../../core/tree/person-edit.ts';
import { planTreeEdit } from '../../core/tree/tree-edit.ts';
import type { TreeEdit, TreeEditPlan, TreeEditResult } from '../../core/tree/tree-edit.ts';
import { parseTree } from '../../core/tree/tree-schema.ts';
import type { TreeNode } from '../../core/types.ts';
import type { Hasher } from '../../ports/sessions.ts';
import type { ConfigStore, Sidecars, TreeStore } from '../../ports/stores.ts';
import { requireCleanFile, requireRun, saveAndCommit } from './commit.ts';
import type { PersonPorts, RunPlace } from './commit.ts';

export const treePath = 'state/tree.json';

export interface TreePorts extends PersonPorts {
  readonly trees: TreeStore;
  readonly configs: ConfigStore;
  readonly sidecars: Pick<Sidecars, 'listIds'>;
  readonly hasher: Pick<Hasher, 'sha256'>;
}

export interface TreeChange {
  readonly run_id: string;
  readonly plan: TreeEditPlan;
  /** Null: nothing changed. */
  readonly commit: string | null;
  readonly left: readonly LeftWork[];
}

export interface OpenTree {
  readonly place: RunPlace;
  readonly tree: TreeNode;
}

/** Contract: the lock is held. Throws with the command that helps when this is no place for a person's commit. */
export async function openTree(ports: TreePorts): Promise<OpenTree> {
  const place = await requireRun(ports);
  await requireCleanFile(place, `.runner/${treePath}`);
  return { place, tree: await ports.trees.load() };
}

/** Contract: the lock is held. Throws the refusal of a change that does not apply. */
export async function changeTree(ports: TreePorts, edit: TreeEdit): Promise<TreeChange> {
  const open = await openTree(ports);
  const changed = await commitEdit(ports, open, { edit, entryId: null });
  if (!changed.ok) throw new RunnerError(changed);
  return changed;
}

/** `entryId`: of the queue, for the trailer; null: it comes from the command line. */
export async function commitEdit(
  ports: TreePorts,
  { place, tree }: OpenTree,
  { edit, entryId }: { readonly edit: TreeEdit; readonly entryId: string | null },
): Promise<({ readonly ok: true } & TreeChange) | Refusal> {
  const plan = await planEditOf(ports, tree, edit);
  if (!plan.ok) return plan;
  const { run_id } = place;
  const text = renderTree(plan.tree);
  if (text === renderTree(tree)) return { ok: true, run_id, plan, commit: null, left: [] };
  const { git } = await ports.configs.load();
  const commit = await saveAndCommit(ports, place, {
    // The tree last: a crash before it leaves the run as it was.
    files: { ...plan.files, [treePath]: text },
    message: treeEditMessage(edit, plan, entryId),
    sign: git.sign,
  });
  return { ok: true, run_id, plan, commit, left: await findLeft(ports, place, plan) };
}

/** Files outside `.runner/` that differ from before the first session on a dropped node. They may be another node's, too. */
async function findLeft(
  { runStates }: Pick<TreePorts, 'runStates'>,
  { git, head }: RunPlace,
  { dropped }: TreeEditPlan,
): Promise<readonly LeftWork[]> {
  const { nodes } = await runStates.load();
  const left: LeftWork[] = [];
  for (const { id: node } of dropped) {
    const base = nodes[node]?.base ?? null;
    // Only git's own housekeeping can have taken it.
    if (base === null || !(await git.isWhole(base))) continue;
    const files = await git.changedPaths({ from: base, to: head });
    if (files.length > 0) left.push({ node, base, files });
  }
  return left;
}

/** Read again as any tree is read, so that nothing is committed that the next step refuses. */
export async function planEditOf(
  ports: Pick<TreePorts, 'configs' | 'sidecars' | 'hasher'>,
  tree: TreeNode,
  edit: TreeEdit,
): Promise<TreeEditResult> {
  const { max_attempts_default } = await ports.configs.load();
  const plan = planTreeEdit(
    {
      tree,
      takenIds: await ports.sidecars.listIds(),
      maxAttempts: max_attempts_default,
      sha256: ports.hasher.sha256,
    },
    edit,
  );
  if (!plan.ok) return plan;
  const parsed = parseTree({ kind: 'text', text: renderTree(plan.tree) });
  if (parsed.ok) return plan;
  const [first] = parsed.violations;
  return {
    ok: false,
    code: 'TREE_INVALID',
    message: `the tree would not be valid: ${first?.path ?? ''}: ${first?.message ?? ''}`,
    hint: 'runner validate',
  };
}
