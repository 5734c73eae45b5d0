/** OpenAI chat completions as opencode, qwen, copilot, pi and droid use them: requests read, answers written. Pure. */
import type { Asked, Json, ModelApi, Said } from './model-api.ts';
import { asJson, asList, asText, contentText, isAnswerTool, splitText } from './model-api.ts';

export const chatApi: ModelApi = { parse, stream, whole };

function parse(body: Json): Asked {
  const messages = asList(body['messages']);
  const users = messages.filter((message) => message['role'] === 'user');
  return {
    model: asText(body['model']),
    stream: body['stream'] === true,
    tools: asList(body['tools']).map((tool) => {
      const offered = asJson(tool['function']);
      return { name: asText(offered['name']), kind: 'function', schema: asJson(offered['parameters']) };
    }),
    prompt: users.map((message) => contentText(message['content'])).join('\n'),
    isFresh: messages.every((message) => !['assistant', 'tool'].includes(asText(message['role']))),
    hasAnswered: messages.some((message) =>
      asList(message['tool_calls']).some((call) => isAnswerTool(asText(asJson(call['function'])['name']))),
    ),
  };
}

function usageOf({ usage }: Said): Json {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cached },
    completion_tokens_details: { reasoning_tokens: usage.reasoning },
  };
}

function finishReason({ call }: Said): string {
  return call === null ? 'stop' : 'tool_calls';
}

function callsOf({ call }: Said): readonly Json[] {
  if (call === null) return [];
  const named = { name: call.tool.name, arguments: JSON.stringify(call.input) };
  return [{ index: 0, id: call.id, type: 'function', function: named }];
}

function whole(said: Said, asked: Asked): Json {
  const calls = callsOf(said);
  const message = {
    role: 'assistant',
    content: said.text,
    ...(said.reasoning === null ? {} : { reasoning_content: said.reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return {
    ...headOf(said, asked, 'chat.completion'),
    choices: [{ index: 0, message, finish_reason: finishReason(said) }],
    usage: usageOf(said),
  };
}

function headOf(said: Said, asked: Asked, object: string): Json {
  return { id: `chatcmpl-${said.id}`, object, created: 1, model: asked.model };
}

function stream(said: Said, asked: Asked): readonly string[] {
  const deltas: Json[] = [{ role: 'assistant', content: '' }];
  if (said.reasoning !== null) deltas.push({ reasoning_content: said.reasoning });
  for (const content of splitText(said.text ?? '', said.chunkBytes)) deltas.push({ content });
  for (const call of callsOf(said)) deltas.push({ tool_calls: [call] });
  const head = headOf(said, asked, 'chat.completion.chunk');
  const chunks: Json[] = deltas.map((delta) => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason: null }],
  }));
  chunks.push({ ...head, choices: [{ index: 0, delta: {}, finish_reason: finishReason(said) }] });
  chunks.push({ ...head, choices: [], usage: usageOf(said) });
  return [...chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`), 'data: [DONE]\n\n'];
}
