/** `runner retry` (§1.6): a stuck leaf gets more attempts in a person's commit; no counter is reset, nothing else changes. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { answer, project, write } from '../support/project.ts';
import { expectOutput } from '../support/output-schema.ts';
import { readRefusal, refused } from '../support/refusals.ts';
import { waitUntil } from '../support/scratch.ts';
import { template } from '../support/template.ts';
import { node } from '../support/trees.ts';

const tree = node('root', {
  children: [
    node('api', { passes: true }),
    node('ui', { order: 1, children: [node('ui.1', { attempts: 3 }), node('ui.2', { order: 1 })] }),
  ],
});
const done = { actions: [write('a.txt', 'a\n')], answer: answer('done') };
const stuck = template(() => project({ tree, script: [done, done] }));

test('a stuck run goes on: max_attempts is raised, attempts stay', async () => {
  const p = await stuck();
  expect((await p.run('loop')).code, 'stuck').toBe(3);
  const before = p.tree();
  const ran = await p.run('retry', 'ui.1');
  const commit = await p.git('rev-parse', 'HEAD');
  expect(ran).toMatchObject({ code: 0, out: `retry: run=test node=ui.1 attempts=3/6 commit=${commit}` });
  expect(ran.err).toBe('ui.1 now has 3 attempts left');
  expect(p.tree()).toEqual({
    ...before,
    children: [
      before.children[0],
      {
        ...before.children[1],
        children: [{ ...before.children[1]?.children[0], max_attempts: 6 }, before.children[1]?.children[1]],
      },
    ],
  });
  expect(await p.git('log', '-1', '--format=%B')).toBe(
    'chore(loop): retry ui.1 attempts=3/6\n\nRunner-Person: retry\nRunner-Title: ui.1 title\nRunner-Max-Attempts: 3 -> 6\n',
  );
  expect(await p.git('show', '--name-only', '--format=', 'HEAD')).toBe('.runner/state/tree.json');
  expect(await p.status()).toBe('');
  const step = await p.run('step');
  expect(step.out).toBe('step: run=test iter=1 node=ui.1 status=done guard=pass');
  expect(step.err, 'a person’s own command is no news').not.toContain('tree.json');
});

test('a number of one’s own, by path, as JSON; and nothing to do is no commit', async () => {
  const p = await stuck();
  const ran = await p.run('retry', 'root/ui/ui.1', '--max-attempts', '4', '--json');
  const value: unknown = JSON.parse(ran.out);
  expectOutput('retry', value);
  expect(value).toEqual({
    command: 'retry',
    run_id: 'test',
    id: 'ui.1',
    attempts: 3,
    max_attempts: 4,
    max_attempts_before: 3,
    commit: await p.git('rev-parse', 'HEAD'),
  });
  const again = await p.run('retry', 'ui.1', '--max-attempts', '4', '--json');
  const same = JSON.parse(again.out) as { commit: unknown };
  expectOutput('retry', same);
  expect(same.commit).toBe(null);
});

test('a person’s other changes stay out of the commit and as they are', async () => {
  const p = await stuck();
  p.put('staged.txt', 'x\n');
  await p.git('add', 'staged.txt');
  p.put('README.md', 'changed\n');
  const before = await p.status();
  expect((await p.run('retry', 'ui.1')).code).toBe(0);
  expect(await p.status()).toBe(before);
});

describe('refused, with nothing changed', () => {
  test.each([
    ['api', 'NODE_CLOSED', 'root/api has passed'],
    ['ui', 'NODE_CLOSED', 'root/ui has children'],
    ['ui.3', 'NODE_UNKNOWN', 'did you mean ui.1?'],
  ])('%s: %s', async (id, code, words) => {
    const refusal = await refused(await stuck(), ['retry', id]);
    expect(refusal.code).toBe(code);
    expect(refusal.message).toContain(words);
  });

  test('too few attempts, none, or no node', async () => {
    const p = await stuck();
    const few = await p.run('retry', 'ui.1', '--max-attempts', '3');
    expect(few.code).toBe(64);
    expect(readRefusal(few).hint).toBe('runner retry ui.1 --max-attempts 6');
    expect((await p.run('retry', 'ui.1', '--max-attempts', '0')).code).toBe(64);
    expect((await p.run('retry')).code).toBe(64);
  });

  test('another branch, a changed tree, a session, before start', async () => {
    const p = await stuck();
    const inside = { RUNNER_RUN_ID: 'test', RUNNER_WORK_TREE: p.top };
    expect((await refused(p, ['retry', 'ui.1'], inside)).code).toBe('NESTED');
    p.put('.runner/state/tree.json', JSON.stringify(tree));
    expect((await refused(p, ['retry', 'ui.1'])).code).toBe('GIT_DIRTY');
    await p.git('checkout', '-q', '--', '.');
    await p.git('switch', '-q', 'main');
    expect((await refused(p, ['retry', 'ui.1'])).code).toBe('RUN_NOT_STARTED');
    await p.git('switch', '-q', '-c', 'side', 'runner/test');
    expect(await refused(p, ['retry', 'ui.1'])).toMatchObject({
      code: 'GIT_WRONG_BRANCH',
      hint: 'git switch runner/test',
    });
  });

  test('while a runner works', async () => {
    const p = await project({
      script: [done],
      guard: ['sh', '-c', 'touch ../in; sleep 600'],
    });
    const loop = p.start(['step']);
    await waitUntil('the guard runs', () => existsSync(join(p.base, 'in')));
    expect(readRefusal(await p.run('retry', 'root')).code).toBe('LOCKED');
    loop.kill('SIGINT');
    expect((await loop).exitCode).toBe(130);
  });
});
