/** The Anthropic Messages API as far as claude uses it: requests read, answers written as server-sent events. Pure. */
import type { Asked, Json, ModelApi, Said } from './model-api.ts';
import { asJson, asList, asText, contentText, isAnswerTool, splitText } from './model-api.ts';

export const messagesApi: ModelApi = { parse, stream, whole };

function parse(body: Json): Asked {
  const messages = asList(body['messages']);
  const blocks = messages.flatMap((message) => asList(message['content']));
  const first = messages.filter((message) => message['role'] === 'user');
  return {
    model: asText(body['model']),
    stream: body['stream'] === true,
    tools: asList(body['tools']).map((tool) => ({
      name: asText(tool['name']),
      kind: 'function',
      schema: asJson(tool['input_schema']),
    })),
    prompt: first.map((message) => contentText(message['content'])).join('\n'),
    isFresh: messages.every((message) => message['role'] !== 'assistant'),
    hasAnswered: hasAccepted(blocks),
  };
}

/** A structured answer that the CLI refused comes back as an error and does not count. */
function hasAccepted(blocks: readonly Json[]): boolean {
  const calls = blocks.filter((block) => block['type'] === 'tool_use' && isAnswerTool(asText(block['name'])));
  const ids = new Set(calls.map((block) => block['id']));
  return blocks.some(
    (block) => block['type'] === 'tool_result' && ids.has(block['tool_use_id']) && block['is_error'] !== true,
  );
}

function whole(said: Said, asked: Asked): Json {
  return {
    ...messageOf(said, asked),
    content: blocksOf(said),
    stop_reason: stopReason(said),
    usage: usageOf(said),
  };
}

function messageOf(said: Said, asked: Asked): Json {
  return {
    id: `msg_${said.id}`,
    type: 'message',
    role: 'assistant',
    model: asked.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
}

/** This API counts cached tokens beside the input tokens, not among them. */
function usageOf({ usage }: Said): Json {
  return {
    input_tokens: usage.input - usage.cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: usage.cached,
    output_tokens: usage.output,
  };
}

function stopReason({ call }: Said): string {
  return call === null ? 'end_turn' : 'tool_use';
}

function blocksOf({ reasoning, text, call }: Said): readonly Json[] {
  const blocks: Json[] = [];
  if (reasoning !== null) blocks.push({ type: 'thinking', thinking: reasoning, signature: 'c2NyaXB0ZWQ=' });
  if (text !== null && text !== '') blocks.push({ type: 'text', text });
  if (call !== null)
    blocks.push({ type: 'tool_use', id: `toolu_${call.id}`, name: call.tool.name, input: call.input });
  return blocks;
}

function stream(said: Said, asked: Asked): readonly string[] {
  const usage = { ...usageOf(said), output_tokens: 1 };
  const events: Json[] = [{ type: 'message_start', message: { ...messageOf(said, asked), usage } }];
  for (const [index, block] of blocksOf(said).entries()) {
    events.push({ type: 'content_block_start', index, content_block: emptied(block) });
    for (const delta of deltasOf(block, said.chunkBytes))
      events.push({ type: 'content_block_delta', index, delta });

    events.push({ type: 'content_block_stop', index });
  }
  const delta = { stop_reason: stopReason(said), stop_sequence: null };
  events.push({ type: 'message_delta', delta, usage: usageOf(said) }, { type: 'message_stop' });
  return events.map((event) => `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`);
}

function emptied(block: Json): Json {
  switch (block['type']) {
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'text':
      return { type: 'text', text: '' };
    default:
      return { ...block, input: {} };
  }
}

function deltasOf(block: Json, chunkBytes: number): readonly Json[] {
  switch (block['type']) {
    case 'thinking':
      return [
        { type: 'thinking_delta', thinking: block['thinking'] },
        { type: 'signature_delta', signature: block['signature'] },
      ];
    case 'text':
      return splitText(asText(block['text']), chunkBytes).map((text) => ({ type: 'text_delta', text }));
    default:
      return splitText(JSON.stringify(block['input']), chunkBytes).map((partial_json) => ({
        type: 'input_json_delta',
        partial_json,
      }));
  }
}
