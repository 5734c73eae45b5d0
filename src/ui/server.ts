/**
 * The server of `runner ui`: node:http, GET and HEAD, loopback by default; with control also POST to a few addresses. Every request is
 * checked before anything is looked up, every answer carries the same headers, and no request, however broken, ends the process.
 */
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { networkInterfaces } from 'node:os';
import type { Socket } from 'node:net';
import type { PageFiles } from '../adapters/files/page-files.ts';
import { RunnerError } from '../core/errors.ts';
import { checkRequest, isLoopback, isWildcard, listHosts } from '../core/views/http-request.ts';
import { openAccess, tokenAccess } from './access.ts';
import type { Access } from './access.ts';
import { answerAction, drainBody, hasToken, openActions } from './actions.ts';
import type { Actions } from './actions.ts';
import { errorAnswer, fixedHeaders, renderError, sendAnswer } from './answers.ts';
import type { Answer } from './answers.ts';
import type { Control } from './control.ts';
import { eventHub } from './event-hub.ts';
import type { EventHub } from './event-hub.ts';
import { refusals } from './refusals.ts';
import type { Refusals } from './refusals.ts';
import { answerApi, openRoutes } from './routes.ts';
import type { Routes } from './routes.ts';
import { runsReader } from './runs-reader.ts';
import type { UiSource } from './source.ts';
import { watchProject } from './watcher.ts';
import type { ProjectWatcher } from './watcher.ts';

export interface UiOptions {
  readonly directory: string;
  readonly source: UiSource;
  readonly pages: PageFiles;
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** Answers requests, and follows nothing. */
  readonly isStatic: boolean;
  /** Null: it only reads. */
  readonly control: Control | null;
  /** Gets a line for every change that was refused, up to a bound. */
  readonly onRefused: (line: string) => void;
}

export interface UiServer {
  readonly port: number;
  /** What a person opens; with the tokens where they are needed. */
  readonly address: string;
  close(): Promise<void>;
}

const clientsMax = 64;
const headerBytesMax = 16 * 1024;

/** What is there for as long as the server is. */
interface Running {
  readonly routes: Routes;
  readonly pages: PageFiles;
  readonly access: Access;
  /** Null: it only reads. */
  readonly actions: Actions | null;
  /** Null: nothing is followed. */
  readonly hub: EventHub | null;
  readonly refused: Refusals;
  readonly hosts: () => ReadonlySet<string>;
}

/** Throws PORT_TAKEN, USAGE. */
export async function startServer(options: UiOptions): Promise<UiServer> {
  const { directory, source, pages, host, control } = options;
  let port = options.port;
  const access = isLoopback(host) ? openAccess() : tokenAccess(() => port);
  const hub = options.isStatic ? null : eventHub({ clientsMax });
  const addresses = (): readonly string[] => (isWildcard(host) ? ownAddresses() : [host]);
  const running: Running = {
    routes: openRoutes({ directory, source, runs: runsReader(), control }),
    pages,
    access,
    actions: control && openActions(control, directory),
    hub,
    refused: refusals(options.onRefused),
    hosts: () => listHosts(addresses(), port),
  };
  const server = makeServer(running);
  let watcher: ProjectWatcher | null = null;
  try {
    port = await listen(server, { host, port });
    if (hub !== null) {
      const { publish, resync } = hub;
      watcher = await watchProject({ directory, source, control, onChanges: publish, onMoved: resync });
    }
  } catch (error) {
    hub?.close();
    server.close();
    throw error;
  }
  // The first page finds tree, history and records read already.
  void answerApi(running.routes, '/api/status', '').then(() => answerApi(running.routes, '/api/runs', ''));
  return {
    port,
    address: addressOf({ host, port, token: access.token, actionToken: running.actions?.token.text ?? null }),
    close: async () => {
      watcher?.close();
      hub?.close();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address));
}

/**
 * A wildcard is no address to open; the machine's own name for itself is. The token for changes is in the fragment, which a browser
 * sends to nobody.
 */
function addressOf(at: {
  readonly host: string;
  readonly port: number;
  readonly token: string | null;
  readonly actionToken: string | null;
}): string {
  const host = isWildcard(at.host) ? 'localhost' : at.host.includes(':') ? `[${at.host}]` : at.host;
  const query = at.token === null ? '' : `?token=${at.token}`;
  const fragment = at.actionToken === null ? '' : `#token=${at.actionToken}`;
  return `http://${host}:${at.port}/${query}${fragment}`;
}

