/** The scripted model itself: every API answers in its own words, and turns are given out as the scenario says. */
import { execFile } from 'node:child_process';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import type { ModelServer } from './model-server.ts';
import { startModelServer } from './model-server.ts';
import type { Scenario, Turn } from './scenario.ts';

const schema = { type: 'object', properties: { command: { type: 'string' } }, required: ['command', 'why'] };

interface Api {
  readonly name: string;
  readonly path: string;
  readonly body: (prompt: string, isFirst: boolean, hasTools: boolean) => object;
}

const apis: readonly Api[] = [
  {
    name: 'responses',
    path: '/v1/responses',
    body: (prompt, isFirst, hasTools) => ({
      model: 'm',
      stream: true,
      input: [
        { role: 'user', content: [{ type: 'input_text', text: prompt }] },
        ...(isFirst ? [] : [{ type: 'function_call_output', call_id: 'x', output: '' }]),
      ],
      tools: hasTools ? [{ type: 'function', name: 'shell', parameters: schema }] : [],
    }),
  },
  {
    name: 'messages',
    path: '/v1/messages?beta=true',
    body: (prompt, isFirst, hasTools) => ({
      model: 'm',
      stream: true,
      messages: [{ role: 'user', content: prompt }, ...(isFirst ? [] : [{ role: 'assistant', content: [] }])],
      tools: hasTools ? [{ name: 'Bash', input_schema: schema }] : [],
    }),
  },
  {
    name: 'chat',
    path: '/v1/chat/completions',
    body: (prompt, isFirst, hasTools) => ({
      model: 'm',
      stream: true,
      messages: [{ role: 'user', content: prompt }, ...(isFirst ? [] : [{ role: 'tool', content: '' }])],
      tools: hasTools ? [{ type: 'function', function: { name: 'bash', parameters: schema } }] : [],
    }),
  },
  {
    name: 'gemini',
    path: '/v1beta/models/m:streamGenerateContent?alt=sse',
    body: (prompt, isFirst, hasTools) => ({
      contents: [
        { role: 'user', parts: [{ text: prompt }] },
        ...(isFirst ? [] : [{ role: 'model', parts: [] }]),
      ],
      tools: hasTools
        ? [{ functionDeclarations: [{ name: 'run_shell_command', parametersJsonSchema: schema }] }]
        : [],
    }),
  },
];

const chat = apis[2] as Api;
let server: ModelServer | null = null;

afterEach(async () => {
  await server?.close();
  server = null;
});

async function start(
  sessions: Scenario['sessions'],
  more: Omit<Scenario, 'sessions'> = {},
): Promise<ModelServer> {
  server = await startModelServer({ sessions, ...more });
  return server;
}

interface Question {
  readonly prompt?: string;
  readonly isFirst?: boolean;
  readonly hasTools?: boolean;
}

function ask({ url }: ModelServer, api: Api, question: Question = {}): Promise<Response> {
  const { prompt = 'go', isFirst = true, hasTools = true } = question;
  return fetch(url + api.path, { method: 'POST', body: JSON.stringify(api.body(prompt, isFirst, hasTools)) });
}

async function answer(model: ModelServer, api: Api, question: Question = {}): Promise<string> {
  return (await ask(model, api, question)).text();
}

function says(text: string): Turn {
  return { kind: 'final', text };
}

