/**
 * Turns what was found into the outcome and records it: state files, logs, one commit, meta.json last (§5.7, §8). All of it can be done
 * again from the journal, so a crash between any two lines leaves nothing half recorded.
 */
import type { GuardRun, IterationMeta, ReviewRun } from '../core/agents/session.ts';
import { classifyChange, findMarks, isSameShape } from '../core/iteration/classifier.ts';
import { renderCommitMessage } from '../core/iteration/commit-message.ts';
import { decidedFiles } from '../core/iteration/decided-files.ts';
import { guardAfterHook } from '../core/iteration/guard-plan.ts';
import type { Outcome } from '../core/iteration/outcome-row.ts';
import { decide } from '../core/iteration/outcome.ts';
import { parseReview } from '../core/iteration/review.ts';
import { renderProcesses, renderRings, ringsOf } from '../core/iteration/rings.ts';
import type { Rings } from '../core/iteration/rings.ts';
import { selectToolFiles } from '../core/guard/tool-files.ts';
import type { Judgement } from '../core/iteration/verdict.ts';
import { diffBytesMax, toolFilesMax } from '../core/limits.ts';
import { renderTree } from '../core/tree/canonical-json.ts';
import { progressOf } from '../core/tree/progress.ts';
import { titleIn } from '../core/tree/tree-walk.ts';
import type { Mode } from '../core/types.ts';
import type { CommitResult, DecidedFiles } from '../ports/git.ts';
import type { Ports } from '../ports/ports.ts';
import { recordOf } from './check-work.ts';
import type { EndedSession, StepOutcome, StepRecord } from './iteration.ts';
import { keepChange } from './keep-change.ts';
import { loadRatchetFacts } from './ratchet.ts';
import type { RatchetFacts } from './ratchet.ts';

/** Everything that is known of an iteration when it is recorded. */
export interface Findings {
  readonly ended: EndedSession;
  /** Null: the session did not end by itself. */
  readonly judgement: Judgement | null;
  readonly guard: GuardRun | null;
  readonly review: ReviewRun | null;
  readonly cutOffs: number;
  /** Set when a user hook has refused this commit: it is made without hooks. */
  readonly hookOutput: string | null;
  /** The iteration's commit, when a crash came after it: only the logs are finished (§7). */
  readonly committed: string | null;
}

export async function persist(ports: Ports, findings: Findings): Promise<StepOutcome> {
  const { hookOutput } = findings;
  const guard = hookOutput === null ? findings.guard : guardAfterHook(findings.guard, hookOutput);
  const decided = outcomeOf(ports, { ...findings, guard });
  const { ended, committed } = findings;
  const ratchet = await loadRatchetFacts(ports, ended, {
    tree: committed ?? ended.workTree,
    passed: decided.guard === 'pass',
  });
  const outcome = { ...decided, runState: { ...decided.runState, ratchet: ratchet.references } };
  const result = await save(ports, { ...findings, outcome, guard, ratchet });
  if (result.kind === 'hook_refused') {
    const message = 'a git hook refused the commit; it is made without hooks';
    ports.reporter.report({ type: 'note', message });
    const now = { ...findings.ended, workTree: await ports.git.workTreeId() };
    const kept = await keepChange(ports, now, { by: 'a hook', from: findings.ended.workTree });
    return persist(ports, { ...findings, ended: kept, hookOutput: result.output });
  }
  const record = recordOfIteration({ ...findings, outcome, guard, ratchet }, result.commit);
  ports.reporter.report({ type: 'iteration_ended', record, progress: progressOf(outcome.tree) });
  return { kind: 'recorded', record, stop: outcome.stop };
}

function outcomeOf(ports: Ports, { ended, judgement, guard, review }: Findings): Outcome {
  const { journal, session } = ended;
  const ms = session.duration_ms + (guard?.duration_ms ?? 0) + (review?.duration_ms ?? 0);
  return decide({
    purpose: journal.purpose,
    iter: journal.iter,
    nodeId: journal.node_id,
    before: ended.before,
    runState: journal.run_state,
    last: ended.last,
    config: journal.config,
    session,
    judgement,
    record: recordOf(ended),
    workTree: ended.workTree,
    guard,
    review,
    seconds: ms / 1000,
    sha256: (text) => ports.hasher.sha256(text),
  });
}

