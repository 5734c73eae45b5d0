/** Follows an agent's output: sends events to the log and to people, and builds the transcript from which answer and failure are read. */
import { renderActivity } from '../../core/agents/agent-events.ts';
import type { AgentEvent } from '../../core/agents/agent-events.ts';
import { addEvent, emptyTranscript, messageLengthMax, skipMessage } from '../../core/agents/transcript.ts';
import type { Transcript } from '../../core/agents/transcript.ts';
import { redactDeep } from '../../core/text/redact.ts';
import type { Activity } from '../../ports/sessions.ts';
import type { EventLog } from '../files/event-log.ts';
import type { ExecutorSpec } from './executors/spec.ts';
import { follow } from '../files/follow.ts';
import type { Skipping } from '../files/follow.ts';
import { lineReader } from '../files/line-reader.ts';
import { openRegular } from '../files/regular-file.ts';

export interface Watcher {
  readonly onChunk: (text: string) => void;
  /** Which part of a flood may be skipped; null: none. */
  readonly skipping: () => Skipping | null;
  transcript(): Transcript;
  /** Contract: the last line need not end in a newline. Last call. */
  finish(): Transcript;
}

/** More than is kept of any message, whatever the characters, so nothing that is skipped would have counted. */
const messageBytes = { behindBytesMax: 4 * messageLengthMax, keptBytes: 2 * messageLengthMax };

/** A few more than the live view has room for. */
const latestMax = 8;

/** The last lines of a flood are within this length. */
const tailLength = 4096;

export function watchOutput(options: {
  readonly spec: ExecutorSpec;
  readonly log: EventLog | null;
  readonly onActivity: (activity: Activity) => void;
  /** Takes the secrets out of a text that people see. */
  readonly redact: (text: string) => string;
  /** False: of many events at once only the latest are shown. */
  readonly everyActivity: boolean;
}): Watcher {
  const { spec, log, onActivity, redact, everyActivity } = options;
  const isText = spec.printsText === true;
  let transcript = emptyTranscript;
  let isLineOpen = false;
  let events: AgentEvent[] = [];
  const readLines = lineReader((line) => {
    events.push(...spec.follow(line));
  });
  // Once the log is full, a flood of mere words is no more than its end.
  const needsAll = (): boolean => everyActivity || !isText || log?.isOpen() === true;
  const skipping: Skipping = {
    ...messageBytes,
    onSkip: () => {
      transcript = skipMessage(transcript);
    },
  };
  const take = (text: string): void => {
    if (needsAll()) readLines(text);
    else events = text.slice(-tailLength).split('\n').slice(1, -1).flatMap(spec.follow);

    const added: readonly AgentEvent[] = isText ? [{ type: 'message', text, partial: true }] : events;
    transcript = added.reduce(addEvent, transcript);
    log?.addAll(events);
    for (const event of everyActivity ? events : events.slice(-latestMax)) {
      const shown = renderActivity(redactDeep(event, redact));
      if (shown !== null) onActivity({ line: shown });
    }
    events = [];
  };
  return {
    onChunk: (text) => {
      isLineOpen = !text.endsWith('\n');
      take(text);
    },
    skipping: () => (needsAll() ? null : skipping),
    transcript: () => transcript,
    finish: () => {
      if (isLineOpen) take('\n');

      log?.close();
      return transcript;
    },
  };
}

/** What a session that is over reported, from the file it wrote; empty when there is none. */
export async function loadTranscript(file: string, spec: ExecutorSpec): Promise<Transcript> {
  const opened = await openRegular(file);
  if (opened.kind !== 'open') return emptyTranscript;

  try {
    const unseen = { onActivity: () => {}, redact: (text: string) => text, everyActivity: false };
    const watcher = watchOutput({ spec, log: null, ...unseen });
    const follower = follow({
      handle: opened.handle,
      position: 0,
      onChunk: watcher.onChunk,
      followAll: true,
      skipping: watcher.skipping,
    });
    await follower.finish(opened.bytes);
    return watcher.finish();
  } finally {
    await opened.handle.close();
  }
}