describe.each(apis)('$name', (api) => {
  test('calls the tool that is offered, with everything it demands', async () => {
    const model = await start([[{ kind: 'shell', command: 'ls -l' }]]);
    const text = await answer(model, api);
    expect(text).toMatch(/ls -l/);
    expect(text).toMatch(/why.{1,6}scripted/);
  });

  test('tells what it cost', async () => {
    const model = await start([[says('fin')]]);
    const text = await answer(model, api);
    expect(text).toContain('fin');
    expect(text).toMatch(/[tT]oken\w*":(?:1200|400)\b/);
    expect(text).toMatch(/[tT]oken\w*":60\b/);
  });

  test('a question without tools takes no turn', async () => {
    const model = await start([[says('fin')]]);
    expect(await answer(model, api, { hasTools: false })).toContain('A short title');
    expect(await answer(model, api)).toContain('fin');
    expect(model.requests.map(({ kind }) => kind)).toEqual(['side', 'turn']);
  });

  test.each([
    ['unauthorized', 401],
    ['rate-limit', 429],
    ['server-error', 500],
  ] as const)('%s is a %i in the words of the API', async (error, status) => {
    const model = await start([[{ kind: 'error', error, retryAfterSecs: 2 }]]);
    const response = await ask(model, api);
    expect(response.status).toBe(status);
    expect(response.headers.get('retry-after')).toBe('2');
    expect(await response.json()).toMatchObject({ error: { message: expect.any(String) as string } });
  });
});

describe('the scenario', () => {
  test('gives out turn after turn, and the last one for ever', async () => {
    const model = await start([[says('one'), says('two')]]);
    const texts = [await answer(model, chat), await answer(model, chat), await answer(model, chat)];
    expect(texts.map((text) => /one|two/.exec(text)?.[0])).toEqual(['one', 'two', 'two']);
  });

  test('stays at a sticky turn', async () => {
    const model = await start([[{ ...says('one'), sticky: true }, says('two')]]);
    await answer(model, chat);
    expect(await answer(model, chat)).toContain('one');
  });

  test('goes on to the next session with the next process, not with a second try', async () => {
    const model = await start([[says('one'), says('two')], [says('three')]]);
    const body = JSON.stringify(chat.body('go', true, true));
    const script = `for (const _ of [1, 2]) {
  const response = await fetch(${JSON.stringify(model.url + chat.path)}, { method: 'POST', body: ${JSON.stringify(body)} });
  await response.text();
}`;
    const run = promisify(execFile);
    for (const _ of [1, 2]) await run(process.execPath, ['--input-type=module', '--eval', script]);
    expect(model.requests.map(({ place }) => place)).toEqual([
      { session: 0, turn: 0 },
      { session: 0, turn: 1 },
      { session: 1, turn: 0 },
      { session: 1, turn: 1 },
    ]);
  });

  test('goes on with a marker in the prompt', async () => {
    const model = await start([[says('one')], [says('two')]], { marker: 'iter (\\d+)' });
    const texts = [
      await answer(model, chat, { prompt: 'iter 1, first' }),
      await answer(model, chat, { prompt: 'iter 1, again' }),
      await answer(model, chat, { prompt: 'iter 2' }),
    ];
    expect(texts.map((text) => /one|two/.exec(text)?.[0])).toEqual(['one', 'one', 'two']);
  });

  test('goes on by hand', async () => {
    const model = await start([[says('one')], [says('two')]], { advance: 'manual' });
    await answer(model, chat);
    model.nextSession();
    expect(await answer(model, chat)).toContain('two');
  });
});

describe('faults', () => {
  test.each([{ kind: 'drop' }, { kind: 'cut' }] as const)('$kind breaks the connection', async (turn) => {
    const model = await start([[turn]]);
    await expect(answer(model, chat)).rejects.toThrow();
  });

  test('silence lasts', async () => {
    const model = await start([[{ kind: 'silent' }]]);
    const asked = answer(model, chat).then(
      () => 'answered',
      () => 'ended',
    );
    await model.waitForTurns(1);
    await model.close();
    expect(await asked).toBe('ended');
  });

  test('a big answer is whole', async () => {
    const model = await start([[{ kind: 'big', bytes: 1_000_000 }]], { chunkBytes: 10_000 });
    const text = await answer(model, chat);
    const chunks = text.split('\n').flatMap((line) => /"content":("(?:[^"\\]|\\.)*")/.exec(line)?.[1] ?? []);
    const said = JSON.parse(chunks.map((chunk) => JSON.parse(chunk) as string).join('')) as {
      summary: string;
    };
    expect(said.summary).toHaveLength(1_000_000);
    expect(new Set(said.summary.trim().split(' ')).size).toBe(125_000);
  });

  test('a websocket is refused', async () => {
    const model = await start([[says('fin')]]);
    const socket = connect(model.port, '127.0.0.1');
    socket.write(
      'GET /v1/responses HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
    );
    const text = await new Promise<string>((resolve) => {
      socket.once('data', (data) => {
        resolve(data.toString());
      });
    });
    socket.destroy();
    expect(text).toMatch(/^HTTP\/1\.1 426 /);
  });
});
