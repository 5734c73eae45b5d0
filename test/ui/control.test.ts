/** `runner ui --control` over a real socket: background runs are shown and followed, and only whole requests may change something. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hashFolder } from '../support/folder-hash.ts';
import { answer, child, project } from '../support/project.ts';
import type { Project } from '../support/project.ts';
import { putRecord, recordsDir, sleeper } from '../support/run-records.ts';
import { serve } from '../support/ui-server.ts';

const control = { args: ['--control'] };

/** A run `test` whose root was split, and what a background run leaves beside it. */
async function makeRuns(): Promise<Project> {
  const made = await project({
    script: [{ answer: answer('decomposed', 'parts', [child('A'), child('B')]) }],
  });
  await made.run('step');
  putRecord(made, 'test', { title: 'Two parts', status: 'complete' });
  writeFileSync(join(recordsDir(made), 'test.progress.txt'), 'one\ntwo\nthree\n');
  return made;
}

test('background runs are shown, followed, and found dead', async () => {
  const made = await makeRuns();
  const { owner, end } = await sleeper();
  putRecord(made, 'alive-1', {
    status: 'running',
    owner,
    node: { id: 'root.1', title: 'A' },
    settings: { A: 'secret' },
  });
  writeFileSync(join(recordsDir(made), 'broken-1.json'), '{');
  const ui = await serve(made.dir, control);
  const { background } = await ui.json('/api/runs');
  expect(background).toMatchObject([
    { run_id: 'alive-1', status: 'running', actions: ['cancel', 'pause'], finish_command: null },
    { run_id: 'test', status: 'complete', title: 'Two parts', finish_command: 'runner finish test' },
    { run_id: 'broken-1', status: 'failed', actions: [] },
  ]);
  expect(JSON.stringify(background)).not.toContain('secret');

  expect(await ui.json('/api/runs/test?tail=2')).toMatchObject({
    run: { run_id: 'test' },
    tail: ['two', 'three'],
    leaves: [{ id: 'root.1', state: 'open' }, { id: 'root.2' }],
  });
  expect(await ui.get('/api/runs/none')).toMatchObject({ status: 404 });
  expect(await ui.get('/api/runs/test?tail=x')).toMatchObject({ status: 400 });
  expect(await ui.json('/api/control')).toMatchObject({ held: { records: ['alive-1', 'broken-1', 'test'] } });
  for (const path of ['/runs', '/runs/test']) expect((await ui.get(path)).text).toContain('<div id="app">');
  for (const path of ['/runs/..', '/runs/a/b', '/runs/.x']) expect((await ui.get(path)).status).toBe(404);

  const events = await ui.events();
  await events.named('connected');
  appendFileSync(join(recordsDir(made), 'test.progress.txt'), 'four\n');
  await events.waitFor(({ name, data }) => name === 'run_changed' && data['run_id'] === 'test');
  expect(await ui.json('/api/runs/test?tail=1')).toMatchObject({ tail: ['four'] });
  await end();
  await events.waitFor(({ name, data }) => name === 'run_changed' && data['run_id'] === 'alive-1');
  expect(await ui.json('/api/runs/alive-1')).toMatchObject({
    run: { status: 'failed', reason: 'crashed', actions: ['resume'] },
  });
});

test('without --control nothing of it is there', async () => {
  const made = await makeRuns();
  const ui = await serve(made.dir);
  expect(new URL(ui.address).hash).toBe('');
  expect(await ui.json('/api/runs')).not.toHaveProperty('background');
  for (const path of ['/api/control', '/api/runs/test', '/runs', '/runs/test'])
    expect(await ui.get(path), path).toMatchObject({ status: 404 });
  for (const path of ['/api/runs/start', '/api/runs/test/cancel', '/api/tree'])
    expect(await ui.post(path, {}), path).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
});

/** Addresses that change something, with a body that would do it. */
const targets = [
  ['/api/runs/start', '{"goal": "# Evil"}'],
  ['/api/runs/test/cancel', '{}'],
  ['/api/runs/test/resume', '{}'],
  ['/api/runs/test/pause', '{}'],
  ['/api/questions/1.1/answer', '{"text": "evil"}'],
] as const;

/** Everything that can be wrong with a request, alone or with others; each is refused before anything is looked up. */
interface Hostile {
  readonly target: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string | null>>;
  readonly body: string;
}

