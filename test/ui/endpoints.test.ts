/** Every address of `runner ui` on a run that really took place, and on projects where nothing was started or something is wrong. */
import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import type { RunsAnswer } from '../../src/core/views/web-api.ts';
import { hashFolder } from '../support/folder-hash.ts';
import { expectOutput } from '../support/output-schema.ts';
import { answer, child, project, tempFolder, write } from '../support/project.ts';
import { template } from '../support/template.ts';
import { serve } from '../support/ui-server.ts';

const ran = template(async () => {
  const p = await project({
    script: [
      { answer: answer('decomposed', 'split', [child('One')]) },
      {
        actions: [
          write('a.txt', 'a\n'),
          write(
            '.runner/state/questions.md',
            '# Open Questions\n\n## Which port?\n\nThe goal does not say.\n',
          ),
        ],
        answer: answer('done', 'made a'),
      },
    ],
    guard: ['sh', '-c', 'echo checked'],
  });
  expect((await p.run('loop')).code).toBe(0);
  return p;
});

test('every endpoint of a run, and nothing is written', async () => {
  const p = await ran();
  const before = hashFolder(p.top);
  const ui = await serve(p.dir);
  expect(await ui.get('/api/health')).toMatchObject({ status: 200, text: 'ok' });
  expect(await ui.json('/api/tree')).toEqual(p.tree());
  expect(await ui.json('/api/run-state')).toEqual(p.runState());
  const status = await ui.json('/api/status');
  expectOutput('status', status);
  expect(status).toEqual(JSON.parse((await p.run('status', '--json')).out));
  const config = await ui.json('/api/config');
  expectOutput('config-list', config);
  expect(config).toEqual(JSON.parse((await p.run('config', 'list', '--json')).out));
  expect(await ui.json('/api/iterations')).toEqual({ runs: [{ run_id: 'test', iterations: [1, 2] }] });
  const runs = (await ui.json('/api/runs')) as unknown as RunsAnswer;
  expect(runs.runs).toMatchObject([
    {
      run_id: 'test',
      is_current: true,
      rows: [
        {
          iter: 1,
          node_id: 'root',
          mode: 'decompose',
          status: 'decomposed',
          guard: 'skipped',
          is_complete: true,
        },
        { iter: 2, status: 'done', guard: 'pass', agent: 'scripted', is_running: false },
      ],
    },
  ]);
  expect(await ui.json('/api/runs?run=test')).toEqual(runs);
  expect((await ui.get('/api/runs?run=other')).status).toBe(404);
  const iteration = await ui.json('/api/iterations/test/2');
  expect(iteration).toMatchObject({ meta: p.meta(2), output: { status: 'done' }, is_running: false });
  for (const { name, bytes } of iteration['files'] as readonly { name: string; bytes: number }[]) {
    const file = await ui.get(`/api/iterations/test/2/${name}`);
    expect(file.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(Buffer.byteLength(file.text)).toBe(bytes);
    expect(file.text).toBe(p.log(2, name));
  }
  // An iteration whose guard did not run has an empty log of it; other files that are not there are not.
  expect(await ui.get('/api/iterations/test/1/guard.log')).toMatchObject({ status: 200, text: '' });
  expect(await ui.get('/api/iterations/test/1/review.log')).toMatchObject({ status: 404 });
  expect(await ui.json('/api/project')).toEqual({
    folder: basename(p.dir),
    goal_title: 'Make it work.',
    questions: [{ id: '2.1', text: 'Which port?\nThe goal does not say.' }],
  });
  const memory = await ui.json('/api/memory');
  expect(Object.keys(memory)).toEqual(['assumptions', 'questions', 'feedback', 'improvements']);
  expect(memory['questions']).toEqual({
    text: p.read('.runner/state/questions.md'),
    bytes: expect.any(Number),
  });
  expect(hashFolder(p.top)).toBe(before);
});

test('names that no listing holds are not found, and every answer keeps others out', async () => {
  const p = await ran();
  const ui = await serve(p.dir);
  const statuses = {
    '/api/nothing': 404,
    '/api/iterations/other/1': 404,
    '/api/iterations/test/9': 404,
    '/api/iterations/test/01': 404,
    '/api/iterations/test/x': 400,
    '/api/iterations/test/x/meta.json': 400,
    '/api/iterations/test': 404,
    '/api/iterations/test/2/kept': 404,
    '/api/iterations/../../state': 400,
    '/api/iterations/test/2/..': 404,
    '/api/iterations/test/2/a/b': 404,
    '/constructor': 404,
    '/api/health/': 400,
    '/app.css.map': 404,
  };
  for (const [path, status] of Object.entries(statuses)) {
    const got = await ui.raw(`GET ${path} HTTP/1.1\r\nHost: localhost:${ui.port}\r\n\r\n`);
    expect(got, path).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(got).toContain("content-security-policy: default-src 'none'; script-src 'self'");
    expect(got).toContain('x-content-type-options: nosniff');
    expect(got).toContain('referrer-policy: no-referrer');
    expect(got).toContain('cross-origin-resource-policy: same-origin');
    expect(got.toLowerCase()).not.toContain('access-control-');
    expect(JSON.parse(got.split('\r\n\r\n')[1] ?? '')).toMatchObject({ error: { code: expect.any(String) } });
  }
  const head = await ui.head('/api/tree');
  expect(head).toMatchObject({ status: 200, text: '' });
  expect(Number(head.headers['content-length'])).toBe((await ui.get('/api/tree')).text.length);
});

test('the proof follows the branch of the run', async () => {
  const p = await ran();
  const ui = await serve(p.dir);
  expect(await ui.json('/api/status')).toMatchObject({ proof: { verdict: 'proven', iterations: 2 } });
  p.put('.runner/state/tree.json', JSON.stringify({ ...p.tree(), attempts: 1 }));
  await p.commitAll('by hand');
  expect(await ui.json('/api/status')).toMatchObject({ proof: { verdict: 'unproven' } });
});

test('byte ranges; a log of 100 MB opens at its end', async () => {
  const p = await ran();
  const path = '/api/iterations/test/2/executor.log';
  const file = join(p.dir, '.runner/iterations/test/2/executor.log');
  writeFileSync(file, '0123456789');
  const ui = await serve(p.dir);
  const part = async (range: string) => {
    const { status, headers, text } = await ui.get(path, { range });
    return [status, headers['content-range'], text];
  };
  expect(await part('bytes=2-4')).toEqual([206, 'bytes 2-4/10', '234']);
  expect(await part('bytes=7-')).toEqual([206, 'bytes 7-9/10', '789']);
  expect(await part('bytes=-2')).toEqual([206, 'bytes 8-9/10', '89']);
  expect(await part('bytes=10-')).toEqual([416, 'bytes */10', expect.stringContaining('range_refused')]);
  expect(await part('lines=1-2')).toEqual([416, 'bytes */10', expect.stringContaining('range_refused')]);
  const whole = await ui.get(path);
  expect(whole.headers).toMatchObject({ 'accept-ranges': 'bytes', 'content-length': '10' });
  const etag = whole.headers.etag ?? '';
  expect(await ui.get(path, { 'if-none-match': etag })).toMatchObject({ status: 304, text: '' });
  expect(await ui.get(path, { range: 'bytes=0-1', 'if-range': '"other"' })).toMatchObject({ status: 200 });
  expect(await ui.head(path)).toMatchObject({ status: 200, text: '' });
  // A hole costs no disk; its length is what matters.
  truncateSync(file, 100 * 1024 * 1024);
  writeFileSync(file, 'the end\n', { flag: 'a' });
  expect(await part('bytes=-8')).toEqual([206, 'bytes 104857600-104857607/104857608', 'the end\n']);
});

test('links, pipes and folders in the place of logs are not served, and nobody waits for them', async () => {
  const p = await ran();
  const folder = join(p.dir, '.runner/iterations/test/2');
  const secret = join(p.base, 'secret.txt');
  writeFileSync(secret, 'secret');
  for (const name of ['prompt.md', 'executor.log', 'diff.patch']) rmSync(join(folder, name), { force: true });
  symlinkSync(secret, join(folder, 'prompt.md'));
  execFileSync('mkfifo', [join(folder, 'executor.log')]);
  mkdirSync(join(folder, 'diff.patch'));
  symlinkSync(p.base, join(p.dir, '.runner/iterations/linked'));
  linkSync(join(folder, 'meta.json'), join(folder, 'review.json'));
  const ui = await serve(p.dir);
  for (const name of ['prompt.md', 'executor.log', 'diff.patch'])
    expect(await ui.get(`/api/iterations/test/2/${name}`)).toMatchObject({ status: 404 });

  expect(await ui.json('/api/iterations')).toEqual({ runs: [{ run_id: 'test', iterations: [1, 2] }] });
  expect((await ui.get('/api/iterations/linked/1')).status).toBe(404);
});

test('what is missing or broken is said, with the command that helps', async () => {
  const folder = tempFolder('ui-empty');
  const ui = await serve(folder);
  for (const path of ['/api/tree', '/api/run-state', '/api/status']) {
    const { status, text } = await ui.get(path);
    expect(status, path).toBe(404);
    expect(JSON.parse(text)).toMatchObject({ error: { code: 'LAYOUT_MISSING', hint: 'runner init' } });
  }
  expect(await ui.json('/api/iterations')).toEqual({ runs: [] });
  expect(await ui.json('/api/runs')).toEqual({ runs: [] });
  expect(await ui.json('/api/memory')).toMatchObject({ questions: null });
  mkdirSync(join(folder, '.runner/state'), { recursive: true });
  writeFileSync(join(folder, '.runner/state/tree.json'), '{"id":');
  writeFileSync(join(folder, '.runner/state/run_state.json'), '[]');
  writeFileSync(join(folder, '.runner/state/config.toml'), 'nonsense = 1');
  expect(JSON.parse((await ui.get('/api/tree')).text)).toMatchObject({ error: { code: 'TREE_INVALID' } });
  expect(await ui.get('/api/run-state')).toMatchObject({ status: 500 });
  expect(JSON.parse((await ui.get('/api/config')).text)).toMatchObject({ error: { code: 'CONFIG_INVALID' } });
});
