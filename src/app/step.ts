/**
 * One iteration, top to bottom (§5). Decisions are pure code in core; this file is the order of effects. The journal is
 * written before every side effect, so a crash at any line is finished by recovery.
 */
import { renderContext } from '../core/context-pack.ts';
import { nodeRecord } from '../core/guard-plan.ts';
import { renderTree } from '../core/canonical-json.ts';
import { progressOf } from '../core/progress.ts';
import { renderPrompt } from '../core/prompt-pack.ts';
import { reviewConfig } from '../core/review.ts';
import { selectNext } from '../core/selector.ts';
import { readAgentTree } from '../core/tree-schema.ts';
import { reachedLimit } from '../core/usage.ts';
import { renderViolations } from '../core/verdict.ts';
import type { JournalBase, SessionFacts, SessionResult } from '../core/session.ts';
import type { LastRecord, Purpose, SelectedLeaf, SourceText } from '../core/types.ts';
import type { Ports } from '../ports/ports.ts';
import { collect } from './collect.ts';
import { conclude } from './conclude.ts';
import type { Ground, StepOutcome } from './iteration.ts';
import type { Baseline } from './preflight.ts';
import { preflight } from './preflight.ts';
import { runSessions } from './sessions.ts';

/** Contract: the lock is held and nothing is left to recover. `fresh`: the first iteration of this process (§1.6). */
export async function step(ports: Ports, options: { readonly fresh: boolean }): Promise<StepOutcome> {
  const checked = await preflight(ports);
  const baseline = options.fresh
    ? { ...checked, runState: { ...checked.runState, failures_in_a_row: 0 } }
    : checked;
  const { runId, config, runState, tree } = baseline;
  if (options.fresh) await reportPersonsTree(ports);
  const selection = selectNext({ tree, runState, onStuck: config.on_stuck });
  if (selection.kind === 'complete') return { kind: 'complete', run_id: runId };
  if (selection.kind === 'stuck') return { kind: 'stuck', run_id: runId, leaf: selection.leaf };
  const limit = checkLimits(baseline);
  if (limit !== null) return limit;
  const purpose: Purpose = selection.kind === 'repair' ? 'repair' : selection.purpose;
  const { ground, prompt } = await prepare(ports, { baseline, purpose, ...target(selection) });
  const { deadlineMs, session } = await runAgent(ports, ground, prompt);
  await ports.journal.save({ ...ground.journal, phase: 'ended', session });
  return conclude(ports, { ...ground, session }, { deadlineMs, cutOffs: 0 });
}

/** Passed nodes bind runner and agents; a tree that a person commits is the new baseline, and that is said (§1). */
async function reportPersonsTree(ports: Ports): Promise<void> {
  const subject = await ports.git.personsSubject('.runner/state/tree.json');
  if (subject === null) return;
  const message = `tree.json was changed by the commit "${subject}", not by the runner: it is the new baseline`;
  ports.reporter.report({ type: 'note', message });
}

/** Looked at before every iteration, against totals that are kept in the run state. */
function checkLimits(baseline: Baseline): StepOutcome | null {
  const { runId, runState, config } = baseline;
  if (runState.next_iter > config.max_iterations) {
    return {
      kind: 'limit',
      run_id: runId,
      next_iter: runState.next_iter,
      max_iterations: config.max_iterations,
    };
  }
  const reached = reachedLimit(config.limits, runState.totals);
  return reached === null ? null : { kind: 'run_limit', run_id: runId, ...reached };
}

/** A repair selects no leaf; it is recorded with the id of the leaf that caused it. */
function target(selection: Extract<ReturnType<typeof selectNext>, { kind: 'leaf' | 'repair' }>): {
  readonly leaf: SelectedLeaf | null;
  readonly nodeId: string;
} {
  if (selection.kind === 'leaf') return { leaf: selection.leaf, nodeId: selection.leaf.node.id };
  return { leaf: selection.leaf, nodeId: selection.repair.node_id };
}

