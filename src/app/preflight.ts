/** Everything that must hold before an iteration (§5.1). Reads only; every refusal names the command that helps. */
import { configInForce, renderUnresolved } from '../core/config/in-force.ts';
import { assert, RunnerError } from '../core/errors.ts';
import { dirtyPathsShownMax } from '../core/limits.ts';
import { isPlaceholder } from '../core/iteration/initial-files.ts';
import { checkBranch, checkRunIdentity } from '../core/iteration/run-id.ts';
import { refuseConflict } from '../core/runs/merge-conflict.ts';
import { refuseNoGoal } from '../core/runs/start-plan.ts';
import type { Config, RunState, TreeNode } from '../core/types.ts';
import type { GitSnapshot, RefTip } from '../ports/git.ts';
import type { Ports } from '../ports/ports.ts';

export interface StartingPoint {
  readonly config: Config;
  readonly runState: RunState;
  readonly runId: string;
  readonly tree: TreeNode;
  readonly goalBody: string;
  readonly branch: string;
  /** B: the commit the iteration starts from. */
  readonly commit: string;
  readonly workTree: string;
  readonly prefix: string;
  readonly dirtySubmodules: readonly string[];
  /** Whether no flag in the user's index hides changes. */
  readonly isIndexPlain: boolean;
  /** Branches, tags and the stash before the session. */
  readonly refs: readonly RefTip[];
  /** B, when this process made it by recording an iteration; null: git must be asked. */
  readonly own: string | null;
}

export interface StepOptions {
  /** The first iteration of this process: "failures in a row" starts at zero (§1.6), and what cannot change is checked once. */
  readonly fresh: boolean;
  /** The commit of the iteration that this process recorded before; null: none. */
  readonly own: string | null;
  /** Contract: called when every check of an iteration has passed, and there is work. */
  readonly onReady?: () => Promise<void>;
}

/** Everything except the tree id of the work, which needs a private index: what can be known without writing anything. */
export type Inspected = Omit<StartingPoint, 'workTree' | 'refs' | 'own'>;

export type InspectPorts = Pick<Ports, 'git' | 'runStates' | 'goals' | 'configs' | 'trees'>;

export async function preflight(ports: Ports, { fresh, own }: StepOptions): Promise<StartingPoint> {
  // Before anything is asked of git: another run's session may be at work in this repository (§14).
  await ports.git.remember();
  const inspected = await inspect(ports, { fresh });
  const { runState, config, commit, isIndexPlain } = inspected;
  if (fresh) {
    await reportPersonsTree(ports);
    const message = renderUnresolved(await ports.configs.load(), runState.resolved);
    if (message !== null) ports.reporter.report({ type: 'note', message });
  }
  ports.git.limitCalls(config.iteration_timeout_secs * 1000);
  return {
    ...inspected,
    own: own === commit ? own : null,
    runState: fresh ? { ...runState, failures_in_a_row: 0 } : runState,
    refs: await ports.git.listRefs(),
    workTree: await ports.git.baselineTreeId({ commit, is_index_plain: isIndexPlain }),
  };
}

/** Passed nodes bind runner and agents; a tree that a person commits is the new baseline, and that is said (§1). */
async function reportPersonsTree(ports: Ports): Promise<void> {
  const subject = await ports.git.personsSubject('.runner/state/tree.json');
  if (subject === null) return;
  const message = `tree.json was changed by the commit "${subject}" since the last iteration: it is the new baseline`;
  ports.reporter.report({ type: 'note', message });
}

export async function inspect(
  ports: InspectPorts,
  { fresh }: { readonly fresh: boolean },
): Promise<Inspected> {
  const { prefix } = await ports.git.locate();
  if (fresh) await ports.git.checkSetup();
  const snapshot = await requireReady(ports);
  const { branch, commit } = snapshot;
  const allowed = checkBranch(branch);
  if (!allowed.ok) throw new RunnerError(allowed);
  const runState = await ports.runStates.load();
  const goal = await ports.goals.load();
  const runId = runState.run_id;
  const identity = checkRunIdentity({ goalId: goal.id, stateId: runId, branch });
  if (!identity.ok) throw new RunnerError(identity);
  if (isPlaceholder(goal.body)) throw new RunnerError(refuseNoGoal([], false));
  assert(runId !== null, 'a run that passed the identity check has an id');
  requireClean(snapshot);
  const config = configInForce(await ports.configs.load(), runState.resolved);
  const tree = await ports.trees.load();
  const { dirty_submodules: dirtySubmodules, is_index_plain: isIndexPlain } = snapshot;
  const found = { goalBody: goal.body, branch, commit, prefix, dirtySubmodules, isIndexPlain };
  return { config, runState, runId, tree, ...found };
}

/** A branch with a commit, no lock of another git in the way, no repository inside that could be part of no commit. */
export async function requireReady({
  git,
}: Pick<Ports, 'git'>): Promise<GitSnapshot & { readonly branch: string; readonly commit: string }> {
  const snapshot = await git.snapshot();
  await git.checkLocks(snapshot.branch);
  requireNoConflict(snapshot);
  requireNoNested(snapshot.nested_repositories);
  return { ...snapshot, commit: requireCommit(snapshot.head), branch: requireBranch(snapshot.branch) };
}

/** Before any file is read: one of them may hold conflict markers. */
function requireNoConflict({ dirty, branch }: Pick<GitSnapshot, 'dirty' | 'branch'>): void {
  const refusal = refuseConflict(dirty, branch);
  if (refusal !== null) throw new RunnerError(refusal);
}

function requireNoNested(nested: readonly string[]): void {
  if (nested.length === 0) return;
  throw new RunnerError({
    code: 'GIT_UNSUPPORTED',
    message: 'git repositories inside the work tree that are not submodules cannot be part of a commit',
    hint: 'ignore them in .gitignore, add them with git submodule add, or move them away',
    details: nested,
  });
}

export function requireCommit(head: string | null): string {
  if (head !== null) return head;
  throw new RunnerError({
    code: 'GIT_NO_COMMIT',
    message: 'this repository has no commit yet',
    hint: 'git add -A && git commit --allow-empty -m "initial commit"',
  });
}

function requireBranch(branch: string | null): string {
  if (branch !== null) return branch;
  throw new RunnerError({
    code: 'GIT_DETACHED',
    message: 'HEAD is detached: there is no branch to commit on',
    hint: 'git switch <branch>',
  });
}

export function requireClean({ dirty, branch }: Pick<GitSnapshot, 'dirty' | 'branch'>): void {
  requireNoConflict({ dirty, branch });
  if (dirty.length === 0) return;
  const shown = dirty.slice(0, dirtyPathsShownMax).map(({ code, path }) => `${code} ${JSON.stringify(path)}`);
  const more = dirty.length - shown.length;
  throw new RunnerError({
    code: 'GIT_DIRTY',
    message: `the work tree is not clean: ${dirty.length} changed ${dirty.length === 1 ? 'path' : 'paths'}`,
    details: more > 0 ? [...shown, `and ${more} more`] : shown,
    hint: 'git add -A && git commit, or: git stash -u',
  });
}
