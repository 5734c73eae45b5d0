/** `runner retry` and `runner edit`: a person changes one open node of the tree, in a commit of its own (§1.3). */
import { renderTree } from '../../core/tree/canonical-json.ts';
import { editCommitMessage, retryCommitMessage } from '../../core/iteration/commit-message.ts';
import { RunnerError } from '../../core/errors.ts';
import { findOpenNode, planEdit, planRetry } from '../../core/tree/person-edit.ts';
import type { NodeTexts } from '../../core/tree/person-edit.ts';
import { parseTree } from '../../core/tree/tree-schema.ts';
import type { Visit } from '../../core/tree/tree-walk.ts';
import type { TreeNode } from '../../core/types.ts';
import type { ConfigStore, TreeStore } from '../../ports/stores.ts';
import { requireCleanFile, requireRun, saveAndCommit } from './commit.ts';
import type { PersonPorts, RunPlace } from './commit.ts';

const path = 'state/tree.json';

export interface NodePorts extends PersonPorts {
  readonly trees: TreeStore;
  readonly configs: ConfigStore;
}

export interface RetryOutcome {
  readonly run_id: string;
  readonly id: string;
  readonly attempts: number;
  readonly max_attempts: number;
  readonly max_attempts_before: number;
  readonly commit: string | null;
}

/** Contract: the lock is held. */
export async function retry(
  ports: NodePorts,
  request: { readonly word: string; readonly maxAttempts: number | null },
): Promise<RetryOutcome> {
  const { place, tree } = await openTree(ports);
  const { max_attempts_default } = await ports.configs.load();
  const plan = planRetry({ tree, ...request, maxAttemptsDefault: max_attempts_default });
  if (!plan.ok) throw new RunnerError(plan);
  const { id, attempts, max_attempts } = plan.after;
  const outcome = { run_id: place.run_id, id, attempts, max_attempts };
  const commit = plan.changed
    ? await saveTree(ports, place, { before: tree, after: plan.tree, message: retryCommitMessage(plan) })
    : null;
  return { ...outcome, max_attempts_before: plan.before.max_attempts, commit };
}

export interface EditOutcome {
  readonly run_id: string;
  readonly id: string;
  readonly changed: readonly string[];
  readonly commit: string | null;
}

/**
 * Contract: the lock is held. `write` gets the node as it is and gives what is to change; it is asked only when everything
 * else is in order, because it may be a person in an editor.
 */
export async function editNode(
  ports: NodePorts,
  request: { readonly word: string; readonly write: (visit: Visit) => Promise<Partial<NodeTexts>> },
): Promise<EditOutcome> {
  const { place, tree } = await openTree(ports);
  const found = findOpenNode(tree, request.word);
  if (!found.ok) throw new RunnerError(found);
  const { id } = found.visit.node;
  const plan = planEdit(tree, id, await request.write(found.visit));
  if (!plan.ok) throw new RunnerError(plan);
  const { changed } = plan;
  const commit =
    changed.length === 0
      ? null
      : await saveTree(ports, place, {
          before: tree,
          after: plan.tree,
          message: editCommitMessage(id, changed),
        });
  return { run_id: place.run_id, id, changed, commit };
}

async function openTree(ports: NodePorts): Promise<{ readonly place: RunPlace; readonly tree: TreeNode }> {
  const place = await requireRun(ports);
  await requireCleanFile(place, `.runner/${path}`);
  return { place, tree: await ports.trees.load() };
}

/** Read again as any tree is read, so that nothing is committed that the next step refuses. */
async function saveTree(
  ports: NodePorts,
  place: RunPlace,
  change: { readonly before: TreeNode; readonly after: TreeNode; readonly message: string },
): Promise<string> {
  const after = renderTree(change.after);
  const parsed = parseTree({ kind: 'text', text: after });
  if (!parsed.ok) {
    throw new RunnerError({
      code: 'TREE_INVALID',
      message: 'the tree would not be valid; nothing was changed',
      details: parsed.violations.map((violation) => `${violation.path}: ${violation.message}`),
      hint: 'runner validate',
    });
  }
  const source = await ports.workspace.load(path);
  const before = source.kind === 'text' ? source.text : renderTree(change.before);
  const { git } = await ports.configs.load();
  return saveAndCommit(ports, place, { path, before, after, message: change.message, sign: git.sign });
}
