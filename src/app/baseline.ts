/**
 * Runs the guard once before a run begins (§11) and leaves everything as it was: branch, files and `.runner/`; files that the
 * guard made or changed are kept first. A failing guard never fails `start`, and the next command undoes a crash in between.
 */
import { renderArgv } from '../core/text/argv-text.ts';
import {
  baselineIter,
  isRuleFile,
  judgeBaseline,
  renderBaselineWarnings,
  renderCloneWarning,
  renderNotFound,
  renderPutBack,
  selectPutBack,
} from '../core/iteration/baseline.ts';
import { decideCheckout } from '../core/iteration/checkout-plan.ts';
import type { CloneEnd } from '../core/guard/clone-verdict.ts';
import { renderWay, renderWayWarning, selectNextWay, selectWay } from '../core/config/in-force.ts';
import type { GuardWay, TriedWay } from '../core/config/in-force.ts';
import { assert, RunnerError } from '../core/errors.ts';
import type { BaselineJournal, GuardRun } from '../core/agents/session.ts';
import type { Config, RunState } from '../core/types.ts';
import type { RefTip } from '../ports/git.ts';
import type { Ports } from '../ports/ports.ts';
import { checkInClone } from './judge-clone.ts';

export interface BaselineGround {
  readonly run_id: string;
  /** What is checked out now, and where it points. */
  readonly branch: string;
  readonly head: string;
  /** As it is in force, but for the guard: which of the ways it runs is what this finds out. */
  readonly config: Config;
  readonly ways: readonly GuardWay[];
  readonly root_id: string;
}

export interface BaselineOutcome {
  readonly guard_baseline: RunState['guard_baseline'];
  readonly guard_checkout: RunState['guard_checkout'];
  /** How the guard runs from now on. */
  readonly way: GuardWay;
  readonly warnings: readonly string[];
}

/** Contract: outside `.runner/` the work tree is clean. */
export async function runBaseline(ports: Ports, ground: BaselineGround): Promise<BaselineOutcome> {
  const { ways, run_id } = ground;
  const missing = await findMissing(ports, withWay(ground.config, selectWay(ways, [])));
  if (missing !== null) {
    ports.reporter.report({ type: 'baseline_ended', result: 'not found', message: missing.message });
    return {
      guard_baseline: 'not_found',
      guard_checkout: null,
      way: selectWay(ways, []),
      warnings: [renderNotFound(`${missing.message} (${missing.hint})`)],
    };
  }
  await ports.git.remember();
  const entry = await openEntry(ports, ground);
  const refs = await ports.git.listRefs();
  const back = { isAfterCrash: false, refs };
  const { run, tried, kept: first } = await tryWays(ports, ground, { entry, back });
  const way = selectWay(ways, tried);
  const config = withWay(ground.config, way);
  const isGreen = tried.some((one) => one.isGreen);
  const clone = isGreen ? await checkClone(ports, { ...ground, config }, entry) : null;
  const kept = clone === null ? first : [...first, ...(await putBack(ports, entry, back))];
  await ports.git.releaseWork(entry.run_id);
  await ports.journal.close();
  if (ports.interrupts.current() !== null) {
    for (const message of kept) ports.reporter.report({ type: 'note', message });
    return { guard_baseline: null, guard_checkout: null, way: selectWay(ways, []), warnings: [] };
  }
  const verdict = judgeBaseline(run.end, config);
  const result = verdict.result?.replace('_', ' ') ?? 'skipped';
  ports.reporter.report({ type: 'baseline_ended', result, message: verdict.reason });
  return {
    guard_baseline: verdict.result,
    guard_checkout: clone === null ? null : decideFor(ports, config, clone),
    way,
    warnings: [
      ...[renderWayWarning(ways, tried)].filter((text) => text !== null),
      ...renderBaselineWarnings({ verdict, run, config, run_id }),
      ...(clone === null || clone.kind === 'passed' ? [] : [renderCloneWarning(clone, { config, run_id })]),
      ...kept,
    ],
  };
}

