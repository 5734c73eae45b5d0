/**
 * What is happening now, for people, on stderr (§10): one live line on a terminal, plain lines in a pipe. Never writes an escape code
 * into a pipe and never lets agent text act on the terminal.
 */
import { cleanLine } from '../core/terminal-text.ts';
import type { Reporter, RunEvent } from '../ports/reporter.ts';
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
  const now: Now = { title: '', phase: '', line: '', startedMs: 0, budgetMs: 0 };
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
      if (event.type === 'iteration_ended') stop();
      const text = renderEvent(event, options.verbose);
      if (text !== null) say(text);
      if (event.type === 'phase') follow();
    },
  };
}

function updateNow(now: Now, event: RunEvent, atMs: number): void {
  if (event.type === 'iteration_started') {
    now.title = `iter ${event.iter} ${event.node_path} (${event.agent})`;
    now.startedMs = atMs;
    now.budgetMs = event.budget_ms;
  }
  if (event.type === 'phase') {
    now.phase = event.phase;
    now.line = '';
  }
  if (event.type === 'activity') now.line = cleanLine(event.line);
}

function renderNow(now: Now, atMs: number): string {
  const elapsed = atMs - now.startedMs;
  const left = Math.max(0, now.budgetMs - elapsed);
  const head = `${now.title} · ${now.phase} · ${renderDuration(elapsed)} · ${renderDuration(left)} left`;
  return now.line === '' ? head : `${head} · ${now.line}`;
}

function renderDuration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  return shown.map((part) => String(part).padStart(2, '0')).join(':');
}

function renderEvent(event: RunEvent, verbose: boolean): string | null {
  switch (event.type) {
    case 'recovering':
      return `recovering iteration ${event.iter} of run ${event.run_id} (stopped at: ${event.phase})`;
    case 'recovered':
      return `recovered iteration ${event.iter}: ${cleanLine(event.message)}`;
    case 'iteration_started': {
      const what = event.purpose === 'execute' ? '' : ` [${event.purpose}]`;
      return `iter ${event.iter}: ${event.node_path}${what} with ${event.agent}, budget ${renderDuration(event.budget_ms)}`;
    }
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
