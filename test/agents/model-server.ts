/**
 * A scripted model on 127.0.0.1 that speaks the APIs of all agents the tests drive. Each request of a conversation gets the
 * next turn of the scenario; everything else a CLI asks beside it is answered and never takes a turn.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { findClient } from './client-process.ts';
import type { Asked, Json, ModelApi, Said } from './model-api.ts';
import { asJson, renderReply } from './model-api.ts';
import { chatApi } from './model-chat.ts';
import type { ApiName } from './model-errors.ts';
import { renderError } from './model-errors.ts';
import { geminiApi } from './model-gemini.ts';
import { messagesApi } from './model-messages.ts';
import { responsesApi } from './model-responses.ts';
import { renderSide } from './model-side.ts';
import { renewedPlanTokens } from './plan-login.ts';
import type { Place, Scenario, Turn } from './scenario.ts';
import { startCursor } from './scenario.ts';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  /** `side`: a title, a summary or the like. `other`: not a question to a model. */
  readonly kind: 'turn' | 'side' | 'other';
  /** Which turn it got, from 0; null when it took none. */
  readonly place: Place | null;
}

export interface ModelServer {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly SeenRequest[];
  /** Resolves when so many requests have taken a turn. */
  readonly waitForTurns: (count: number) => Promise<void>;
  readonly setScenario: (scenario: Scenario) => void;
  readonly nextSession: () => void;
  readonly close: () => Promise<void>;
}

const apis: Readonly<Record<ApiName, ModelApi>> = {
  responses: responsesApi,
  messages: messagesApi,
  chat: chatApi,
  gemini: geminiApi,
};

const usualChunkBytes = 32 * 1024;

interface State {
  scenario: Scenario;
  cursor: ReturnType<typeof startCursor>;
  readonly requests: SeenRequest[];
  readonly onRequest: (request: SeenRequest) => void;
  readonly waiting: { readonly count: number; readonly resolve: () => void }[];
}

export interface ServerOptions {
  /** 0: any free one. */
  readonly port?: number;
  readonly onRequest?: (request: SeenRequest) => void;
}

