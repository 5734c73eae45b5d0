/**
 * Checks one iteration (§15): its outcome is put through the judge and the outcome table once more, on the state at B, and the tree and
 * the run state of the commit must be what comes out. Trusts nothing that the commit says but the name of the outcome.
 */
import { unknownUsage } from '../agents/usage.ts';
import { checkoutHash } from '../iteration/checkout-plan.ts';
import { nodeRecord, planGuard } from '../iteration/guard-plan.ts';
import type { OutcomeInput, OutcomeName } from '../iteration/outcome-row.ts';
import { decide } from '../iteration/outcome.ts';
import { renderTree } from '../tree/canonical-json.ts';
import { selectNext } from '../tree/selector.ts';
import { parseTree } from '../tree/tree-schema.ts';
import type { Config, NodeRecord, Purpose, RunState, SourceText, TreeNode } from '../types.ts';
import { checkDescription, hasMark, parseAmount } from './check-description.ts';
import { checkInside } from './check-files.ts';
import { checkReferences } from './check-references.ts';
import { emptyRows, evidenceOf, fitsPurpose, parseOutcomeName, passedRows } from './evidence.ts';
import type { Ground } from './evidence.ts';
import { differ, first, problem } from './problem.ts';
import { differingKey, readRunState } from './run-states.ts';
import { provenConfig } from './settings.ts';
import { trailer } from './trailers.ts';
import type { Trailers } from './trailers.ts';
import type { Facts, IterationTransition, Problem } from './transition.ts';

/** An iteration with everything that could be read of it. */
export interface ReadIteration {
  readonly transition: IterationTransition;
  readonly facts: Facts;
  readonly name: OutcomeName;
  readonly config: Config;
  readonly purpose: Purpose;
  /** The tree it started from, and the one it left. */
  readonly before: TreeNode;
  readonly after: TreeNode;
  readonly state: { readonly before: RunState; readonly after: RunState };
  readonly sha256: (text: string) => string;
  /** Whether the run was begun by a version whose iterations all say what the guard saw. */
  readonly needsWork: boolean;
}

export function checkIteration(
  transition: IterationTransition,
  facts: Facts,
  { sha256, needsWork }: Pick<ReadIteration, 'sha256' | 'needsWork'>,
): Problem | null {
  const { trailers, subject } = transition;
  const name = parseOutcomeName(trailer(trailers, 'Outcome') ?? '');
  const [baseTree, before, after] = [facts.base.tree, facts.before.tree, facts.after.tree].map(readTree);
  const state = { before: readRunState(facts.base.runState), after: readRunState(facts.after.runState) };
  const early = first(
    () => checkSingle(trailers),
    () => differ('Runner-Run', subject.run_id, trailer(trailers, 'Run')),
    () => (transition.baseline === null ? offLine(trailers) : null),
    () =>
      name === null
        ? problem('Runner-Outcome', 'a known outcome', String(trailer(trailers, 'Outcome')))
        : null,
    () => readable('tree.json at the baseline', baseTree),
    () => readable('tree.json before', before),
    () => readable('tree.json', after),
    () => readable('run_state.json at the baseline', state.before),
    () => readable('run_state.json', state.after),
    () => readable('config.toml at the baseline', facts.config),
  );
  if (early !== null || !baseTree || !before || !after || !state.before || !state.after || name === null)
    return early;
  const config = provenConfig(facts.config, trailers);
  const purpose = selectWork(baseTree, state.before, config);
  const known = { transition, facts, name, config, before, after, sha256, needsWork };
  const read = { ...known, purpose: purpose.purpose };
  return checkRead({ ...read, state: { before: state.before, after: state.after } }, purpose.nodeId);
}

function readTree(source: SourceText): TreeNode | null {
  const parsed = parseTree(source);
  return parsed.ok ? parsed.tree : null;
}

function readable(what: string, value: unknown): Problem | null {
  return value === null ? problem('readable', `${what} can be read`, 'it cannot') : null;
}

