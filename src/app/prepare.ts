/** Prepares an iteration before any agent runs (§5.3): its prompt, its log and its journal entry. A missing program stops it here. */
import type { JournalBase } from '../core/agents/session.ts';
import { isWalledOff } from '../core/sandbox/sandbox.ts';
import { selectModel } from '../core/agents/model-choice.ts';
import { reviewConfig } from '../core/iteration/review.ts';
import { ringsOf } from '../core/iteration/rings.ts';
import { renderContext } from '../core/prompt/context-pack.ts';
import { listCuts, renderCuts } from '../core/prompt/prompt-fit.ts';
import { renderTree } from '../core/tree/canonical-json.ts';
import { progressOf } from '../core/tree/progress.ts';
import type { Config } from '../core/types.ts';
import type { Ports } from '../ports/ports.ts';
import type { Ground } from './iteration.ts';
import type { Work } from './plan.ts';
import type { StartingPoint } from './preflight.ts';
import { buildPrompt } from './prompt.ts';

export async function prepare(
  ports: Ports,
  { baseline, work }: { readonly baseline: StartingPoint; readonly work: Work },
): Promise<{ readonly ground: Ground; readonly prompt: string }> {
  const { purpose, leaf, nodeId } = work;
  const { config, runState, runId, commit, tree, refs, own } = baseline;
  await ports.sandbox.check(config);
  const question = { config, tree, runState, purpose, nodeId };
  const session = selectModel(question).config;
  const agent = await ports.executor.describe(session);
  const reviewer = reviewConfig(config);
  if (reviewer !== null) await ports.executor.describe(reviewer);
  for (const one of reviewer === null ? [session] : [session, reviewer]) await warn(ports, one);
  await ports.guards.check(config);
  if (isWalledOff(config)) await ports.git.wallOff();
  const isAt = async (workTree: string): Promise<boolean> => workTree === baseline.workTree;
  const built = await buildPrompt(ports, { ground: { ...baseline, isAt }, work });
  const { text: prompt, last } = built;
  const { sha256 } = ports.hasher;
  const iter = runState.next_iter;
  await ports.contexts.save(renderContext({ leaf, last, sha256 }));
  await ports.logs.begin({ run_id: runId, iter });
  await ports.logs.save('prompt.md', prompt);
  await ports.logs.save('tree.before.json', renderTree(tree));
  const journal: JournalBase = {
    version: 1,
    kind: 'iteration',
    run_id: runId,
    iter,
    node_id: nodeId,
    node_path: leaf === null ? nodeId : leaf.path,
    purpose,
    branch: baseline.branch,
    baseline: commit,
    baseline_tree: baseline.workTree,
    prefix: baseline.prefix,
    cookie: ports.hasher.cookie(),
    config,
    run_state: runState,
    agent,
    started_at: ports.clock.nowIso(),
    prompt_sha256: sha256(prompt),
    task_sha256: built.taskSha256,
    prompt_cut: listCuts(built.sections),
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
    credential: await ports.executor.describeCredential(session),
    budget_ms: config.iteration_timeout_secs * 1000,
    rings: ringsOf({ config, runState, sha256 }),
    progress: progressOf(tree),
    totals: { tokens: runState.totals.tokens, cost_usd: runState.totals.cost_usd },
  });
  if (journal.prompt_cut.length > 0) {
    const message = renderCuts(journal.prompt_cut, config.prompt_budget_bytes);
    ports.reporter.report({ type: 'note', message });
  }
  return { ground: { journal, commit, before: tree, last, own, refs, recovered: false }, prompt };
}

async function warn({ executor, reporter }: Ports, config: Config): Promise<void> {
  const message = await executor.warn(config);
  if (message !== null) reporter.report({ type: 'note', message });
}
