/** What a loop did, what it used and what to do next: a small table for people when it ends. Unknown amounts are left out. Pure. */
import type { StepRecord } from '../../app/iteration.ts';
import type { LoopOutcome } from '../../app/loop.ts';
import { describeEnd } from '../../core/runs/loop-end.ts';
import { cleanLine } from '../../core/text/terminal-text.ts';
import type { RunTotals } from '../../core/types.ts';
import { addSpent } from '../../core/agents/usage.ts';
import type { Spent } from '../../core/agents/usage.ts';
import { cutToWidth } from '../../core/text/display-width.ts';
import { renderDuration } from './duration.ts';
import { named } from './fields.ts';
import { renderSpent } from './live-view.ts';

/** Makes a hint fit flags and variables that override the file. */
export type Fit = (hint: string, least?: number | null) => string;

export type Row = readonly [name: string, value: string];

const nothing: Spent = { tokens: null, cost_usd: null };
const slowestShown = 3;
/** Of a node's id and title. */
const nameWidthMax = 40;

/** Of the whole run; null when it cannot be read. */
export interface Known {
  readonly totals: RunTotals | null;
  /** How many questions wait for a person. */
  readonly questions: number | null;
}

/** `end`: how the loop ended, or the hint of the error that ended it. */
export function renderSummary(
  records: readonly StepRecord[],
  end: LoopOutcome | string,
  known: Known,
  fit: Fit = (hint) => hint,
): readonly string[] {
  // Where nothing ran, an error's own message says it all.
  const outcome = typeof end === 'string' ? null : end;
  if (records.length === 0 && outcome?.kind !== 'complete' && outcome?.kind !== 'stuck') return [];
  const rows: readonly Row[] = [...summaryRows(records, known), ...nextRow(renderNext(end, fit))];
  const width = Math.max(...rows.map(([name]) => name.length));
  return [
    `summary: ${outcome === null ? 'stopped' : endOf(outcome)}`,
    ...rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`),
  ];
}

function nextRow(next: string): readonly Row[] {
  return next === '' ? [] : [['next', next]];
}

function endOf(outcome: LoopOutcome): string {
  if (outcome.kind !== 'stuck') return endNames[outcome.kind];
  const { id, title } = outcome.leaf.node;
  return `stuck at ${named(id, title)}`;
}

const endNames: Readonly<Record<LoopOutcome['kind'], string>> = {
  complete: 'complete',
  paused: 'paused',
  stuck: 'stuck',
  limit: 'limit reached',
  run_limit: 'limit reached',
  stopped: 'stopped',
};

/** Only open questions when nothing ran. */
export function summaryRows(records: readonly StepRecord[], { totals, questions }: Known): readonly Row[] {
  const asked: readonly Row[] =
    (questions ?? 0) === 0 ? [] : [['questions', `${questions ?? 0} open: runner questions`]];
  if (records.length === 0) return asked;
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
    ...asked,
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
  readonly title: string | null;
}

/** The nodes that took the longest, with what they used; ties stay in the order in which they were worked on. */
function renderSlowest(records: readonly StepRecord[]): string {
  const nodes = new Map<string, NodeSum>();
  for (const record of records) {
    const known = nodes.get(record.node_id) ?? { ...nothing, ms: 0 };
    const { agent, guard, review } = record.duration_ms;
    const ms = known.ms + agent + guard + review;
    nodes.set(record.node_id, { ...addSpent(known, record), ms, title: record.title });
  }
  return [...nodes]
    .toSorted(([, a], [, b]) => b.ms - a.ms)
    .slice(0, slowestShown)
    .map(([id, node]) => {
      const spent = renderSpent(node);
      return `${cutToWidth(named(id, node.title), nameWidthMax)} ${renderDuration(node.ms)}${spent === null ? '' : ` (${spent})`}`;
    })
    .join(', ');
}

/** One command, or the setting to change first. `end`: as above. */
export function renderNext(end: LoopOutcome | string, fit: Fit): string {
  if (typeof end === 'string') return fit(cleanLine(end));
  const { hint, least } = describeEnd(end);
  return fit(cleanLine(hint), least);
}
