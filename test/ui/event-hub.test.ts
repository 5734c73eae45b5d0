/** A page that does not read its events: it is closed when too much waits for it, and the others get everything. */
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { eventHub } from '../../src/ui/event-hub.ts';
import { waitUntil } from '../support/scratch.ts';

test('a slow page is closed, the memory for it is bounded, the others miss nothing', async () => {
  const hub = eventHub({ clientsMax: 2 });
  const waiting: { readonly writableLength: number; readonly destroyed: boolean }[] = [];
  const server = createServer((request, response) => {
    waiting.push(response);
    hub.accept(request, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    hub.close();
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const open = (onText: ((text: string) => void) | null): Promise<void> =>
    new Promise((resolve, reject) => {
      get({ host: '127.0.0.1', port, agent: false }, (response) => {
        response.on('error', () => {});
        if (onText === null) response.pause();
        else response.setEncoding('utf8').on('data', onText);
        resolve();
      }).on('error', reject);
    });
  await open(null);
  const [slow] = waiting;
  let count = 0;
  await open((text) => {
    count += text.split('event: stream_updated').length - 1;
  });
  const file = 'executor.log';
  const batch = Array.from({ length: 100 }, (_, iter) => ({
    name: 'stream_updated' as const,
    data: { run_id: 'r', iter, file, bytes: iter },
  }));
  let published = 0;
  let most = 0;
  // The other page keeps up: it has everything before more is published.
  await waitUntil('the slow page to be closed', async () => {
    for (let each = 0; each < 10; each += 1) hub.publish(batch);
    published += 10 * batch.length;
    if (slow?.destroyed === false) most = Math.max(most, slow.writableLength);
    await waitUntil('the other page to have everything', () => count === published);
    return slow?.destroyed;
  });
  expect(most).toBeLessThan(1024 * 1024);
});
