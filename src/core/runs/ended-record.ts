/** The record of a run that has ended (§12). A run that never had one gets it then, so that its end is known later. */
import type { RunState } from '../types.ts';
import type { RunRecord } from './record.ts';

export interface EndedRun {
  readonly run_id: string;
  readonly how: 'finished' | 'abandoned';
  readonly now: string;
  readonly title: string;
  readonly branch: string;
  /** Null: nothing of the run could be read. */
  readonly state: RunState | null;
  readonly leaves: RunRecord['leaves'];
  /** Its last commit, where nothing says where it began. */
  readonly tip: string;
  readonly prefix: string;
  readonly reason: string | null;
  readonly by: string;
}

export function endRecord(found: RunRecord | null, ended: EndedRun): RunRecord {
  const { how, now, reason, by } = ended;
  const action = how === 'finished' ? 'finish' : 'abandon';
  const before = found ?? newRecord(ended);
  return {
    ...before,
    status: how,
    reason,
    owner: null,
    worktree: null,
    slot: null,
    node: null,
    updated_at: now,
    finished_at: now,
    audit: [...before.audit, { at: now, action, by }],
  };
}

function newRecord({ run_id, title, branch, state, leaves, tip, prefix, now }: EndedRun): RunRecord {
  const used = state === null ? 0 : state.next_iter - 1;
  return {
    version: 1,
    run_id,
    status: 'complete',
    reason: null,
    owner: null,
    title,
    goal_sha256: state?.goal_sha256 ?? null,
    branch,
    base_branch: state?.base_branch ?? null,
    base_commit: state?.base_commit ?? tip,
    prefix,
    worktree: null,
    agent: '',
    model: null,
    sandbox: 'none',
    slot: null,
    ticket: 0,
    settings: {},
    push: null,
    iterations: { used, max: used },
    leaves,
    node: null,
    last_message: null,
    errors: [],
    end: null,
    tokens: state?.totals.tokens ?? null,
    cost_usd: state?.totals.cost_usd ?? null,
    started_at: now,
    updated_at: now,
    finished_at: null,
    audit: [],
  };
}
