/** §14: a pass is tried without its change, where the guard must turn red. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectNoTrace } from '../support/clones.ts';
import { answer, project, write } from '../support/project.ts';
import type { Project } from '../support/project.ts';

const notices = ['sh', '-c', 'cat code.txt; grep -q good code.txt'];

interface Try {
  readonly setting: 'off' | 'record' | 'require';
  readonly guard?: readonly string[];
  readonly path?: string;
  readonly extra?: string;
}

async function step({ setting, guard = notices, path = 'code.txt', extra = '' }: Try) {
  const p = await project({
    files: { 'code.txt': 'bad\n' },
    config: `[guard]\ncommand = ${JSON.stringify(guard)}\ncheckout = "off"\ncounterfactual = "${setting}"\n${extra}\n`,
    script: [{ actions: [write(path, 'good\n')], answer: answer('done') }],
  });
  const { out } = await p.run('step');
  await expectNoTrace(p);
  return { ...p, out };
}

async function trailer(p: Project): Promise<string> {
  return p.git('log', '-1', '--format=%(trailers:key=Runner-Counterfactual,valueonly)');
}

test.each(['record', 'require'] as const)('%s: red without the change, so it counts', async (setting) => {
  const p = await step({ setting });
  expect(p.out).toContain('status=done guard=pass');
  expect(p.meta(1)).toMatchObject({ counterfactual: 'red' });
  expect((await trailer(p)).trim()).toBe('red');
  expect(p.log(1, 'guard.counterfactual.log')).toBe('bad\n');
});

test('record: green without the change is only recorded', async () => {
  const p = await step({ setting: 'record', guard: ['true'] });
  expect(p.out).toContain('status=done guard=pass');
  expect((await trailer(p)).trim()).toBe('green');
});

test('require: green without the change fails with that reason', async () => {
  const p = await step({ setting: 'require', guard: ['true'] });
  expect(p.out).toContain('status=done guard=fail');
  expect(p.tree().attempts).toBe(1);
  expect(p.read('.runner/nodes/root/last.json')).toContain('the guard stays green without the change');
  expect(p.meta(1)).toMatchObject({ counterfactual: 'green' });
});

test.each([
  ['tests by their usual names', { path: 'tests/new.txt' }],
  ['tests as they are set', { extra: 'tests = ["code.txt"]' }],
  ['protected files', { extra: 'protect = ["code.txt"]\npolicy = "open"' }],
])('only %s changed: n/a, never a fail', async (_what, fields) => {
  const p = await step({ setting: 'require', guard: ['true'], ...fields });
  expect(p.out).toContain('status=done guard=pass');
  expect(p.meta(1)).toMatchObject({ counterfactual: 'n/a' });
});

test('off: nothing is tried, nothing is said', async () => {
  const p = await step({ setting: 'off' });
  expect((await trailer(p)).trim()).toBe('');
  expect(p.meta(1)).toMatchObject({ counterfactual: null });
  expect(existsSync(join(p.dir, '.runner/iterations/test/1/guard.counterfactual.log'))).toBe(false);
});

test('the change is what the node changed since its first iteration', async () => {
  const p = await project({
    files: { 'code.txt': 'bad\n' },
    config: `[guard]\ncommand = ${JSON.stringify(notices)}\ncheckout = "off"\ncounterfactual = "require"\n`,
    script: [
      { actions: [write('code.txt', 'good\n')], answer: answer('retry') },
      { actions: [write('other.txt', 'x\n')], answer: answer('done') },
    ],
  });
  await p.run('step');
  expect((await p.run('step')).out).toContain('status=done guard=pass');
  expect(p.meta(2)).toMatchObject({ counterfactual: 'red' });
});

test('without a clone it is unknown, and no fail', async () => {
  const p = await project({
    files: { 'code.txt': 'bad\n' },
    config: `[guard]\ncommand = ["true"]\ncheckout = "off"\ncounterfactual = "require"\n`,
    script: [{ actions: [write('code.txt', 'good\n')], answer: answer('done') }],
  });
  p.put('../home/.local/state/runner/judge', 'a file');
  const nowhere = { TMPDIR: '/dev/null/tmp' };
  expect((await p.runWith(nowhere, 'step')).out).toContain('status=done guard=pass');
  expect(p.meta(1)).toMatchObject({ counterfactual: 'unknown' });
});