function withWay(config: Config, way: GuardWay): Config {
  return { ...config, sandbox: { ...config.sandbox, ...way } };
}

interface Tried {
  /** The one that counts: green if any of them was. */
  readonly run: GuardRun;
  readonly tried: readonly TriedWay[];
  readonly kept: readonly string[];
}

/** The guard in its ways, until it is known which is the safest that is green (§13.8). */
async function tryWays(
  ports: Ports,
  ground: BaselineGround,
  { entry, back }: { readonly entry: BaselineJournal; readonly back: Parameters<typeof putBack>[2] },
): Promise<Tried> {
  const { ways } = ground;
  const tried: TriedWay[] = [];
  const kept: string[] = [];
  const runs: GuardRun[] = [];
  for (let way = selectNextWay(ways, tried); way !== null; way = selectNextWay(ways, tried)) {
    if (tried.length > 0)
      ports.reporter.report({ type: 'note', message: `trying the guard ${renderWay(way)}` });
    const run = await runGuard(ports, { ...ground, config: withWay(ground.config, way) }, entry);
    kept.push(...(await putBack(ports, entry, back)));
    runs.push(run);
    tried.push({ way, isGreen: run.end.kind === 'passed' });
    if (run.end.kind === 'interrupted' || ports.interrupts.current() !== null) break;
  }
  const run = runs.find(({ end }) => end.kind === 'passed') ?? runs.at(-1);
  assert(run !== undefined, 'there is at least one way');
  return { run, tried, kept };
}

type CloneFound = Exclude<CloneEnd, { kind: 'interrupted' }>;

/** The same in a fresh clone (§14), so that a guard that needs more than the commit is known before an agent is blamed. */
async function checkClone(
  ports: Ports,
  ground: BaselineGround,
  entry: BaselineJournal,
): Promise<CloneFound | null> {
  const { config, run_id, branch, head } = ground;
  if (config.guard.checkout === 'off' || ports.interrupts.current() !== null) return null;
  ports.reporter.report({ type: 'note', message: 'checking in a fresh clone (Ctrl-C skips it)' });
  ports.reporter.report({ type: 'phase', phase: 'guard' });
  const endSkip = ports.interrupts.allowSkip();
  try {
    const { end } = await checkInClone(ports, {
      run_id,
      iter: baselineIter,
      node_id: ground.root_id,
      cookie: entry.cookie,
      config,
      branch,
      baseline: head,
      work_tree: await ports.git.workTreeId(),
      log: 'guard.clone.log',
    });
    return end.kind === 'interrupted' ? null : end;
  } finally {
    endSkip();
  }
}

function decideFor(ports: Ports, config: Config, end: CloneFound): RunState['guard_checkout'] {
  if (config.guard.checkout !== 'auto') return null;
  return decideCheckout(end, { config, sha256: ports.hasher.sha256 });
}

async function findMissing(ports: Ports, config: Config): Promise<RunnerError | null> {
  try {
    await ports.guards.check(config);
    return null;
  } catch (error) {
    if (error instanceof RunnerError && error.code === 'GUARD_MISSING') return error;
    throw error;
  }
}

async function openEntry(ports: Ports, ground: BaselineGround): Promise<BaselineJournal> {
  const { run_id, branch, head } = ground;
  await ports.logs.begin({ run_id, iter: baselineIter });
  const wholeTree = await ports.git.wholeTreeId();
  await ports.git.holdWork({ run_id, workTree: wholeTree });
  const entry: BaselineJournal = {
    version: 1,
    kind: 'baseline',
    run_id,
    branch,
    head,
    prefix: (await ports.git.locate()).prefix,
    cookie: ports.hasher.cookie(),
    whole_tree: wholeTree,
  };
  await ports.journal.save(entry);
  return entry;
}

