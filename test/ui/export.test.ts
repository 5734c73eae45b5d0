/** `runner export`: one file with the run in it, bounded, without secrets, and nothing else is written. */
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ExportedData } from '../../src/core/views/web-api.ts';
import { hashFolder } from '../support/folder-hash.ts';
import { expectOutput } from '../support/output-schema.ts';
import type { Project } from '../support/project.ts';
import { answer, project, repositoryRoot, tempFolder, write } from '../support/project.ts';
import { runProgram } from '../support/spawner.ts';
import { template } from '../support/template.ts';
import { serve } from '../support/ui-server.ts';

const secret = ['ghp', 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5'].join('_');
const ownKey = 'my-own-very-private-words';

const ran = template(async () => {
  const p = await project({
    script: [{ actions: [write('a.txt', 'a\n')], answer: answer('done', `used ${secret} </script><b>`) }],
    guard: ['sh', '-c', `echo checked with ${secret}`],
  });
  expect((await p.run('step')).code).toBe(0);
  return p;
});

/** The built program with small pages of our own, so that what is inlined can be told apart. */
function programWithPages(): string {
  const folder = tempFolder('ui-program');
  for (const name of ['bin', 'dist'])
    cpSync(join(repositoryRoot, name), join(folder, name), { recursive: true });
  const web = join(folder, 'dist/web');
  mkdirSync(web, { recursive: true });
  writeFileSync(
    join(web, 'index.html'),
    '<!doctype html><html><head><link rel="stylesheet" href="app.css" /></head><body><script src="app.js" defer></script></body></html>',
  );
  writeFileSync(join(web, 'app.css'), 'body{}');
  writeFileSync(join(web, 'app.js'), 'const shown = 1;');
  return join(folder, 'bin/runner.js');
}

async function exported(p: Project, entry: string, ...args: readonly string[]) {
  const env = { ...p.env, OPENAI_API_KEY: ownKey };
  const { code, stdout, stderr } = await runProgram({
    program: process.execPath,
    args: [entry, 'export', '--json', ...args],
    cwd: p.dir,
    env,
  });
  return { code, out: stdout, err: stderr };
}

function dataOf(page: string): ExportedData {
  const [, data = ''] =
    /<script type="application\/json" id="runner-data">([^]*?)<\/script>/.exec(page) ?? [];
  return JSON.parse(data) as ExportedData;
}

test('a run as one page', async () => {
  const entry = programWithPages();
  const p = await ran();
  const log = join(p.dir, '.runner/iterations/test/1/executor.log');
  writeFileSync(log, `${ownKey}\n${'a line of a long log\n'.repeat(40_000)}the end ${secret}\n`);
  const before = hashFolder(p.top);
  const file = join(p.base, 'run.html');
  const ended = await exported(p, entry, '--html', file);
  expect(ended, ended.err).toMatchObject({ code: 0 });
  expect(hashFolder(p.top)).toBe(before);
  const line = JSON.parse(ended.out) as Record<string, unknown>;
  expectOutput('export', line);
  expect(line).toMatchObject({ command: 'export', file, run_id: 'test', iterations: 1 });
  const page = readFileSync(file, 'utf8');
  expect(page).toContain('<style>body{}</style>');
  expect(page).toContain('<script>const shown = 1;</script>');
  expect(page).not.toContain(secret);
  expect(page).not.toContain(ownKey);
  const data = dataOf(page);
  expect(data).toMatchObject({ version: 1, run_id: 'test', tree: p.tree(), run_state: { run_id: 'test' } });
  expect(data.status).toMatchObject({ command: 'status', run_id: 'test' });
  expect(data.runs.runs[0]?.rows).toMatchObject([{ iter: 1, guard: 'pass' }]);
  const iteration = data.iterations['test/1'];
  expect(iteration?.output).toMatchObject({ summary: 'used [redacted] </script><b>' });
  expect(iteration?.texts['guard.log']?.text).toBe('checked with [redacted]\n');
  const long = iteration?.texts['executor.log'];
  expect(long?.bytes_cut).toBeGreaterThan(0);
  expect(long?.text.startsWith('[redacted]\na line')).toBe(true);
  expect(long?.text).toContain('were left out of this page');
  expect(long?.text.endsWith('the end [redacted]\n')).toBe(true);
  expect(data.cuts.join('\n')).toContain('1 long files are shown without their middle');
});

test('a run of the past, an unknown one, and files that are in the way', async () => {
  const entry = programWithPages();
  const p = await ran();
  cpSync(join(p.dir, '.runner/iterations/test'), join(p.dir, '.runner/iterations/old'), { recursive: true });
  expect(await exported(p, entry, 'old', '--html', '../old.html')).toMatchObject({ code: 0 });
  const data = dataOf(readFileSync(join(p.base, 'old.html'), 'utf8'));
  expect(data).toMatchObject({
    run_id: 'old',
    run_state: null,
    status: null,
    tree: { id: 'root', passes: true },
  });
  expect(await exported(p, entry, 'nobody', '--html', '../x.html')).toMatchObject({ code: 1 });
  expect(await exported(p, entry)).toMatchObject({ code: 64 });
  mkdirSync(join(p.base, 'folder.html'));
  symlinkSync('old.html', join(p.base, 'link.html'));
  for (const name of ['../folder.html', '../link.html']) {
    const refused = await exported(p, entry, '--html', name);
    expect(refused.code).toBe(1);
    expect(refused.out + refused.err).toContain('LAYOUT_INVALID');
  }
});

test('the pages are served with their types', async () => {
  const ui = await serve(tempFolder('ui-pages'), { entry: programWithPages() });
  const page = await ui.get('/');
  expect(page).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } });
  expect(page.headers['content-security-policy']).toContain("script-src 'self'");
  expect(page.headers['content-security-policy']).toContain("require-trusted-types-for 'script'");
  expect(await ui.get('/app.js')).toMatchObject({
    text: 'const shown = 1;',
    headers: { 'content-type': 'text/javascript; charset=utf-8' },
  });
  expect(await ui.get('/app.css')).toMatchObject({ headers: { 'content-type': 'text/css; charset=utf-8' } });
  expect(await ui.get('/../main.js')).toMatchObject({ status: 404 });
});
