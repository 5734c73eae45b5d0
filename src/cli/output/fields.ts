/** Values from outside as parts of `key=value` lines and as words for people; nothing here lets them act on a terminal. */
import { cutToWidth } from '../../core/text/display-width.ts';
import type { IterationMeta } from '../../core/agents/session.ts';
import { cleanLine } from '../../core/text/terminal-text.ts';

/** One word: what is not known is `-`, blanks become `_`. */
export function word(value: string | number | null): string {
  const text = cleanLine(String(value ?? '')).replaceAll(' ', '_');
  return text === '' ? '-' : text;
}

/** Cut to the width of a terminal; null: not cut. */
export function cutLine(line: string, columns: number | null): string {
  return columns === null ? line : cutToWidth(line, columns);
}

/** A node for people: its id and its title. */
export function named(id: string, title: string | null): string {
  return title === null ? word(id) : `${word(id)} ${cleanLine(title)}`.trimEnd();
}

/** Seconds to a tenth. */
function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}

/** One iteration as the fields of a line. */
export function metaFields(meta: IterationMeta): string {
  const { run_id, iter, node_id, mode, status, guard, duration_ms, tokens, cost_usd, commit, title } = meta;
  return [
    `run=${word(run_id)} iter=${iter} node=${word(node_id)} mode=${mode} status=${status} guard=${guard}`,
    `agent_secs=${seconds(duration_ms.agent)} guard_secs=${seconds(duration_ms.guard)}`,
    `tokens=${word(tokens)} cost_usd=${word(cost_usd)} commit=${word(commit.slice(0, 12))} title=${word(title)}`,
  ].join(' ');
}

/** The same as a value. */
export function metaValue(meta: IterationMeta): Readonly<Record<string, unknown>> {
  const { run_id, iter, node_id, node_path, title, mode, status, guard, started_at, ended_at } = meta;
  const { duration_ms, tokens, cost_usd, failure, commit, recovered } = meta;
  return {
    run_id,
    iter,
    node_id,
    node_path,
    title,
    mode,
    status,
    guard,
    started_at,
    ended_at,
    duration_ms,
    tokens,
    cost_usd,
    failure,
    commit: commit === '' ? null : commit,
    recovered,
  };
}