async function runGuard(ports: Ports, ground: BaselineGround, entry: BaselineJournal): Promise<GuardRun> {
  const { config, run_id } = ground;
  const budget_ms = config.iteration_timeout_secs * 1000;
  const command = renderArgv(config.guard.command);
  ports.reporter.report({ type: 'baseline_started', command, budget_ms });
  ports.reporter.report({ type: 'phase', phase: 'guard' });
  const endSkip = ports.interrupts.allowSkip();
  try {
    return await ports.guards.run({
      run_id,
      iter: baselineIter,
      node_id: ground.root_id,
      cookie: entry.cookie,
      deadlineMs: ports.clock.monotonicMs() + budget_ms,
      config,
      onActivity: ({ line }) => ports.reporter.report({ type: 'activity', source: 'guard', line }),
    });
  } finally {
    endSkip();
  }
}

/**
 * Contract: the guard's processes have been ended. A branch that has moved since the crash may be a person's doing: then everything is
 * left as found, and `start` says what is in its way.
 */
export async function undoBaseline(ports: Ports, entry: BaselineJournal): Promise<void> {
  const { head, branch } = await ports.git.snapshot();
  const isMoved = head !== entry.head || branch !== entry.branch;
  const kept = isMoved ? [] : await putBack(ports, entry, { isAfterCrash: true, refs: null });
  await ports.git.releaseWork(entry.run_id);
  await ports.journal.close();
  const done = isMoved ? 'HEAD has moved since then, so everything is left as found' : 'it was undone';
  const messages = [`runner start was cut off while the guard ran; ${done}`, ...kept];
  for (const message of messages) ports.reporter.report({ type: 'note', message });
}

/** Returns what people should know of it. Can be done again after a crash at any point. */
async function putBack(
  ports: Ports,
  entry: BaselineJournal,
  {
    isAfterCrash,
    refs: refsBefore,
  }: { readonly isAfterCrash: boolean; readonly refs: readonly RefTip[] | null },
): Promise<readonly string[]> {
  const { run_id, branch, head, whole_tree, prefix } = entry;
  const place = { run_id, iter: baselineIter };
  const ours = `${prefix}.runner/`;
  const where = { ...place, branch, baseline: head };
  const moved = await ports.git.settle({ ...where, refs_before: refsBefore, exact: true });
  const ruled = await putBackRules(ports, entry, ours);
  const nested = await ports.git.settle({ ...where, refs_before: moved.refs });
  const notes = [...moved.notes, ...nested.notes].map((note) => `after the guard: ${note}`);
  const texts = [...notes, ...ruled];
  const done = new Set<string>();
  const refs = new Set<string>();
  // One round puts everything back; the next finds what was hidden before, or cannot be put back.
  for (;;) {
    const now = await ports.git.wholeTreeId();
    if (now === whole_tree && done.size === 0) return texts;
    const before = await ports.git.listPaths(whole_tree);
    const after = await ports.git.listPaths(now);
    const changed = await ports.git.changedPaths({ from: whole_tree, to: now, whole: true });
    const paths = selectPutBack({ changed, before, after, ours, isAfterCrash });
    if (paths.every((path) => done.has(path))) {
      return [
        ...texts,
        ...renderPutBack({
          paths: [...done].filter((path) => !paths.includes(path)),
          left: paths,
          before,
          ours,
          kept: [...refs].join(', '),
          prefix,
        }),
      ];
    }
    refs.add(await ports.git.rescueWork({ ...place, parent: head }));
    await ports.git.restorePaths({ commit: whole_tree, paths });
    for (const path of paths) done.add(path);
  }
}

/** With the original rules restored, git can tell new files from ignored ones, which must not be touched. */
async function putBackRules(ports: Ports, entry: BaselineJournal, ours: string): Promise<readonly string[]> {
  const { run_id, whole_tree } = entry;
  const { dirty } = await ports.git.snapshot();
  const paths = dirty.map(({ path }) => path).filter((path) => isRuleFile(path) && !path.startsWith(ours));
  if (paths.length === 0) return [];
  await ports.controlFiles.keep({ run_id, iter: baselineIter, paths });
  await ports.git.restorePaths({ commit: whole_tree, paths });
  const folder = `.runner/iterations/${run_id}/${baselineIter}/kept`;
  return [`the guard changed ${paths.join(', ')}: put back, its version is kept in ${folder}`];
}
