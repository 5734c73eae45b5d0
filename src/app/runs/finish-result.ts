/** What the target would be after a run (§12): merged work and an idle `.runner/`, checked by setup and guard in a private clone. */
import type { WorkTree } from '../../ports/endings.ts';
import type { RunState, TreeNode, Config } from '../../core/types.ts';
import { configInForce } from '../../core/config/in-force.ts';
import { assert, RunnerError } from '../../core/errors.ts';
import { baselineIter, isSetupFailure } from '../../core/iteration/baseline.ts';
import { freshState } from '../../core/iteration/initial-files.ts';
import { idleFiles, needsText } from '../../core/runs/idle-files.ts';
import type { IdleFile, RunnerFile } from '../../core/runs/idle-files.ts';
import { listPaths } from '../../core/text/path-list.ts';
import { checkInClone } from '../judge-clone.ts';
import type { CheckedClone } from '../judge-clone.ts';
import type { Target } from './finish-target.ts';
import type { EndingPlace, WholeRun } from './whole-run.ts';

type Tipped = WholeRun & { readonly tip: string };

export interface Result {
  readonly tree: string;
  /** The same without `.runner/`. */
  readonly work_tree: string;
  readonly config: Config;
  readonly root: TreeNode;
  readonly state: RunState;
}

/** Throws GIT_CONFLICT with the list; moves nothing. */
export async function makeResult(
  place: EndingPlace,
  {
    run,
    target,
    checkout,
  }: { readonly run: Tipped; readonly target: Target; readonly checkout: WorkTree | null },
): Promise<Result> {
  const { endings } = place;
  if (run.tree === null || run.state === null) {
    throw new RunnerError({
      code: 'TREE_INVALID',
      message: `tree.json or run_state.json of run ${run.run_id} cannot be read on ${run.branch}`,
      hint: `git switch ${run.branch} && runner validate, or give it up: runner abandon ${run.run_id}`,
    });
  }
  const merged = await endings.merge({ ours: target.commit, theirs: run.tip });
  if (merged.conflicts.length > 0) {
    throw new RunnerError({
      code: 'GIT_CONFLICT',
      message: `run ${run.run_id} and '${target.branch}' changed the same lines in ${merged.conflicts.length} ${merged.conflicts.length === 1 ? 'file' : 'files'}; nothing was merged`,
      details: merged.conflicts.map((path) => JSON.stringify(path)),
      // A merge with conflicts needs the files of the run.
      hint: `${checkout?.is_there === true ? `runner update ${run.run_id}` : `git switch ${run.branch} && runner update`}, solve the conflicts there, then: runner finish ${run.run_id}`,
    });
  }
  const { files, config } = await makeIdle(place, { run, target });
  return {
    tree: await endings.layRunner({ tree: merged.tree, files }),
    work_tree: await endings.layRunner({ tree: merged.tree, files: [] }),
    config,
    root: run.tree,
    state: run.state,
  };
}

async function makeIdle(
  { ports, endings }: EndingPlace,
  { run, target }: { readonly run: Tipped; readonly target: Target },
): Promise<{ readonly files: readonly IdleFile[]; readonly config: Config }> {
  const recorded = run.state?.base_commit ?? null;
  const known = recorded === null ? null : await endings.commitOf(recorded);
  const base = known ?? (await endings.mergeBase({ ours: target.commit, theirs: run.tip }));
  const list = (commit: string | null): Promise<readonly RunnerFile[]> =>
    commit === null ? Promise.resolve([]) : ports.git.listRunnerFiles(commit);
  const [began, ours, theirs] = [await list(base), await list(target.commit), await list(run.tip)];
  const wanted = [...began, ...ours, ...theirs].filter(({ path }) => needsText(path)).map(({ oid }) => oid);
  const texts = await ports.git.loadBlobTexts(wanted);
  const files = idleFiles({ run_id: run.run_id, base: began, target: ours, run: theirs, texts });
  const written = await ports.configs.parse(textOf(files, texts));
  const config = configInForce(written, run.state?.resolved ?? null);
  await ports.sandbox.check(config);
  const fresh = freshState({ runId: null, maxAttempts: config.max_attempts_default });
  const made = Object.entries(fresh).map(([path, text]) => ({ path, text }));
  return { files: [...files, ...made], config };
}

