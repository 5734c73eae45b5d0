/** Lines of events.jsonl as items for people (§8). Other lines are skipped. Pure. */
import { renderActivity } from '../../core/agents/agent-events.ts';
import type { AgentEvent } from '../../core/agents/agent-events.ts';
import { renderCount, renderDollars } from '../format.ts';

export interface ActivityItem {
  readonly key: string;
  readonly at: string;
  readonly session: number;
  readonly role: 'agent' | 'review';
  readonly kind: AgentEvent['type'];
  /** One line. */
  readonly line: string;
  /** The whole text where there is more than the line. */
  readonly text: string | null;
  readonly isBad: boolean;
  /** How often it came in a row. */
  readonly times: number;
  /** Of a tool that has ended; null: it has not, or is no tool. */
  readonly result: ToolResult | null;
}

export interface ToolResult {
  /** Null: too short to tell. */
  readonly ms: number | null;
  readonly exit_code: number | null;
  readonly output: string;
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

/** The lines as a list without repeats: a tool with what it gave back, an edit with its tool, an answer instead of the message that held it. */
export function listActivity(lines: readonly string[]): readonly ActivityItem[] {
  const items: ActivityItem[] = [];
  const tools = new Map<string, number>();
  for (const line of lines) {
    const fields = parseFields(line);
    if (fields === null) continue;
    const id = `${String(fields['role'])} ${String(fields['session'])} ${String(fields['id'])}`;
    const called = tools.get(id);
    if (fields['type'] === 'tool_result' && called !== undefined) {
      const call = items[called];
      if (call !== undefined) items[called] = withResult(call, fields);
      tools.delete(id);
      continue;
    }
    const item = itemOf(fields);
    if (item === null) continue;
    if (fields['type'] === 'tool_call') tools.set(id, items.length);
    addItem(items, item, fields);
  }
  return items;
}

function addItem(items: ActivityItem[], item: ActivityItem, fields: Fields): void {
  const last = items.at(-1);
  const joined = last?.session === item.session && last.role === item.role ? join(last, item, fields) : null;
  if (joined === null) items.push(item);
  else items[items.length - 1] = joined;
}

/** Null: it is an item of its own. */
function join(last: ActivityItem, item: ActivityItem, fields: Fields): ActivityItem | null {
  const known = last.text ?? last.line;
  if (item.kind === 'file_edit' && last.kind === 'tool_call' && known.endsWith(` ${String(fields['path'])}`))
    return { ...item, key: last.key, at: last.at };

  if (item.kind === 'answer' && last.kind === 'message' && isPartOf(fields, known)) return item;
  return item.kind !== 'tool_call' && isRepeat(last, item) ? { ...last, times: last.times + 1 } : null;
}

function isRepeat(last: ActivityItem, item: ActivityItem): boolean {
  return (
    last.kind === item.kind && last.line === item.line && last.text === item.text && last.result === null
  );
}

/** The message is the answer, or its beginning. */
function isPartOf(fields: Fields, message: string): boolean {
  return String(fields['text']).trim().startsWith(message.replace(/…$/u, '').trim());
}

function itemOf(fields: Fields): ActivityItem | null {
  const names = texts[String(fields['type'])];
  if (names === undefined || fields['v'] !== 1) return null;
  if (names.some((name) => typeof fields[name] !== 'string')) return null;
  const event = { failed: false, exit_code: null, ...fields } as unknown as AgentEvent;
  const short = event.type === 'answer' ? renderAnswer(event.text) : renderActivity(event);
  if (short === null) return null;
  const whole = wholeText(fields);
  return {
    key: `${String(fields['role'])} ${String(fields['session'])} ${String(fields['seq'])}`,
    at: typeof fields['at'] === 'string' ? fields['at'] : '',
    session: typeof fields['session'] === 'number' ? fields['session'] : 1,
    role: fields['role'] === 'review' ? 'review' : 'agent',
    kind: event.type,
    line: short,
    text: whole.trim().length > short.length ? whole : null,
    isBad: event.type === 'error' || event.type === 'denied' || event.type === 'tool_result',
    times: 1,
    result: null,
  };
}

/** An answer of the known form in words; any other as it is. */
function renderAnswer(text: string): string | null {
  const fields = parseFields(text);
  const [status, summary] = [fields?.['status'], fields?.['summary']];
  if (typeof status !== 'string' || typeof summary !== 'string')
    return renderActivity({ type: 'answer', text });
  return renderActivity({ type: 'answer', text: `${status}: ${summary}` });
}

function withResult(call: ActivityItem, fields: Fields): ActivityItem {
  const ms = Date.parse(String(fields['at'])) - Date.parse(call.at);
  const exit = fields['exit_code'];
  const output = fields['output'];
  return {
    ...call,
    isBad: fields['failed'] === true,
    result: {
      ms: Number.isFinite(ms) && ms >= 100 ? ms : null,
      exit_code: typeof exit === 'number' ? exit : null,
      output: typeof output === 'string' ? output : '',
    },
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
