/**
 * Turns what was found into the outcome and records it: state files, logs, one commit, meta.json last (§5.7, §8). All of it can be done
 * again from the journal, so a crash between any two lines leaves nothing half recorded.
 */
import type { GuardRun, ReviewRun } from '../core/agents/session.ts';
import { decidedFiles } from '../core/iteration/decided-files.ts';
import { guardAfterHook, recordOf } from '../core/iteration/guard-plan.ts';
import { describeChange, iterationMeta, iterationRecord } from '../core/iteration/iteration-record.ts';
import type { Outcome } from '../core/iteration/outcome-row.ts';
import { decide } from '../core/iteration/outcome.ts';
import type { Judgement } from '../core/iteration/verdict.ts';
import { diffBytesMax } from '../core/limits.ts';
import { renderTree } from '../core/tree/canonical-json.ts';
import { progressOf } from '../core/tree/progress.ts';
import type { CommitResult, DecidedFiles } from '../ports/git.ts';
import type { Ports } from '../ports/ports.ts';
import type { EndedSession, StepOutcome } from './iteration.ts';
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
  const record = iterationRecord({ ended, outcome, guard, review: findings.review }, result.commit);
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
    record: recordOf(journal),
    workTree: ended.workTree,
    guard,
    review,
    seconds: ms / 1000,
    sha256: ports.hasher.sha256,
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
  const facts = describeChange(work, {
    changedPaths,
    guardFiles: work.ratchet.changed,
    settings: ports.configs.overrides(),
    sha256: ports.hasher.sha256,
  });
  await ports.logs.sync();
  const result = await commitOnce(ports, work, { files, message: facts.message });
  if (result.kind === 'hook_refused') return result;
  const endedAt = ports.clock.nowIso();
  await ports.logs.finish(iterationMeta(work, { facts, commit: result.commit, endedAt }));
  await ports.journal.close();
  return result;
}

async function saveFiles(ports: Ports, files: DecidedFiles): Promise<void> {
  for (const [path, text] of Object.entries(files))
    await (text === null ? ports.workspace.remove(path) : ports.workspace.save(path, text));
}

async function commitOnce(
  ports: Ports,
  { ended, guard, outcome, committed, hookOutput }: Work,
  made: { readonly files: DecidedFiles; readonly message: string },
): Promise<CommitResult> {
  if (committed !== null) return { kind: 'committed', commit: committed };
  const { journal, session } = ended;
  const { git } = journal.config;
  return ports.git.commit({
    run_id: journal.run_id,
    is_held: guard !== null || ended.recovered,
    is_pass: outcome.guard === 'pass',
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
