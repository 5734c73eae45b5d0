/** Requests as attackers, broken clients and chance would send them: each gets the right refusal, and the server goes on. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { answer, project, write } from '../support/project.ts';
import { hashFolder } from '../support/folder-hash.ts';
import { fuzzCases } from '../support/fuzz.ts';
import { serve } from '../support/ui-server.ts';

const made = () =>
  project({ script: [{ actions: [write('a.txt', 'a\n')], answer: answer('done', 'made it') }] });

const secret = 'root:x:0:0';

interface Sent {
  readonly method: string;
  readonly target: string;
  readonly host: string | null;
  readonly origin: string | null;
  readonly site: string | null;
}

/** `PORT` stands for the server's port. */
const goodHosts = ['localhost:PORT', '127.0.0.1:PORT', '[::1]:PORT', 'LocalHost:PORT'];
const badHosts = [
  'localhost',
  'localhost:1',
  'localhost.:PORT',
  'evil.example:PORT',
  'localhost.evil.example:PORT',
  'evil-localhost:PORT',
  '127.0.0.1.nip.io:PORT',
  'user@localhost:PORT',
  '0.0.0.0:PORT',
  '2130706433:PORT',
  '127.1:PORT',
  '[::]:PORT',
  '[::ffff:127.0.0.1]:PORT',
  '127.0.0.1:PORT,evil',
  '',
];
const goodTargets = [
  '/api/health',
  '/api/tree',
  '/api/runs',
  '/api/iterations/test/1',
  '/api/iterations/test/1/meta.json',
];
const escapes = [
  '..',
  '%2e%2e',
  '%2E.',
  '..%2f',
  '..%5c',
  '%252e%252e',
  '....',
  '%00',
  '%c0%ae%c0%ae',
  '..;',
];
const traversals = escapes.flatMap((dots) => [
  `/${dots}/${dots}/${dots}/etc/passwd`,
  `/api/iterations/${dots}/${dots}/state/config.toml`,
  `/api/iterations/test/${dots}/passwd`,
  `/api/iterations/test/1/${dots}/meta.json`,
  `/api/iterations/test/1/${dots}`,
]);
const badTargets = [
  ...traversals,
  '//etc/passwd',
  'http://localhost/api/tree',
  '/api/tree#x',
  '/api\\tree',
  '/api/iterations/C:/x',
  '/api/iterations/%2fetc%2fpasswd/1',
  '/api/iterations/test/1/executor.log%00.txt',
  '/@fs/etc/passwd',
  '/api/iterations/constructor/1',
  '/__proto__',
  '*',
];

const sent: fc.Arbitrary<Sent> = fc.record({
  method: fc.oneof(
    { weight: 3, arbitrary: fc.constant('GET') },
    fc.constantFrom('HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND'),
  ),
  target: fc.oneof(
    fc.constantFrom(...goodTargets),
    fc.constantFrom(...badTargets),
    fc.webPath().map((path) => (path.startsWith('/') ? path : `/${path}`)),
  ),
  host: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...goodHosts) },
    fc.constantFrom(...badHosts),
    fc.webAuthority({ withPort: true, withUserInfo: true }),
    fc.constant(null),
  ),
  origin: fc.oneof(
    { weight: 3, arbitrary: fc.constant(null) },
    fc.constantFrom('null', 'http://evil.example', 'http://localhost:1', 'file://', 'http://localhost:PORT'),
  ),
  site: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(null, 'same-origin', 'none') },
    fc.constantFrom('cross-site', 'same-site', 'x'),
  ),
});

/** What must come, worked out by another road than the server's. */
function wanted({ method, target, host, origin, site }: Sent): readonly number[] {
  if (host === null) return [403];
  if (!goodHosts.includes(host)) return [403, 400];
  if (site !== null && site !== 'same-origin' && site !== 'none') return [403];
  if (origin !== null && origin.toLowerCase() !== `http://${host.toLowerCase()}`) return [403];
  if (method !== 'GET' && method !== 'HEAD') return [405];
  if (goodTargets.includes(target)) return [200];
  return target === '/' ? [200] : [400, 404];
}

