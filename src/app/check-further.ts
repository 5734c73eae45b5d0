/**
 * The checks that follow a guard that was green in place (§14): the fresh clone, then the counterfactual. Each can only take the pass
 * away; the journal is saved before each, and recovery begins with the guard again.
 */
import type { JournalEntry } from '../core/agents/session.ts';
import { decideCheckout, planCheckout, renderDecision } from '../core/iteration/checkout-plan.ts';
import { counterfactualOf, withClone, withCounterfactual } from '../core/guard/clone-verdict.ts';
import type { Counterfactual } from '../core/guard/clone-verdict.ts';
import { selectLaidBack } from '../core/guard/laid-back.ts';
import type { Judgement } from '../core/iteration/verdict.ts';
import { listPaths } from '../core/text/path-list.ts';
import type { Ports } from '../ports/ports.ts';
import type { EndedSession, GuardBudget, GuardedWork } from './iteration.ts';
import { checkInClone } from './judge-clone.ts';
import type { CheckedClone, CloneCheck } from './judge-clone.ts';
import { keepChange } from './keep-change.ts';
import { referencesOf } from './references.ts';
import { settleWork } from './settle.ts';

export interface FurtherInput {
  readonly judgement: Extract<Judgement, { kind: 'accepted' }>;
  readonly budget: GuardBudget;
  /** Tree id of the work before the node's first iteration; null: not known. */
  readonly base: string | null;
}

/** Contract: the guard was green in place, on the work as it is. */
export async function checkFurther(
  ports: Ports,
  placed: GuardedWork,
  input: FurtherInput,
): Promise<GuardedWork> {
  const cloned = await checkCheckout(ports, placed, input);
  return cloned.guard.end.kind === 'passed' ? checkCounterfactual(ports, cloned, input) : cloned;
}

async function checkCheckout(
  ports: Ports,
  placed: GuardedWork,
  { judgement, budget }: FurtherInput,
): Promise<GuardedWork> {
  const { config, run_state: runState, node_id: nodeId } = placed.ended.journal;
  const { sha256 } = ports.hasher;
  const plan = planCheckout({ config, runState, sha256, tree: judgement.tree, nodeId });
  if (plan === 'skip') return placed;
  ports.reporter.report({ type: 'note', message: 'checking in a fresh clone' });
  const first = await runCheck(ports, placed, { budget, check: 'clone', log: 'guard.clone.log' });
  const { end } = first.found;
  if (plan === 'probe' && end.kind !== 'interrupted') {
    const checkout = decideCheckout(end, { config, sha256 });
    ports.reporter.report({ type: 'note', message: renderDecision(checkout) });
    return { ...first, guard: { ...first.guard, checkout } };
  }
  if (end.kind !== 'passed' || first.found.tree === first.ended.workTree) return judged(first);
  return checkChanged(ports, first, budget);
}

type RanCheck = GuardedWork & { readonly found: CheckedClone };

function judged({ guard, ended, found }: RanCheck): GuardedWork {
  return { ended, guard: withClone(guard, found.end, found.missing) };
}

/** A guard that changed files in the clone: they are the work now, and it must be green there without changing any (§14). */
async function checkChanged(ports: Ports, first: RanCheck, budget: GuardBudget): Promise<GuardedWork> {
  const { ended, found } = first;
  const paths = await ports.git.changedPaths({ from: ended.workTree, to: found.tree });
  await ports.git.restorePaths({ commit: found.tree, paths });
  const now = { ...ended, workTree: await ports.git.workTreeId() };
  const kept = await keepChange(ports, now, { by: 'the guard', from: ended.workTree });
  const again = { budget, check: 'clone', log: 'guard.clone.log' } as const;
  const second = await runCheck(ports, { guard: first.guard, ended: kept }, again);
  if (second.found.end.kind !== 'passed' || second.found.tree === second.ended.workTree)
    return judged(second);

  const still = await ports.git.changedPaths({ from: second.ended.workTree, to: second.found.tree });
  const reason = `the guard keeps changing files: ${listPaths(still)}`;
  return judged({ ...second, found: { ...second.found, end: { kind: 'failed', reason, output: '' } } });
}

