/** The built `runner ui` on a real socket: requests as browsers and as nobody would send them, event streams, and its end. */
import { get, request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { execa } from 'execa';
import { onTestFinished } from 'vitest';
import { cleanEnv, entryFile } from './project.ts';
import { waitUntil } from './scratch.ts';

export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface ServedEvent {
  readonly id: string | null;
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** `entry`: another program file than the built one. Ended with the test. */
export async function serve(
  directory: string,
  {
    args = [],
    entry = entryFile,
    env = {},
  }: {
    readonly args?: readonly string[];
    readonly entry?: string;
    readonly env?: Readonly<Record<string, string>>;
  } = {},
) {
  const running = execa(process.execPath, [entry, 'ui', '-C', directory, '--json', '--port', '0', ...args], {
    env: cleanEnv(directory, env),
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
  });
  onTestFinished(() => {
    running.kill('SIGKILL');
  });
  let out = '';
  let err = '';
  running.stderr.on('data', (piece: Buffer) => {
    err += piece.toString('utf8');
  });
  running.stdout.on('data', (piece: Buffer) => {
    out += piece.toString('utf8');
  });
  const line = await waitUntil('the server to say its address', () =>
    out.includes('\n') || running.exitCode !== null ? out : null,
  );
  const { address, port } = JSON.parse(line) as { readonly address: string; readonly port: number };
  return {
    running,
    address,
    port,
    line: line.trim(),
    err: () => err,
    get: (path: string, headers: Readonly<Record<string, string>> = {}) => ask(port, path, { headers }),
    /** With everything that a page of the server sends; `headers` replaces or, as null, removes. */
    post: (
      path: string,
      body: unknown,
      headers: Readonly<Record<string, string | null>> = {},
      method = 'POST',
    ) => {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const own = {
        'content-type': 'application/json',
        // Said also where a method usually has no body.
        'content-length': String(Buffer.byteLength(text)),
        'x-runner-token': new URL(address).hash.replace('#token=', ''),
        origin: `http://127.0.0.1:${port}`,
      };
      const all = Object.entries({ ...own, ...headers }).filter(
        (pair): pair is [string, string] => pair[1] !== null,
      );
      return ask(port, path, { method, headers: Object.fromEntries(all), body: text });
    },
    head: (path: string) => ask(port, path, { method: 'HEAD' }),
    json: async (path: string) => JSON.parse((await ask(port, path)).text) as Record<string, unknown>,
    raw: (bytes: string | Buffer) => sendRaw(port, bytes),
    events: (headers: Readonly<Record<string, string>> = {}) => followEvents(port, headers),
  };
}

function ask(
  port: number,
  path: string,
  {
    body,
    ...options
  }: {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  } = {},
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, agent: false, ...options }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(pieces).toString('utf8'),
        }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** What the server says to these bytes until it closes the connection or has given one whole answer. */
function sendRaw(port: number, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    const finish = (): void => {
      socket.destroy();
      resolve(text);
    };
    socket.on('data', (piece) => {
      text += piece.toString('latin1');
      const [head, body] = text.split('\r\n\r\n', 2);
      const length = Number(/^content-length: (\d+)/im.exec(head ?? '')?.[1] ?? Number.NaN);
      if (body !== undefined && text.length >= (head?.length ?? 0) + 4 + length) finish();
    });
    socket.on('error', finish);
    socket.on('close', finish);
  });
}

export interface Follower {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly events: readonly ServedEvent[];
  readonly isClosed: () => boolean;
  /** Contract: the first event that fits, among those that came and those that come. */
  readonly waitFor: (fits: (event: ServedEvent) => boolean, what?: string) => Promise<ServedEvent>;
  readonly named: (name: string) => Promise<ServedEvent>;
  readonly close: () => void;
}

function followEvents(port: number, headers: Readonly<Record<string, string>> = {}): Promise<Follower> {
  return new Promise((resolve, reject) => {
    const following = get({ host: '127.0.0.1', port, path: '/events', agent: false, headers }, (response) => {
      const events: ServedEvent[] = [];
      let rest = '';
      let isClosed = false;
      response.setEncoding('utf8');
      response.on('data', (piece: string) => {
        const blocks = `${rest}${piece}`.split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) {
          const field = (name: string): string | null =>
            new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? null;
          const name = field('event');
          const data = JSON.parse(field('data') ?? '{}') as ServedEvent['data'];
          if (name !== null) events.push({ id: field('id'), name, data });
        }
      });
      response.on('close', () => {
        isClosed = true;
      });
      response.on('error', () => {});
      const waitFor: Follower['waitFor'] = (fits, what = 'an event') =>
        waitUntil(`${what}; so far ${JSON.stringify(events.slice(-8))}`, () => events.find(fits));
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        events,
        isClosed: () => isClosed,
        waitFor,
        named: (name) => waitFor((event) => event.name === name, name),
        close: () => following.destroy(),
      });
    });
    following.on('error', reject);
    onTestFinished(() => {
      following.destroy();
    });
  });
}