test('generated requests: hosts, origins, sites, methods, targets', async () => {
  const p = await made();
  expect((await p.run('step')).code).toBe(0);
  const before = hashFolder(p.top);
  const ui = await serve(p.dir);
  let count = 0;
  await fc.assert(
    fc.asyncProperty(sent, async (request) => {
      const { method, target, host, origin, site } = request;
      const withPort = (text: string): string => text.replaceAll('PORT', String(ui.port));
      const lines = [
        `${method} ${target} HTTP/1.1`,
        ...(host === null ? [] : [`Host: ${withPort(host)}`]),
        ...(origin === null ? [] : [`Origin: ${withPort(origin)}`]),
        ...(site === null ? [] : [`Sec-Fetch-Site: ${site}`]),
        'Connection: close',
      ];
      const got = await ui.raw(`${lines.join('\r\n')}\r\n\r\n`);
      count += 1;
      const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(got)?.[1] ?? 0);
      expect(wanted(request), `${JSON.stringify(request)} got ${got.slice(0, 200)}`).toContain(status);
      expect(got).not.toContain(secret);
      expect(got.toLowerCase()).not.toContain('access-control-');
    }),
    fuzzCases(1200),
  );
  expect(count).toBeGreaterThanOrEqual(1000);
  expect(await ui.get('/api/health')).toMatchObject({ status: 200 });
  expect(hashFolder(p.top)).toBe(before);
});

test('bytes that are no request, too long or never end', async () => {
  const p = await made();
  const ui = await serve(p.dir);
  const host = `Host: localhost:${ui.port}\r\n`;
  const one = (bytes: string | Buffer): Promise<string> => ui.raw(bytes);
  const long = 'a'.repeat(64 * 1024);
  const refused = {
    431: [`GET / HTTP/1.1\r\n${host}X: ${long}\r\n\r\n`, `GET /${long} HTTP/1.1\r\n${host}\r\n`],
    400: [
      `GET /${'a'.repeat(4000)} HTTP/1.1\r\n${host}\r\n`,
      `GET / HTTP/9.9\r\n${host}\r\n`,
      `GET / \0HTTP/1.1\r\n${host}\r\n`,
      `GET /a b HTTP/1.1\r\n${host}\r\n`,
      'nonsense\r\n\r\n',
      `GET / HTTP/1.1\r\n${host}Content-Length: x\r\n\r\n`,
      `GET / HTTP/1.1\r\n${host}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`,
      `GET / HTTP/1.1\r\n${host}: x\r\n\r\n`,
      Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03]),
    ],
    403: [
      `GET / HTTP/1.1\r\n\r\n`,
      `GET /api/health HTTP/1.0\r\n\r\n`,
      `GET /api/health HTTP/1.1\r\n${host}${host}\r\n`,
      `GET /api/health HTTP/1.1\r\n${host}Origin: null\r\n\r\n`,
    ],
    405: [
      `CONNECT localhost:1 HTTP/1.1\r\n${host}\r\n`,
      `POST /api/tree HTTP/1.1\r\n${host}Content-Length: 2\r\n\r\n{}`,
    ],
  };
  for (const [status, requests] of Object.entries(refused)) {
    for (const bytes of requests) {
      const got = await one(bytes);
      expect(got.slice(0, 13), JSON.stringify(bytes).slice(0, 80)).toBe(`HTTP/1.1 ${status} `);
      expect(got).toContain('content-security-policy: ');
    }
  }
  // A second Host among folded and odd headers, websockets, and bodies nobody asked for.
  for (const header of [
    'Upgrade: websocket\r\nConnection: Upgrade\r\n',
    'Expect: 100-continue\r\n',
    'Expect: x\r\n',
  ]) {
    const got = await one(`GET /api/health HTTP/1.1\r\n${host}${header}\r\n`);
    expect(got, header).toMatch(/^HTTP\/1\.1 200 /);
  }
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 200 }), async (bytes) => {
      const got = await one(Buffer.concat([bytes, Buffer.from('\r\n\r\n')]));
      expect(got).toMatch(/^HTTP\/1\.1 4\d\d |^$/);
    }),
    fuzzCases(300),
  );
  expect(await ui.get('/api/health')).toMatchObject({ status: 200, text: 'ok' });
});
