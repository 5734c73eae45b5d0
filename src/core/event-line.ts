/** One line of `events.jsonl` read back (§8), as a line for people. What is no such line is passed over, never an error. */
import * as z from 'zod';

import { renderActivity } from './agent-events.ts';
import type { AgentEvent, EventPlace } from './agent-events.ts';
import { cleanLine } from './terminal-text.ts';

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
  z.object({ type: z.literal('tool_result'), id: z.string(), failed: z.boolean(), exit_code: number }),
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

/** Null: nothing people want to read, or a line that nobody of ours wrote. */
export function parseActivityLine(line: string): ActivityLine | null {
  const value = parseQuietly(line);
  const place = placeSchema.safeParse(value);
  const event = eventSchema.safeParse(value);
  if (!place.success || !event.success) return null;
  const text = renderActivity(event.data satisfies AgentEvent);
  const { at, session, role } = place.data;
  return text === null ? null : { at: cleanLine(at), session, role, text };
}

function parseQuietly(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