interface Work extends Findings {
  readonly outcome: Outcome;
  readonly ratchet: RatchetFacts;
}

/** Contract: everything is recorded, or a user's hook refused and nothing is committed. */
async function save(ports: Ports, work: Work): Promise<CommitResult> {
  const { ended, guard, review, outcome, committed } = work;
  const { journal, session, workTree } = ended;
  const { run_id, iter } = journal;
  await ports.journal.save({
    ...journal,
    phase: 'persisting',
    session,
    work_tree: workTree,
    guard,
    review,
    cut_offs: work.cutOffs,
    control: ended.commit,
  });
  ports.reporter.report({ type: 'phase', phase: 'commit' });
  await ports.logs.reopen({ run_id, iter });
  const files = decidedFiles(outcome, journal.node_id);
  if (committed === null) {
    await ports.controlFiles.restore({ commit: ended.commit, run_id, iter });
    await saveFiles(ports, files);
  }
  const changedPaths = await saveLogs(ports, work);
  const facts = describeChange(ports, work, changedPaths);
  await ports.logs.sync();
  const result = await commitOnce(ports, work, { files, message: facts.message });
  if (result.kind === 'hook_refused') return result;
  await ports.logs.finish(renderMeta(ports, work, { facts, commit: result.commit }));
  await ports.journal.close();
  return result;
}

async function saveFiles(ports: Ports, files: DecidedFiles): Promise<void> {
  for (const [path, text] of Object.entries(files))
    await (text === null ? ports.workspace.remove(path) : ports.workspace.save(path, text));
}

async function commitOnce(
  ports: Ports,
  { ended, guard, committed, hookOutput }: Work,
  made: { readonly files: DecidedFiles; readonly message: string },
): Promise<CommitResult> {
  if (committed !== null) return { kind: 'committed', commit: committed };
  const { journal, session } = ended;
  const { git } = journal.config;
  return ports.git.commit({
    run_id: journal.run_id,
    is_held: guard !== null || ended.recovered,
    branch: journal.branch,
    parent: session.head,
    work_tree: ended.workTree,
    control: ended.commit,
    ...made,
    run_hooks: git.run_hooks && hookOutput === null,
    sign: git.sign,
    cookie: journal.cookie,
  });
}

/** Returns the paths that the work changed. */
async function saveLogs(ports: Ports, { ended, outcome, committed }: Work): Promise<readonly string[]> {
  const { session, journal } = ended;
  if (session.answer.kind === 'text') await ports.logs.save('output.json', session.answer.text);
  if (outcome.errorLog !== null) await ports.logs.save(outcome.errorLog.file, outcome.errorLog.text);
  await ports.logs.save('tree.after.json', renderTree(outcome.tree));
  const file = ports.logs.diffFile();
  // The commit itself, once it is made: nothing else keeps the tree of the work.
  const to = committed ?? ended.workTree;
  const { paths } = await ports.git.saveDiff({ from: journal.baseline, to, file, bytesMax: diffBytesMax });
  return paths;
}

/** What its parts took. */
function timesOf({ ended: { session }, guard, review }: Findings): StepRecord['duration_ms'] {
  return { agent: session.duration_ms, guard: guard?.duration_ms ?? 0, review: review?.duration_ms ?? 0 };
}

function recordOfIteration(work: Work, commit: string): StepRecord {
  const { ended, review, outcome } = work;
  const { journal, session } = ended;
  const { run_id, iter, node_id, node_path } = journal;
  return {
    run_id,
    iter,
    node_id,
    node_path,
    title: titleIn(ended.before, journal.node_id),
    status: outcome.status,
    guard: outcome.guard,
    commit,
    message: outcome.message,
    ...outcome.spent.iteration,
    failure: outcome.failure,
    duration_ms: timesOf(work),
    waited_secs: session.waited_secs + (review?.waited_secs ?? 0),
  };
}

