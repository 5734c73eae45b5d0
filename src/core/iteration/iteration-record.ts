/**
 * What is recorded of an iteration besides the state files: the message of its commit, `meta.json` (§8) and the record that `step` and
 * `loop` report. The outcome is decided before; this file only writes it down.
 */
import type {
  GuardRun,
  IterationMeta,
  IterationRecord,
  JournalBase,
  ReviewRun,
  SessionFacts,
} from '../agents/session.ts';
import { selectToolFiles } from '../guard/tool-files.ts';
import { toolFilesMax } from '../limits.ts';
import { renderTree } from '../tree/canonical-json.ts';
import { titleIn } from '../tree/tree-walk.ts';
import type { Mode, TreeNode } from '../types.ts';
import { classifyChange, findMarks, isSameShape } from './classifier.ts';
import { renderCommitMessage } from './commit-message.ts';
import type { Outcome } from './outcome-row.ts';
import { parseReview } from './review.ts';
import { renderProcesses, renderRings, ringsOf } from './rings.ts';
import type { Rings } from './rings.ts';

/** An iteration whose outcome is decided. */
export interface DecidedIteration {
  readonly ended: {
    readonly journal: JournalBase;
    readonly session: SessionFacts;
    readonly before: TreeNode;
    /** The commit whose runner-owned files count. */
    readonly commit: string;
    /** Tree id of everything outside `.runner/`. */
    readonly workTree: string;
    readonly recovered: boolean;
  };
  readonly outcome: Outcome;
  readonly guard: GuardRun | null;
  readonly review: ReviewRun | null;
}

export interface ChangeInput {
  /** What the work changed outside `.runner/`. */
  readonly changedPaths: readonly string[];
  /** Of the guard's own files those that the work has in another version (§14). */
  readonly guardFiles: readonly string[];
  /** Overrides by flag or environment that decide verdicts. */
  readonly settings: readonly string[];
  readonly sha256: (text: string) => string;
}

export interface ChangeFacts {
  readonly mode: Mode;
  readonly changedFiles: number;
  readonly toolFiles: readonly string[];
  readonly rings: Rings;
  readonly before: string;
  readonly after: string;
  /** Of the commit. */
  readonly message: string;
}

export function describeChange(work: DecidedIteration, input: ChangeInput): ChangeFacts {
  const { ended, outcome, guard } = work;
  const { journal, session } = ended;
  const { changedPaths, sha256 } = input;
  const before = sha256(renderTree(ended.before));
  const after = sha256(renderTree(outcome.tree));
  const shapeChanged = !isSameShape({ before: ended.before, after: outcome.tree });
  const mode = classifyChange({ purpose: journal.purpose, changedPaths, treeChanged: shapeChanged });
  const marks = findMarks({
    changedPaths,
    prefix: journal.prefix,
    guardCommand: journal.config.guard.command,
    guardFiles: input.guardFiles,
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
    review: verdictOf(work.review),
    rings: renderRings(rings),
    settings: input.settings,
    work_tree: ended.workTree,
    changed_files: changedPaths.length,
    tool_files: toolFiles,
    spent: outcome.spent,
    marks: [...outcome.marks, ...marks],
  });
  return { mode, changedFiles: changedPaths.length, toolFiles, rings, before, after, message };
}

function verdictOf(review: ReviewRun | null): IterationMeta['review'] {
  if (review === null) return null;
  // What a reviewer had written before it crashed, or was ended, is no verdict.
  const parsed = parseReview(review.end.kind === 'exited' ? review.answer : { kind: 'missing' });
  return { agent: review.agent, verdict: parsed.ok ? parsed.output.verdict : null };
}

export function iterationMeta(
  { ended, outcome, guard, review }: DecidedIteration,
  made: { readonly facts: ChangeFacts; readonly commit: string; readonly endedAt: string },
): IterationMeta {
  const { facts } = made;
  const { journal, session } = ended;
  const times = timesOf({ ended, guard, review });
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
    review: verdictOf(review),
    started_at: journal.started_at,
    ended_at: made.endedAt,
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

export function iterationRecord(work: DecidedIteration, commit: string): IterationRecord {
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

/** What its parts took. */
function timesOf({
  ended: { session },
  guard,
  review,
}: Pick<DecidedIteration, 'ended' | 'guard' | 'review'>): IterationRecord['duration_ms'] {
  return { agent: session.duration_ms, guard: guard?.duration_ms ?? 0, review: review?.duration_ms ?? 0 };
}