interface Work {
  readonly baseline: Baseline;
  readonly purpose: Purpose;
  readonly leaf: SelectedLeaf | null;
  readonly nodeId: string;
}

async function prepare(
  ports: Ports,
  work: Work,
): Promise<{ readonly ground: Ground; readonly prompt: string }> {
  const { baseline, purpose, leaf, nodeId } = work;
  const { config, runState, runId } = baseline;
  const agent = await ports.executor.describe(config);
  const reviewer = reviewConfig(config);
  if (reviewer !== null) await ports.executor.describe(reviewer);
  await ports.guards.check(config);
  const last = await ports.sidecars.loadLast(nodeId);
  const prompt = await buildPrompt(ports, work, last);
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
  await ports.journal.save({ ...journal, phase: 'prepared' });
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

async function buildPrompt(ports: Ports, work: Work, last: LastRecord | null): Promise<string> {
  const { baseline, purpose, leaf, nodeId } = work;
  const { config, runState, tree } = baseline;
  const record = nodeRecord({ runState, nodeId, baselineTree: baseline.workTree });
  const rejected = await ports.trees.readRejected();
  return renderPrompt({
    purpose,
    budgetBytes: config.prompt_budget_bytes,
    goalBody: baseline.goalBody,
    tree,
    leaf,
    nodeContext: leaf === null ? '' : await ports.sidecars.loadContext(nodeId),
    last,
    memory: await ports.prompts.loadMemory(),
    guardCommand: config.guard.command,
    projectPrefix: baseline.prefix,
    repair:
      purpose === 'repair'
        ? {
            violations: whyRejected({ rejected, baseline, last }),
            rejected: rejected.kind === 'text' ? rejected.text : null,
          }
        : null,
    confirmEmptyChange: record.confirm_asked && record.base === baseline.workTree,
    guardBaseline: runState.guard_baseline,
  });
}

/** From the rejected text itself; one that was too large to keep left its violations in last.json (§5). */
function whyRejected(input: {
  readonly rejected: SourceText;
  readonly baseline: Baseline;
  readonly last: LastRecord | null;
}): string {
  const { rejected, baseline } = input;
  const reading = readAgentTree({
    source: rejected,
    before: baseline.tree,
    maxAttemptsDefault: baseline.config.max_attempts_default,
  });
  return rejected.kind === 'text' && reading.kind !== 'tree'
    ? renderViolations(reading.violations)
    : (input.last?.error ?? '');
}

/** Own process group, fresh session, one deadline that the guard shares (§5.4). */
async function runAgent(
  ports: Ports,
  ground: Ground,
  prompt: string,
): Promise<{ readonly deadlineMs: number; readonly session: SessionFacts }> {
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
    },
    deadlineMs: ports.clock.monotonicMs() + journal.config.iteration_timeout_secs * 1000,
    waitedMs: 0,
    tidy: async (result, spent) => {
      notes.push(...(await tidy(ports, ground, result)));
      await ports.journal.save({ ...journal, phase: 'agent', spent });
      await ports.logs.keepSession('agent');
    },
  });
  return { deadlineMs, session: await collect(ports, ground, { ...ended, notes }) };
}

/** Before a further session of the iteration: everything in order, tree.json as at B, other work stays (§5). */
async function tidy(ports: Ports, ground: Ground, result: SessionResult): Promise<readonly string[]> {
  const { baseline, prefix } = ground.journal;
  // Refusals and leftovers of all sessions are told once, after the last.
  const untold = { ...result, end: { kind: 'undone' } as const, denials: [], leftovers: [] };
  const left = { result: untold, sessions: 1, waited_secs: 0 };
  const { notes } = await collect(ports, ground, left);
  await ports.git.restorePaths({ commit: baseline, paths: [`${prefix}.runner/state/tree.json`] });
  return notes;
}
