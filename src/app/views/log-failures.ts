/** Why iterations did not bring their nodes forward, and the line that tells it; read-only, from the logs alone (§8). */
import { firstLine } from '../../core/agents/agent-events.ts';
import { parseEventLine } from '../../core/agents/event-line.ts';
import { readable } from '../../core/agents/readable.ts';
import type { IterationMeta } from '../../core/agents/session.ts';
import { searchError } from '../../core/text/error-line.ts';
import { cleanLine, renderTerminal } from '../../core/text/terminal-text.ts';
import { failureOf, isReport } from '../../core/views/failure.ts';
import type { IterationPlace, IterationReader, LogPlace } from '../../ports/iteration-reader.ts';
import { loadDetail } from './log.ts';
import type { LogEntry, LogPorts } from './log.ts';

export interface Failure {
  readonly meta: IterationMeta;
  readonly reason: string;
}

/** `line`: in the file, from 1. */
export interface ErrorPlace {
  readonly meta: IterationMeta;
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

type Finished = LogEntry & { readonly meta: IterationMeta };

function listFailed(entries: readonly LogEntry[]): readonly Finished[] {
  return entries.filter((entry): entry is Finished => entry.meta !== null && failureOf(entry.meta) !== null);
}

/** In the order of the entries. */
export async function loadFailures(
  ports: LogPorts,
  entries: readonly LogEntry[],
): Promise<readonly Failure[]> {
  const failures: Failure[] = [];
  for (const entry of listFailed(entries)) {
    const what = failureOf(entry.meta)?.text ?? '';
    const error = await loadFirstError(ports, entry);
    const cause = error?.text ?? (await loadDetail(ports, entry)).summary;
    const told = cause === null ? null : firstLine(cause);
    failures.push({ meta: entry.meta, reason: told === null ? what : `${what}: ${told}` });
  }
  return failures;
}

/** Of the last iteration that failed and has one; null: none has. */
export async function findLastError(
  ports: LogPorts,
  entries: readonly LogEntry[],
): Promise<ErrorPlace | null> {
  for (const entry of listFailed(entries).toReversed()) {
    const error = await loadFirstError(ports, entry);
    if (error !== null) return error;
  }
  return null;
}

/** In the guard's log where the guard decided, else what the agent reported or printed, else what the runner wrote about the session. */
async function loadFirstError(
  { iterations }: LogPorts,
  { meta, run_id, iter }: Finished,
): Promise<ErrorPlace | null> {
  const log = failureOf(meta)?.log ?? null;
  const place = (name: string): LogPlace => ({ run_id, iter, name });
  const look = (name: string, pick: Pick): Promise<Found | null> => findLine(iterations, place(name), pick);
  const printed = async (): Promise<Found | null> =>
    log === null ? null : (await findPrinted(iterations, place(log))).error;
  const found =
    log?.startsWith('guard.') === true
      ? await findPrinted(iterations, place(log)).then(({ error, last }) => error ?? last)
      : ((await look('events.jsonl', reported)) ??
        (await printed()) ??
        (await look('runner_error.log', firstLine)) ??
        (await look('agent_error.log', firstLine)));
  return found === null ? null : { meta, ...found };
}

type Found = Omit<ErrorPlace, 'meta'>;
type Pick = (line: string) => string | null;

function reported(line: string): string | null {
  const event = parseEventLine(line)?.event;
  return event?.type === 'error' ? firstLine(event.message) : null;
}

/** The first line that gives a text. */
async function findLine(iterations: IterationReader, place: LogPlace, pick: Pick): Promise<Found | null> {
  let found: Found | null = null;
  let count = 0;
  await eachLines(iterations, place, async (lines) => {
    for (const line of lines) {
      count += 1;
      const text = pick(line);
      if (text !== null) found ??= { file: place.name, line: count, text };
    }
    return found === null;
  });
  return found;
}

/** `last`: a check that only ends with a code most often says why in its last line. */
async function findPrinted(
  iterations: IterationReader,
  place: LogPlace,
): Promise<{ readonly error: Found | null; readonly last: Found | null }> {
  const search = searchError();
  let last: Found | null = null;
  let count = 0;
  await eachLines(iterations, place, async (lines) => {
    for (const raw of lines) {
      const text = cleanLine(renderTerminal(raw)).trim();
      count += 1;
      search.add(isReport(text) ? '' : text);
      if (text !== '') last = { file: place.name, line: count, text };
    }
    return search.found()?.isSure !== true;
  });
  const found = search.found();
  return { error: found && { file: place.name, line: found.line, text: found.text }, last };
}

/** What the agent said and did, piece by piece; false: its events have nothing to read. */
export async function streamReadable(
  iterations: IterationReader,
  place: IterationPlace,
  onText: (text: string) => Promise<boolean>,
): Promise<boolean> {
  const text = readable();
  let hasAny = false;
  const send = async (part: string): Promise<boolean> => {
    hasAny ||= part !== '';
    return part === '' || onText(part);
  };
  await eachLines(iterations, { ...place, name: 'events.jsonl' }, (lines) =>
    send(lines.map((line) => text.add(line)).join('')),
  );
  await send(text.end());
  return hasAny;
}

/** A line that is longer is taken in parts. */
const lineLengthMax = 1024 * 1024;

/** `onLines`: false ends it. A file that is not there has no lines. */
async function eachLines(
  iterations: IterationReader,
  place: LogPlace,
  onLines: (lines: readonly string[]) => Promise<boolean>,
): Promise<void> {
  let held = '';
  let isWanted = true;
  await iterations.stream(place, async (piece) => {
    const lines = `${held}${piece}`.split('\n');
    held = lines.pop() ?? '';
    if (held.length > lineLengthMax) {
      lines.push(held);
      held = '';
    }
    isWanted = await onLines(lines);
    return isWanted;
  });
  if (held !== '' && isWanted) await onLines([held]);
}
