/** A background run as the pages show it: true status, what can be done to it, the command that merges it. Pure. */
import { endedStatuses, liveStatuses, trueStatus } from '../runs/record.ts';
import type { RunRecord, RunStatus } from '../runs/record.ts';
import { listCommands } from '../text/hint-commands.ts';
import { cleanLine } from '../text/terminal-text.ts';
import type { RunAction, RunSituation, RunView } from './control-api.ts';

/** A record as it was found; one that cannot be read is shown, too. */
export type ShownRecord =
  | { readonly kind: 'record'; readonly record: RunRecord; readonly is_alive: boolean }
  | { readonly kind: 'broken'; readonly run_id: string; readonly problems: readonly string[] };

export function viewRun(found: ShownRecord): RunView {
  if (found.kind === 'broken') return brokenView(found.run_id, found.problems);
  const { record, is_alive } = found;
  const { run_id, title, branch, base_branch, agent, model, sandbox, iterations, leaves, node } = record;
  const { last_message, errors, tokens, cost_usd, started_at, updated_at, finished_at, audit } = record;
  const { status, reason } = trueStatus(record, is_alive);
  return {
    run_id,
    status,
    reason,
    situation: describeRun(record, status),
    title,
    branch,
    base_branch,
    agent,
    model,
    sandbox,
    iterations,
    leaves,
    node,
    last_message,
    errors,
    tokens,
    cost_usd,
    started_at,
    updated_at,
    finished_at,
    is_alive,
    audit,
    actions: actionsOf(status),
    finish_command: finishCommandOf(record, status),
  };
}

/** Newest first; those whose beginning is unknown come last. */
export function viewRuns(found: readonly ShownRecord[]): readonly RunView[] {
  return found
    .map(viewRun)
    .toSorted((a, b) => compare(b.started_at, a.started_at) || compare(a.run_id, b.run_id));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** What waits for its turn or is prepared has no iteration after which it could stop. */
const pausable: ReadonlySet<RunStatus> = new Set(['running', 'waiting']);

function actionsOf(status: RunStatus): readonly RunAction[] {
  if (liveStatuses.has(status)) return pausable.has(status) ? ['cancel', 'pause'] : ['cancel'];
  return endedStatuses.has(status) || status === 'complete' ? [] : ['resume'];
}

/** Why it rests and what helps, as `runner status` says it. Null: it goes on, or nothing is left to do but to merge it. */
function describeRun(record: RunRecord, status: RunStatus): RunSituation | null {
  if (liveStatuses.has(status) || endedStatuses.has(status) || status === 'complete') return null;
  const { sentence, hint } = restOf(record, status);
  const cleaned = cleanLine(hint);
  return { sentence: cleanLine(sentence), hint: cleaned, commands: listCommands(cleaned) };
}

function restOf(record: RunRecord, status: RunStatus): Omit<RunSituation, 'commands'> {
  const hint = `runner run resume ${record.run_id}`;
  if (status !== record.status)
    return { sentence: 'the process of the run ended without a word; nothing is lost', hint };

  if (status === 'canceled') return { sentence: 'canceled, as somebody asked', hint };
  return record.end ?? { sentence: record.errors[0] ?? record.reason ?? status, hint };
}

function finishCommandOf({ run_id, leaves }: RunRecord, status: RunStatus): string | null {
  if (liveStatuses.has(status) || endedStatuses.has(status)) return null;
  if (status === 'complete') return `runner finish ${run_id}`;
  // Without a leaf that passed there is nothing to merge.
  return leaves.passed === 0 ? null : `runner finish ${run_id} --partial`;
}

function brokenView(run_id: string, problems: readonly string[]): RunView {
  return {
    run_id,
    status: 'failed',
    reason: 'its record cannot be read',
    situation: null,
    title: '',
    branch: `runner/${run_id}`,
    base_branch: null,
    agent: '',
    model: null,
    sandbox: '',
    iterations: { used: 0, max: 0 },
    leaves: { passed: 0, all: 0 },
    node: null,
    last_message: null,
    errors: [...problems],
    tokens: null,
    cost_usd: null,
    started_at: '',
    updated_at: '',
    finished_at: null,
    is_alive: false,
    audit: [],
    actions: [],
    finish_command: null,
  };
}