const names = [
  '..',
  '.',
  '%2e%2e',
  '..%2f..%2f',
  '%00',
  '.git',
  '-rf',
  'a..b',
  'a.lock',
  'refs%2fheads%2fmain',
  '~',
  'x'.repeat(101),
];
const fault: fc.Arbitrary<Partial<Hostile>> = fc.oneof(
  fc.record({
    headers: fc.constantFrom<Hostile['headers']>(
      { 'x-runner-token': null },
      { 'x-runner-token': '' },
      { 'x-runner-token': 'a'.repeat(32) },
      { 'x-runner-token': null, cookie: 'runner-token=TOKEN' },
      { 'x-runner-token': null, authorization: 'Bearer TOKEN' },
      { 'x-runner-token': 'TOKEN, TOKEN' },
      { origin: 'http://evil.example' },
      { origin: 'null' },
      { origin: 'http://localhost:PORT' },
      { origin: 'https://127.0.0.1:PORT' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { host: 'evil.example:PORT' },
      { host: '127.0.0.1' },
      { host: '0.0.0.0:PORT' },
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/x-www-form-urlencoded' },
      { 'content-type': 'multipart/form-data; boundary=x' },
      { 'content-type': null },
    ),
  }),
  fc.record({ method: fc.constantFrom('GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS') }),
  fc.record({
    body: fc.oneof(
      fc.constant(`{"goal": "${'x'.repeat(140_000)}"}`),
      fc.constantFrom(
        '',
        '[]',
        '{',
        'goal=x',
        '{"goal": "a", "goal": "b"}',
        '{"goal": 1, "text": 1, "x": 1}',
      ),
      fc.string().map((text) => `${text}{`),
    ),
  }),
  fc.record({
    target: fc
      .tuple(fc.constantFrom(...names), fc.constantFrom('cancel', 'resume', 'pause', 'start', 'answer', ''))
      .map(([name, verb]) =>
        verb === 'answer' ? `/api/questions/${name}/answer` : `/api/runs/${name}/${verb}`,
      ),
  }),
);
const hostile: fc.Arbitrary<Hostile> = fc
  .tuple(fc.constantFrom(...targets), fc.array(fault, { minLength: 1, maxLength: 3 }))
  .map(([[target, body], faults]) =>
    faults.reduce<Hostile>(
      (sum, each) => ({ ...sum, ...each, headers: { ...sum.headers, ...each.headers } }),
      { target, method: 'POST', headers: {}, body },
    ),
  );

test('a refused change leaves a line with the server, without its token, and a flood leaves few', async () => {
  const made = await makeRuns();
  const ui = await serve(made.dir, control);
  const path = '/api/runs/test/cancel';
  await ui.post(`${path}?token=SECRET`, {}, { 'x-runner-token': 'wrong' });
  await ui.post(path, {}, { origin: 'http://evil.invalid' });
  await ui.post(path, '{"more":1}');
  await ui.post('/api/runs/\u001b[2Jx/resume', {}).catch(() => null);
  await ui.get(path);
  const lines = (): readonly string[] =>
    ui
      .err()
      .split('\n')
      .filter((line) => line.startsWith('refused: '));
  await expect.poll(lines).toHaveLength(3);
  expect(lines().map((line) => line.replace(/^refused: \S+Z /, ''))).toEqual([
    `POST ${path} 403 token_required`,
    expect.stringMatching(`^POST ${path} 403 `),
    `POST ${path} 400 body_refused`,
  ]);
  expect(ui.err()).not.toContain('SECRET');
  for (let n = 0; n < 110; n += 1) await ui.post(path, {}, { 'x-runner-token': 'wrong' });
  await expect.poll(lines).toHaveLength(101);
  expect(lines().at(-1)).toContain('further ones are not listed');
});

test('300 hostile requests: all refused, nothing changed', async () => {
  const made = await makeRuns();
  const ui = await serve(made.dir, control);
  const token = new URL(ui.address).hash.replace('#token=', '');
  expect(token.length).toBeGreaterThanOrEqual(32);
  const before = hashFolder(made.base);
  const fill = (text: string): string => text.replaceAll('PORT', String(ui.port)).replaceAll('TOKEN', token);
  const counts = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(hostile, async ({ target, method, headers, body }) => {
      const filled = Object.entries(headers).map(([name, value]) => [
        name,
        value === null ? null : fill(value),
      ]);
      const sent = await ui.post(target, body, Object.fromEntries(filled) as Hostile['headers'], method);
      expect([400, 403, 404, 405, 413, 415], sent.text).toContain(sent.status);
      expect(sent.text).not.toContain(token);
      expect(sent.headers['content-security-policy']).toContain("default-src 'none'");
      counts.set(sent.status, (counts.get(sent.status) ?? 0) + 1);
    }),
    { numRuns: 300 },
  );
  for (const status of [400, 403, 405, 413, 415])
    expect(counts.get(status), String(status)).toBeGreaterThan(0);
  // A body that says nothing about its length is cut off, too.
  const piece = 'x'.repeat(50_000);
  const chunk = `${piece.length.toString(16)}\r\n${piece}\r\n`;
  const head = [
    'POST /api/runs/start HTTP/1.1',
    `host: 127.0.0.1:${ui.port}`,
    `x-runner-token: ${token}`,
    'content-type: application/json',
    'transfer-encoding: chunked',
  ];
  expect(await ui.raw(`${head.join('\r\n')}\r\n\r\n${chunk.repeat(3)}0\r\n\r\n`)).toContain('HTTP/1.1 413');
  expect(hashFolder(made.base)).toBe(before);
  expect(ui.err()).not.toContain(token);
  expect(await ui.get('/api/health')).toMatchObject({ status: 200 });
});
