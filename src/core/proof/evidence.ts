/**
 * Turns the outcome that a commit names back into what must have happened (§15), so that the outcome table itself decides what follows
 * from it. What a session said is not in git; its tree is, as far as it was accepted.
 */
import type {
  GuardCheck,
  GuardEnd,
  GuardRun,
  ReviewRun,
  SessionEnd,
  SessionFacts,
  Usage,
} from '../agents/session.ts';
import { unknownUsage } from '../agents/usage.ts';
import { outcomeNames } from '../iteration/outcome-row.ts';
import type { OutcomeInput, OutcomeName } from '../iteration/outcome-row.ts';
import { judge } from '../iteration/verdict.ts';
import type { Judgement } from '../iteration/verdict.ts';
import type { Purpose, SourceText } from '../types.ts';

/** What of an iteration is known before its outcome is. */
export type Ground = Pick<
  OutcomeInput,
  | 'purpose'
  | 'iter'
  | 'nodeId'
  | 'before'
  | 'runState'
  | 'config'
  | 'record'
  | 'workTree'
  | 'seconds'
  | 'sha256'
> & {
  readonly usage: Usage;
  /** tree.json and tree.rejected.json of the commit. */
  readonly treeAfter: SourceText;
  readonly rejected: SourceText;
  readonly summary: string | null;
  /** The verdict of the review; null: there was none. */
  readonly verdict: 'pass' | 'fail' | 'none' | null;
};

export function parseOutcomeName(text: string): OutcomeName | null {
  return outcomeNames.find((name) => name === text) ?? null;
}

/** Rows of sessions that did not end by themselves; any purpose can have them. */
const ends: Partial<Readonly<Record<OutcomeName, SessionEnd>>> = {
  interrupted: { kind: 'interrupted', signal: 'SIGINT' },
  'out-of-time': { kind: 'out_of_time', seconds: 0 },
  undone: { kind: 'undone' },
  blocked: { kind: 'blocked', failure: 'crashed', reason: '', fix: 'runner loop' },
  'agent-failed': { kind: 'failed', failure: 'crashed', reason: '' },
};

const failed = (by: GuardCheck): GuardEnd => ({ kind: 'failed', reason: '', by });

const guardEnds: Partial<Readonly<Record<OutcomeName, GuardEnd>>> = {
  pass: { kind: 'passed' },
  'review-fail': { kind: 'passed' },
  'review-no-verdict': { kind: 'passed' },
  'guard-fail': failed('guard'),
  'ratchet-fail': failed('ratchet'),
  'clone-fail': failed('clone'),
  'bytes-fail': failed('bytes'),
  'counterfactual-fail': failed('counterfactual'),
  'guard-not-started': { kind: 'not_started', reason: '' },
  'guard-cut-off': { kind: 'cut_off' },
};

const repairRows: readonly OutcomeName[] = ['repaired', 'repair-fruitless'];

/** A repair can only end the repair or be cut off; nothing else is a repair (§5). */
export function fitsPurpose(name: OutcomeName, purpose: Purpose): boolean {
  return ends[name] !== undefined || repairRows.includes(name) === (purpose === 'repair');
}

/** Rows after every check, after a green guard, and those whose guard did not run. */
export const passedRows: readonly OutcomeName[] = ['pass', 'review-fail', 'review-no-verdict'];
export const greenRows: readonly OutcomeName[] = [
  ...passedRows,
  ...(['ratchet-fail', 'clone-fail', 'bytes-fail', 'counterfactual-fail'] as const),
];
const guardedRows: readonly OutcomeName[] = [
  ...greenRows,
  ...(['guard-fail', 'guard-cut-off', 'guard-not-started'] as const),
];
export const emptyRows: readonly OutcomeName[] = ['empty-change-asked', 'empty-change-rejected'];
export const unguardedRows: readonly OutcomeName[] = [
  ...emptyRows,
  ...(['tree-invalid', 'no-answer', 'malformed', 'plan-used-up', 'retry', 'decomposed'] as const),
  ...repairRows,
];
/** Rows that come from an answer that could be read. */
export const answeredRows: readonly OutcomeName[] = [
  ...guardedRows,
  ...emptyRows,
  ...(['retry', 'decomposed', 'malformed'] as const),
];

/** `answered`: only a tree that is not valid leaves open whether there was an answer. */
export function evidenceOf(
  name: OutcomeName,
  ground: Ground,
  { answered }: { readonly answered: boolean },
): OutcomeInput {
  const { usage, treeAfter, rejected, summary: _summary, verdict, ...known } = ground;
  const end = ends[name] ?? { kind: 'exited' };
  const agent_tree = name === 'tree-invalid' ? rejected : treeAfter;
  return {
    ...known,
    last: null,
    session: sessionOf({ end, usage, agent_tree }),
    judgement: ends[name] === undefined ? judgementOf(name, ground, answered) : null,
    guard: guardOf(name),
    review: verdict === null ? null : reviewOf(verdict),
  };
}

function judgementOf(name: OutcomeName, ground: Ground, answered: boolean): Judgement {
  if (name === 'tree-invalid') return { kind: 'tree_invalid', violations: [], answered };
  if (name === 'no-answer' || name === 'plan-used-up') return { kind: 'no_answer', error: '' };
  if (name === 'malformed') return { kind: 'malformed', violations: [] };
  if (name === 'repair-fruitless') return { kind: 'fruitless', violations: [], answered };
  return judgeAgain(name, ground, answered);
}

/** The accepted tree is in the commit; with the runner's own keys as they were it is what the session left (§3). */
function judgeAgain(name: OutcomeName, ground: Ground, answered: boolean): Judgement {
  const status = name === 'retry' || name === 'decomposed' ? name : 'done';
  const answer = { status, summary: ground.summary ?? '', children: null };
  const { config, purpose, before, nodeId, sha256 } = ground;
  const judgement = judge({
    purpose,
    before,
    nodeId,
    agentTree: ground.treeAfter,
    answer: { kind: 'text', text: JSON.stringify(answer) },
    allowRemoval: config.tree.allow_removal,
    maxAttemptsDefault: config.max_attempts_default,
    takenIds: [],
    sha256,
  });
  return judgement.kind === 'repaired' ? { ...judgement, answered } : judgement;
}

function sessionOf(known: Pick<SessionFacts, 'end' | 'usage' | 'agent_tree'>): SessionFacts {
  return {
    ...known,
    answer: { kind: 'missing' },
    exit_code: null,
    duration_ms: 0,
    denials: [],
    leftovers: [],
    head: '',
    notes: [],
    protected_paths: [],
    dirty_submodules: [],
    sessions: 1,
    waited_secs: 0,
  };
}

function guardOf(name: OutcomeName): GuardRun | null {
  const end = guardEnds[name];
  return end === undefined ? null : { end, exit_code: null, duration_ms: 0, output: '', log_sha256: null };
}

function reviewOf(verdict: 'pass' | 'fail' | 'none'): ReviewRun {
  const text = JSON.stringify({ verdict, findings: [] });
  return {
    end: { kind: 'exited' },
    answer: { kind: 'text', text },
    exit_code: null,
    duration_ms: 0,
    usage: unknownUsage,
    denials: [],
    agent: { name: '', version: null, model: null, effort: null },
    waited_secs: 0,
  };
}
