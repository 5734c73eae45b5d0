/**
 * Writes `events.jsonl` of an iteration (§8) while the agent runs. It keeps its own descriptor, so a session that changes the
 * path cannot redirect the writes; a full disk loses events, never the session.
 */
import { closeSync, constants, fstatSync, ftruncateSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { eventJoiner, renderEventLine, withoutFolder } from '../../core/agents/agent-events.ts';
import type { AgentEvent, EventPlace } from '../../core/agents/agent-events.ts';
import { eventLogBytesMax } from '../../core/limits.ts';
import { redactDeep } from '../../core/text/redact.ts';

export interface EventLog {
  add(event: AgentEvent): void;
  /** Contract: as `add`, with one write and one time for all of them. */
  addAll(events: readonly AgentEvent[]): void;
  /** Contract: false when nobody would get an event any more. */
  isOpen(): boolean;
  close(): void;
}

export function openEventLog(request: {
  readonly file: string;
  readonly session: number;
  readonly role: EventPlace['role'];
  readonly clock: { readonly nowIso: () => string };
  /** The project folder: paths below it are written without it. */
  readonly folder: string;
  /** Takes the secrets out of a text. */
  readonly redact: (text: string) => string;
  /** Gets every whole event, also those that the file has no room for. */
  readonly onEvent?: ((event: AgentEvent, place: EventPlace) => void) | null;
}): EventLog {
  const { file, session, role, clock, folder, redact, onEvent = null } = request;
  const flags =
    constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  let descriptor: number | null = openQuietly(file, flags);
  const joiner = eventJoiner();
  let seq = 0;
  let bytes = descriptor === null ? 0 : fstatSync(descriptor).size;
  const close = (): void => {
    if (descriptor !== null) {
      closeSync(descriptor);
      descriptor = null;
    }
  };
  /** Raw output is kept in executor.log; without room there is nothing better to do. */
  const write = (lines: readonly string[]): void => {
    if (descriptor === null || lines.length === 0 || writeWhole(descriptor, lines.join(''))) return;

    // A disk that is nearly full has room for the first of them.
    const kept = descriptor;
    lines.every((line) => writeWhole(kept, line));
    close();
  };
  const isOpen = (): boolean => descriptor !== null || onEvent !== null;
  const record = (events: readonly AgentEvent[]): void => {
    const at = clock.nowIso();
    const lines: string[] = [];
    for (const event of events.map((one) => redactDeep(withoutFolder(one, folder), redact))) {
      seq += 1;
      const place = { seq, at, session, role };
      onEvent?.(event, place);
      if (descriptor === null || bytes > eventLogBytesMax) continue;

      const line = renderEventLine(event, place);
      bytes += Buffer.byteLength(line);
      if (bytes <= eventLogBytesMax) lines.push(line);
    }
    write(lines);
    if (bytes > eventLogBytesMax) close();
  };
  const addAll = (events: readonly AgentEvent[]): void => {
    if (isOpen()) record(events.flatMap((event) => joiner.add(event)));
  };
  return {
    add: (event) => addAll([event]),
    addAll,
    isOpen,
    close: () => {
      if (isOpen()) record(joiner.flush());

      close();
    },
  };
}

/** A disk that fills up takes the start of a line; half a line is no record, so it goes again. */
function writeWhole(descriptor: number, line: string): boolean {
  try {
    const written = writeSync(descriptor, line);
    if (written === Buffer.byteLength(line)) return true;

    ftruncateSync(descriptor, fstatSync(descriptor).size - written);
  } catch {
    // Nothing of it was written, or nothing can be done about it.
  }
  return false;
}

function openQuietly(file: string, flags: number): number | null {
  try {
    const descriptor = openSync(file, flags, 0o644);
    const found = fstatSync(descriptor);
    if (found.isFile() && found.nlink === 1) return descriptor;

    closeSync(descriptor);
    // A second hard link may lead anywhere: a new file takes its place, and what it leads to is not written to (§14).
    if (found.isFile()) {
      unlinkSync(file);
      return openSync(file, flags | constants.O_EXCL, 0o644);
    }
  } catch {
    // A link, a pipe or no room: the session goes on without.
  }
  return null;
}
