/**
 * Agent events: each line an agent prints becomes zero or more of them, in one form for all agents. People see them live,
 * `events.jsonl` stores them (§8), and answer, usage and failures are read from them.
 */
import { shortenMiddle } from '../text/shorten.ts';
import { cleanLine, cleanText } from '../text/terminal-text.ts';
import type { Usage } from './session.ts';

export type AgentEvent =
  /** Words of the agent. `partial`: a piece, to be joined with the pieces before it. */
  | { readonly type: 'message'; readonly text: string; readonly partial: boolean }
  | { readonly type: 'reasoning'; readonly text: string; readonly partial: boolean }
  /** A tool call began; `detail` is its command, path or pattern. */
  | { readonly type: 'tool_call'; readonly id: string; readonly tool: string; readonly detail: string }
  | {
      readonly type: 'tool_result';
      readonly id: string;
      readonly failed: boolean;
      readonly exit_code: number | null;
      /** What it printed or gave back, shortened; missing: nothing, or not told. */
      readonly output?: string;
    }
  | { readonly type: 'file_edit'; readonly path: string; readonly change: 'add' | 'update' | 'delete' }
  /** `fatal`: the session cannot go on; the others are only reported. */
  | {
      readonly type: 'error';
      readonly message: string;
      readonly status: number | null;
      readonly fatal: boolean;
      readonly reset_at_ms: number | null;
    }
  /** The agent retries its model call by itself. */
  | {
      readonly type: 'retry';
      readonly message: string;
      readonly status: number | null;
      readonly reset_at_ms: number | null;
    }
  /** A tool that was refused, or a question nobody could answer. */
  | { readonly type: 'denied'; readonly what: string }
  /** `session`: the sum so far. `turn`: to be added. */
  | { readonly type: 'usage'; readonly scope: 'session' | 'turn'; readonly usage: Usage }
  /** The structured answer, where the agent has one. */
  | { readonly type: 'answer'; readonly text: string }
  /** The agent says that it is done; it may still take a while to exit. */
  | { readonly type: 'finished' };

/** Position of an event: which session of the iteration, and when. */
export interface EventPlace {
  readonly seq: number;
  readonly at: string;
  readonly session: number;
  readonly role: 'agent' | 'review';
}

const textBytesMax = 16 * 1024;

/** One line of `events.jsonl`; long texts are shortened in the middle, control characters taken out. */
export function renderEventLine(event: AgentEvent, place: EventPlace): string {
  const { seq, at, session, role } = place;
  // Put together by hand: an agent may print hundreds of thousands of them.
  const head = `{"v":1,"seq":${seq},"at":${JSON.stringify(at)},"session":${session},"role":"${role}"`;
  const fields = Object.entries(event).map(([key, value]) => `,"${key}":${JSON.stringify(fitValue(value))}`);
  return `${head}${fields.join('')}}\n`;
}

/** The event as it is logged and shown: long texts shortened in the middle, control characters removed. */
export function fitEvent(event: AgentEvent): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(event).map(([key, value]) => [key, fitValue(value)]));
}

function fitValue(value: unknown): unknown {
  return typeof value === 'string' ? fit(value) : value;
}

/** Cleaning only takes away. Megabytes of it would hold up everything else, and little of them would be kept. */
function fit(text: string): string {
  const isFlood = text.length > 4 * textBytesMax;
  return isFlood
    ? cleanText(shortenMiddle(text, textBytesMax))
    : shortenMiddle(cleanText(text), textBytesMax);
}

const outputBytesMax = 4096;

/** What a tool gave back, as part of its result. */
export function toolOutput(text: string): { readonly output?: string } {
  const head = text.length > 4 * outputBytesMax ? shortenMiddle(text, 4 * outputBytesMax) : text;
  return head.trim() === '' ? {} : { output: shortenMiddle(head, outputBytesMax) };
}

