/**
 * What the live view shows: events in, a state out; a state and the size of the terminal in, lines out. Pure. No line is wider than
 * the terminal, there are never more than its height less two, and nothing an agent says can act on it.
 */
import { cutToWidth } from '../../core/text/display-width.ts';
import type { Progress } from '../../core/tree/progress.ts';
import { renderBar } from '../../core/tree/progress.ts';
import type { AgentIdentity, Usage } from '../../core/agents/session.ts';
import { cleanLine } from '../../core/text/terminal-text.ts';
import { addSpent, addUsage, spentOf, unknownUsage } from '../../core/agents/usage.ts';
import type { Spent } from '../../core/agents/usage.ts';
import type { RunEvent } from '../../ports/reporter.ts';
import type { Style } from './colour.ts';
import { renderDuration } from './duration.ts';

export interface LiveState {
  /** Null: the guard before a run begins. */
  readonly iteration: Extract<RunEvent, { type: 'iteration_started' }> | null;
  readonly run_id: string | null;
  readonly phase: string;
  readonly startedMs: number;
  readonly budgetMs: number;
  readonly progress: Progress | null;
  /** The last readable lines, oldest first. */
  readonly activity: readonly string[];
  readonly wait: { readonly reason: string; readonly leftMs: number; readonly toldMs: number } | null;
  /** What sessions of this iteration reported: those that are over, and the one that runs. */
  readonly before: Usage;
  readonly current: { readonly key: string; readonly usage: Usage };
}

export interface LiveLine {
  readonly text: string;
  readonly style: Style | null;
}

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

const activityMax = 6;
/** Below this a block would take the place of what people want to read. */
const blockColumnsMin = 40;
const blockRowsMin = 8;

export const idleState: LiveState = {
  iteration: null,
  run_id: null,
  phase: '',
  startedMs: 0,
  budgetMs: 0,
  progress: null,
  activity: [],
  wait: null,
  before: unknownUsage,
  current: { key: '', usage: unknownUsage },
};

export function stateAfter(state: LiveState, event: RunEvent, atMs: number): LiveState {
  switch (event.type) {
    case 'run_started':
      return { ...state, run_id: event.run_id };
    case 'baseline_started':
      return { ...idleState, startedMs: atMs, budgetMs: event.budget_ms };
    case 'iteration_started': {
      const { run_id, progress, budget_ms } = event;
      return { ...idleState, iteration: event, run_id, progress, startedMs: atMs, budgetMs: budget_ms };
    }
    case 'phase':
      return { ...state, phase: event.phase, activity: [], wait: null };
    case 'activity': {
      const line = cleanLine(event.line);
      if (line === '') return { ...state, wait: null };
      return { ...state, wait: null, activity: [...state.activity, line].slice(-activityMax) };
    }
    case 'agent_event':
      return event.event.type === 'usage' ? usageAfter(state, event.place, event.event) : state;
    case 'waiting':
      return waitAfter(state, event, atMs);
    case 'waited':
      return { ...state, wait: null, startedMs: atMs - elapsedMs(state, atMs) };
    case 'iteration_ended':
      return { ...state, progress: event.progress };
    case 'recovering':
    case 'recovered':
    case 'baseline_ended':
    case 'note':
      return state;
  }
}

function usageAfter(
  state: LiveState,
  place: { readonly session: number; readonly role: string },
  { scope, usage }: { readonly scope: 'session' | 'turn'; readonly usage: Usage },
): LiveState {
  const key = `${place.role} ${place.session}`;
  const isSame = state.current.key === key;
  const before = isSame ? state.before : addUsage(state.before, state.current.usage);
  const sum = isSame ? state.current.usage : unknownUsage;
  return { ...state, before, current: { key, usage: scope === 'session' ? usage : addUsage(sum, usage) } };
}

/** Waits are no part of the budget, so the start of the clock moves with them. */
function waitAfter(state: LiveState, event: Extract<RunEvent, { type: 'waiting' }>, atMs: number): LiveState {
  const reason = event.reason === null ? (state.wait?.reason ?? '') : cleanLine(event.reason);
  return {
    ...state,
    startedMs: atMs - elapsedMs(state, atMs),
    wait: { reason, leftMs: event.left_ms, toldMs: atMs },
  };
}

