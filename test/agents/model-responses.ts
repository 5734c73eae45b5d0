/** The OpenAI Responses API as far as codex uses it: requests read, answers written as server-sent events. Pure. */
import type { Asked, Json, ModelApi, OfferedTool, Said } from './model-api.ts';
import { asJson, asList, asText, contentText, splitText } from './model-api.ts';

export const responsesApi: ModelApi = { parse, stream, whole };

function parse(body: Json): Asked {
  const input = asList(body['input']);
  const users = input.filter((item) => item['role'] === 'user');
  return {
    model: asText(body['model']),
    stream: body['stream'] === true,
    // Newer models get their tools as part of the conversation.
    tools: [body, ...input.filter((item) => item['type'] === 'additional_tools')]
      .flatMap((holder) => asList(holder['tools']))
      .flatMap((tool) => readTool(tool)),
    prompt: users.map((item) => contentText(item['content'])).join('\n'),
    isFresh: input.every((item) => ['user', 'developer', 'system'].includes(asText(item['role']))),
    hasAnswered: false,
  };
}

function readTool(tool: Json, namespace?: string): readonly OfferedTool[] {
  const name = asText(tool['name']);
  const inside = namespace === undefined ? {} : { namespace };
  switch (tool['type']) {
    case 'function':
      return [{ name, kind: 'function', schema: asJson(tool['parameters']), ...inside }];
    case 'custom':
      return [{ name, kind: 'custom', schema: {}, ...inside }];
    case 'local_shell':
      return [{ name: 'local_shell', kind: 'local_shell', schema: {} }];
    case 'namespace':
      return asList(tool['tools']).flatMap((inner) => readTool(inner, name));
    default:
      return [];
  }
}

function stream(said: Said, asked: Asked): readonly string[] {
  const items = itemsOf(said);
  const response = { id: `resp_${said.id}`, object: 'response', model: asked.model, output: [] };
  const events: Json[] = [{ type: 'response.created', response: { ...response, status: 'in_progress' } }];
  for (const [output_index, item] of items.entries()) {
    events.push({ type: 'response.output_item.added', output_index, item: emptied(item) });
    events.push(...deltasOf(item, output_index, said.chunkBytes));
    events.push({ type: 'response.output_item.done', output_index, item });
  }
  events.push({ type: 'response.completed', response: whole(said, asked) });
  return events.map((event, index) => {
    const data = JSON.stringify({ ...event, sequence_number: index });
    return `event: ${String(event['type'])}\ndata: ${data}\n\n`;
  });
}

function whole(said: Said, asked: Asked): Json {
  return {
    id: `resp_${said.id}`,
    object: 'response',
    created_at: 0,
    status: 'completed',
    model: asked.model,
    output: itemsOf(said),
    usage: {
      input_tokens: said.usage.input,
      input_tokens_details: { cached_tokens: said.usage.cached },
      output_tokens: said.usage.output,
      output_tokens_details: { reasoning_tokens: said.usage.reasoning },
      total_tokens: said.usage.input + said.usage.output,
    },
  };
}

function itemsOf({ reasoning, text, call, id }: Said): readonly Json[] {
  const items: Json[] = [];
  if (reasoning !== null) {
    const summary = [{ type: 'summary_text', text: reasoning }];
    items.push({ type: 'reasoning', id: `rs_${id}`, summary, encrypted_content: 'c2NyaXB0ZWQ=' });
  }
  if (text !== null) {
    const content = [{ type: 'output_text', text, annotations: [] }];
    items.push({ type: 'message', id: `msg_${id}`, role: 'assistant', status: 'completed', content });
  }
  if (call !== null) items.push(callItem(call, id));
  return items;
}

function callItem({ tool, id: call_id, input }: NonNullable<Said['call']>, id: string): Json {
  const common = { id: `fc_${id}`, call_id, status: 'completed' };
  const inside = tool.namespace === undefined ? {} : { namespace: tool.namespace };
  switch (tool.kind) {
    case 'function':
      return {
        type: 'function_call',
        ...common,
        name: tool.name,
        ...inside,
        arguments: JSON.stringify(input),
      };
    case 'custom':
      return { type: 'custom_tool_call', ...common, name: tool.name, ...inside, input };
    case 'local_shell':
      return { type: 'local_shell_call', ...common, action: input };
  }
}

/** An item as it is announced, before its parts come. */
function emptied(item: Json): Json {
  switch (item['type']) {
    case 'message':
      return { ...item, status: 'in_progress', content: [] };
    case 'reasoning':
      return { ...item, summary: [] };
    default:
      return item;
  }
}

function deltasOf(item: Json, output_index: number, chunkBytes: number): readonly Json[] {
  const place = { item_id: item['id'], output_index };
  if (item['type'] === 'message') {
    const text = contentText(item['content']);
    const part = { ...place, content_index: 0 };
    return splitText(text, chunkBytes).map((delta) => ({
      type: 'response.output_text.delta',
      ...part,
      delta,
    }));
  }
  if (item['type'] === 'reasoning') {
    const text = contentText(item['summary']);
    const part = { ...place, summary_index: 0 };
    const empty = { type: 'summary_text', text: '' };
    return [
      { type: 'response.reasoning_summary_part.added', ...part, part: empty },
      { type: 'response.reasoning_summary_text.delta', ...part, delta: text },
      { type: 'response.reasoning_summary_text.done', ...part, text },
    ];
  }
  return [];
}
