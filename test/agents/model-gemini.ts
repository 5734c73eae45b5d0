/** Gemini generateContent and streamGenerateContent as gemini uses them: requests read, answers written. Pure. */
import type { Asked, Json, ModelApi, Said } from './model-api.ts';
import { asJson, asList, asText, contentText, splitText } from './model-api.ts';

export const geminiApi: ModelApi = { parse, stream, whole };

function parse(body: Json): Asked {
  const contents = asList(body['contents']);
  const users = contents.filter((content) => content['role'] === 'user');
  const tools = asList(body['tools']).flatMap((tool) => asList(tool['functionDeclarations']));
  return {
    // Both are said in the address, not in the body.
    model: asText(body['model']),
    stream: body['stream'] === true,
    tools: tools.map((tool) => ({
      name: asText(tool['name']),
      kind: 'function',
      schema: asJson(tool['parametersJsonSchema'] ?? tool['parameters']),
    })),
    prompt: users.map((content) => contentText(content['parts'])).join('\n'),
    isFresh: contents.every((content) => content['role'] !== 'model'),
    hasAnswered: false,
  };
}

function usageOf({ usage }: Said): Json {
  return {
    promptTokenCount: usage.input,
    cachedContentTokenCount: usage.cached,
    candidatesTokenCount: usage.output - usage.reasoning,
    thoughtsTokenCount: usage.reasoning,
    totalTokenCount: usage.input + usage.output,
  };
}

function responseOf(parts: readonly Json[], asked: Asked, last: Json): Json {
  const content = { role: 'model', parts };
  const { usageMetadata, ...finish } = last;
  return {
    candidates: [{ index: 0, content, ...finish }],
    modelVersion: asked.model,
    ...(usageMetadata === undefined ? {} : { usageMetadata }),
  };
}

function partsOf({ reasoning, text, call, chunkBytes }: Said): readonly Json[] {
  const parts: Json[] = [];
  if (reasoning !== null) parts.push({ text: reasoning, thought: true });
  for (const piece of splitText(text ?? '', chunkBytes)) parts.push({ text: piece });
  if (call !== null) parts.push({ functionCall: { id: call.id, name: call.tool.name, args: call.input } });
  return parts;
}

function whole(said: Said, asked: Asked): Json {
  return responseOf(partsOf(said), asked, { finishReason: 'STOP', usageMetadata: usageOf(said) });
}

function stream(said: Said, asked: Asked): readonly string[] {
  const parts = partsOf(said);
  const last = { finishReason: 'STOP', usageMetadata: usageOf(said) };
  const responses = parts.map((part, index) =>
    responseOf([part], asked, index === parts.length - 1 ? last : {}),
  );
  const all = responses.length === 0 ? [responseOf([{ text: '' }], asked, last)] : responses;
  return all.map((response) => `data: ${JSON.stringify(response)}\r\n\r\n`);
}
