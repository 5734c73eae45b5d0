/** §9 `guard.empty_change`: what `done` means when nothing outside `.runner/` differs from before the node's first session. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answer, project, write } from '../support/project.ts';
import { recorded } from '../support/record.ts';
import { node } from '../support/trees.ts';

const asked = 'If the node truly needs no change, confirm that by answering `done` again';

test('confirm asks once without an attempt, then the guard decides; reject is a retry; allow lets the guard decide', async () => {
  const ids = ['a', 'b', 'c', 'd', 'e'];
  const memory = { append: { path: '.runner/state/questions.md', content: '- really?\n' } };
  const p = await project({
    tree: node('root', { children: ids.map((id, order) => node(id, { order })) }),
    guard: ['sh', '-c', 'test ! -f red'],
    config: 'max_iterations = 30',
    files: { red: 'no\n' },
    script: [
      {
        actions: [memory, { tree: { edits: [{ id: 'b', set: { title: 'B' } }] } }],
        answer: answer('done', 'nothing to do'),
      },
      { answer: answer('done', 'as I said') },
      { actions: [{ delete: 'red' }, write('a.txt', 'a\n')], answer: answer('done', 'now') },
      { actions: [write('b.txt', 'b\n')], answer: answer('retry', 'began') },
      { actions: [{ delete: 'b.txt' }], answer: answer('done', 'took it back') },
      { answer: answer('done', 'yes') },
      { answer: answer('done', 'no change yet') },
      { actions: [write('c.txt', 'c\n')], answer: answer('done', 'a change') },
      { answer: answer('done', 'rejected') },
      { answer: answer('done', 'allowed') },
      { answer: answer('done', 'allowed too') },
    ],
  });
  const first = await p.run('step');
  expect(first).toMatchObject({ code: 0, out: 'step: run=test iter=1 node=a status=retry guard=skipped' });
  const loop = await p.runWith({ RUNNER_MAX_ITERATIONS: '8' }, 'loop');
  expect(loop.out.split('\n').map((line) => line.replace(/^.* node=/u, ''))).toEqual([
    'a status=done guard=fail',
    'a status=done guard=pass',
    'b status=retry guard=skipped',
    'b status=retry guard=skipped',
    'b status=done guard=pass',
    'c status=retry guard=skipped',
    'c status=done guard=pass',
    'loop: status=limit run=test next_iter=9 max_iterations=8 steps=7 started_at_iter=2',
  ]);

  const ask = await recorded(p, 1);
  expect(ask, "no attempt, the agent's tree").toMatchObject({ attempts: 0, errorLog: '' });
  expect(ask.tree.children[1]?.title).toBe('B');
  expect(ask.runState).toMatchObject({
    nodes: { a: { confirm_asked: true } },
    last_summary: 'nothing to do',
  });
  expect(await ask.file('.runner/state/questions.md')).toContain('- really?');
  expect(p.log(1, 'prompt.md')).not.toContain(asked);
  expect(p.log(2, 'prompt.md')).toContain(asked);
  expect(p.log(2, 'prompt.md')).toContain('nothing to do');
  expect(existsSync(join(p.dir, '.runner/iterations/test/1/guard.log'))).toBe(false);
  expect(await recorded(p, 2), 'confirmed, but the guard is red').toMatchObject({ attempts: 1 });
  expect((await recorded(p, 3)).trailers.join('\n'), 'a change needs no mark').not.toContain('Mark: ');
  expect(p.log(5, 'prompt.md'), 'the node has changes').not.toContain(asked);
  expect(await recorded(p, 5), 'back to the base is empty again').toMatchObject({ attempts: 1 });
  expect((await recorded(p, 6)).trailers.at(-1)).toBe('Mark: confirmed-empty-change');
  expect((await recorded(p, 8)).trailers.join('\n')).not.toContain('Mark: ');

  expect((await p.runWith({ RUNNER_GUARD_EMPTY_CHANGE: 'reject' }, 'step')).out).toBe(
    'step: run=test iter=9 node=d status=retry guard=skipped',
  );
  const rejected = await recorded(p, 9);
  expect(rejected).toMatchObject({ attempts: 1, errorLog: '' });
  expect(rejected.last).toMatchObject({ summary: 'rejected' });
  expect(rejected.last?.error).toContain('nothing outside .runner/ differs');
  const allowed = await p.runWith({ RUNNER_GUARD_EMPTY_CHANGE: 'allow' }, 'loop');
  expect(allowed.code, allowed.err).toBe(0);
  expect(p.log(10, 'prompt.md')).toContain('nothing outside .runner/ differs');
  expect(await recorded(p, 10)).toMatchObject({ node: 'd', status: 'done', guard: 'pass', attempts: 1 });
  const last = await recorded(p, 11);
  expect(last).toMatchObject({ node: 'e', status: 'done', guard: 'pass' });
  expect(last.tree.passes).toBe(true);
});

test('a change that the guard takes back is none: asked about, confirmed, and proven', async () => {
  const scratch = { actions: [write('scratch.txt', 's\n')], answer: answer('done', 'wrote it') };
  const p = await project({ guard: ['rm', '-f', 'scratch.txt'], script: [scratch, scratch, scratch] });
  const rejected = await p.runWith({ RUNNER_GUARD_EMPTY_CHANGE: 'reject' }, 'step');
  expect(rejected.out).toBe('step: run=test iter=1 node=root status=retry guard=skipped');
  expect(await recorded(p, 1)).toMatchObject({ attempts: 1 });
  expect((await p.run('step')).out).toBe('step: run=test iter=2 node=root status=retry guard=skipped');
  expect(await recorded(p, 2)).toMatchObject({ attempts: 1 });
  expect((await p.run('step')).out).toBe('step: run=test iter=3 node=root status=done guard=pass');
  expect((await recorded(p, 3)).trailers.at(-1)).toBe('Mark: confirmed-empty-change');
  expect((await p.run('audit')).out).toContain('proven (unsigned)');
});