/** The clock stops during a wait. */
function elapsedMs({ wait, startedMs }: LiveState, atMs: number): number {
  return (wait === null ? atMs : wait.toldMs) - startedMs;
}

/** What the run has used, this iteration's sessions included; null: nothing was reported. */
export function renderSpent({ tokens, cost_usd }: Spent): string | null {
  const parts = [
    ...(tokens === null ? [] : [`${tokens.toLocaleString('en-US')} tokens`]),
    ...(cost_usd === null ? [] : [`$${cost_usd.toFixed(4)}`]),
  ];
  return parts.length === 0 ? null : parts.join(', ');
}

/** The last column stays free: some terminals begin a new line there. */
export function renderLive(
  state: LiveState,
  size: ScreenSize & { readonly atMs: number },
): readonly LiveLine[] {
  const isSmall = size.columns < blockColumnsMin || size.rows < blockRowsMin;
  const lines =
    state.iteration === null || isSmall
      ? [{ text: renderOneLine(state, size.atMs), style: null }]
      : renderBlock(state, state.iteration, size);
  return lines.map(({ text, style }) => ({ text: cutToWidth(text, size.columns - 1), style }));
}

export function renderOneLine(state: LiveState, atMs: number): string {
  const { iteration, phase, wait, budgetMs } = state;
  const usedMs = elapsedMs(state, atMs);
  const title =
    iteration === null
      ? 'baseline'
      : `iter ${iteration.iter} ${iteration.node_path} (${iteration.agent.name})`;
  const left = `${renderDuration(Math.max(0, budgetMs - usedMs))} left`;
  const now = wait === null ? state.activity.at(-1) : `waiting, ${renderDuration(wait.leftMs)} to go`;
  return joined([title, phase, renderDuration(usedMs), left, now ?? '']);
}

function renderBlock(
  state: LiveState,
  iteration: NonNullable<LiveState['iteration']>,
  { rows, columns, atMs }: ScreenSize & { readonly atMs: number },
): readonly LiveLine[] {
  const { iter, max_iterations, agent, purpose, node_path, title, attempts, max_attempts } = iteration;
  const { wait } = state;
  const waiting =
    wait === null ? '' : `waiting ${renderDuration(wait.leftMs)} (Ctrl-C stops): ${wait.reason}`;
  const spent = addSpent(iteration.totals, spentOf(addUsage(state.before, state.current.usage)));
  const { passed, total } = state.progress ?? iteration.progress;
  const bar = renderBar({ passed, total }, columns < 80 ? 10 : 20);
  const head: readonly LiveLine[] = [
    {
      text: joined([
        `run ${iteration.run_id}`,
        `iter ${iter} of ${max_iterations}`,
        renderWorker(agent),
        purpose === 'execute' ? '' : purpose,
      ]),
      style: 'strong',
    },
    {
      text: joined([
        node_path,
        cleanLine(title),
        attempts === null ? '' : `attempts ${attempts}/${max_attempts}`,
      ]),
      style: null,
    },
    {
      text: joined([
        state.phase,
        `${renderDuration(elapsedMs(state, atMs))} of ${renderDuration(state.budgetMs)}`,
        waiting,
      ]),
      style: wait === null ? null : 'doubtful',
    },
  ];
  const foot: LiveLine = {
    text: joined([`${bar} ${passed} of ${total} passed`, renderSpent(spent) ?? '']),
    style: 'good',
  };
  const room = Math.max(0, Math.min(activityMax, rows - 2 - head.length - 1));
  const shown = room === 0 ? [] : state.activity.slice(-room);
  return [...head, ...shown.map((line) => ({ text: `  | ${line}`, style: 'faint' as const })), foot];
}

/** `codex gpt-5.5 effort high`; what is not set is left out. */
export function renderWorker({ name, model, effort }: AgentIdentity): string {
  const words = [name, model ?? '', effort === null ? '' : `effort ${effort}`];
  return cleanLine(words.filter((word) => word !== '').join(' '));
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' · ');
}