/** Paths below the project folder, as people write them. `folder` is absolute, without a slash at its end. */
export function withoutFolder(event: AgentEvent, folder: string): AgentEvent {
  if (event.type === 'tool_call') return { ...event, detail: relativePaths(event.detail, folder) };
  return event.type === 'file_edit' ? { ...event, path: relativePaths(event.path, folder) } : event;
}

function relativePaths(text: string, folder: string): string {
  if (!text.includes(folder)) return text;
  const literal = folder.replaceAll(/[^\w/]/gu, String.raw`\$&`);
  return text
    .replaceAll(new RegExp(String.raw`(?<![\w./-])${literal}/(?=[\w.@+-])`, 'g'), '')
    .replaceAll(new RegExp(String.raw`(?<![\w./-])${literal}/?(?![\w./-])`, 'g'), '.');
}

/** One readable line for people; null: nothing worth a line. */
export function renderActivity(event: AgentEvent): string | null {
  switch (event.type) {
    case 'message':
    case 'answer':
      return firstLine(event.text);
    case 'reasoning':
      return withPrefix('thinking: ', firstLine(event.text));
    case 'tool_call':
      return firstLine(event.tool === 'shell' ? `$ ${event.detail}` : `${event.tool} ${event.detail}`);
    case 'tool_result':
      return event.failed
        ? `failed${event.exit_code === null ? '' : ` with exit code ${event.exit_code}`}`
        : null;
    case 'file_edit':
      return firstLine(`${event.change} ${event.path}`);
    case 'error':
      return withPrefix('error: ', firstLine(event.message));
    case 'retry':
      return withPrefix('waiting for the model: ', firstLine(event.message));
    case 'denied':
      return withPrefix('refused: ', firstLine(event.what));
    case 'usage':
    case 'finished':
      return null;
  }
}

function withPrefix(prefix: string, line: string | null): string | null {
  return line === null ? null : `${prefix}${line}`;
}

const shownLengthMax = 160;

/** The first line that says something, short enough for one line of a terminal; null when there is none. */
export function firstLine(text: string): string | null {
  const head = text.length > 4096 ? text.trimStart().slice(0, 4096) : text;
  const line = head
    .split(/\r?\n/u)
    .map((part) => cleanLine(part).trim())
    .find((part) => part !== '');
  if (line === undefined) return null;
  // By character, or the cut could leave half of one.
  const chars = Array.from(line);
  return chars.length > shownLengthMax ? `${chars.slice(0, shownLengthMax).join('')}…` : line;
}

const messageShownMax = 1000;

/** All of a short text on one line, such as when a limit ends and what can be done about it; null when it says nothing. */
export function wholeLine(text: string): string | null {
  const chars = Array.from(cleanLine(text.slice(0, 4 * messageShownMax)));
  if (chars.length === 0) return null;
  return chars.length > messageShownMax ? `${chars.slice(0, messageShownMax).join('')}…` : chars.join('');
}

/**
 * Joins pieces of a message into whole ones, so that a log has lines and not syllables. Give it every event; what it gives back
 * is complete. `flush` at the end.
 */
export function eventJoiner(): {
  readonly add: (event: AgentEvent) => readonly AgentEvent[];
  readonly flush: () => readonly AgentEvent[];
} {
  let open: { readonly type: 'message' | 'reasoning'; text: string } | null = null;
  const flush = (): readonly AgentEvent[] => {
    const whole = open;
    open = null;
    return whole === null ? [] : [{ type: whole.type, text: whole.text, partial: false }];
  };
  return {
    flush,
    add: (event) => {
      if ((event.type !== 'message' && event.type !== 'reasoning') || !event.partial)
        return [...flush(), event];

      const before = open !== null && open.type !== event.type ? flush() : [];
      open ??= { type: event.type, text: '' };
      // Text beyond the limit of a line is cut anyway; one more piece makes the cut visible.
      if (open.text.length <= textBytesMax) open.text += event.text;
      return event.text.endsWith('\n') ? [...before, ...flush()] : before;
    },
  };
}
