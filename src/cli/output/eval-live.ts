/**
 * Progress of a batch for people, on stderr: a block of lines drawn in place on a terminal, plain lines in a pipe. Text of a
 * case or an agent cannot act on the terminal.
 */
import { cutToWidth } from '../../core/text/display-width.ts';
import { trialKeyText, variantLabel } from '../../eval/cases/names.ts';
import type { EvalOutcome, TrialKey, TrialMeta } from '../../eval/cases/types.ts';
import { cleanLine } from '../../core/text/terminal-text.ts';
import type { TrialEvent } from '../../eval/harness/trial-world.ts';
import { paintFor } from './colour.ts';
import type { Paint, Style } from './colour.ts';
import { renderDuration } from './duration.ts';
import type { Settings } from './streams.ts';
import { terminalBlock } from './terminal-block.ts';

export interface EvalLive {
  report(event: TrialEvent): void;
  say(text: string): void;
  /** Writes to stdout, which may be the same terminal. */
  print(write: () => void): void;
  close(): void;
}

interface Running {
  readonly key: TrialKey;
  readonly startedMs: number;
  readonly doing: string;
}

export interface EvalProgress {
  readonly batch_id: string;
  readonly total: number;
  readonly ended: readonly EvalOutcome[];
  readonly running: ReadonlyMap<string, Running>;
}

const clockMs = 1000;

const silent: EvalLive = {
  report: () => {},
  say: () => {},
  print: (write) => write(),
  close: () => {},
};

export function evalLive(
  settings: Settings,
  batch: { readonly batch_id: string; readonly total: number; readonly nowMs: () => number },
): EvalLive {
  if (settings.quiet) return silent;
  const begun: EvalProgress = { batch_id: batch.batch_id, total: batch.total, ended: [], running: new Map() };
  const isTerminal = settings.streams.columns() !== null;
  return isTerminal ? blockLive(settings, begun, batch.nowMs) : plainLive(settings, begun, batch.nowMs);
}

function plainLive(settings: Settings, begun: EvalProgress, nowMs: () => number): EvalLive {
  const paint = paintFor(settings.env, { isTerminal: false });
  const say = (text: string): void => settings.streams.err(`${text}\n`);
  let progress = begun;
  return {
    say,
    print: (write) => write(),
    close: () => {},
    report: (event) => {
      progress = progressAfter(progress, event, nowMs());
      const line = renderEvent(event, progress, paint);
      if (line !== null) say(line);
      if (event.type === 'iteration' && settings.verbose)
        say(`  ${nameOf(event.key)}: ${renderStep(event.step)}`);
    },
  };
}

function blockLive(settings: Settings, begun: EvalProgress, nowMs: () => number): EvalLive {
  const { streams, env } = settings;
  const paint = paintFor(env, { isTerminal: true });
  let progress = begun;
  const draw = (): void => {
    const size = { columns: streams.columns() ?? 80, rows: streams.rows() ?? 24, atMs: nowMs() };
    const [head = '', ...rows] = renderProgress(progress, size);
    block.draw([paint('strong', head), ...rows]);
  };
  const block = terminalBlock({
    streams,
    hasTitle: (env['RUNNER_NO_TITLE'] ?? '') === '' && env['TERM'] !== 'linux',
    onChange: draw,
  });
  const timer = setInterval(draw, clockMs);
  timer.unref();
  const print = (write: () => void): void => {
    block.erase();
    write();
    draw();
  };
  return {
    say: (text) => print(() => streams.err(`${text}\n`)),
    print,
    report: (event) => {
      progress = progressAfter(progress, event, nowMs());
      const line = event.type === 'trial_ended' ? renderEvent(event, progress, paint) : null;
      if (line !== null) print(() => streams.err(`${line}\n`));
      block.title(`runner eval ${progress.ended.length}/${progress.total}`);
      draw();
    },
    close: () => {
      clearInterval(timer);
      block.close();
    },
  };
}

export function progressAfter(progress: EvalProgress, event: TrialEvent, atMs: number): EvalProgress {
  const running = new Map(progress.running);
  const name = trialKeyText(event.key);
  const before = running.get(name) ?? { key: event.key, startedMs: atMs, doing: '' };
  switch (event.type) {
    case 'trial_started':
      return { ...progress, running: running.set(name, before) };
    case 'phase':
      return { ...progress, running: running.set(name, { ...before, doing: event.phase }) };
    case 'iteration':
      return { ...progress, running: running.set(name, { ...before, doing: renderStep(event.step) }) };
    case 'trial_ended':
      running.delete(name);
      return { ...progress, running, ended: [...progress.ended, event.record.meta.outcome] };
  }
}

/** Never wider than the terminal, never more lines than its height less two. */
export function renderProgress(
  { batch_id, total, ended, running }: EvalProgress,
  size: { readonly columns: number; readonly rows: number; readonly atMs: number },
): readonly string[] {
  const counts = [...new Set(ended)].map(
    (outcome) => `${outcome} ${ended.filter((one) => one === outcome).length}`,
  );
  const head = [`eval ${batch_id}: ${ended.length}/${total} done`, ...counts].join(' · ');
  const rows = [...running.values()].map(
    ({ key, startedMs, doing }) =>
      `  ${nameOf(key)}: ${doing === '' ? '…' : doing} ${renderDuration(size.atMs - startedMs)}`,
  );
  const room = Math.max(0, size.rows - 3);
  const shown =
    rows.length <= room ? rows : [...rows.slice(0, room - 1), `  and ${rows.length - room + 1} more`];
  return [head, ...shown].map((line) => cutToWidth(line, size.columns - 1));
}

function nameOf({ case_id, variant, repeat }: TrialKey): string {
  return cleanLine(`${case_id} ${variantLabel(variant)} #${repeat}`);
}

function renderStep(step: Readonly<Record<string, unknown>>): string {
  const [iter, node, status, guard] = ['iter', 'node_id', 'status', 'guard'].map((key) => {
    const value = step[key];
    return typeof value === 'string' || typeof value === 'number' ? cleanLine(String(value)) : '';
  });
  return `iter ${iter}: ${node} status=${status} guard=${guard}`;
}

const styles: Readonly<Record<EvalOutcome, Style>> = {
  success: 'good',
  fail: 'bad',
  stuck: 'bad',
  error: 'doubtful',
  skipped: 'faint',
};

function renderEvent(event: TrialEvent, { ended, total }: EvalProgress, paint: Paint): string | null {
  if (event.type === 'trial_started') return `${nameOf(event.key)}: started`;
  if (event.type !== 'trial_ended') return null;
  const { meta } = event.record;
  const outcome = paint(
    styles[meta.outcome],
    `${meta.outcome}${meta.reason === null ? '' : ` (${meta.reason})`}`,
  );
  return `[${ended.length}/${total}] ${nameOf(event.key)}: ${outcome} · ${renderNumbers(meta)}${renderWhy(meta)}`;
}

function renderNumbers({ duration_secs, iterations, checks_passed, checks_total }: TrialMeta): string {
  const checks = `${checks_passed}/${checks_total} checks`;
  return `${renderDuration(duration_secs * 1000)}, ${iterations} ${iterations === 1 ? 'iteration' : 'iterations'}, ${checks}`;
}

function renderWhy({ outcome, errors, replay_misses }: TrialMeta): string {
  const misses = replay_misses ?? [];
  if (misses.length > 0) return ` · another prompt than recorded in iteration ${misses.join(', ')}`;
  return outcome === 'success' || errors[0] === undefined ? '' : ` · ${cleanLine(errors[0])}`;
}