function textOf(files: readonly IdleFile[], texts: ReadonlyMap<string, string>): string {
  const file = files.find(({ path }) => path === 'state/config.toml');
  if (file === undefined) return '';
  return 'text' in file ? file.text : (texts.get(file.oid) ?? '');
}

/** The commit of exactly the checked bytes. Throws GUARD_RED, GIT_HOOK, INTERRUPTED; then nothing has changed. */
export async function checkResult(
  place: EndingPlace,
  request: {
    readonly run: Tipped;
    readonly target: Target;
    readonly result: Result;
    readonly parents: readonly string[];
    readonly message: string;
  },
): Promise<string> {
  const { ports, endings } = place;
  const { run, target, result, parents, message } = request;
  const { run_id } = run;
  const cookie = ports.hasher.cookie();
  const held = await endings.makeCommit({ tree: result.tree, parents: [target.commit], message });
  let made: Awaited<ReturnType<typeof endings.commitInClone>> | null = null;
  // Ignored on every branch, also where the target has no `.runner/` yet (§2).
  await ports.workspace.save('iterations/.gitignore', '*\n');
  await ports.git.remember();
  await ports.journal.save({ version: 1, kind: 'finish', run_id, cookie });
  ports.reporter.report({ type: 'note', message: `checking the merged files in a fresh clone` });
  ports.reporter.report({ type: 'phase', phase: 'guard' });
  const checked = await checkInClone(ports, {
    run_id,
    iter: baselineIter,
    node_id: result.root.id,
    cookie,
    config: result.config,
    branch: target.branch,
    baseline: held,
    work_tree: result.work_tree,
    log: 'guard.finish.log',
    afterPass: async (clone) => {
      ports.reporter.report({ type: 'phase', phase: 'commit' });
      const { sign } = result.config.git;
      made = await endings.commitInClone({ clone, tree: result.tree, parents, message, sign, cookie });
    },
  });
  await ports.journal.close();
  for (const note of await ports.git.forget()) ports.reporter.report({ type: 'note', message: note });
  try {
    await requireGreen(place, { run, result, checked });
    return requireCommit(run, made);
  } catch (error) {
    await ports.git.releaseWork(run_id);
    throw error;
  }
}

async function requireGreen(
  { ports }: EndingPlace,
  { run, result, checked }: { readonly run: Tipped; readonly result: Result; readonly checked: CheckedClone },
): Promise<void> {
  const { end } = checked;
  if (end.kind === 'interrupted') {
    throw new RunnerError({
      code: 'INTERRUPTED',
      message: `stopped by ${end.signal}; nothing was merged`,
      hint: `runner finish ${run.run_id}`,
      signal: end.signal,
    });
  }
  const isChanged = end.kind === 'passed' && checked.tree !== result.work_tree;
  if (end.kind === 'passed' && !isChanged) return;
  const paths = isChanged ? await ports.git.changedPaths({ from: result.work_tree, to: checked.tree }) : [];
  const reason = end.kind === 'passed' ? `the guard changes files: ${listPaths(paths)}` : end.reason;
  const output = end.kind === 'failed' ? end.output.trimEnd().split('\n').slice(-20) : [];
  throw new RunnerError({
    code: 'GUARD_RED',
    message: `the guard is not green on the merged files, so nothing was merged: ${reason}`,
    details: output.filter((line) => line.trim() !== ''),
    hint: isSetupFailure(reason)
      ? `runner config get automation.setup, correct it on ${run.branch}, then: runner finish ${run.run_id}`
      : `runner update ${run.run_id}, fix it there, then: runner finish ${run.run_id}`,
  });
}

function requireCommit(
  { run_id, branch }: Tipped,
  made: { readonly kind: string; readonly commit?: string; readonly output?: string } | null,
): string {
  assert(made !== null, 'a green check makes a commit');
  if (made.commit !== undefined) return made.commit;
  const lines = (made.output ?? '').split('\n').filter((line) => line.trim() !== '');
  throw new RunnerError({
    code: 'GIT_HOOK',
    message: `a git hook refused the commit, so nothing was merged: ${lines[0] ?? ''}`,
    details: lines.slice(1, 20),
    hint: `git switch ${branch}, do what the hook asks for, commit it, then: runner finish ${run_id}`,
  });
}