/** Keys that have one value. */
const singleKeys = [
  ...['Run', 'Title', 'Baseline', 'Control', 'Outcome', 'Agent', 'Mode', 'Prompt-SHA256', 'Answer-SHA256'],
  ...[
    'Tree-Before-SHA256',
    'Tree-After-SHA256',
    'Guard-Command',
    'Guard-Exit',
    'Guard-Log-SHA256',
    'Counterfactual',
    'Review',
    'Rings',
    'Work',
  ],
  ...['Changed-Files', 'Tokens', 'Node-Tokens', 'Run-Tokens', 'Cost-USD', 'Node-Cost-USD', 'Run-Cost-USD'],
];

function checkSingle(trailers: Trailers): Problem | null {
  const twice = singleKeys.find((key) => (trailers.get(key)?.length ?? 0) > 1);
  return twice === undefined
    ? null
    : problem(`Runner-${twice}`, 'given once', String(trailers.get(twice)?.join(', ')));
}

function offLine(trailers: Trailers): Problem {
  const [baseline, control] = [trailer(trailers, 'Baseline'), trailer(trailers, 'Control')];
  const found = [baseline ?? 'none', ...(control === null ? [] : [control])].join(', ');
  return problem('Runner-Baseline', 'a commit of the run below this one', found);
}

interface Selected {
  readonly purpose: Purpose;
  readonly nodeId: string | null;
}

/** Null: the state at B calls for no iteration. */
function selectWork(tree: TreeNode, runState: RunState, config: Config): Selected {
  const selection = selectNext({ tree, runState, onStuck: config.on_stuck });
  if (selection.kind === 'repair') return { purpose: 'repair', nodeId: selection.repair.node_id };
  if (selection.kind === 'leaf') return { purpose: selection.purpose, nodeId: selection.leaf.node.id };
  return { purpose: 'execute', nodeId: null };
}

function checkRead(read: ReadIteration, selected: string | null): Problem | null {
  const { transition, name, purpose, before, state } = read;
  const { subject, from, baseline } = transition;
  // A session that B did not call for is only ever closed (§7).
  const node = selected ?? (name === 'undone' ? before.id : 'none');
  return first(
    () => differ('iteration number', state.before.next_iter, subject.iter),
    () => differ('selected node', node, subject.node_id),
    () => (fitsPurpose(name, purpose) ? null : problem('Runner-Outcome', `an outcome of ${purpose}`, name)),
    () => (name === 'undone' || from === baseline ? null : problem('Runner-Control', 'none', String(from))),
    () => checkDerived(read),
  );
}

/** Contract: the iteration is the one that B calls for. */
function checkDerived(read: ReadIteration): Problem | null {
  const { transition, facts, name, before, sha256 } = read;
  const { subject, trailers } = transition;
  const input = inputOf(read, { answered: true, isFresh: false });
  const outcome = decide(input);
  const tree = renderTree(outcome.tree);
  return first(
    () => differ('Runner-Outcome', outcome.name, name),
    () => differ('status', outcome.status, subject.status),
    () => differ('guard', outcome.guard, subject.guard),
    () => checkEmpty(read, input),
    () =>
      differ(
        'Runner-Tree-Before-SHA256',
        sha256(renderTree(before)),
        trailer(trailers, 'Tree-Before-SHA256'),
      ),
    () => differ('tree.json', { kind: 'text', text: tree }, facts.after.tree),
    () => differ('Runner-Tree-After-SHA256', sha256(tree), trailer(trailers, 'Tree-After-SHA256')),
    () => checkState(read),
    () => checkDescription(read, outcome),
    () => checkReferences(read),
    () => checkInside(read, outcome),
  );
}

/** A new process counts failures from zero, and whether a broken tree came with an answer is not in git. */
const variants = [
  { answered: true, isFresh: false },
  { answered: true, isFresh: true },
  { answered: false, isFresh: false },
  { answered: false, isFresh: true },
] as const;

