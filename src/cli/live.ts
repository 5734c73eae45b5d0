/**
 * What is happening now, for people, on stderr (§10): one live line on a terminal, plain lines in a pipe. Never writes an escape code
 * into a pipe and never lets agent text act on the terminal.
 */
import { cleanLine } from '../core/terminal-text.ts';
import type { Reporter, RunEvent } from '../ports/reporter.ts';
import { renderDuration } from './duration.ts';
import type { Streams } from './streams.ts';

export interface LiveReporter extends Reporter {
  /** Takes the live line away, so that other text starts on a clean line. */
  close(): void;
}

export const silentReporter: LiveReporter = { report: () => {}, close: () => {} };

interface Now {
  title: string;
  phase: string;
  line: string;
  startedMs: number;
  budgetMs: number;
  /** The last time a wait was told; null outside of one. */
  waitTickMs: number | null;
}

const redrawMs = 250;
const heartbeatMs = 60_000;

export function liveReporter(options: {
  readonly streams: Streams;
  readonly verbose: boolean;
  readonly nowMs: () => number;
}): LiveReporter {
  const { streams, nowMs } = options;
  const live = streams.columns() !== null;
  const now: Now = { title: '', phase: '', line: '', startedMs: 0, budgetMs: 0, waitTickMs: null };
  let timer: NodeJS.Timeout | null = null;
  const clear = (): void => {
    if (live) streams.err('\r\u001b[2K');
  };
  const stop = (): void => {
    if (timer === null) return;
    clearInterval(timer);
    timer = null;
    clear();
  };
  const tick = (): void => {
    const text = renderNow(now, nowMs());
    streams.err(
      live ? `\r\u001b[2K${text.slice(0, Math.max(0, (streams.columns() ?? 80) - 1))}` : `${text}\n`,
    );
  };
  const follow = (): void => {
    if (timer !== null) return;
    timer = setInterval(tick, live ? redrawMs : heartbeatMs);
    timer.unref();
  };
  const say = (text: string): void => {
    clear();
    streams.err(`${text}\n`);
  };
  return {
    close: stop,
    report: (event) => {
      updateNow(now, event, nowMs());
      if (event.type === 'iteration_ended' || event.type === 'baseline_ended') stop();
      const text = renderEvent(event, options.verbose);
      if (text !== null) say(text);
      if (event.type === 'phase') follow();
    },
  };
}

function updateNow(now: Now, event: RunEvent, atMs: number): void {
  if (event.type === 'iteration_started' || event.type === 'baseline_started') {
    const isBaseline = event.type === 'baseline_started';
    now.title = isBaseline ? 'baseline' : `iter ${event.iter} ${event.node_path} (${event.agent})`;
    now.startedMs = atMs;
    now.budgetMs = event.budget_ms;
  }
  if (event.type === 'phase') {
    now.phase = event.phase;
    now.line = '';
  }
  if (event.type === 'waiting') {
    // Waits are no part of the budget.
    now.startedMs += now.waitTickMs === null ? 0 : atMs - now.waitTickMs;
    now.line = `waiting, ${renderDuration(event.left_ms)} to go`;
  }
  now.waitTickMs = event.type === 'waiting' ? atMs : null;
  if (event.type === 'activity') now.line = cleanLine(event.line);
}

function renderNow(now: Now, atMs: number): string {
  const elapsed = atMs - now.startedMs;
  const left = Math.max(0, now.budgetMs - elapsed);
  const head = `${now.title} · ${now.phase} · ${renderDuration(elapsed)} · ${renderDuration(left)} left`;
  return now.line === '' ? head : `${head} · ${now.line}`;
}

function renderEvent(event: RunEvent, verbose: boolean): string | null {
  switch (event.type) {
    case 'recovering':
      return `recovering iteration ${event.iter} of run ${event.run_id} (stopped at: ${event.phase})`;
    case 'recovered':
      return `recovered iteration ${event.iter}: ${cleanLine(event.message)}`;
    case 'iteration_started': {
      const what = event.purpose === 'execute' ? '' : ` [${event.purpose}]`;
      const login = event.credential === null ? '' : `, login: ${cleanLine(event.credential)}`;
      return `iter ${event.iter}: ${event.node_path}${what} with ${event.agent}, budget ${renderDuration(event.budget_ms)}${login}`;
    }
    case 'baseline_started':
      return `baseline: ${cleanLine(event.command)}, budget ${renderDuration(event.budget_ms)} (Ctrl-C skips it)`;
    case 'baseline_ended':
      return `baseline: ${event.result} · ${cleanLine(event.message)}`;
    case 'waiting':
      return event.reason === null
        ? null
        : `  waiting ${renderDuration(event.left_ms)} (Ctrl-C stops): ${cleanLine(event.reason)}`;
    case 'phase':
      return verbose ? `  ${event.phase} …` : null;
    case 'activity':
      return verbose ? `  | ${cleanLine(event.line)}` : null;
    case 'note':
      return `  note: ${cleanLine(event.message)}`;
    case 'iteration_ended':
      return `iter ${event.iter}: status=${event.status} guard=${event.guard} · ${cleanLine(event.message)}`;
  }
}
