/**
 * One iteration, top to bottom (§5). Decisions are pure code in core; this file is the order of effects. The journal is
 * written before every side effect, so a crash at any line is finished by recovery.
 */
import { renderContext } from '../core/prompt/context-pack.ts';
import { renderTree } from '../core/tree/canonical-json.ts';
import { progressOf } from '../core/tree/progress.ts';
import { reviewConfig } from '../core/iteration/review.ts';
import type { JournalBase, SessionResult } from '../core/agents/session.ts';
import type { Ports } from '../ports/ports.ts';
import { collect } from './collect.ts';
import type { Collected } from './collect.ts';
import { conclude } from './conclude.ts';
import type { Ground, StepOutcome } from './iteration.ts';
import { planNext } from './plan.ts';
import type { Work } from './plan.ts';
import type { Baseline } from './preflight.ts';
import { preflight } from './preflight.ts';
import { buildPrompt } from './prompt.ts';
import { runSessions } from './sessions.ts';

/** Contract: the lock is held and nothing is left to recover. `fresh`: the first iteration of this process (§1.6). */
export async function step(ports: Ports, options: { readonly fresh: boolean }): Promise<StepOutcome> {
  const checked = await preflight(ports);
  const baseline = options.fresh
    ? { ...checked, runState: { ...checked.runState, failures_in_a_row: 0 } }
    : checked;
  if (options.fresh) await reportPersonsTree(ports);
  const plan = planNext(baseline);
  if (plan.kind !== 'work') return plan;
  const { ground, prompt } = await prepare(ports, { baseline, ...plan.work });
  const { deadlineMs, session, workTree } = await runAgent(ports, ground, prompt);
  // The entry of the guard, or of the record, comes next, and nothing but judgement before it.
  await ports.journal.save({ ...ground.journal, phase: 'ended', session }, { isFollowed: true });
  return conclude(ports, { ...ground, session }, { deadlineMs, cutOffs: 0, workTree });
}

/** Passed nodes bind runner and agents; a tree that a person commits is the new baseline, and that is said (§1). */
async function reportPersonsTree(ports: Ports): Promise<void> {
  const subject = await ports.git.personsSubject('.runner/state/tree.json');
  if (subject === null) return;
  const message = `tree.json was changed by the commit "${subject}" since the last iteration: it is the new baseline`;
  ports.reporter.report({ type: 'note', message });
}

interface Prepared extends Work {
  readonly baseline: Baseline;
}

async function prepare(
  ports: Ports,
  work: Prepared,
): Promise<{ readonly ground: Ground; readonly prompt: string }> {
  const { baseline, purpose, leaf, nodeId } = work;
  const { config, runState, runId } = baseline;
  const agent = await ports.executor.describe(config);
  const reviewer = reviewConfig(config);
  if (reviewer !== null) await ports.executor.describe(reviewer);
  await ports.guards.check(config);
  const isAt = async (workTree: string): Promise<boolean> => workTree === baseline.workTree;
  const { text: prompt, last } = await buildPrompt(ports, { ground: { ...baseline, isAt }, work });
  const iter = runState.next_iter;
  await ports.contexts.save(renderContext({ leaf, last }));
  await ports.logs.begin({ run_id: runId, iter });
  await ports.logs.save('prompt.md', prompt);
  await ports.logs.save('tree.before.json', renderTree(baseline.tree));
  const journal: JournalBase = {
    version: 1,
    kind: 'iteration',
    run_id: runId,
    iter,
    node_id: nodeId,
    node_path: leaf === null ? nodeId : leaf.path,
    purpose,
    branch: baseline.branch,
    baseline: baseline.commit,
    baseline_tree: baseline.workTree,
    prefix: baseline.prefix,
    cookie: ports.hasher.cookie(),
    config,
    run_state: runState,
    agent,
    started_at: ports.clock.nowIso(),
    prompt_sha256: ports.hasher.sha256(prompt),
    dirty_submodules_before: baseline.dirtySubmodules,
  };
  ports.reporter.report({
    type: 'iteration_started',
    run_id: runId,
    iter,
    node_id: nodeId,
    node_path: journal.node_path,
    title: leaf?.node.title ?? '',
    attempts: leaf?.node.attempts ?? null,
    max_attempts: leaf?.node.max_attempts ?? null,
    max_iterations: config.max_iterations,
    purpose,
    agent,
    credential: await ports.executor.describeCredential(config),
    budget_ms: config.iteration_timeout_secs * 1000,
    progress: progressOf(baseline.tree),
    totals: { tokens: runState.totals.tokens, cost_usd: runState.totals.cost_usd },
  });
  const ground = { journal, commit: baseline.commit, before: baseline.tree, last, recovered: false };
  return { ground, prompt };
}

/** Own process group, fresh session, one deadline that the guard shares (§5.4). */
async function runAgent(
  ports: Ports,
  ground: Ground,
  prompt: string,
): Promise<Collected & { readonly deadlineMs: number }> {
  const { journal } = ground;
  const notes: string[] = [];
  await ports.journal.save({ ...journal, phase: 'agent' });
  ports.reporter.report({ type: 'phase', phase: 'agent' });
  const { deadlineMs, ...ended } = await runSessions(ports, {
    session: {
      role: 'agent',
      run_id: journal.run_id,
      iter: journal.iter,
      node_id: journal.node_id,
      prompt,
      judged_sessions: journal.run_state.judged_sessions,
      cookie: journal.cookie,
      config: journal.config,
      onQuiet: () => ports.git.expectWork(),
    },
    deadlineMs: ports.clock.monotonicMs() + journal.config.iteration_timeout_secs * 1000,
    waitedMs: 0,
    tidy: async (result, spent) => {
      notes.push(...(await tidy(ports, ground, result)));
      await ports.journal.save({ ...journal, phase: 'agent', spent });
      await ports.logs.keepSession('agent');
    },
  });
  return { deadlineMs, ...(await collect(ports, ground, { ...ended, notes })) };
}

/** Before a further session of the iteration: everything in order, tree.json as at B, other work stays (§5). */
async function tidy(ports: Ports, ground: Ground, result: SessionResult): Promise<readonly string[]> {
  const { baseline, prefix } = ground.journal;
  // Refusals and leftovers of all sessions are told once, after the last.
  const untold = { ...result, end: { kind: 'undone' } as const, denials: [], leftovers: [] };
  const left = { result: untold, sessions: 1, waited_secs: 0 };
  const { session } = await collect(ports, ground, left);
  await ports.git.restorePaths({ commit: baseline, paths: [`${prefix}.runner/state/tree.json`] });
  return session.notes;
}