function inputOf(read: ReadIteration, { answered, isFresh }: (typeof variants)[number]): OutcomeInput {
  const { name, purpose, config, state, before, facts, sha256 } = read;
  const { subject, trailers } = read.transition;
  const record = recordOf(read);
  const ground: Ground = {
    purpose,
    iter: subject.iter,
    nodeId: subject.node_id,
    before,
    runState: isFresh ? { ...state.before, failures_in_a_row: 0 } : state.before,
    config,
    record,
    workTree: isEmptyChange(read) ? String(record.base) : '(changed)',
    seconds: 0,
    sha256,
    usage: {
      ...unknownUsage,
      input_tokens: amountOf(trailers, 'Tokens'),
      cost_usd: amountOf(trailers, 'Cost-USD'),
    },
    treeAfter: facts.after.tree,
    rejected: facts.after.rejected,
    summary: state.after.last_summary,
    verdict: verdictOf(trailer(trailers, 'Review')),
  };
  return evidenceOf(name, ground, { answered });
}

function amountOf(trailers: Trailers, key: string): number | null {
  const found = parseAmount(trailer(trailers, key));
  return typeof found === 'number' ? found : null;
}

function verdictOf(review: string | null): Ground['verdict'] {
  if (review === null) return null;
  return (['pass', 'fail'] as const).find((verdict) => review.endsWith(` verdict=${verdict}`)) ?? 'none';
}

/** The id of the work before a node's first iteration is not derived: an empty change is found by comparing commits. */
function recordOf({ transition, state }: ReadIteration): NodeRecord {
  const { node_id: nodeId } = transition.subject;
  const baselineTree = state.after.nodes[nodeId]?.base ?? 'unknown';
  return nodeRecord({ runState: state.before, nodeId, baselineTree });
}

function isEmptyChange(read: ReadIteration): boolean {
  const { sinceNode } = read.facts;
  if (recordOf(read).base === null) return false;
  return sinceNode === null
    ? hasMark(read.transition.trailers, 'confirmed-empty-change')
    : sinceNode.length === 0;
}

/** §9 `guard.empty_change`: nobody is asked about a change that is there, and nothing passes without one that was not asked. */
function checkEmpty({ name, config, facts }: ReadIteration, input: OutcomeInput): Problem | null {
  const isEmptyRow = emptyRows.includes(name);
  if (facts.sinceNode === null || !(isEmptyRow || passedRows.includes(name))) return null;
  const { purpose, judgement, record, workTree } = input;
  const plan = planGuard({ purpose, judgement, config, record, workTree, dirtySubmodules: [] });
  return differ('guard.empty_change', plan.kind, isEmptyRow ? 'skip' : 'run');
}

function checkState(read: ReadIteration): Problem | null {
  const { state, facts, config, transition, sha256 } = read;
  const { before, after } = state;
  const free = ['guard_checkout', 'ratchet'] as const;
  const found = variants.map((variant) => {
    const { runState } = decide(inputOf(read, variant));
    const isKept = facts.after.rejected.kind === 'text' || runState.repair === null || after.repair === null;
    // Too large for a file of the commit: its hash is all there is.
    const repair = isKept ? runState.repair : { ...runState.repair, sha256: after.repair.sha256 };
    // Only what was spent is said in the commit, not how long it took.
    const totals = { ...runState.totals, seconds: after.totals.seconds };
    return differingKey({ ...runState, repair, totals }, after, free);
  });
  const base = after.nodes[transition.subject.node_id]?.base ?? null;
  const seconds = after.totals.seconds - before.totals.seconds;
  return first(
    () => found.reduce((kept, one) => (kept === null || one === null ? null : kept)),
    () => (seconds >= 0 ? null : problem('run_state.totals', 'seconds that grow', String(seconds))),
    () =>
      base === null || objectId.test(base) ? null : problem('run_state.nodes', 'the id of a git tree', base),
    () =>
      checkCheckout({
        before: before.guard_checkout,
        after: after.guard_checkout,
        transition,
        hash: checkoutHash({ config, sha256 }),
      }),
  );
}

const objectId = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/u;

/** A green guard finds out what `auto` resolves to (§14). */
function checkCheckout({
  before,
  after,
  transition,
  hash,
}: {
  readonly before: RunState['guard_checkout'];
  readonly after: RunState['guard_checkout'];
  readonly transition: IterationTransition;
  readonly hash: string;
}): Problem | null {
  const rule = 'run_state.guard_checkout';
  const isSame = differ(rule, before, after);
  if (isSame === null) return null;
  return trailer(transition.trailers, 'Guard-Exit') === '0'
    ? differ(rule, hash, after?.sha256 ?? null)
    : isSame;
}
