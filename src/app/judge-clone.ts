/**
 * One run of the guard in a fresh clone (§14): made, set up, used, and removed whatever happens. What went wrong there is a value;
 * the work tree is not touched.
 */
import { cloneEndOf } from '../core/guard/clone-verdict.ts';
import type { CloneEnd } from '../core/guard/clone-verdict.ts';
import { RunnerError } from '../core/errors.ts';
import { listPaths } from '../core/text/path-list.ts';
import type { Config } from '../core/types.ts';
import type { CloneRequest, JudgeClone } from '../ports/judge.ts';
import type { Ports } from '../ports/ports.ts';

/** What runs where. */
export interface CloneCheck extends CloneRequest {
  readonly iter: number;
  readonly node_id: string;
  readonly cookie: string;
  readonly config: Config;
  readonly log: 'guard.clone.log' | 'guard.counterfactual.log' | 'guard.finish.log' | 'guard.audit.log';
  /** Paths that are laid back to an earlier tree before the guard runs. */
  readonly laidBack?: { readonly tree: string; readonly paths: readonly string[] };
  /** What is done in the clone when the guard has passed there without changing a file. */
  readonly afterPass?: (clone: JudgeClone) => Promise<void>;
}

export interface CheckedClone {
  readonly end: CloneEnd;
  /** Setup and guard together. */
  readonly duration_ms: number;
  /** Tree id of the clone's files after the guard. */
  readonly tree: string;
  /** After a red guard: what the work tree has and the clone lacks. */
  readonly missing: readonly string[];
}

/** Contract: the journal knows the cookie, so that a crash leaves no process; the next command removes the clone. */
export async function checkInClone(ports: Ports, check: CloneCheck): Promise<CheckedClone> {
  const untouched = { duration_ms: 0, tree: check.work_tree, missing: [] };
  const opened = await gitTrouble(() => ports.judge.open(check));
  if (opened instanceof RunnerError) {
    const signal = ports.interrupts.current();
    const end: CloneEnd =
      signal === null ? { kind: 'not_made', reason: opened.message } : { kind: 'interrupted', signal };
    return { ...untouched, end };
  }
  try {
    for (const message of opened.notes) ports.reporter.report({ type: 'note', message });
    const checked = await gitTrouble(() => checkReady(ports, { check, clone: opened }));
    if (!(checked instanceof RunnerError)) {
      const isPassed = checked.end.kind === 'passed' && checked.tree === check.work_tree;
      if (isPassed) await check.afterPass?.(opened);
      return checked;
    }
    return { ...untouched, end: { kind: 'failed', reason: checked.message, output: '' } };
  } finally {
    await ports.judge.remove(opened);
  }
}

/** What git or the disk refuses in a clone says something about the clone; any other error is ours. */
async function gitTrouble<T>(work: () => Promise<T>): Promise<T | RunnerError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RunnerError && ['GIT_FAILED', 'DISK'].includes(error.code)) return error;
    throw error;
  }
}

async function checkReady(
  ports: Ports,
  { check, clone }: { readonly check: CloneCheck; readonly clone: JudgeClone },
): Promise<CheckedClone> {
  const { config, work_tree } = check;
  const onActivity = ({ line }: { readonly line: string }): void =>
    ports.reporter.report({ type: 'activity', source: 'guard', line });
  const { run_id, iter, node_id, cookie } = check;
  const session = { run_id, iter, node_id, cookie, config, onActivity };
  const setup = await ports.setups.run({ ...session, clone });
  const none = { duration_ms: setup.duration_ms, tree: work_tree, missing: [] };
  if (setup.end.kind !== 'passed') return { ...none, end: setup.end };
  const changed = await changedBySetup(ports, { check, clone });
  if (changed !== null) return { ...none, end: changed };

  if (check.laidBack !== undefined) await ports.judge.layBack(clone, check.laidBack);
  // `guard.timeout_secs` is kept by the runner of the guard.
  const limitMs = config.guard.timeout_secs === null ? config.iteration_timeout_secs * 1000 : Infinity;
  const run = await ports.guards.run({
    ...session,
    deadlineMs: ports.clock.monotonicMs() + limitMs,
    clone: { place: clone, log: check.log },
  });
  const end = cloneEndOf(run.end, run.output);
  return {
    end,
    duration_ms: setup.duration_ms + run.duration_ms,
    tree: end.kind === 'passed' ? await ports.judge.workTreeId(clone) : work_tree,
    missing: end.kind === 'failed' ? await ports.judge.listMissing(clone) : [],
  };
}

/** The guard must see the candidate's bytes: setup may only make files that git ignores. */
async function changedBySetup(
  ports: Ports,
  { check, clone }: { readonly check: CloneCheck; readonly clone: JudgeClone },
): Promise<CloneEnd | null> {
  if (check.config.automation.setup.length === 0) return null;
  const tree = await ports.judge.workTreeId(clone);
  if (tree === check.work_tree) return null;
  const paths = await ports.git.changedPaths({ from: check.work_tree, to: tree });
  const reason = `setup changed files that git does not ignore: ${listPaths(paths)}`;
  return { kind: 'failed', reason, output: '' };
}
