/**
 * Writes an outcome and commits it: state files, logs, one commit, meta.json last (§5.7, §8). All of it can be done again from the
 * journal, so a crash between any two lines leaves nothing half recorded.
 */
import { renderTree } from '../core/canonical-json.ts';
import { classifyChange, findMarks } from '../core/classifier.ts';
import { renderCommitMessage } from '../core/commit-message.ts';
import { failedRun } from '../core/guard-plan.ts';
import type { Outcome } from '../core/outcome-row.ts';
import type { GuardRun, IterationMeta } from '../core/session.ts';
import type { Config, Mode } from '../core/types.ts';
import type { CommitResult } from '../ports/git-manager.ts';
import type { Ports } from '../ports/ports.ts';
import type { EndedSession, StepOutcome } from './iteration.ts';

const diffBytesMax = 4 * 1024 * 1024;

export interface PersistRequest {
  readonly ended: EndedSession;
  readonly guard: GuardRun | null;
  /** Tree id of the work outside `.runner/` to commit; for a pass, the bytes the guard saw. */
  readonly workTree: string;
  readonly cutOffs: number;
  /** Set when a user hook has already refused this commit. */
  readonly hookOutput: string | null;
  /** The iteration's commit, when a crash came after it: only the logs are finished (§7). */
  readonly committed: string | null;
  /** Settings of the commit, when they are newer than the journal's. */
  readonly git: Config['git'] | null;
  readonly decideWith: (guard: GuardRun | null) => Outcome;
}

export async function persist(ports: Ports, request: PersistRequest): Promise<StepOutcome> {
  const { ended, hookOutput } = request;
  const { journal } = ended;
  const guard = hookOutput === null ? request.guard : guardAfterHook(request.guard, hookOutput);
  await ports.journal.save({
    ...journal,
    phase: 'persisting',
    session: ended.session,
    work_tree: request.workTree,
    guard: request.guard,
    cut_offs: request.cutOffs,
    hook_output: hookOutput,
  });
  ports.reporter.report({ type: 'phase', phase: 'commit' });
  const work: Work = { ended, guard, workTree: request.workTree, outcome: request.decideWith(guard) };
  if (request.committed === null) {
    await ports.controlFiles.restore({ commit: ended.commit, run_id: journal.run_id, iter: journal.iter });
    await saveState(ports, work.outcome, journal.node_id);
  }
  await saveLogs(ports, work);
  const facts = await describeChange(ports, work);
  const result = await commitOnce(ports, request, facts.message);
  if (result.kind === 'hook_refused') {
    ports.reporter.report({
      type: 'note',
      message: 'a git hook refused the commit; it is made without hooks',
    });
    const workTree = await ports.git.workTreeId();
    return persist(ports, { ...request, workTree, hookOutput: result.output });
  }
  await ports.logs.finish(renderMeta(ports, work, { facts, commit: result.commit }));
  await ports.journal.close();
  return report(ports, work, result.commit);
}

interface Work {
  readonly ended: EndedSession;
  readonly outcome: Outcome;
  readonly guard: GuardRun | null;
  readonly workTree: string;
}

async function commitOnce(ports: Ports, request: PersistRequest, message: string): Promise<CommitResult> {
  if (request.committed !== null) return { kind: 'committed', commit: request.committed };
  const { journal } = request.ended;
  const { run_id, iter, branch, baseline } = journal;
  const { head } = await ports.git.settle({ run_id, iter, branch, baseline });
  const git = request.git ?? journal.config.git;
  return ports.git.commit({
    branch,
    parent: head,
    work_tree: request.workTree,
    message,
    run_hooks: git.run_hooks && request.hookOutput === null,
    sign: git.sign,
  });
}

/** A hook speaks only against a pass; any other outcome keeps its own verdict (§5). */
function guardAfterHook(guard: GuardRun | null, output: string): GuardRun | null {
  if (guard?.end.kind !== 'passed') return guard;
  const { exit_code, log_sha256, duration_ms } = guard;
  return {
    ...failedRun('a git hook refused or changed the commit', output),
    exit_code,
    log_sha256,
    duration_ms,
  };
}

async function saveState(ports: Ports, outcome: Outcome, nodeId: string): Promise<void> {
  await ports.trees.save(outcome.tree);
  if (outcome.last.action === 'write') await ports.sidecars.saveLast(nodeId, outcome.last.record);
  for (const id of outcome.forgetLast) await ports.sidecars.removeLast(id);
  if (outcome.rejected.action === 'write') await ports.trees.saveRejected(outcome.rejected.text);
  if (outcome.rejected.action === 'remove') await ports.trees.removeRejected();
  await ports.runStates.save(outcome.runState);
}

async function saveLogs(ports: Ports, work: Work): Promise<void> {
  const { ended, outcome } = work;
  const { journal, session } = ended;
  await ports.logs.reopen({ run_id: journal.run_id, iter: journal.iter });
  if (session.answer.kind === 'text') await ports.logs.save('output.json', session.answer.text);
  if (outcome.errorLog !== null) await ports.logs.save(outcome.errorLog.file, outcome.errorLog.text);
  await ports.logs.save('tree.after.json', renderTree(outcome.tree));
  await ports.git.saveDiff({
    from: journal.baseline_tree,
    to: work.workTree,
    file: ports.logs.diffFile(),
    bytesMax: diffBytesMax,
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
  const changedPaths = await ports.git.changedPaths({ from: journal.baseline_tree, to: work.workTree });
  const before = ports.hasher.sha256(renderTree(ended.before));
  const after = ports.hasher.sha256(renderTree(outcome.tree));
  const mode = classifyChange({ purpose: journal.purpose, changedPaths, treeChanged: before !== after });
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
    changed_files: changedPaths.length,
    tokens: null,
    cost_usd: null,
    marks: [...outcome.marks, ...marks],
  });
  return { mode, changedFiles: changedPaths.length, before, after, message };
}

function renderMeta(
  ports: Ports,
  work: Work,
  made: { readonly facts: ChangeFacts; readonly commit: string },
): IterationMeta {
  const { facts } = made;
  const { ended, outcome, guard } = work;
  const { journal, session } = ended;
  const guardMs = guard?.duration_ms ?? 0;
  return {
    run_id: journal.run_id,
    iter: journal.iter,
    node_id: journal.node_id,
    node_path: journal.node_path,
    mode: facts.mode,
    status: outcome.status,
    guard: outcome.guard,
    agent: journal.agent,
    started_at: journal.started_at,
    ended_at: ports.clock.nowIso(),
    duration_ms: { agent: session.duration_ms, guard: guardMs, total: session.duration_ms + guardMs },
    tokens: null,
    cost_usd: null,
    exit_codes: { agent: session.exit_code, guard: guard?.exit_code ?? null },
    tree_sha256: { before: facts.before, after: facts.after },
    commit: made.commit,
    changed_files: facts.changedFiles,
    notes: session.notes,
    recovered: ended.recovered,
  };
}

function report(ports: Ports, work: Work, commit: string): StepOutcome {
  const { status, guard, message, stop } = work.outcome;
  const { run_id, iter, node_id, node_path } = work.ended.journal;
  ports.reporter.report({ type: 'iteration_ended', run_id, iter, node_id, status, guard, message });
  return {
    kind: 'recorded',
    record: { run_id, iter, node_id, node_path, status, guard, commit, message },
    stop,
  };
}
