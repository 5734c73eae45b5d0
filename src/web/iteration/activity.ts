/** Lines of events.jsonl as items for people (§8). Other lines are skipped. Pure. */
import { renderActivity } from '../../core/agents/agent-events.ts';
import type { AgentEvent } from '../../core/agents/agent-events.ts';
import { renderCount, renderDollars } from '../format.ts';

export interface ActivityItem {
  readonly key: number;
  readonly at: string;
  readonly session: number;
  readonly role: 'agent' | 'review';
  readonly kind: AgentEvent['type'];
  /** One line. */
  readonly line: string;
  /** The whole text where there is more than the line. */
  readonly text: string | null;
  readonly isBad: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

const texts: Readonly<Record<string, readonly string[]>> = {
  message: ['text'],
  reasoning: ['text'],
  answer: ['text'],
  tool_call: ['tool', 'detail'],
  tool_result: [],
  file_edit: ['path', 'change'],
  error: ['message'],
  retry: ['message'],
  denied: ['what'],
};

export function parseActivity(line: string): ActivityItem | null {
  const fields = parseFields(line);
  const names = fields === null ? undefined : texts[String(fields['type'])];
  if (fields === null || names === undefined || fields['v'] !== 1) return null;
  if (names.some((name) => typeof fields[name] !== 'string')) return null;
  const event = { failed: false, exit_code: null, ...fields } as unknown as AgentEvent;
  const short = renderActivity(event);
  if (short === null) return null;
  const whole = wholeText(fields);
  return {
    key: typeof fields['seq'] === 'number' ? fields['seq'] : 0,
    at: typeof fields['at'] === 'string' ? fields['at'] : '',
    session: typeof fields['session'] === 'number' ? fields['session'] : 1,
    role: fields['role'] === 'review' ? 'review' : 'agent',
    kind: event.type,
    line: short,
    text: whole.trim().length > short.length ? whole : null,
    isBad: event.type === 'error' || event.type === 'denied' || event.type === 'tool_result',
  };
}

function wholeText(fields: Fields): string {
  const value = fields['text'] ?? fields['detail'] ?? fields['message'] ?? fields['what'];
  return typeof value === 'string' ? value : '';
}

function parseFields(line: string): Fields | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Fields) : null;
  } catch {
    return null;
  }
}

export interface UsageSoFar {
  readonly tokens: number | null;
  readonly cost_usd: number | null;
}

/** As words; of a file whose beginning is not there it is the least that it can be. */
export function renderSoFar(
  { tokens, cost_usd }: UsageSoFar,
  isWhole: boolean,
): { readonly tokens: string; readonly cost: string } {
  const least = isWhole ? '' : '≥ ';
  return {
    tokens: tokens === null ? '–' : `${least}${renderCount(tokens)}`,
    cost: cost_usd === null ? '–' : `${least}${renderDollars(cost_usd)}`,
  };
}

/** What the sessions in these lines reported so far. */
export function usageOf(lines: readonly string[]): UsageSoFar {
  let sum: UsageSoFar = { tokens: null, cost_usd: null };
  let session: UsageSoFar = { tokens: null, cost_usd: null };
  let number: unknown = null;
  for (const line of lines) {
    if (!line.includes('"usage"')) continue;
    const fields = parseFields(line);
    const usage = fields?.['usage'];
    if (fields === null || fields['type'] !== 'usage' || typeof usage !== 'object' || usage === null)
      continue;
    if (fields['session'] !== number)
      [sum, session, number] = [plus(sum, session), { tokens: null, cost_usd: null }, fields['session']];
    const { input_tokens, output_tokens, cost_usd } = usage as Fields;
    const now = {
      tokens: add(numberOf(input_tokens), numberOf(output_tokens)),
      cost_usd: numberOf(cost_usd),
    };
    session = fields['scope'] === 'session' ? now : plus(session, now);
  }
  return plus(sum, session);
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

function add(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : a + b;
}

function plus(a: UsageSoFar, b: UsageSoFar): UsageSoFar {
  return { tokens: add(a.tokens, b.tokens), cost_usd: add(a.cost_usd, b.cost_usd) };
}
