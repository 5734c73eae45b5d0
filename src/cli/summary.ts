/** What a loop did and what it used, in a few lines for people when it ends. Unknown amounts are not mentioned. */
import type { StepRecord } from '../app/iteration.ts';
import type { RunTotals } from '../core/types.ts';
import { addSpent } from '../core/usage.ts';
import type { Spent } from '../core/usage.ts';
import { renderDuration } from './duration.ts';

const nothing: Spent = { tokens: null, cost_usd: null };

/** Empty when nothing ran. `totals`: of the whole run; null when they cannot be read. */
export function renderSummary(records: readonly StepRecord[], totals: RunTotals | null): readonly string[] {
  if (records.length === 0) return [];
  const sum = (part: keyof StepRecord['duration_ms']): number =>
    records.reduce((total, record) => total + record.duration_ms[part], 0);
  const passed = records.filter(({ guard }) => guard === 'pass').length;
  const failed = records.filter(({ guard }) => guard === 'fail').length;
  const reviewMs = sum('review');
  const times = [
    `agent ${renderDuration(sum('agent'))}`,
    `guard ${renderDuration(sum('guard'))}`,
    ...(reviewMs === 0 ? [] : [`review ${renderDuration(reviewMs)}`]),
  ];
  const spent = renderSpent(records.reduce<Spent>(addSpent, nothing));
  const inRun = totals === null ? null : renderSpent(totals);
  return [
    `summary: ${records.length} ${records.length === 1 ? 'iteration' : 'iterations'}, ${passed} passed, ${failed} failed the check · ${times.join(' · ')}`,
    ...(spent === null ? [] : [`  used ${spent}${inRun === null ? '' : `; the run so far ${inRun}`}`]),
    ...(spent === null ? [] : renderNodes(records)),
  ];
}

function renderNodes(records: readonly StepRecord[]): readonly string[] {
  const nodes = new Map<string, Spent>();
  for (const record of records) {
    nodes.set(record.node_id, addSpent(nodes.get(record.node_id) ?? nothing, record));
  }
  return [...nodes].flatMap(([id, node]) => {
    const spent = renderSpent(node);
    return spent === null ? [] : [`  ${id}: ${spent}`];
  });
}

function renderSpent({ tokens, cost_usd }: Spent): string | null {
  const parts = [
    ...(tokens === null ? [] : [`${tokens.toLocaleString('en-US')} tokens`]),
    ...(cost_usd === null ? [] : [`$${cost_usd.toFixed(4)}`]),
  ];
  return parts.length === 0 ? null : parts.join(', ');
}
