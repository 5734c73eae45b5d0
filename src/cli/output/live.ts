/**
 * Current activity for people, on stderr (§10): a block of lines drawn in place on a terminal, plain lines in a pipe. Never
 * moves the cursor unless stderr is a terminal, and never lets agent text act on one.
 */
import { renderRings } from '../../core/iteration/rings.ts';
import { cleanLine } from '../../core/text/terminal-text.ts';
import type { Reporter, RunEvent } from '../../ports/reporter.ts';
import { paintFor } from './colour.ts';
import type { Paint, Style } from './colour.ts';
import { renderDuration } from './duration.ts';
import { named } from './fields.ts';
import { idleState, renderLive, renderOneLine, renderWorker, stateAfter } from './live-view.ts';
import type { Settings } from './streams.ts';
import { terminalBlock } from './terminal-block.ts';

export interface LiveReporter extends Reporter {
  /** `atMs`: when it happened, by the clock of `nowMs`; now without it. */
  report(event: RunEvent, atMs?: number): void;
  /** Writes lines above the live view, or plainly where there is none. */
  say(text: string): void;
  /** Takes the live view away and leaves the terminal as it was found. */
  close(): void;
}

export const silentReporter: LiveReporter = {
  wants: { everyActivity: false, agentEvents: false },
  report: () => {},
  say: () => {},
  close: () => {},
};

const redrawMs = 100;
const clockMs = 1000;
const heartbeatMs = 60_000;

export interface LiveOptions {
  readonly settings: Settings;
  readonly nowMs: () => number;
  /** Plain lines even on a terminal: something else is written to it at the same time. */
  readonly isPlain: boolean;
}

export function liveReporter(options: LiveOptions): LiveReporter {
  const { streams } = options.settings;
  return streams.columns() === null || options.isPlain ? plainReporter(options) : blockReporter(options);
}

function plainReporter({ settings, nowMs }: LiveOptions): LiveReporter {
  const { streams, verbose } = settings;
  const paint = paintFor(settings.env, { isTerminal: streams.columns() !== null });
  let state = idleState;
  let timer: NodeJS.Timeout | null = null;
  const stop = (): void => {
    if (timer !== null) clearInterval(timer);
    timer = null;
  };
  const say = (text: string): void => streams.err(`${text}\n`);
  return {
    wants: { everyActivity: verbose, agentEvents: false },
    close: stop,
    say,
    report: (event, atMs = nowMs()) => {
      state = stateAfter(state, event, atMs);
      if (isEnd(event)) stop();
      const text = renderEvent(event, { verbose, paint, isBlock: false });
      if (text !== null) say(text);
      if (event.type !== 'phase' || timer !== null) return;
      timer = setInterval(() => say(renderOneLine(state, nowMs())), heartbeatMs);
      timer.unref();
    },
  };
}

function blockReporter({ settings, nowMs }: LiveOptions): LiveReporter {
  const { streams, verbose, env } = settings;
  const paint = paintFor(env, { isTerminal: true });
  let state = idleState;
  let isShown = false;
  let drawnMs = -redrawMs;
  let timer: NodeJS.Timeout | null = null;
  const draw = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (!isShown) return;
    drawnMs = nowMs();
    const size = { columns: streams.columns() ?? 80, rows: streams.rows() ?? 24, atMs: drawnMs };
    const lines = renderLive(state, size);
    block.draw(lines.map(({ text, style }) => (style === null ? text : paint(style, text))));
    wait(clockMs - ((drawnMs - state.startedMs) % clockMs));
  };
  const wait = (ms: number): void => {
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(draw, ms);
    timer.unref();
  };
  /** Soon, but not more often than people can see. */
  const drawSoon = (): void => {
    const sinceMs = nowMs() - drawnMs;
    if (sinceMs >= redrawMs) draw();
    else wait(redrawMs - sinceMs);
  };
  const block = terminalBlock({
    streams,
    hasTitle: (env['RUNNER_NO_TITLE'] ?? '') === '' && env['TERM'] !== 'linux',
    onChange: draw,
  });
  const say = (text: string): void => {
    block.erase();
    streams.err(`${text}\n`);
    if (isShown) drawSoon();
  };
  return {
    wants: { everyActivity: verbose, agentEvents: false },
    say,
    report: (event, atMs = nowMs()) => {
      state = stateAfter(state, event, atMs);
      if (isEnd(event)) isShown = false;
      if (!isShown) block.erase();
      const text = renderEvent(event, { verbose, paint, isBlock: true });
      if (text !== null) say(text);
      if (event.type === 'iteration_started' || event.type === 'iteration_ended') block.title(titleOf(state));
      if (event.type === 'phase') isShown = true;
      if (isShown) drawSoon();
    },
    close: () => {
      isShown = false;
      if (timer !== null) clearTimeout(timer);
      block.close();
    },
  };
}

function titleOf({ run_id, progress }: typeof idleState): string {
  return cleanLine(`runner ${run_id ?? ''} ${progress?.passed ?? 0}/${progress?.total ?? 0}`);
}

function isEnd(event: RunEvent): boolean {
  return event.type === 'iteration_ended' || event.type === 'baseline_ended';
}

const guardStyles: Readonly<Record<string, Style>> = { pass: 'good', fail: 'bad', skipped: 'doubtful' };

/** One line above the live view; null for what only the view shows. */
function renderEvent(
  event: RunEvent,
  {
    verbose,
    paint,
    isBlock,
  }: { readonly verbose: boolean; readonly paint: Paint; readonly isBlock: boolean },
): string | null {
  switch (event.type) {
    case 'recovering':
      return `recovering iteration ${event.iter} of run ${event.run_id} (stopped at: ${event.phase})`;
    case 'recovered':
      return `recovered iteration ${event.iter}: ${cleanLine(event.message)}`;
    case 'iteration_started': {
      const what = event.purpose === 'execute' ? '' : ` [${event.purpose}]`;
      const login = event.credential === null ? '' : `, login: ${cleanLine(event.credential)}`;
      return `iter ${event.iter}: ${named(event.node_path, event.title)}${what}, with ${renderWorker(event.agent)}, budget ${renderDuration(event.budget_ms)}${login}, rings: ${renderRings(event.rings)}`;
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
      return verbose ? paint('faint', `  | ${cleanLine(event.line)}`) : null;
    case 'note':
      return `  note: ${cleanLine(event.message)}`;
    case 'iteration_ended': {
      const { iter, status, guard, message } = event.record;
      // On a terminal it follows the line that begins the iteration; in a log other lines may come between.
      const begin = isBlock ? '  ' : `iter ${iter}: `;
      const head = paint(guardStyles[guard] ?? 'strong', `${begin}status=${status} guard=${guard}`);
      return `${head} · ${cleanLine(message)}`;
    }
    case 'run_started':
    case 'agent_event':
    case 'waited':
      return null;
  }
}
