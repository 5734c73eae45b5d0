/**
 * Gathers the prompt of an iteration from tracked files (§6). `explain`, a dry run and `step` all use it, so they show what is
 * sent. Reads only.
 */
import { checkoutInForce } from '../core/iteration/checkout-plan.ts';
import { joinSections, renderSections } from '../core/prompt/prompt-pack.ts';
import type { PromptInput } from '../core/prompt/prompt-pack.ts';
import type { PromptSection } from '../core/prompt/prompt-fit.ts';
import { neutralTerms, reachOf, sessionTerms } from '../core/prompt/session-terms.ts';
import { readAgentTree } from '../core/tree/tree-schema.ts';
import type { Config, LastRecord, RunState, SourceText, TreeNode } from '../core/types.ts';
import { renderViolations } from '../core/iteration/verdict.ts';
import type { Hasher } from '../ports/sessions.ts';
import type { PromptBuilder, Sidecars, TreeStore } from '../ports/stores.ts';
import type { Work } from './plan.ts';

export interface PromptPorts {
  readonly trees: Pick<TreeStore, 'loadRejected'>;
  readonly sidecars: Pick<Sidecars, 'loadContext' | 'loadLast'>;
  readonly prompts: PromptBuilder;
  readonly hasher: Pick<Hasher, 'sha256'>;
}

export interface PromptGround {
  readonly config: Config;
  readonly runState: RunState;
  readonly tree: TreeNode;
  readonly goalBody: string;
  readonly prefix: string;
  /** Whether everything outside `.runner/` is as in this git tree. */
  readonly isAt: (workTree: string) => Promise<boolean>;
}

export interface BuiltPrompt {
  readonly text: string;
  readonly sections: readonly PromptSection[];
  /** Hash of the same prompt without what depends on the agent and its sandbox: replays compare it. */
  readonly taskSha256: string;
  readonly last: LastRecord | null;
}

export async function buildPrompt(
  ports: PromptPorts,
  { ground, work }: { readonly ground: PromptGround; readonly work: Work },
): Promise<BuiltPrompt> {
  const { purpose, leaf, nodeId } = work;
  const { config, runState, tree } = ground;
  const last = await ports.sidecars.loadLast(nodeId);
  const rejected = await ports.trees.loadRejected();
  const { sha256 } = ports.hasher;
  const checkout = checkoutInForce({ config, runState, sha256 }) ?? 'off';
  const input: PromptInput = {
    purpose,
    budgetBytes: config.prompt_budget_bytes,
    goalBody: ground.goalBody,
    tree,
    leaf,
    nodeContext: leaf === null ? '' : await ports.sidecars.loadContext(nodeId),
    last,
    memory: await ports.prompts.loadMemory(),
    terms: sessionTerms(config, { reach: reachOf(config), checkout, ratchet: runState.ratchet }),
    projectPrefix: ground.prefix,
    repair:
      purpose === 'repair'
        ? {
            violations: whyRejected({ rejected, ground, last }),
            rejected: rejected.kind === 'text' ? rejected.text : null,
          }
        : null,
    confirmEmptyChange: await mustConfirm(ground, nodeId),
    guardBaseline: runState.guard_baseline,
    sha256,
  };
  const sections = renderSections(input);
  const task = renderSections({ ...input, terms: neutralTerms(input.terms) });
  return { text: joinSections(sections), sections, taskSha256: sha256(joinSections(task)), last };
}

/** Asked once already, and nothing has changed since the node's first iteration (§9 `guard.empty_change`). */
async function mustConfirm({ runState, isAt }: PromptGround, nodeId: string): Promise<boolean> {
  const known = Object.hasOwn(runState.nodes, nodeId) ? runState.nodes[nodeId] : undefined;
  if (known === undefined || !known.confirm_asked || known.base === null) return false;
  return isAt(known.base);
}

/** From the rejected text itself; one that was too large to keep left its violations in last.json (§5). */
function whyRejected(input: {
  readonly rejected: SourceText;
  readonly ground: PromptGround;
  readonly last: LastRecord | null;
}): string {
  const { rejected, ground } = input;
  const reading = readAgentTree({
    source: rejected,
    before: ground.tree,
    maxAttemptsDefault: ground.config.max_attempts_default,
  });
  return rejected.kind === 'text' && reading.kind !== 'tree'
    ? renderViolations(reading.violations)
    : (input.last?.error ?? '');
}
