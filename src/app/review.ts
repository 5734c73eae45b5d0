/**
 * A second opinion on work whose guard passed (§9 `[review]`): a fresh session that may not edit. Whatever it changes is kept as a
 * patch in the log and taken back, so the verdict is about the bytes the guard saw.
 */
import { recordOf } from '../core/iteration/guard-plan.ts';
import { reviewConfig } from '../core/iteration/review.ts';
import { agentTraits } from '../core/config/agents.ts';
import { renderCuts } from '../core/prompt/prompt-fit.ts';
import { renderReviewPrompt } from '../core/prompt/review-prompt.ts';
import type { ReviewPrompt } from '../core/prompt/review-prompt.ts';
import type { JournalEntry, ReviewRun, Usage } from '../core/agents/session.ts';
import { findNode } from '../core/tree/tree-walk.ts';
import type { Config } from '../core/types.ts';
import { addUsage } from '../core/agents/usage.ts';
import type { Ports } from '../ports/ports.ts';
import type { CheckedWork } from './check-work.ts';
import type { EndedSession, GuardBudget } from './iteration.ts';
import { runSessions } from './sessions.ts';

const patchBytesMax = 4 * 1024 * 1024;

export interface ReviewedWork {
  /** Null: none is asked for, or there is nothing to review. */
  readonly review: ReviewRun | null;
  readonly ended: EndedSession;
}

interface ReviewBudget extends GuardBudget {
  /** What reviewers of this work used before a crash cut them off. */
  readonly spent: Usage;
}

type ReviewEntry = Extract<JournalEntry, { phase: 'review' }>;

export async function reviewWork(
  ports: Ports,
  { ended, guard }: CheckedWork,
  budget: ReviewBudget,
): Promise<ReviewedWork> {
  const { journal, session } = ended;
  const config = reviewConfig(journal.config);
  if (config === null || guard?.end.kind !== 'passed') return { review: null, ended };
  const agent = await ports.executor.describe(config);
  const { text: prompt, cuts } = await buildPrompt(ports, ended, config);
  const wholeTree = await ports.git.wholeTreeId();
  await ports.git.holdWork({ run_id: journal.run_id, workTree: wholeTree });
  const entry: ReviewEntry = {
    ...journal,
    phase: 'review',
    session,
    work_tree: ended.workTree,
    cut_offs: budget.cutOffs,
    whole_tree: wholeTree,
    spent: budget.spent,
  };
  await ports.journal.save(entry);
  ports.reporter.report({ type: 'phase', phase: 'review' });
  const { done, notes } = await runReviewer(ports, { ended, entry, config, prompt, budget });
  const { leftovers, ...result } = done.result;
  const told = [
    ...(cuts.length === 0 ? [] : [`review: ${renderCuts(cuts, config.prompt_budget_bytes)}`]),
    ...leftovers.map((process) => `ended a process the review left behind: ${process}`),
    ...result.denials.map((what) => `the reviewer was refused: ${what}`),
  ];
  for (const message of told) ports.reporter.report({ type: 'note', message });
  const usage = addUsage(budget.spent, result.usage);
  return {
    review: { ...result, usage, agent, waited_secs: done.waited_secs },
    ended: { ...ended, session: { ...session, notes: [...session.notes, ...notes, ...told] } },
  };
}

/** Whatever its sessions changed is taken back after each. */
async function runReviewer(
  ports: Ports,
  work: {
    readonly ended: EndedSession;
    readonly entry: ReviewEntry;
    readonly config: Config;
    readonly prompt: string;
    readonly budget: ReviewBudget;
  },
): Promise<{ readonly done: Awaited<ReturnType<typeof runSessions>>; readonly notes: readonly string[] }> {
  const { ended, entry, config, prompt, budget } = work;
  const { journal } = ended;
  const back = { wholeTree: entry.whole_tree, isAfterCrash: false };
  const notes: string[] = [];
  const done = await runSessions(ports, {
    session: {
      role: 'review',
      run_id: journal.run_id,
      iter: journal.iter,
      node_id: journal.node_id,
      prompt,
      judged_sessions: journal.run_state.judged_sessions,
      cookie: journal.cookie,
      config,
    },
    deadlineMs: budget.deadlineMs,
    waitedMs: ended.session.waited_secs * 1000,
    tidy: async (_result, spent) => {
      notes.push(...(await takeBack(ports, ended, back)));
      await ports.journal.save({ ...entry, spent: addUsage(budget.spent, spent) });
      await ports.logs.keepSession('review');
    },
  });
  notes.push(...(await takeBack(ports, ended, back)));
  return { done, notes };
}

async function buildPrompt(ports: Ports, ended: EndedSession, config: Config): Promise<ReviewPrompt> {
  const { journal, before } = ended;
  const node = findNode(before, journal.node_id) ?? before;
  const goal = await ports.git.loadText({ commit: ended.commit, path: '.runner/GOAL.md' });
  const diff = await ports.git.loadDiff({
    from: recordOf(journal).base ?? journal.baseline,
    orFrom: journal.baseline,
    to: ended.workTree,
    bytesMax: journal.config.prompt_budget_bytes,
  });
  const prompt = renderReviewPrompt({
    leaf: { node, path: journal.node_path },
    goalBody: goal.kind === 'text' ? (await ports.goals.parse(goal.text)).body : '',
    diff,
    budgetBytes: config.prompt_budget_bytes,
    answer: agentTraits[config.agent.name].answers,
    sha256: ports.hasher.sha256,
  });
  await ports.logs.save('review.prompt.md', prompt.text);
  return prompt;
}

/** Contract: everything a commit would hold, and the branch, are as before the review; what was there instead is kept. Idempotent. */
export async function takeBack(
  ports: Ports,
  ended: EndedSession,
  request: { readonly wholeTree: string; readonly isAfterCrash: boolean },
): Promise<readonly string[]> {
  const { run_id, iter, branch } = ended.journal;
  const { head } = ended.session;
  const { wholeTree } = request;
  const where = { run_id, iter, branch, baseline: head, refs_before: ended.refs };
  const { notes } = await ports.git.settle({ ...where, exact: true });
  for (const message of notes) ports.reporter.report({ type: 'note', message });
  const now = await ports.git.wholeTreeId();
  if (now === wholeTree) return notes;
  await ports.logs.reopen({ run_id, iter });
  const file = ports.logs.reviewPatchFile();
  const change = { from: wholeTree, to: now, file, bytesMax: patchBytesMax, binary: true, whole: true };
  const { cut, paths } = await ports.git.saveDiff(change);
  // After a crash a person may have worked here since, and a patch that is cut does not hold everything.
  const needsRescue = cut || request.isAfterCrash;
  const kept = needsRescue ? await ports.git.rescueWork({ run_id, iter, parent: head }) : 'review.patch';
  await ports.git.restorePaths({ commit: wholeTree, paths });
  const note = `took back what the review changed (kept as ${kept}): ${paths.join(', ')}`;
  ports.reporter.report({ type: 'note', message: note });
  return [...notes, note];
}