export async function startModelServer(
  scenario: Scenario,
  { port = 0, onRequest = () => {} }: ServerOptions = {},
): Promise<ModelServer> {
  const state: State = { scenario, cursor: startCursor(scenario), requests: [], waiting: [], onRequest };
  const server = createServer((request, response) => {
    // A client that goes away in the middle is part of the tests.
    answer(state, request, response).catch(() => response.destroy());
  });
  // codex tries a websocket first; told that it must ask in another way, it falls back to plain requests.
  server.on('upgrade', (_request, socket) => {
    socket.on('error', () => socket.destroy());
    socket.end('HTTP/1.1 426 Upgrade Required\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${bound}`,
    port: bound,
    requests: state.requests,
    waitForTurns: (count) =>
      new Promise((resolve) => {
        state.waiting.push({ count, resolve });
        wake(state);
      }),
    setScenario: (next) => {
      state.scenario = next;
      state.cursor = startCursor(next);
    },
    nextSession: () => {
      state.cursor.nextSession();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

function note(state: State, request: SeenRequest): void {
  state.requests.push(request);
  state.onRequest(request);
  wake(state);
}

function wake({ requests, waiting }: State): void {
  const turns = requests.filter(({ kind }) => kind === 'turn').length;
  for (const waiter of waiting.filter(({ count }) => turns >= count)) waiter.resolve();
}

async function answer(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBody(request);
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, value?.toString()]),
  );
  const path = request.url ?? '/';
  const seen = { method: request.method ?? '', path, headers, body };
  const api = request.method === 'POST' ? apiOf(path) : null;
  if (api === null) {
    note(state, { ...seen, kind: 'other', place: null });
    answerOther(path, request.method ?? '', response);
    return;
  }
  const asked = apis[api].parse({ ...parseBody(body), ...saidInPath(path) });
  const id = String(state.requests.length + 1);
  const chunkBytes = state.scenario.chunkBytes ?? usualChunkBytes;
  if (asked.tools.length === 0) {
    note(state, { ...seen, kind: 'side', place: null });
    await send(response, api, renderSide(body, { id, chunkBytes }), asked);
    return;
  }
  const { turn, place } = state.cursor.take(asked, () => findClient(request.socket.remotePort ?? 0));
  note(state, { ...seen, kind: 'turn', place });
  await play(turn, { api, asked, response, place: { id, chunkBytes } });
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

function parseBody(body: string): Json {
  try {
    return asJson(JSON.parse(body));
  } catch {
    return {};
  }
}

function apiOf(path: string): ApiName | null {
  const plain = path.replace(/\?.*$/, '');
  if (plain.endsWith('/responses')) return 'responses';
  if (plain.endsWith('/messages')) return 'messages';
  if (plain.endsWith('/chat/completions')) return 'chat';
  return /:(?:streamG|g)enerateContent$/.test(plain) ? 'gemini' : null;
}

/** Gemini names the model and whether to stream in the address. */
function saidInPath(path: string): Json {
  const match = /\/models\/([^/:]+):(streamG|g)enerateContent/.exec(path);
  return match === null ? {} : { model: match[1], stream: match[2] === 'streamG' };
}

function answerOther(path: string, method: string, response: ServerResponse): void {
  const json = (status: number, value: Json): void => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(method === 'HEAD' ? undefined : JSON.stringify(value));
  };
  if (method === 'HEAD') json(200, {});
  else if (path === '/oauth/token') json(200, { ...renewedPlanTokens });
  else if (path.includes('/count_tokens')) json(200, { input_tokens: 1200 });
  else if (path.includes(':countTokens')) json(200, { totalTokens: 1200 });
  else json(404, { error: { type: 'not_found_error', message: 'not found' } });
}

interface Stage {
  readonly api: ApiName;
  readonly asked: Asked;
  readonly response: ServerResponse;
  readonly place: { readonly id: string; readonly chunkBytes: number };
}

async function play(turn: Turn, { api, asked, response, place }: Stage): Promise<void> {
  switch (turn.kind) {
    case 'silent':
      return;
    case 'drop':
      response.destroy();
      return;
    case 'malformed':
      response.writeHead(200, { 'content-type': malformed[turn.body].type });
      response.end(malformed[turn.body].body);
      return;
    case 'status':
      response.writeHead(turn.status, { 'content-type': 'application/json', ...turn.headers });
      response.end(turn.body ?? '');
      return;
    case 'error': {
      const about = { model: asked.model, nowSecs: Math.floor(Date.now() / 1000) };
      const error = renderError(api, turn, about);
      response.writeHead(error.status, error.headers);
      response.end(error.body);
      return;
    }
    case 'cut':
    case 'stall': {
      const frames = apis[api].stream(renderReply(turn, asked, { ...place, chunkBytes: 8 }), asked);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      await write(response, frames.slice(0, Math.floor(frames.length / 2)));
      if (turn.kind === 'cut') response.destroy();
      return;
    }
    case 'shell':
    case 'edit':
    case 'call':
    case 'final':
    case 'big':
      await send(response, api, renderReply(turn, asked, place), asked);
  }
}

const malformed = {
  html: { type: 'text/html', body: '<!doctype html><html><body>Bad gateway</body></html>' },
  json: { type: 'application/json', body: '{"id": "x", "choices": [' },
  sse: { type: 'text/event-stream', body: 'data: {"id": "x", "choices": [\n\n' },
  empty: { type: 'text/event-stream', body: '' },
};

async function send(response: ServerResponse, api: ApiName, said: Said, asked: Asked): Promise<void> {
  if (!asked.stream) {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(apis[api].whole(said, asked)));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  await write(response, apis[api].stream(said, asked));
  response.end();
}

async function write(response: ServerResponse, frames: readonly string[]): Promise<void> {
  for (const frame of frames) if (!response.write(frame)) await once(response, 'drain');
}
