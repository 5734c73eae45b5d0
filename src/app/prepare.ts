/** Prepares an iteration before any agent runs (§5.3): its prompt, its log and its journal entry. A missing program stops it here. */
import type { JournalBase } from '../core/agents/session.ts';
import { reviewConfig } from '../core/iteration/review.ts';
import { ringsOf } from '../core/iteration/rings.ts';
import { renderContext } from '../core/prompt/context-pack.ts';
import { renderTree } from '../core/tree/canonical-json.ts';
import { progressOf } from '../core/tree/progress.ts';
import type { Ports } from '../ports/ports.ts';
import type { Ground } from './iteration.ts';
import type { Work } from './plan.ts';
import type { Baseline } from './preflight.ts';
import { buildPrompt } from './prompt.ts';

export async function prepare(
  ports: Ports,
  { baseline, work }: { readonly baseline: Baseline; readonly work: Work },
): Promise<{ readonly ground: Ground; readonly prompt: string }> {
  const { purpose, leaf, nodeId } = work;
  const { config, runState, runId, commit, tree, refs } = baseline;
  await ports.sandbox.check(config);
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
    rings: ringsOf({ config, runState, sha256: (text) => ports.hasher.sha256(text) }),
    progress: progressOf(tree),
    totals: { tokens: runState.totals.tokens, cost_usd: runState.totals.cost_usd },
  });
  return { ground: { journal, commit, before: tree, last, refs, recovered: false }, prompt };
}
