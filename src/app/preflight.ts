/** Everything that must hold before an iteration (§5.1). Reads only; every refusal names the command that helps. */
import { assert, RunnerError } from '../core/errors.ts';
import { dirtyPathsShownMax } from '../core/limits.ts';
import { checkRunIdentity } from '../core/iteration/run-id.ts';
import type { Config, RunState, TreeNode } from '../core/types.ts';
import type { DirtyPath } from '../ports/git-manager.ts';
import type { Ports } from '../ports/ports.ts';

export interface Baseline {
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
}

/** Everything but the work itself, which takes an index of our own to name: what can be known without writing anything. */
export interface Inspected extends Omit<Baseline, 'workTree'> {
  /** The name of the work, where looking at it gave it by the way. */
  readonly knownTree: string | null;
}

export type InspectPorts = Pick<Ports, 'git' | 'runStates' | 'goals' | 'configs' | 'trees'>;

export async function preflight(ports: Ports): Promise<Baseline> {
  const inspected = await inspect(ports);
  return { ...inspected, workTree: inspected.knownTree ?? (await ports.git.workTreeId()) };
}

export async function inspect(ports: InspectPorts): Promise<Inspected> {
  const { prefix } = await ports.git.locate();
  await ports.git.checkReady();
  // git looks at the work tree while the files are read; what is wrong is still told in the order of the checks.
  const looking = tried(ports.git.snapshot());
  const loadedState = await tried(ports.runStates.load());
  const loadedGoal = await tried(ports.goals.load());
  const loadedConfig = await tried(ports.configs.load());
  const loadedTree = await tried(ports.trees.load());
  const snapshot = (await looking)();
  const commit = requireCommit(snapshot.head);
  const branch = requireBranch(snapshot.branch);
  if (branch === 'main' || branch === 'master') {
    throw new RunnerError({
      code: 'GIT_PROTECTED_BRANCH',
      message: `the runner does not work on '${branch}'`,
      hint: 'runner start',
    });
  }
  const runState = loadedState();
  const goal = loadedGoal();
  const runId = runState.run_id;
  const identity = checkRunIdentity({ goalId: goal.id, stateId: runId, branch });
  if (!identity.ok) throw new RunnerError(identity);
  assert(runId !== null, 'a run that passed the identity check has an id');
  requireClean(snapshot.dirty);
  const config = loadedConfig();
  const tree = loadedTree();
  return {
    config,
    runState,
    runId,
    tree,
    goalBody: goal.body,
    branch,
    commit,
    knownTree: snapshot.work_tree,
    prefix,
    dirtySubmodules: snapshot.dirty_submodules,
  };
}

/** The result, or the error, for whoever calls it. */
function tried<T>(work: Promise<T>): Promise<() => T> {
  return work.then(
    (value) => () => value,
    (error: unknown) => () => {
      throw error;
    },
  );
}

export function requireCommit(head: string | null): string {
  if (head !== null) return head;
  throw new RunnerError({
    code: 'GIT_NO_COMMIT',
    message: 'this repository has no commit yet',
    hint: 'git add -A && git commit --allow-empty -m "initial commit"',
  });
}

export function requireBranch(branch: string | null): string {
  if (branch !== null) return branch;
  throw new RunnerError({
    code: 'GIT_DETACHED',
    message: 'HEAD is detached: there is no branch to commit on',
    hint: 'git switch <branch>',
  });
}

export function requireClean(dirty: readonly DirtyPath[]): void {
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
