/** `on_stuck` (§4): stop, defer and the one planning session of decompose, with what `select`, `step` and `loop` say. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answer, child, project, renderScript, write } from '../support/project.ts';
import { recorded } from '../support/record.ts';
import { node } from '../support/trees.ts';

test('stop, then defer, then decompose, in one run', async () => {
  const p = await project({
    tree: node('root', { children: [node('a', { max_attempts: 1 }), node('b', { order: 1 })] }),
    config: 'max_attempts_default = 1',
    script: [
      { answer: answer('retry') },
      { actions: [write('b', '1\n')], answer: answer('done') },
      { answer: answer('decomposed', 'split', [child('one'), child('two')]) },
      { answer: answer('retry') },
      {
        actions: [write('c', '1\n'), { tree: { edits: [{ id: 'root', set: { title: 'new' } }] } }],
        answer: answer('done'),
      },
    ],
  });
  const stopped = await p.run('loop');
  expect(stopped).toMatchObject({ code: 3 });
  expect(stopped.out.split('\n').at(-1)).toBe(
    'loop: status=stuck run=test id=a path=root/a attempts=1/1 steps=1 started_at_iter=1',
  );
  const stuck = await p.run('step');
  expect(stuck).toMatchObject({
    code: 3,
    out: 'step: status=stuck run=test id=a path=root/a attempts=1/1',
  });
  expect(stuck.err).toMatch(/^next: runner explain, then: runner retry a, then: runner loop$/mu);
  expect(await p.run('select')).toMatchObject({
    code: 3,
    out: 'select: status=stuck id=a path=root/a attempts=1/1',
  });
  expect(existsSync(join(p.dir, '.runner/iterations/test/2'))).toBe(false);
  expect(p.runState().next_iter).toBe(2);

  const defer = { RUNNER_ON_STUCK: 'defer' };
  expect(await p.runWith(defer, 'select')).toMatchObject({
    code: 0,
    out: 'select: status=open id=b path=root/b attempts=0/3',
  });
  const deferred = await p.runWith(defer, 'loop');
  expect(deferred).toMatchObject({ code: 3 });
  expect(deferred.out.split('\n')).toEqual([
    'loop: step run=test iter=2 node=b status=done guard=pass',
    'loop: status=stuck run=test id=a path=root/a attempts=1/1 steps=1 started_at_iter=2',
  ]);

  const decompose = { RUNNER_ON_STUCK: 'decompose' };
  expect(await p.runWith(decompose, 'select')).toMatchObject({
    code: 0,
    out: 'select: status=open mode=decompose id=a path=root/a attempts=1/1',
  });
  expect(await p.runWith(decompose, 'step')).toMatchObject({
    code: 0,
    out: 'step: run=test iter=3 node=a status=decomposed guard=skipped',
  });
  expect(p.log(3, 'prompt.md')).toContain('This is its one planning session');
  expect((await recorded(p, 3)).tree.children[0]).toMatchObject({
    attempts: 1,
    children: [{ id: 'a.1', max_attempts: 1 }, { id: 'a.2' }],
  });
  const used = await p.runWith(decompose, 'loop');
  expect(used).toMatchObject({ code: 3 });
  expect(used.out.split('\n')).toEqual([
    'loop: step run=test iter=4 node=a.1 status=retry guard=skipped',
    'loop: step run=test iter=5 node=a.1 status=retry guard=skipped',
    'loop: status=stuck run=test id=a.1 path=root/a/a.1 attempts=1/1 steps=2 started_at_iter=4',
  ]);
  const planned = await recorded(p, 5);
  expect(planned.runState.nodes['a.1']).toMatchObject({ decompose_used: true });
  expect(planned.tree.title, 'the baseline tree').toBe('root title');
  expect(await planned.file('c'), 'the work is kept').toBe('1');
  expect(planned.errorLog).toContain('it answered done');
  expect(await p.runWith(decompose, 'select')).toMatchObject({ code: 3 });
});

test('every other judged session uses the planning session up: no answer, malformed, invalid tree (no repair), retry', async () => {
  const uses = [
    { name: 'n1', step: {} },
    { name: 'n2', step: { answer: answer('decomposed') } },
    { name: 'n3', step: { actions: [{ tree: { text: 'no tree' } }], answer: answer('decomposed') } },
    { name: 'n4', step: { answer: answer('retry') } },
  ];
  const stuck = (id: string) => node('root', { children: [node(id, { attempts: 2, max_attempts: 2 })] });
  const p = await project({
    tree: stuck('n1'),
    config: 'on_stuck = "decompose"',
    script: uses.map(({ step }) => step),
  });
  for (const [index, { name }] of uses.entries()) {
    if (index > 0) {
      p.put('.runner/state/tree.json', `${JSON.stringify(stuck(name), null, 2)}\n`);
      await p.commitAll('a person gives another tree');
    }
    const iter = index + 1;
    expect(await p.run('step'), name).toMatchObject({
      code: 3,
      out: `step: run=test iter=${iter} node=${name} status=retry guard=skipped`,
    });
    const record = await recorded(p, iter);
    expect(record, name).toMatchObject({ attempts: 2, tree: stuck(name), last: null });
    expect(record.runState, name).toMatchObject({
      repair: null,
      nodes: { [name]: { decompose_used: true } },
    });
    expect(record.errorLog, name).toContain(
      `agent_error.log: the planning session did not decompose '${name}'`,
    );
    expect(await record.file('.runner/state/tree.rejected.json')).toBeNull();
  }
  p.put('.runner/state/tree.json', `${JSON.stringify(stuck('n5'), null, 2)}\n`);
  p.put(
    '.runner-script.json',
    renderScript([
      {},
      {},
      {},
      {},
      { actions: [{ exit: 1 }] },
      { answer: answer('decomposed', 'x', [child('y')]) },
    ]),
  );
  await p.commitAll();
  const failed = await p.run('step');
  expect(failed, 'a session that fails is not judged').toMatchObject({ code: 0 });
  expect(p.runState().nodes['n5']).toMatchObject({ decompose_used: false });
  expect(await p.run('step')).toMatchObject({
    out: 'step: run=test iter=6 node=n5 status=decomposed guard=skipped',
  });
});