interface ChangeFacts {
  readonly mode: Mode;
  readonly changedFiles: number;
  readonly toolFiles: readonly string[];
  readonly rings: Rings;
  readonly before: string;
  readonly after: string;
  readonly message: string;
}

function describeChange(ports: Ports, work: Work, changedPaths: readonly string[]): ChangeFacts {
  const { ended, outcome, guard } = work;
  const { journal, session } = ended;
  const sha256 = (text: string): string => ports.hasher.sha256(text);
  const before = sha256(renderTree(ended.before));
  const after = sha256(renderTree(outcome.tree));
  const shapeChanged = !isSameShape({ before: ended.before, after: outcome.tree });
  const mode = classifyChange({ purpose: journal.purpose, changedPaths, treeChanged: shapeChanged });
  const marks = findMarks({
    changedPaths,
    prefix: journal.prefix,
    guardCommand: journal.config.guard.command,
    guardFiles: work.ratchet.changed,
  });
  const toolFiles = selectToolFiles(changedPaths);
  const rings = ringsOf({ config: journal.config, runState: outcome.runState, sha256 });
  const message = renderCommitMessage({
    run_id: journal.run_id,
    iter: journal.iter,
    node_id: journal.node_id,
    title: titleIn(ended.before, journal.node_id),
    status: outcome.status,
    guard: outcome.guard,
    baseline: journal.baseline,
    control: ended.commit,
    outcome: outcome.name,
    agent: journal.agent,
    mode,
    prompt_sha256: journal.prompt_sha256,
    answer_sha256: session.answer.kind === 'text' ? sha256(session.answer.text) : null,
    tree_sha256: { before, after },
    guard_command: journal.config.guard.command,
    guard_exit: guard?.exit_code ?? null,
    guard_log_sha256: guard?.log_sha256 ?? null,
    counterfactual: guard?.counterfactual ?? null,
    review: renderReview(work.review),
    rings: renderRings(rings),
    settings: ports.configs.overrides(),
    work_tree: ended.workTree,
    changed_files: changedPaths.length,
    tool_files: toolFiles,
    spent: outcome.spent,
    marks: [...outcome.marks, ...marks],
  });
  return { mode, changedFiles: changedPaths.length, toolFiles, rings, before, after, message };
}

function renderReview(review: ReviewRun | null): IterationMeta['review'] {
  if (review === null) return null;
  // What a reviewer had written before it crashed, or was ended, is no verdict.
  const parsed = parseReview(review.end.kind === 'exited' ? review.answer : { kind: 'missing' });
  return { agent: review.agent, verdict: parsed.ok ? parsed.output.verdict : null };
}

function renderMeta(
  ports: Ports,
  work: Work,
  made: { readonly facts: ChangeFacts; readonly commit: string },
): IterationMeta {
  const { ended, outcome, guard, review } = work;
  const { facts } = made;
  const { journal, session } = ended;
  const times = timesOf(work);
  return {
    run_id: journal.run_id,
    iter: journal.iter,
    node_id: journal.node_id,
    node_path: journal.node_path,
    title: titleIn(ended.before, journal.node_id),
    mode: facts.mode,
    status: outcome.status,
    guard: outcome.guard,
    outcome: outcome.name,
    agent: journal.agent,
    review: renderReview(review),
    started_at: journal.started_at,
    ended_at: ports.clock.nowIso(),
    duration_ms: { ...times, total: times.agent + times.guard + times.review },
    ...outcome.spent.iteration,
    totals: { node: outcome.spent.node, run: outcome.spent.run },
    failure: outcome.failure,
    sessions: session.sessions,
    waited_secs: session.waited_secs + (review?.waited_secs ?? 0),
    task_sha256: journal.task_sha256,
    prompt_cut: journal.prompt_cut,
    rings: facts.rings,
    counterfactual: guard?.counterfactual ?? null,
    exit_codes: { agent: session.exit_code, guard: guard?.exit_code ?? null },
    tree_sha256: { before: facts.before, after: facts.after },
    commit: made.commit,
    changed_files: facts.changedFiles,
    tool_files: facts.toolFiles.slice(0, toolFilesMax),
    processes: renderProcesses(facts.rings),
    notes: session.notes,
    recovered: ended.recovered,
  };
}
