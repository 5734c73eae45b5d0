/** The clients of `/events`: each gets every change in order, or the message to load everything. Memory for slow clients is bounded. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { eventRing, parseEventId, renderEvent } from '../core/views/event-ring.ts';
import type { UiChange } from '../core/views/event-ring.ts';

const keptEventsMax = 1000;
const pingMs = 15_000;
/** A client that is this far behind is closed; it reconnects and gets what it missed. */
const behindBytesMax = 256 * 1024;

export interface EventHub {
  /** False: there are as many clients as may be. */
  readonly accept: (request: IncomingMessage, response: ServerResponse) => boolean;
  readonly publish: (changes: readonly UiChange[]) => void;
  readonly resync: () => void;
  readonly close: () => void;
}

export function eventHub({ clientsMax }: { readonly clientsMax: number }): EventHub {
  const ring = eventRing({ firstId: Date.now(), countMax: keptEventsMax });
  const clients = new Set<ServerResponse>();
  const ping = setInterval(() => sendAll(': ping\n\n'), pingMs);

  function sendAll(text: string): void {
    for (const client of clients) {
      if (client.writableLength > behindBytesMax) {
        clients.delete(client);
        client.destroy();
      } else {
        client.write(text);
      }
    }
  }

  function greet(request: IncomingMessage): string {
    const newest = ring.newest();
    const header = request.headers['last-event-id'];
    const connected = (id: number | null): string =>
      renderEvent({ id, name: 'connected', data: { id: newest } });
    if (header === undefined) return connected(newest);
    const last = parseEventId(String(header));
    const missed = last === null ? null : ring.since(last);
    if (missed === null) return `${connected(null)}${renderEvent({ id: newest, name: 'resync', data: {} })}`;
    return `${connected(null)}${missed.map(({ id, change }) => renderEvent({ id, ...change })).join('')}`;
  }

  return {
    accept: (request, response) => {
      if (clients.size >= clientsMax) return false;
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      response.write(`retry: 1000\n\n${greet(request)}`);
      clients.add(response);
      response.on('close', () => clients.delete(response));
      response.on('error', () => clients.delete(response));
      return true;
    },
    publish: (changes) => {
      sendAll(changes.map((change) => renderEvent({ id: ring.add(change).id, ...change })).join(''));
    },
    resync: () => {
      ring.clear();
      sendAll(renderEvent({ id: ring.newest(), name: 'resync', data: {} }));
    },
    close: () => {
      clearInterval(ping);
      for (const client of clients) client.end();
      clients.clear();
    },
  };
}
