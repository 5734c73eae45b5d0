/** `/events`: what changes is told in order and in time, also under floods, in folders that come later and behind links that move. */
import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { answer, project, tempFolder, write } from '../support/project.ts';
import { waitUntil } from '../support/scratch.ts';
import { template } from '../support/template.ts';
import { node as rootWith } from '../support/trees.ts';
import { serve } from '../support/ui-server.ts';

const started = template(() =>
  project({ script: [{ actions: [write('a.txt', 'a\n')], answer: answer('done', 'made it') }] }),
);

function put(folder: string, path: string, text: string): void {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** As the runner writes its files. */
function replace(folder: string, path: string, text: string): void {
  put(folder, `${path}.new`, text);
  renameSync(join(folder, `${path}.new`), join(folder, path));
}

const node = (title: string): string => JSON.stringify(rootWith('root', { title }));

test('a step is followed from its begin to its end', async () => {
  const p = await started();
  const ui = await serve(p.dir);
  const page = await ui.events();
  expect(page.status).toBe(200);
  expect(page.headers['content-type']).toBe('text/event-stream; charset=utf-8');
  const first = await page.named('connected');
  expect(first.id).toBe(String(first.data['id']));
  expect((await p.run('step')).code).toBe(0);
  const place = { run_id: 'test', iter: 1 };
  expect((await page.named('iteration_completed')).data).toEqual(place);
  expect((await page.named('iteration_added')).data).toEqual(place);
  await page.named('tree_changed');
  await page.named('run_state_changed');
  await page.waitFor(
    ({ name, data }) => name === 'stream_updated' && data['file'] === 'diff.patch',
    'the diff',
  );
  const ids = page.events.slice(1).map(({ id }) => Number(id));
  expect(ids).toEqual(ids.map((_id, index) => Number(first.id) + 1 + index));
});

test('config and memory', async () => {
  const p = await started();
  const ui = await serve(p.dir);
  const page = await ui.events();
  await page.named('connected');
  p.put('.runner/state/config.toml', `max_iterations = 7\n${p.read('.runner/state/config.toml')}`);
  await page.named('config_changed');
  p.put('.runner/state/questions.md', '- why?\n');
  await page.named('memory_changed');
});

test('whoever comes back gets what it missed, or is told to load everything', async () => {
  const p = await started();
  const ui = await serve(p.dir);
  const page = await ui.events();
  const first = await page.named('connected');
  p.put('.runner/state/questions.md', '- why?\n');
  const memory = await page.named('memory_changed');
  replace(p.dir, '.runner/state/tree.json', p.read('.runner/state/tree.json'));
  const tree = await page.named('tree_changed');
  page.close();
  const again = await ui.events({ 'last-event-id': String(first.id) });
  await again.waitFor(({ id }) => id === tree.id, 'what was missed');
  expect(again.events[0]).toMatchObject({ id: null, name: 'connected' });
  expect(Number(again.events[0]?.data['id'])).toBeGreaterThanOrEqual(Number(tree.id));
  expect(again.events.slice(1, page.events.length)).toEqual(page.events.slice(1));
  expect((await ui.events({ 'last-event-id': String(memory.id) })).status).toBe(200);
  for (const id of [String(Number(first.id) - 1), '1', 'x', String(Number(tree.id) + 5000), '']) {
    const lost = await ui.events({ 'last-event-id': id });
    const { id: newest } = await lost.named('resync');
    expect(Number(newest)).toBeGreaterThanOrEqual(Number(tree.id));
  }
});

test('whoever writes all the time cannot put events off, and the last state is told', async () => {
  const folder = tempFolder('ui-flood');
  put(folder, '.runner/state/tree.json', node('0'));
  put(folder, '.runner/iterations/r/1/executor.log', '');
  const ui = await serve(folder);
  const page = await ui.events();
  await page.named('connected');
  const log = join(folder, '.runner/iterations/r/1/executor.log');
  let written = 0;
  const writes = { isDone: false };
  const count = (name: string): number => page.events.filter((event) => event.name === name).length;
  const writing = (async () => {
    while (!writes.isDone) {
      appendFileSync(log, 'line\n');
      writeFileSync(join(folder, '.runner/state/tree.json'), node(String((written += 1))));
      await nextTurn();
    }
  })();
  await waitUntil(
    'events while the writing goes on',
    () => count('tree_changed') > 3 && count('stream_updated') > 3,
  );
  writes.isDone = true;
  await writing;
  const bytes = written * 'line\n'.length;
  await page.waitFor(({ data }) => data['bytes'] === bytes, 'the last size');
  // Far fewer events than writes, or the batches do not work.
  expect(count('stream_updated')).toBeLessThan(Math.max(20, written / 2));
  expect(await ui.json('/api/tree')).toMatchObject({ title: String(written) });
});

test('a project in which nothing was started, folders that come later, and folders made anew', async () => {
  const base = tempFolder('ui-later');
  const folder = join(base, 'project');
  const ui = await serve(folder);
  const page = await ui.events();
  await page.named('connected');
  mkdirSync(folder);
  await page.named('resync');
  put(folder, '.runner/state/tree.json', node('a'));
  await page.named('tree_changed');
  put(folder, '.runner/state/run_state.json', '{}');
  await page.named('run_state_changed');
  put(folder, '.runner/iterations/r/1/prompt.md', 'do it');
  await page.waitFor(({ name, data }) => name === 'stream_updated' && data['bytes'] === 5, 'the prompt');
  appendFileSync(join(folder, '.runner/iterations/r/1/executor.log'), 'working\n');
  await page.waitFor(({ data }) => data['file'] === 'executor.log' && data['bytes'] === 8, 'the log');
  put(folder, '.runner/iterations/r/1/meta.json', '{}');
  await page.named('iteration_completed');
  rmSync(join(folder, '.runner'), { recursive: true });
  await waitUntil('the tree to be gone', async () => (await ui.get('/api/tree')).status === 404);
  put(folder, '.runner/state/tree.json', node('b'));
  put(folder, '.runner/iterations/s/1/prompt.md', 'again');
  await page.waitFor(({ name, data }) => name === 'iteration_added' && data['run_id'] === 's', 'the new run');
  expect(await ui.json('/api/tree')).toMatchObject({ title: 'b' });
});

test('a link that moves to another project', async () => {
  const base = tempFolder('ui-latest');
  for (const name of ['one', 'two']) {
    put(join(base, name), '.runner/state/tree.json', node(name));
    put(join(base, name), `.runner/iterations/${name}/1/prompt.md`, name);
  }
  const latest = join(base, 'case_latest');
  symlinkSync('one', latest);
  const ui = await serve(latest);
  const page = await ui.events();
  const first = await page.named('connected');
  expect(await ui.json('/api/tree')).toMatchObject({ title: 'one' });
  symlinkSync('two', join(base, 'next'));
  renameSync(join(base, 'next'), latest);
  await page.named('resync');
  await page.named('tree_changed');
  expect(await ui.json('/api/tree')).toMatchObject({ title: 'two' });
  expect(await ui.json('/api/runs')).toMatchObject({ runs: [{ run_id: 'two' }] });
  put(join(base, 'two'), '.runner/iterations/two/2/prompt.md', 'x');
  await page.waitFor(({ name, data }) => name === 'iteration_added' && data['iter'] === 2, 'the next one');
  const late = await ui.events({ 'last-event-id': String(first.id) });
  await late.named('resync');
});

test('the 65th page is asked to come later, and may come when another has gone', async () => {
  const ui = await serve(tempFolder('ui-many'));
  const pages = await Promise.all(Array.from({ length: 64 }, () => ui.events()));
  expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([200]));
  const refused = await ui.get('/events');
  expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
  expect(JSON.parse(refused.text)).toMatchObject({ error: { code: 'too_many_clients' } });
  pages[0]?.close();
  await waitUntil('a place to be free', async () => {
    const page = await ui.events();
    page.close();
    return page.status === 200;
  });
});
