/** `runner log` as lines and as JSON: the list, one iteration, the followed one. Text from logs is cleaned before it is printed. */
import type { FollowEvent } from '../../app/views/follow-log.ts';
import type { ErrorPlace, Failure } from '../../app/views/log-failures.ts';
import type { LogDetail, LogEntry } from '../../app/views/log.ts';
import type { AgentIdentity } from '../../core/agents/session.ts';
import { cleanLine } from '../../core/text/terminal-text.ts';
import { metaFields, metaValue, word } from './fields.ts';

/** The flags that print a file, and which. */
export const logFlags = {
  prompt: 'prompt.md',
  output: 'output.json',
  events: 'events.jsonl',
  guard: 'guard.log',
  diff: 'diff.patch',
} as const satisfies Readonly<Record<string, string>>;

export function renderEntryLine(entry: LogEntry): string {
  const { meta, open } = entry;
  if (meta !== null) return `log: ${metaFields(meta)}`;
  const state = entry.is_running ? 'running' : 'unfinished';
  return `log: run=${word(entry.run_id)} iter=${entry.iter} node=${word(open?.node_id ?? null)} status=${state} phase=${open?.phase ?? '-'}`;
}

export function entryValue(entry: LogEntry): Readonly<Record<string, unknown>> {
  const { run_id, iter, meta, open } = entry;
  if (meta !== null) return { command: 'log', event: 'iteration', state: 'finished', ...metaValue(meta) };
  return {
    command: 'log',
    event: 'iteration',
    state: entry.is_running ? 'running' : 'unfinished',
    run_id,
    iter,
    node_id: open?.node_id ?? null,
    node_path: open?.node_path ?? null,
    phase: open?.phase ?? null,
  };
}

export function renderDetailLines(detail: LogDetail): readonly string[] {
  const { meta, summary, error, files } = detail;
  return [
    renderEntryLine(detail),
    ...(meta === null
      ? []
      : [
          `log: path=${word(meta.node_path)} started=${word(meta.started_at)} ended=${word(meta.ended_at)} sessions=${meta.sessions} waited_secs=${meta.waited_secs}`,
          `log: exit_agent=${word(meta.exit_codes.agent)} exit_guard=${word(meta.exit_codes.guard)} failure=${word(meta.failure)} changed_files=${meta.changed_files} recovered=${meta.recovered ? 'yes' : 'no'}`,
          `log: agent=${renderAgent(meta.agent)}`,
          ...(meta.review === null
            ? []
            : [`log: review=${word(meta.review.verdict)} agent=${renderAgent(meta.review.agent)}`]),
        ]),
    ...(summary === null ? [] : [`log: summary=${cleanLine(summary)}`]),
    ...(error === null ? [] : [`log: error=${cleanLine(error)}`]),
    ...(meta?.notes ?? []).map((note) => `log: note=${cleanLine(note)}`),
    ...files.map(({ name, bytes, path }) => `log: file=${word(name)} bytes=${bytes} path=${cleanLine(path)}`),
  ];
}

function renderAgent({ name, version, model, effort }: AgentIdentity): string {
  return `${word(name)} version=${word(version)} model=${word(model)} effort=${word(effort)}`;
}

export function detailValue(detail: LogDetail): Readonly<Record<string, unknown>> {
  const { meta, summary, error, files } = detail;
  const known = meta === null ? {} : { ...pickDetail(meta), notes: meta.notes };
  return { ...entryValue(detail), event: 'detail', ...known, summary, error, files };
}

function pickDetail(meta: NonNullable<LogDetail['meta']>): Readonly<Record<string, unknown>> {
  const { agent, review, sessions, waited_secs, exit_codes, changed_files } = meta;
  return { agent, review, sessions, waited_secs, exit_codes, changed_files };
}

export function renderFailureLine({ meta, reason }: Failure): string {
  return `log: ${metaFields(meta)} reason=${cleanLine(reason)}`;
}

export function failureValue({ meta, reason }: Failure): Readonly<Record<string, unknown>> {
  return { command: 'log', event: 'failure', ...metaValue(meta), reason };
}

export function renderErrorLine({ meta, file, line, text }: ErrorPlace): string {
  return `log: run=${word(meta.run_id)} iter=${meta.iter} node=${word(meta.node_id)} file=${word(file)} line=${line} error=${cleanLine(text)}`;
}

export function errorPlaceValue({ meta, file, line, text }: ErrorPlace): Readonly<Record<string, unknown>> {
  const { run_id, iter, node_id, title } = meta;
  return { command: 'log', event: 'first_error', run_id, iter, node_id, title, file, line, text };
}

/** What is followed and has a line. */
export type FollowLine = Exclude<FollowEvent, { kind: 'usage' }>;

/** A line for people; times are UTC, as in the logs. */
export function renderFollowLine(event: FollowLine): string {
  switch (event.kind) {
    case 'begun':
      return `iter ${event.place.iter}: ${word(event.node_path)}`;
    case 'phase':
      return `  ${event.open.phase} …`;
    case 'activity': {
      const { at, role, text } = event.activity;
      const time = /T(\d\d:\d\d:\d\d)/.exec(at)?.[1] ?? '--:--:--';
      return `  ${time} ${role === 'review' ? 'review: ' : ''}${text}`;
    }
    case 'ended':
      return `log: ${metaFields(event.meta)}`;
    case 'left_open':
      return `log: run=${word(event.place.run_id)} iter=${event.place.iter} node=- status=unfinished phase=-`;
  }
}

export function followValue(event: FollowLine): Readonly<Record<string, unknown>> {
  switch (event.kind) {
    case 'begun': {
      const { place, node_id, node_path } = event;
      return { command: 'log', event: 'begun', ...placeValue(place), node_id, node_path };
    }
    case 'phase': {
      const { node_id, phase } = event.open;
      return { command: 'log', event: 'phase', ...placeValue(event.open), node_id, phase };
    }
    case 'activity': {
      const { at, session, role, text } = event.activity;
      return { command: 'log', event: 'activity', ...placeValue(event.place), at, session, role, text };
    }
    case 'ended':
      return { command: 'log', event: 'iteration', state: 'finished', ...metaValue(event.meta) };
    case 'left_open':
      return entryValue({ ...event.place, meta: null, open: null, is_running: false });
  }
}

function placeValue({ run_id, iter }: { readonly run_id: string; readonly iter: number }) {
  return { run_id, iter };
}
