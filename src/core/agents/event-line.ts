/** Renders one line of `events.jsonl` for people (§8). Other lines are skipped, never an error. */
import * as z from 'zod';

import { renderActivity } from './agent-events.ts';
import type { AgentEvent, EventPlace } from './agent-events.ts';
import type { Usage } from './session.ts';
import { cleanLine } from '../text/terminal-text.ts';

/** What an agent did, as people are shown it. */
export interface ActivityLine extends Omit<EventPlace, 'seq'> {
  /** Clean, without line breaks, short. */
  readonly text: string;
}

const number = z.number().nullable();
const words = { text: z.string(), partial: z.boolean() };

const eventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('message'), ...words }),
  z.object({ type: z.literal('reasoning'), ...words }),
  z.object({ type: z.literal('tool_call'), id: z.string(), tool: z.string(), detail: z.string() }),
  z.object({
    type: z.literal('tool_result'),
    id: z.string(),
    failed: z.boolean(),
    exit_code: number,
    output: z.string().exactOptional(),
  }),
  z.object({ type: z.literal('file_edit'), path: z.string(), change: z.enum(['add', 'update', 'delete']) }),
  z.object({
    type: z.literal('error'),
    message: z.string(),
    status: number,
    fatal: z.boolean(),
    reset_at_ms: number,
  }),
  z.object({ type: z.literal('retry'), message: z.string(), status: number, reset_at_ms: number }),
  z.object({ type: z.literal('denied'), what: z.string() }),
  z.object({ type: z.literal('answer'), text: z.string() }),
]);

const placeSchema = z.object({
  v: z.literal(1),
  at: z.string(),
  session: z.int().min(1),
  role: z.enum(['agent', 'review']),
});

/** Something an agent did, and when. */
export interface EventLine {
  readonly place: Omit<EventPlace, 'seq'>;
  readonly event: Exclude<AgentEvent, { type: 'usage' | 'finished' }>;
}

/** Null: nothing people want to read, or a line that the runner did not write. */
export function parseEventLine(line: string): EventLine | null {
  const value = parseQuietly(line);
  const place = placeSchema.safeParse(value);
  const event = eventSchema.safeParse(value);
  if (!place.success || !event.success) return null;
  const { at, session, role } = place.data;
  return { place: { at: cleanLine(at), session, role }, event: event.data };
}

/** Null: likewise. */
export function parseActivityLine(line: string): ActivityLine | null {
  const parsed = parseEventLine(line);
  const text = parsed === null ? null : renderActivity(parsed.event);
  return parsed === null || text === null ? null : { ...parsed.place, text };
}

/** What a session has used so far, or in one turn. */
export interface UsageLine {
  readonly place: EventPlace;
  readonly event: Extract<AgentEvent, { type: 'usage' }>;
}

const usageSchema = z.object({
  type: z.literal('usage'),
  scope: z.enum(['session', 'turn']),
  usage: z.object({
    input_tokens: number,
    cached_input_tokens: number,
    output_tokens: number,
    cost_usd: number,
  } satisfies Record<keyof Usage, typeof number>),
});

/** Null: a line about something else, or one that the runner did not write. */
export function parseUsageLine(line: string): UsageLine | null {
  // Most lines are about something else, and there may be very many.
  if (!line.includes('"usage"')) return null;
  const value = parseQuietly(line);
  const place = placeSchema.extend({ seq: z.int().min(1) }).safeParse(value);
  const event = usageSchema.safeParse(value);
  if (!place.success || !event.success) return null;
  const { seq, at, session, role } = place.data;
  return { place: { seq, at: cleanLine(at), session, role }, event: event.data };
}

function parseQuietly(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
