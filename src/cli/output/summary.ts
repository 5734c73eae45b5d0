/** What a loop did, what it used and what to do next: a small table for people when it ends. Unknown amounts are left out. Pure. */
import type { StepRecord } from '../../app/iteration.ts';
import type { LoopOutcome } from '../../app/loop.ts';
import { cleanLine } from '../../core/text/terminal-text.ts';
import type { RunTotals } from '../../core/types.ts';
import { addSpent } from '../../core/agents/usage.ts';
import type { Spent } from '../../core/agents/usage.ts';
import { renderDuration } from './duration.ts';
import { renderSpent } from './live-view.ts';
import { errorOfLimit } from './report.ts';

export type Row = readonly [name: string, value: string];

const nothing: Spent = { tokens: null, cost_usd: null };
const slowestShown = 3;

/**
 * `end`: how the loop ended, or the hint of the error that ended it. `totals`: of the whole run; null when they cannot be read.
 */
export function renderSummary(
  records: readonly StepRecord[],
  end: LoopOutcome | string,
  totals: RunTotals | null,
  fit: (hint: string) => string = (hint) => hint,
): readonly string[] {
  // Where nothing ran, an error's own message says it all.
  const outcome = typeof end === 'string' ? null : end;
  if (records.length === 0 && outcome?.kind !== 'complete' && outcome?.kind !== 'stuck') return [];
  const next = typeof end === 'string' ? cleanLine(end) : renderNext(end);
  const rows: readonly Row[] = [...summaryRows(records, totals), ...nextRow(fit(next))];
  const width = Math.max(...rows.map(([name]) => name.length));
  return [
    `summary: ${outcome === null ? 'stopped' : endNames[outcome.kind]}`,
    ...rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`),
  ];
}

function nextRow(next: string): readonly Row[] {
  return next === '' ? [] : [['next', next]];
}

const endNames: Readonly<Record<LoopOutcome['kind'], string>> = {
  complete: 'complete',
  paused: 'paused',
  stuck: 'stuck',
  limit: 'limit reached',
  run_limit: 'limit reached',
  stopped: 'stopped',
};

/** Empty when nothing ran. */
export function summaryRows(records: readonly StepRecord[], totals: RunTotals | null): readonly Row[] {
  if (records.length === 0) return [];
  const count = (isOne: (record: StepRecord) => boolean): string => String(records.filter(isOne).length);
  const sumMs = (part: keyof StepRecord['duration_ms']): number =>
    records.reduce((total, record) => total + record.duration_ms[part], 0);
  const waitedMs = records.reduce((total, { waited_secs }) => total + waited_secs * 1000, 0);
  return [
    ['iterations', String(records.length)],
    ['passed', count(({ guard }) => guard === 'pass')],
    ['failed', count(({ guard }) => guard === 'fail')],
    ['retries', count(({ status }) => status === 'retry')],
    ['agent', renderDuration(sumMs('agent'))],
    ['guard', renderDuration(sumMs('guard'))],
    ...timeRow('review', sumMs('review')),
    ...timeRow('waits', waitedMs),
    ...spentRows(records.reduce<Spent>(addSpent, nothing), totals),
    ['slowest', renderSlowest(records)],
  ];
}

function timeRow(name: string, ms: number): readonly Row[] {
  return ms === 0 ? [] : [[name, renderDuration(ms)]];
}

function spentRows(spent: Spent, totals: RunTotals | null): readonly Row[] {
  const row = (name: string, part: (spent: Spent) => Spent): readonly Row[] => {
    const here = renderSpent(part(spent));
    const inRun = totals === null ? null : renderSpent(part(totals));
    return here === null ? [] : [[name, inRun === null ? here : `${here} (the run so far: ${inRun})`]];
  };
  return [
    ...row('tokens', ({ tokens }) => ({ tokens, cost_usd: null })),
    ...row('cost', ({ cost_usd }) => ({ tokens: null, cost_usd })),
  ];
}

interface NodeSum extends Spent {
  readonly ms: number;
}

/** The nodes that took the longest, with what they used; ties stay in the order in which they were worked on. */
function renderSlowest(records: readonly StepRecord[]): string {
  const nodes = new Map<string, NodeSum>();
  for (const record of records) {
    const known = nodes.get(record.node_id) ?? { ...nothing, ms: 0 };
    const { agent, guard, review } = record.duration_ms;
    nodes.set(record.node_id, { ...addSpent(known, record), ms: known.ms + agent + guard + review });
  }
  return [...nodes]
    .toSorted(([, a], [, b]) => b.ms - a.ms)
    .slice(0, slowestShown)
    .map(([id, node]) => {
      const spent = renderSpent(node);
      return `${id} ${renderDuration(node.ms)}${spent === null ? '' : ` (${spent})`}`;
    })
    .join(', ');
}

/** One command, or the setting to change first. */
export function renderNext(outcome: LoopOutcome): string {
  switch (outcome.kind) {
    case 'complete':
      return `runner finish ${outcome.run_id}`;
    case 'stuck':
      return `runner explain, then: runner retry ${outcome.leaf.node.id}`;
    case 'limit':
    case 'run_limit':
      return errorOfLimit(outcome)?.hint ?? '';
    case 'paused':
      return 'runner loop';
    case 'stopped':
      if (outcome.stop.kind === 'error' && outcome.stop.hint !== '') return cleanLine(outcome.stop.hint);
      return outcome.stop.kind === 'stuck' ? 'runner explain' : 'runner loop';
  }
}
