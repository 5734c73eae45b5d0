/** Adds up the events of a session: last message, answer, usage, failure, open tool calls, refusals. */
import { firstLine } from './agent-events.ts';
import type { AgentEvent } from './agent-events.ts';
import type { Usage } from './session.ts';
import { byteLength } from '../text/shorten.ts';
import { addUsage, unknownUsage } from './usage.ts';

export interface Transcript {
  /** The last whole message; pieces are joined. Of one that was cut there may be more than `messageOf` tells. */
  readonly message: string | null;
  readonly isMessageOpen: boolean;
  readonly isMessageCut: boolean;
  /** Bytes of the message before what is kept, as far as they were read. */
  readonly cutBytes: number;
  readonly answer: string | null;
  readonly usage: Usage;
  /** The last error that ended the session, or the last one told when none did. */
  readonly error: Extract<AgentEvent, { type: 'error' }> | null;
  /** The last time the agent said that it asks the model again, and no word of the model since. */
  readonly retry: Extract<AgentEvent, { type: 'retry' }> | null;
  /** Retries since the model's last output. */
  readonly retriesInARow: number;
  readonly openTools: ReadonlySet<string>;
  readonly denials: readonly string[];
  /** The last reset that was stated, whichever record stated it. */
  readonly resetAtMs: number | null;
  readonly isFinished: boolean;
}

export const emptyTranscript: Transcript = {
  message: null,
  isMessageOpen: false,
  isMessageCut: false,
  cutBytes: 0,
  answer: null,
  usage: unknownUsage,
  error: null,
  retry: null,
  retriesInARow: 0,
  openTools: new Set(),
  denials: [],
  resetAtMs: null,
  isFinished: false,
};

/** The model spoke: whatever was tried before has worked. */
const heard = { retry: null, retriesInARow: 0 } as const;

/** A flood of pieces keeps its end, where the answer is. */
export const messageLengthMax = 2.5 * 1024 * 1024;
const denialsMax = 50;
/** An agent that never reports the end of its tools counts as busy anyway; a longer list would only cost time. */
const openToolsMax = 1000;

export function addEvent(before: Transcript, event: AgentEvent): Transcript {
  switch (event.type) {
    case 'message':
      return { ...before, ...messageAfter(before, event), ...heard };
    case 'reasoning':
      return { ...before, ...heard };
    case 'answer':
      return { ...before, answer: event.text, ...heard };
    case 'usage':
      return {
        ...before,
        usage: addUsage(event.scope === 'session' ? unknownUsage : before.usage, event.usage),
      };
    case 'error': {
      const resetAtMs = event.reset_at_ms ?? before.resetAtMs;
      const isWeaker = before.error?.fatal === true && !event.fatal;
      return { ...before, resetAtMs, error: isWeaker ? before.error : event };
    }
    case 'retry':
      return {
        ...before,
        resetAtMs: event.reset_at_ms ?? before.resetAtMs,
        // It goes on, so whatever it called fatal before was not.
        error: before.error?.fatal === true ? null : before.error,
        retry: event,
        retriesInARow: before.retriesInARow + 1,
      };
    case 'finished':
      return { ...before, isFinished: true };
    case 'tool_call':
      return {
        ...before,
        isMessageOpen: false,
        ...heard,
        openTools: new Set([...before.openTools, event.id].slice(-openToolsMax)),
      };
    case 'tool_result':
      return { ...before, openTools: new Set([...before.openTools].filter((id) => id !== event.id)) };
    case 'denied':
      return { ...before, denials: denialsAfter(before.denials, firstLine(event.what)) };
    case 'file_edit':
      return before;
  }
}

function denialsAfter(denials: readonly string[], what: string | null): readonly string[] {
  const isNews = what !== null && denials.length < denialsMax && !denials.includes(what);
  return isNews ? [...denials, what] : denials;
}

function messageAfter(
  before: Transcript,
  event: Extract<AgentEvent, { type: 'message' }>,
): Pick<Transcript, 'message' | 'isMessageOpen' | 'isMessageCut' | 'cutBytes'> {
  if (!event.partial) return { message: event.text, isMessageOpen: false, isMessageCut: false, cutBytes: 0 };
  const known = before.isMessageOpen ? String(before.message) : '';
  const text = `${known}${event.text}`;
  const isLong = text.length > messageLengthMax;
  return {
    message: isLong ? text.slice(-messageLengthMax / 2) : text,
    isMessageOpen: true,
    isMessageCut: isLong || (before.isMessageOpen && before.isMessageCut),
    cutBytes:
      (before.isMessageOpen ? before.cutBytes : 0) +
      (isLong ? byteLength(text.slice(0, -messageLengthMax / 2)) : 0),
  };
}

/** Most of a message, longer than any that is kept whole, was passed over; what comes now is its end. */
export function skipMessage(before: Transcript): Transcript {
  return { ...before, message: '', isMessageOpen: true, isMessageCut: true };
}

/** The last message, or the end of one that was too long: the same however its pieces came. */
export function messageOf({ message, isMessageCut }: Transcript): string | null {
  return isMessageCut && message !== null ? message.slice(-messageLengthMax / 2) : message;
}
