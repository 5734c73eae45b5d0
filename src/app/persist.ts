/**
 * Writes an outcome and commits it: state files, logs, one commit, meta.json last (§5.7, §8). All of it can be done again from the
 * journal, so a crash between any two lines leaves nothing half recorded.
 */
import { renderTree } from '../core/tree/canonical-json.ts';
import { classifyChange, findMarks, isSameShape } from '../core/iteration/classifier.ts';
import { renderCommitMessage } from '../core/iteration/commit-message.ts';
import { diffBytesMax } from '../core/limits.ts';
import type { Outcome } from '../core/iteration/outcome-row.ts';
import { parseReview } from '../core/iteration/review.ts';
import type { GuardRun, IterationMeta, ReviewRun } from '../core/agents/session.ts';
import type { Mode } from '../core/types.ts';
import type { CommitResult } from '../ports/git-manager.ts';
import type { Ports } from '../ports/ports.ts';
import { alongside } from './alongside.ts';
import type { EndedSession, Findings } from './iteration.ts';

export interface Work {
  readonly ended: EndedSession;
  readonly outcome: Outcome;
  /** As it counts: a hook may have turned it. */
  readonly guard: GuardRun | null;
  readonly findings: Findings;
}

/** Contract: everything is recorded, or a user's hook refused and nothing is committed. */
export async function persist(ports: Ports, work: Work): Promise<CommitResult> {
  const { ended, findings } = work;
  const { journal } = ended;
  await ports.journal.save({
    ...journal,
    phase: 'persisting',
    session: ended.session,
    work_tree: findings.workTree,
    guard: findings.guard,
    review: findings.review,
    cut_offs: findings.cutOffs,
    hook_output: findings.hookOutput,
  });
  ports.reporter.report({ type: 'phase', phase: 'commit' });
  await ports.logs.reopen({ run_id: journal.run_id, iter: journal.iter });
  // git reads objects only, so it can do so while files are written.
  const diff = saveDiff(ports, work);
  diff.catch(() => undefined);
  if (findings.committed === null) {
    const { run_id, iter } = journal;
    if (!findings.isRestored) await ports.controlFiles.restore({ commit: ended.commit, run_id, iter });
    await saveState(ports, work.outcome, journal.node_id);
  }
  await saveLogs(ports, work);
  await diff;
  const facts = await describeChange(ports, work);
  // The disk can take the log while the commit is made.
  const synced = ports.logs.sync();
  const result = await alongside(commitOnce(ports, work, facts.message), synced);
  if (result.kind === 'hook_refused') return result;
  await ports.logs.finish(renderMeta(ports, work, { facts, commit: result.commit }));
  await ports.journal.close({ isRecorded: true });
  return result;
}

async function commitOnce(ports: Ports, work: Work, message: string): Promise<CommitResult> {
  const { ended, findings } = work;
  if (findings.committed !== null) return { kind: 'committed', commit: findings.committed };
  const git = findings.git ?? ended.journal.config.git;
  return ports.git.commit({
    branch: ended.journal.branch,
    parent: ended.session.head,
    work_tree: findings.workTree,
    message,
    run_hooks: git.run_hooks && findings.hookOutput === null,
    sign: git.sign,
    cookie: ended.journal.cookie,
  });
}

async function saveState(ports: Ports, outcome: Outcome, nodeId: string): Promise<void> {
  await ports.trees.save(outcome.tree);
  if (outcome.last.action === 'write') await ports.sidecars.saveLast(nodeId, outcome.last.record);
  for (const id of outcome.forgetLast) await ports.sidecars.removeLast(id);
  if (outcome.rejected.action === 'write') await ports.trees.saveRejected(outcome.rejected.text);
  if (outcome.rejected.action === 'remove') await ports.trees.removeRejected();
  await ports.runStates.save(outcome.runState);
}

async function saveLogs(ports: Ports, { ended, outcome }: Work): Promise<void> {
  const { session } = ended;
  if (session.answer.kind === 'text') await ports.logs.save('output.json', session.answer.text);
  if (outcome.errorLog !== null) await ports.logs.save(outcome.errorLog.file, outcome.errorLog.text);
  await ports.logs.save('tree.after.json', renderTree(outcome.tree));
}

async function saveDiff(ports: Ports, { ended, findings }: Work): Promise<void> {
  await ports.git.saveDiff({
    from: ended.journal.baseline_tree,
    to: findings.workTree,
    file: ports.logs.diffFile(),
    bytesMax: diffBytesMax,
    origin: { baseline: ended.journal.baseline, committed: findings.committed },
  });
}

interface ChangeFacts {
  readonly mode: Mode;
  readonly changedFiles: number;
  readonly before: string;
  readonly after: string;
  readonly message: string;
}

async function describeChange(ports: Ports, work: Work): Promise<ChangeFacts> {
  const { ended, outcome, guard } = work;
  const { journal } = ended;
  const changedPaths = await ports.git.changedPaths({
    from: journal.baseline_tree,
    to: work.findings.workTree,
  });
  const before = ports.hasher.sha256(renderTree(ended.before));
  const after = ports.hasher.sha256(renderTree(outcome.tree));
  const shapeChanged = !isSameShape({ before: ended.before, after: outcome.tree });
  const mode = classifyChange({ purpose: journal.purpose, changedPaths, treeChanged: shapeChanged });
  const marks = findMarks({
    changedPaths,
    prefix: journal.prefix,
    guardCommand: journal.config.guard.command,
  });
  const message = renderCommitMessage({
    run_id: journal.run_id,
    iter: journal.iter,
    node_id: journal.node_id,
    status: outcome.status,
    guard: outcome.guard,
    agent: journal.agent,
    mode,
    prompt_sha256: journal.prompt_sha256,
    tree_sha256: { before, after },
    guard_command: journal.config.guard.command,
    guard_exit: guard?.exit_code ?? null,
    guard_log_sha256: guard?.log_sha256 ?? null,
    review: renderReview(work.findings.review),
    changed_files: changedPaths.length,
    spent: outcome.spent,
    marks: [...outcome.marks, ...marks],
  });
  return { mode, changedFiles: changedPaths.length, before, after, message };
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
  const { facts } = made;
  const { ended, outcome, guard } = work;
  const { journal, session } = ended;
  const { review } = work.findings;
  const guardMs = guard?.duration_ms ?? 0;
  const reviewMs = review?.duration_ms ?? 0;
  return {
    run_id: journal.run_id,
    iter: journal.iter,
    node_id: journal.node_id,
    node_path: journal.node_path,
    mode: facts.mode,
    status: outcome.status,
    guard: outcome.guard,
    agent: journal.agent,
    review: renderReview(review),
    started_at: journal.started_at,
    ended_at: ports.clock.nowIso(),
    duration_ms: {
      agent: session.duration_ms,
      guard: guardMs,
      review: reviewMs,
      total: session.duration_ms + guardMs + reviewMs,
    },
    ...outcome.spent.iteration,
    totals: { node: outcome.spent.node, run: outcome.spent.run },
    failure: outcome.failure,
    sessions: session.sessions,
    waited_secs: session.waited_secs + (review?.waited_secs ?? 0),
    exit_codes: { agent: session.exit_code, guard: guard?.exit_code ?? null },
    tree_sha256: { before: facts.before, after: facts.after },
    commit: made.commit,
    changed_files: facts.changedFiles,
    notes: session.notes,
    recovered: ended.recovered,
  };
}