/** §14: without the change the guard must turn red. */
async function checkCounterfactual(
  ports: Ports,
  placed: GuardedWork,
  { budget, base }: FurtherInput,
): Promise<GuardedWork> {
  const { config, prefix } = placed.ended.journal;
  const setting = config.guard.counterfactual;
  if (setting === 'off') return placed;
  const rule = { isRequired: setting === 'require' };
  const known = (found: Counterfactual): GuardedWork => ({
    ...placed,
    guard: withCounterfactual(placed.guard, found, rule),
  });
  if (base === null || !(await ports.git.isWhole(base))) return known('unknown');
  const changed = await ports.git.changedPaths({ from: base, to: placed.ended.workTree });
  const references = await referencesOf(ports, placed.ended);
  const guardFiles = references.files.map(({ path }) => path);
  const paths = selectLaidBack({ changed, prefix, tests: config.guard.tests, guardFiles });
  if (paths.length === 0) return known('n/a');
  ports.reporter.report({ type: 'note', message: 'checking in a fresh clone without the change' });
  const laidBack = { tree: base, paths };
  const how = { budget, check: 'counterfactual', log: 'guard.counterfactual.log', laidBack } as const;
  const { guard, ended, found } = await runCheck(ports, placed, how);
  const { end } = found;
  const what = end.kind === 'interrupted' ? end : counterfactualOf(end);
  return { ended, guard: withCounterfactual(guard, what, rule) };
}

interface RunRequest extends Pick<CloneCheck, 'log' | 'laidBack'> {
  readonly budget: GuardBudget;
  readonly check: Extract<JournalEntry, { phase: 'guard' }>['check'];
}

async function runCheck(
  ports: Ports,
  { guard, ended }: GuardedWork,
  { budget, check, ...how }: RunRequest,
): Promise<RanCheck> {
  const { journal, session, workTree } = ended;
  const cut_offs = budget.cutOffs;
  await ports.journal.save({ ...journal, phase: 'guard', session, work_tree: workTree, check, cut_offs });
  ports.reporter.report({ type: 'phase', phase: 'guard' });
  const { run_id, iter, node_id, cookie, config, branch, baseline } = journal;
  const place = { run_id, iter, node_id, cookie, config, branch, baseline, work_tree: workTree };
  const found = await checkInClone(ports, { ...place, ...how });
  const duration_ms = guard.duration_ms + found.duration_ms;
  return { found, guard: { ...guard, duration_ms }, ended: await settleBehind(ports, ended) };
}

/** The guard ran the agent's code, which may know where the work tree is: git and the work are put back as they were. */
async function settleBehind(ports: Ports, ended: EndedSession): Promise<EndedSession> {
  const { session, workTree } = ended;
  const { head, refs, notes, workTree: now } = await settleWork(ports, ended);
  const back = now === workTree ? [] : [await putBack(ports, { ended, head, now })];
  for (const message of [...notes, ...back]) ports.reporter.report({ type: 'note', message });
  return { ...ended, refs, session: { ...session, head, notes: [...session.notes, ...notes, ...back] } };
}

async function putBack(
  ports: Ports,
  { ended, head, now }: { readonly ended: EndedSession; readonly head: string; readonly now: string },
): Promise<string> {
  const { run_id, iter } = ended.journal;
  const ref = await ports.git.rescueWork({ run_id, iter, parent: head });
  const paths = await ports.git.changedPaths({ from: ended.workTree, to: now });
  await ports.git.restorePaths({ commit: ended.workTree, paths });
  return `the work tree changed while the guard ran in its clone: put back ${listPaths(paths)}, kept as ${ref}`;
}