function makeServer(running: Running): Server {
  const busy = new WeakSet<Socket>();
  const server = createServer({
    maxHeaderSize: headerBytesMax,
    // Refused by us, with all the headers.
    requireHostHeader: false,
    headersTimeout: 10_000,
    requestTimeout: 15_000,
    keepAliveTimeout: 5000,
    connectionsCheckingInterval: 2000,
  });
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    busy.add(socket);
    response.on('close', () => busy.delete(socket));
    // A client may disconnect in the middle of an answer.
    response.on('error', () => {});
    void handle(running, request, response).catch(() => response.destroy());
  };
  server.on('request', onRequest);
  server.on('checkContinue', onRequest);
  server.on('checkExpectation', onRequest);
  server.on('connect', (_request, socket) => {
    socket.on('error', () => {});
    socket.end(rawAnswer(405, 'method_refused'));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    socket.on('error', () => {});
    // Text sent during another answer would become part of it.
    if (!socket.writable || busy.has(socket)) socket.destroy();
    else socket.end(rawAnswer(clientErrors[error.code ?? ''] ?? 400, 'bad_request'));
  });
  return server;
}

const clientErrors: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** The answer to an invalid request. */
function rawAnswer(status: number, code: string): string {
  const body = renderError({
    kind: 'error',
    status,
    code,
    message: 'this is not a request the server understands',
    hint: 'GET with the Host header of the printed address',
  });
  const headers = {
    ...fixedHeaders,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} Refused`, ...lines, '', body].join('\r\n');
}

async function handle(running: Running, request: IncomingMessage, response: ServerResponse): Promise<void> {
  for (const [name, value] of Object.entries(fixedHeaders)) response.setHeader(name, value);
  const answer = await answerOf(running, request, response);
  if (running.actions !== null && answer?.kind === 'error') {
    tellRefused(running, request, answer);
    await drainBody(request);
  }
  if (answer !== null) await sendAnswer(request, response, answer);
}

/** A refused GET or HEAD is not reported. */
function tellRefused(
  { refused }: Running,
  request: IncomingMessage,
  answer: Answer & { kind: 'error' },
): void {
  const { method = '', url = '' } = request;
  if (method === 'GET' || method === 'HEAD') return;
  // A query may hold a token.
  const path = url.split('?', 1)[0] ?? '';
  refused.add({ at: new Date().toISOString(), method, path, status: answer.status, code: answer.code });
}

/** Null: the answer is an event stream, and goes on. */
async function answerOf(
  running: Running,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Answer | null> {
  const { routes, pages, access, actions, hub, hosts } = running;
  const checked = checkRequest(
    {
      method: request.method ?? '',
      target: request.url ?? '',
      hosts: request.headersDistinct['host'] ?? [],
      origins: request.headersDistinct['origin'] ?? [],
      fetchSites: request.headersDistinct['sec-fetch-site'] ?? [],
    },
    hosts(),
    actions !== null,
  );
  if (!checked.ok) return errorAnswer(checked.status, checked.code, checked.message);
  const { path, query } = checked;
  // Who may change things may read them.
  const mayRead = actions !== null && hasToken(actions, request);
  const refused = mayRead ? null : access.check({ path, query, cookies: request.headers.cookie ?? '' });
  if (refused !== null) return refused;
  const acted = actions === null ? null : await answerAction(actions, path, { request, response });
  if (acted !== null) return acted;
  if (path === '/events') {
    if (hub === null || request.method === 'HEAD') return { kind: 'empty' };
    if (hub.accept(request, response)) return null;
    return errorAnswer(
      503,
      'too_many_clients',
      `at most ${clientsMax} pages can follow at once`,
      'close some of them',
    );
  }
  return (await answerApi(routes, path, query)) ?? answerPage(pages, pageOf(running, path));
}

/** With control, background runs have addresses of their own; the page behind them is the same. */
function pageOf({ actions }: Running, path: string): string {
  return actions !== null && /^\/runs(?:\/[A-Za-z0-9][A-Za-z0-9._-]*)?$/.test(path) ? '/' : path;
}

async function answerPage(pages: PageFiles, path: string): Promise<Answer> {
  const file = await pages.load(path === '/' ? 'index.html' : path.slice(1));
  if (file !== null) return { kind: 'bytes', ...file };
  if (path !== '/') return errorAnswer(404, 'not_found', 'there is no such address');
  return errorAnswer(404, 'not_found', 'the pages are not built; the API is here', 'npm run build');
}

async function listen(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => reject(listenError(cause, { host, port })));
    server.listen({ host, port, exclusive: true }, () => resolve());
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

function listenError(
  cause: NodeJS.ErrnoException,
  { host, port }: { readonly host: string; readonly port: number },
): RunnerError {
  if (cause.code === 'EADDRINUSE') {
    return new RunnerError({
      code: 'PORT_TAKEN',
      message: `port ${port} on ${host} is in use by another program or another runner ui`,
      hint: 'runner ui --port 0 picks a free port',
      cause,
    });
  }
  const isPort = cause.code === 'EACCES';
  return new RunnerError({
    code: 'USAGE',
    message: isPort
      ? `permission denied for port ${port}: ${cause.message}`
      : `${host} is not an address of this machine: ${cause.message}`,
    hint: isPort ? 'runner ui --port 8080' : 'runner ui --host 127.0.0.1',
    cause,
  });
}
