/** How `runner ui` begins and ends: address, port, token, signals, and messages with the command that helps. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { expectOutput } from '../support/output-schema.ts';
import { bareProject, tempFolder } from '../support/project.ts';
import { waitUntil } from '../support/scratch.ts';
import { serve } from '../support/ui-server.ts';

test('one line with the address, and a signal ends it with open pages', async () => {
  const ui = await serve(tempFolder('ui-end'));
  const value = JSON.parse(ui.line) as Record<string, unknown>;
  expectOutput('ui', value);
  expect(value).toEqual({ command: 'ui', address: `http://127.0.0.1:${ui.port}/`, port: ui.port });
  const page = await ui.events();
  await page.named('connected');
  ui.running.kill('SIGINT');
  expect(await ui.running).toMatchObject({ exitCode: 130 });
});

test('a port that is taken, a host that is not ours, a folder that cannot come', async () => {
  const p = await bareProject();
  const other = createServer();
  await new Promise<void>((resolve) => {
    other.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    other.close();
  });
  const { port } = other.address() as AddressInfo;
  const taken = await p.run('ui', '--port', String(port));
  expect(taken.code).toBe(1);
  expect(taken.err).toContain(`port ${port} on 127.0.0.1 is in use`);
  expect(taken.err).toContain('runner ui --port 0');
  expect(await p.run('ui', '--port', '65536')).toMatchObject({ code: 64 });
  expect(await p.run('ui', '--host', '192.0.2.1', '--port', '0')).toMatchObject({ code: 64 });
  expect(await p.run('ui', '-C', join(p.dir, 'no/such'))).toMatchObject({ code: 64 });
});

test('where others can reach it nothing is answered without the token', async () => {
  const ui = await serve(tempFolder('ui-token'), { args: ['--host', '0.0.0.0', '--control'] });
  const address = new URL(ui.address);
  const token = address.searchParams.get('token') ?? '';
  expect(token.length).toBeGreaterThanOrEqual(22);
  for (const path of [
    '/',
    '/api/health',
    '/events',
    '/api/tree',
    '/api/health?token=',
    `/api/health?token=${token}x`,
  ]) {
    const refused = await ui.get(path);
    expect(refused.status, path).toBe(403);
    expect(JSON.parse(refused.text)).toMatchObject({ error: { code: 'token_required' } });
  }
  const entered = await ui.get(`/api/health?token=${token}`);
  expect(entered).toMatchObject({ status: 303, headers: { location: '/api/health' } });
  const [cookie = ''] = entered.headers['set-cookie'] ?? [];
  expect(cookie).toMatch(/; HttpOnly; SameSite=Strict$/);
  const [pair = ''] = cookie.split(';');
  expect(await ui.get('/api/health', { cookie: `a=b; ${pair}` })).toMatchObject({ status: 200 });
  expect(await ui.get('/api/health', { cookie: `${pair}x` })).toMatchObject({ status: 403 });
  // The token for changes is another one; who has it may read as well.
  const own = { 'x-runner-token': address.hash.replace('#token=', '') };
  expect(own['x-runner-token']).not.toContain(token);
  expect(await ui.get('/api/health', own)).toMatchObject({ status: 200 });
  expect(await ui.get('/api/health', { 'x-runner-token': token })).toMatchObject({ status: 403 });
  expect(await ui.post('/api/runs/start', {}, { 'x-runner-token': token, cookie: pair })).toMatchObject({
    status: 403,
  });
  expect(await ui.get('/api/health', { cookie: pair, host: `evil.example:${ui.port}` })).toMatchObject({
    status: 403,
  });
});

test('--static answers and follows nothing', async () => {
  const ui = await serve(tempFolder('ui-static'), { args: ['--static'] });
  expect(await ui.get('/api/iterations')).toMatchObject({ status: 200 });
  expect(await ui.get('/events')).toMatchObject({ status: 204 });
});

test.skipIf(process.platform !== 'linux')('--open hands the address to the browser', async () => {
  const folder = tempFolder('ui-open');
  const opened = join(folder, 'opened');
  writeFileSync(
    join(folder, 'xdg-open'),
    `#!/bin/sh\nprintf %s "$*" > '${opened}.new'\nmv '${opened}.new' '${opened}'\n`,
    {
      mode: 0o755,
    },
  );
  const env = { PATH: `${folder}:${process.env['PATH'] ?? ''}` };
  const ui = await serve(folder, { args: ['--open'], env });
  await waitUntil('the browser to be called', () => existsSync(opened));
  expect(readFileSync(opened, 'utf8')).toBe(ui.address);
});
