/** `runner retry` (§1.3): more attempts for an open leaf, in a commit of its own. */
import { RunnerError } from '../../core/errors.ts';
import { retryMessage } from '../../core/runs/person-message.ts';
import { renderTree } from '../../core/tree/canonical-json.ts';
import { planRetry } from '../../core/tree/person-edit.ts';
import type { Refusal } from '../../core/tree/person-edit.ts';
import { saveAndCommit } from './commit.ts';
import { openTree, treePath } from './tree.ts';
import type { OpenTree, TreePorts } from './tree.ts';

export interface RetryOutcome {
  readonly run_id: string;
  readonly id: string;
  readonly attempts: number;
  readonly max_attempts: number;
  readonly max_attempts_before: number;
  readonly commit: string | null;
}

export interface RetryRequest {
  readonly word: string;
  readonly maxAttempts: number | null;
}

/** Contract: the lock is held. */
export async function retry(ports: TreePorts, request: RetryRequest): Promise<RetryOutcome> {
  const done = await commitRetry(ports, await openTree(ports), { ...request, entryId: null });
  if (!done.ok) throw new RunnerError(done);
  return done.outcome;
}

/** `entryId`: of the queue, for the trailer; null: it comes from the command line. */
export async function commitRetry(
  ports: TreePorts,
  { place, tree }: OpenTree,
  { entryId, ...request }: RetryRequest & { readonly entryId: string | null },
): Promise<{ readonly ok: true; readonly outcome: RetryOutcome } | Refusal> {
  const { max_attempts_default, git } = await ports.configs.load();
  const plan = planRetry({ tree, ...request, maxAttemptsDefault: max_attempts_default });
  if (!plan.ok) return plan;
  const { id, attempts, max_attempts } = plan.after;
  const commit = plan.changed
    ? await saveAndCommit(ports, place, {
        files: { [treePath]: renderTree(plan.tree) },
        message: retryMessage(plan, entryId),
        sign: git.sign,
      })
    : null;
  const max_attempts_before = plan.before.max_attempts;
  return {
    ok: true,
    outcome: { run_id: place.run_id, id, attempts, max_attempts, max_attempts_before, commit },
  };
}
