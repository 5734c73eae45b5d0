/** Whole runs as lines, as a table for a terminal, and as JSON. Text from outside is cleaned before it is printed. */
import type { FoundRun, SizedRun } from '../../app/runs/list.ts';
import { nextCommand } from '../../core/runs/next-command.ts';
import type { RunRecord } from '../../core/runs/record.ts';
import type { RunRow } from '../../core/runs/run-list.ts';
import { cleanLine } from '../../core/text/terminal-text.ts';
import type { RunSize } from '../../ports/runs.ts';
import { cutLine, word } from './fields.ts';
import { printLine } from './report.ts';
import type { Settings } from './streams.ts';

/** `running`, `failed(crashed)`; of a run in a checkout only `open` or `complete`. */
export function statusWord({ state, background }: Pick<RunRow, 'state' | 'background'>): string {
  if (background === null || state === 'finished' || state === 'abandoned') return state;
  const { status, reason } = background;
  return reason === null ? status : `${status}(${word(reason)})`;
}

function progressWord({ leaves }: Pick<RunRow, 'leaves'>): string {
  return leaves === null ? '-' : `${leaves.passed}/${leaves.all}`;
}

function quoted(text: string): string {
  return JSON.stringify(cleanLine(text));
}

export function renderRunLine(run: SizedRun): string {
  return [
    `run: id=${word(run.run_id)} state=${run.state} status=${statusWord(run)} passed=${progressWord(run)}`,
    `branch=${word(run.branch)} last=${word(run.last_activity)}`,
    `logs_bytes=${run.logs_bytes} worktree_bytes=${word(run.worktree_bytes)} title=${quoted(run.title)}`,
  ].join(' ');
}

export function renderRunTable(runs: readonly SizedRun[], columns: number | null): readonly string[] {
  const rows = runs.map((run) => [
    word(run.run_id),
    statusWord(run),
    progressWord(run),
    cleanLine(run.last_activity ?? '-')
      .slice(0, 16)
      .replace('T', ' '),
    renderSize(run.logs_bytes + (run.worktree_bytes ?? 0)),
    cleanLine(run.title),
  ]);
  const all = [['run', 'status', 'passed', 'last', 'size', 'goal'], ...rows];
  const widths = [0, 1, 2, 3, 4].map((at) => Math.max(...all.map((row) => row[at]?.length ?? 0)));
  return all.map((row) => cutLine(row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  '), columns));
}

function renderSize(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log(Math.max(1, bytes)) / Math.log(1000)));
  const amount = bytes / 1000 ** power;
  return `${power === 0 || amount >= 100 ? amount.toFixed(0) : amount.toFixed(1)} ${units[power] ?? ''}`;
}

export function runValue(run: SizedRun): Readonly<Record<string, unknown>> {
  const { background, ...rest } = run;
  return {
    ...rest,
    status: background?.status ?? null,
    reason: background?.reason ?? null,
    is_alive: background?.is_alive ?? false,
    worktree: background?.worktree ?? null,
    next: nextCommand(run),
  };
}

export function renderShownLines({ row, record }: FoundRun, size: RunSize): readonly string[] {
  const next = nextCommand(row);
  return [
    `run: id=${word(row.run_id)} state=${row.state} status=${statusWord(row)} passed=${progressWord(row)} title=${quoted(row.title)}`,
    `run: branch=${word(row.branch)} remote=${word(row.remote)} commit=${word(row.commit?.slice(0, 12) ?? null)} base=${word(row.base_branch)} checkout=${cleanLine(row.checkout ?? '-')}`,
    `run: last=${word(row.last_activity)} logs_bytes=${size.logs_bytes} worktree_bytes=${word(size.worktree_bytes)} worktree=${worktreeWords(row, size)}`,
    ...(record === null ? [] : renderRecordLines(record)),
    ...row.problems.map((problem) => `run: problem=${quoted(problem)}`),
    ...(next === null ? [] : [`run: next=${quoted(next)}`]),
  ];
}

function worktreeWords({ background }: RunRow, { worktree_bytes }: RunSize): string {
  const path = background?.worktree ?? null;
  if (path === null) return '-';
  return worktree_bytes === null ? `${cleanLine(path)} (gone)` : cleanLine(path);
}

function renderRecordLines(record: RunRecord): readonly string[] {
  const { agent, model, iterations, node, tokens, cost_usd, owner, last_message } = record;
  return [
    `run: iterations=${iterations.used}/${iterations.max} node=${word(node?.id ?? null)} agent=${word(agent)} model=${word(model)} sandbox=${word(record.sandbox)} tokens=${word(tokens)} cost_usd=${word(cost_usd)}`,
    `run: pid=${word(owner?.pid ?? null)} slot=${word(record.slot)} started=${word(record.started_at)} updated=${word(record.updated_at)} finished=${word(record.finished_at)}`,
    ...(last_message === null ? [] : [`run: message=${quoted(last_message)}`]),
    ...record.errors.map((error) => `run: error=${quoted(error)}`),
    ...record.audit.map(({ at, action, by }) => `run: audit=${word(action)} at=${word(at)} by=${word(by)}`),
  ];
}

export function shownValue(
  { row, record }: FoundRun,
  more: RunSize & { readonly tail: readonly string[] },
): Readonly<Record<string, unknown>> {
  const { tail, ...size } = more;
  return { command: 'run show', event: 'run', ...runValue({ ...row, ...size }), record, tail };
}

/** How a run that was followed has ended. */
export function printRunEnd(settings: Settings, command: string, row: RunRow): void {
  const { run_id, state, background } = row;
  const { status = null, reason = null } = background ?? {};
  const value = { command, event: 'ended', run_id, state, status, reason };
  printLine(settings, `run: id=${word(run_id)} state=${state} status=${statusWord(row)}`, value);
}
