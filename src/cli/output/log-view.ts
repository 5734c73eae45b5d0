/** `runner log` for people on a terminal: a line for each iteration, or one of them with what matters. Renders only. */
import type { Failure, ErrorPlace } from '../../app/views/log-failures.ts';
import type { LogDetail, LogEntry } from '../../app/views/log.ts';
import type { AgentIdentity, IterationMeta } from '../../core/agents/session.ts';
import { cleanLine } from '../../core/text/terminal-text.ts';
import type { Paint, Style } from './colour.ts';
import { renderDuration } from './duration.ts';
import { cutLine, named, word } from './fields.ts';
import { renderSpent } from './live-view.ts';

export interface View {
  readonly columns: number;
  readonly paint: Paint;
}

const styles: Readonly<Record<string, Style>> = { pass: 'good', fail: 'bad', skipped: 'doubtful' };

function resultOf({ status, guard }: Pick<IterationMeta, 'status' | 'guard'>): string {
  return guard === 'skipped' ? status : `${status}, guard ${guard}`;
}

function styleOf({ status, guard }: Pick<IterationMeta, 'status' | 'guard'>): Style {
  return status === 'decomposed' ? 'strong' : (styles[guard] ?? 'strong');
}

/** Cut before it is painted: colours take no room. */
export function renderEntryView(entry: LogEntry, { columns, paint }: View): string {
  const { meta, open, iter } = entry;
  const number = String(iter).padStart(4);
  if (meta === null) {
    const state = entry.is_running ? 'running' : 'unfinished';
    const where = open === null ? '' : `  ${word(open.node_path)}, ${open.phase}`;
    return cutLine(`${number}  ${state}${where}`, columns);
  }
  const result = resultOf(meta).padEnd(16);
  const rest = `${renderDuration(meta.duration_ms.total)}  ${named(meta.node_id, meta.title)}`;
  const spent = renderSpent(meta);
  const line = cutLine(`${number}  ${result}  ${rest}${spent === null ? '' : `  (${spent})`}`, columns);
  const at = number.length + 2;
  return `${line.slice(0, at)}${paint(styleOf(meta), line.slice(at, at + result.length))}${line.slice(at + result.length)}`;
}

export function renderFailureView({ meta, reason }: Failure, { columns, paint }: View): readonly string[] {
  const head = `${String(meta.iter).padStart(4)}  ${named(meta.node_id, meta.title)}`;
  return [cutLine(head, columns), paint('bad', cutLine(`      ${cleanLine(reason)}`, columns))];
}

export function renderErrorView({ meta, file, line, text }: ErrorPlace, { paint }: View): readonly string[] {
  const where = `iteration ${meta.iter}, ${named(meta.node_id, meta.title)}, ${file} line ${line}`;
  return [paint('faint', where), cleanLine(text)];
}

export function renderDetailView(detail: LogDetail, view: View): readonly string[] {
  const { meta, summary, error, files, iter } = detail;
  if (meta === null) return [renderEntryView(detail, view)];
  const { paint } = view;
  const rows: readonly (readonly [string, string])[] = [
    ['node', `${named(meta.node_id, meta.title)} (${word(meta.node_path)})`],
    [
      'agent',
      `${agentOf(meta.agent)}, ${renderDuration(meta.duration_ms.agent)}${exitOf(meta.exit_codes.agent)}`,
    ],
    ...(meta.guard === 'skipped'
      ? []
      : [
          [
            'guard',
            `${meta.guard}, ${renderDuration(meta.duration_ms.guard)}${exitOf(meta.exit_codes.guard)}`,
          ] as const,
        ]),
    ...(meta.review === null
      ? []
      : [['review', `${meta.review.verdict ?? 'no verdict'}, ${agentOf(meta.review.agent)}`] as const]),
    ['commit', `${word(meta.commit.slice(0, 12))}, ${filesOf(meta.changed_files)}`],
    ...(renderSpent(meta) === null ? [] : [['used', renderSpent(meta) ?? ''] as const]),
    ['time', `${word(meta.started_at)} to ${word(meta.ended_at)}`],
    ...(summary === null ? [] : [['summary', cleanLine(summary)] as const]),
    ...(error === null ? [] : [['error', cleanLine(error)] as const]),
    ...meta.notes.map((note) => ['note', cleanLine(note)] as const),
    ['files', files.map(({ name }) => cleanLine(name)).join(' ')],
    ['more', `runner log ${iter} --agent (or --prompt, --output, --guard, --diff)`],
  ];
  const head = `iteration ${iter} of run ${word(meta.run_id)}: ${resultOf(meta)}`;
  return [paint(styleOf(meta), head), ...rows.map(([name, text]) => `  ${name.padEnd(7)}  ${text}`)];
}

function agentOf({ name, version, model }: AgentIdentity): string {
  return [name, version, model]
    .filter((part) => part !== null && part !== '')
    .map((part) => cleanLine(String(part)))
    .join(' ');
}

function exitOf(code: number | null): string {
  return code === null ? '' : `, exit code ${code}`;
}

function filesOf(count: number): string {
  return count === 1 ? '1 file changed' : `${count} files changed`;
}
