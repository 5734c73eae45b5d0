/** JSON lines as agents print them. A line that is not a JSON object is not a record; nothing here throws. */
import type { AgentEvent } from '../../../core/agents/agent-events.ts';
import type { Usage } from '../../../core/agents/session.ts';
import { isObject } from '../../../core/text/is-object.ts';

export type JsonRecord = Readonly<Record<string, unknown>>;

export function parseRecord(line: string): JsonRecord | null {
  if (!line.startsWith('{')) return null;

  try {
    return asRecord(JSON.parse(line));
  } catch {
    return null;
  }
}

export function asRecord(value: unknown): JsonRecord | null {
  return isObject(value) ? value : null;
}

/** As JSON again; null when it is nested deeper than anybody writes answers. */
export function renderRecord(record: JsonRecord): string | null {
  try {
    return JSON.stringify(record);
  } catch {
    return null;
  }
}

export function asRecords(value: unknown): readonly JsonRecord[] {
  return (Array.isArray(value) ? value : []).map(asRecord).filter((item) => item !== null);
}

/** The blocks of a message as claude records it. */
export function blocksOf(record: JsonRecord | null): readonly JsonRecord[] {
  return asRecords(asRecord(record?.['message'])?.['content']);
}

export function blockEvents(
  block: JsonRecord,
  toolCall: (block: JsonRecord) => readonly AgentEvent[],
): readonly AgentEvent[] {
  switch (block['type']) {
    case 'text':
      return [{ type: 'message', text: asText(block['text']), partial: false }];
    case 'thinking':
      return [{ type: 'reasoning', text: asText(block['thinking']), partial: false }];
    case 'tool_use':
      return toolCall(block);
    default:
      return [];
  }
}

export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A count or amount as agents report it; anything else is unknown. */
export function asAmount(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}

export function asStatus(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) ? value : null;
}

/** The first of the named fields that is a text: the command, path or pattern of a tool call. */
export function detailOf(input: JsonRecord | null, names: readonly string[]): string {
  for (const name of names) {
    const value = input?.[name];
    if (typeof value === 'string') return value;

    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(' ');
  }
  return '';
}

/** Sums only what is there: a field that is missing is unknown, not zero. */
export function usageOf(parts: {
  readonly input: readonly unknown[];
  readonly cached: unknown;
  readonly output: readonly unknown[];
  readonly cost: unknown;
}): Usage {
  return {
    input_tokens: sumKnown(parts.input),
    cached_input_tokens: asAmount(parts.cached),
    output_tokens: sumKnown(parts.output),
    cost_usd: asAmount(parts.cost),
  };
}

function sumKnown(values: readonly unknown[]): number | null {
  const known = values.map(asAmount).filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}

/** A schema on one line and without the keys that name a dialect, which not every validator knows. */
export function plainSchema(text: string): string {
  const { $schema: _dialect, $id: _id, ...schema } = JSON.parse(text) as Record<string, unknown>;
  return JSON.stringify(schema);
}
