/** REPAIR (§5): an invalid tree is kept and repaired, or dropped after fruitless sessions; nothing of it ever becomes the tree. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answer, project, renderScript, write } from '../support/project.ts';
import { recorded } from '../support/record.ts';
import { node } from '../support/trees.ts';

const tree = node('root', { children: [node('work'), node('later', { order: 1 })] });
const rejectedFile = '.runner/state/tree.rejected.json';

test('an invalid tree asks for a repair; repaired, fruitless twice, dropped; the second invalid tree costs an attempt', async () => {
  const broken = '{"id": "root", "id": "again"}\n';
  const unknownKey = { ...tree, children: [{ ...node('work'), note: 'x' }, node('later', { order: 0.5 })] };
  const p = await project({
    tree,
    config: 'max_iterations = 20',
    script: [
      { actions: [write('a', '1\n'), { tree: { text: broken } }], answer: answer('done', 'I made a') },
      {
        actions: [
          {
            tree: {
              edits: [
                { id: 'later', set: { goal: 'mended' } },
                { id: 'work', add: [] },
              ],
            },
          },
        ],
      },
      { actions: [{ tree: { json: unknownKey } }], answer: answer('retry') },
      { actions: [{ tree: { text: 'still broken' } }], answer: answer('retry') },
      { actions: [{ tree: { edits: [{ remove: 'later' }] } }], answer: answer('retry') },
      { actions: [write('b', '1\n')], answer: answer('done') },
      { actions: [write('c', '1\n')], answer: answer('done') },
    ],
  });
  expect(await p.run('step')).toMatchObject({
    code: 0,
    out: 'step: run=test iter=1 node=work status=retry guard=skipped',
  });
  const first = await recorded(p, 1);
  expect(first).toMatchObject({ attempts: 0, tree });
  expect(first.errorLog).toMatch(/^agent_error\.log: tree\.json is not a valid tree: .*duplicate key/u);
  expect(first.runState.repair).toEqual({
    node_id: 'work',
    count: 0,
    sha256: createHash('sha256').update(broken).digest('hex'),
  });
  expect(await first.file(rejectedFile)).toBe(broken.trimEnd());
  expect(await first.file('a'), 'all other work is committed').toBe('1');
  expect(p.log(1, 'tree.agent.json')).toBe(broken);
  expect(await p.run('select')).toMatchObject({ code: 0, out: 'select: status=repair id=work' });

  const ran = await p.run('loop');
  expect(ran.code, ran.err).toBe(0);
  const prompt = p.log(2, 'prompt.md');
  expect(prompt).toContain('duplicate key');
  expect(prompt).toContain(broken.trimEnd());
  expect(prompt).toContain('"goal": "later goal"');
  expect(prompt).toContain('Your only task: edit');
  const repaired = await recorded(p, 2);
  expect(repaired, 'the answer may be missing').toMatchObject({
    status: 'retry',
    guard: 'skipped',
    node: 'work',
    attempts: 0,
    errorLog: '',
  });
  expect(repaired.meta.mode).toBe('repair');
  expect(repaired.trailers).toContain('Mode: repair');
  expect(repaired.tree.children[1]?.goal).toBe('mended');
  expect(repaired.runState).toMatchObject({ repair: null, nodes: { work: { invalid_trees: 1 } } });
  expect(await repaired.file(rejectedFile)).toBeNull();

  const again = await recorded(p, 3);
  expect(again, 'the second time on the same leaf').toMatchObject({ status: 'retry', attempts: 1 });
  expect(again.last?.error).toContain("root/work: unknown key 'note'");
  expect(again.last?.error).toContain('root/later: order must be a whole number');
  const fruitless = await recorded(p, 4);
  expect(fruitless).toMatchObject({ status: 'retry', guard: 'skipped', node: 'work', attempts: 1 });
  expect(fruitless.runState.repair).toMatchObject({ count: 1 });
  expect(fruitless.errorLog).toContain('agent_error.log: The repair session left no valid tree');
  expect(await fruitless.file(rejectedFile)).toContain('"note"');
  expect(p.log(5, 'prompt.md'), 'it is still about the rejected tree').toContain(
    "root/work: unknown key 'note'",
  );
  const dropped = await recorded(p, 5);
  expect(dropped, 'breaking a rule is fruitless too').toMatchObject({ node: 'work', attempts: 2 });
  expect(dropped.errorLog).toContain("open node 'later' was removed");
  expect(dropped.runState.repair).toBeNull();
  expect(await dropped.file(rejectedFile)).toBeNull();
  expect(dropped.tree.children.map(({ id }) => id)).toEqual(['work', 'later']);
  expect(await recorded(p, 6)).toMatchObject({ node: 'work', status: 'done', guard: 'pass', attempts: 2 });
  expect(await p.status()).toBe('');
});

test('a failing session is not fruitless; the unchanged tree ends a repair; a huge tree is only in the log', async () => {
  const huge = `[${'"xxxxxxxxxxxxxxx",'.repeat(70_000)}`;
  const p = await project({
    tree,
    config: 'max_iterations = 4\n[tree]\nmax_repairs = 1',
    script: [
      { actions: [{ tree: { text: huge } }] },
      { actions: [{ tree: { text: 'worse' } }, { exit: 1 }] },
      { answer: answer('retry') },
      { actions: [{ tree: { text: '' } }], answer: answer('retry') },
    ],
  });
  const ran = await p.run('loop');
  expect(ran.err).toContain('[ITERATION_LIMIT]');
  const first = await recorded(p, 1);
  expect(first.runState).toMatchObject({ repair: { node_id: 'work', count: 0 }, failures_in_a_row: 0 });
  expect(await first.file(rejectedFile), 'over 1 MiB').toBeNull();
  expect(p.log(1, 'tree.agent.json')).toBe(huge);
  const failed = await recorded(p, 2);
  expect(failed.errorLog).toContain('runner_error.log: scripted ended with exit code 1');
  expect(failed.runState).toMatchObject({ repair: { count: 0 }, failures_in_a_row: 1 });
  expect(failed.meta.mode).toBe('repair');
  const ended = await recorded(p, 3);
  expect(ended).toMatchObject({ tree, attempts: 0 });
  expect(ended.runState).toMatchObject({ repair: null, failures_in_a_row: 0 });
  expect(await recorded(p, 4), 'an empty file is no valid tree').toMatchObject({ attempts: 1, node: 'work' });

  p.put(
    '.runner-script.json',
    renderScript([
      {},
      {},
      {},
      {},
      {
        actions: [
          {
            tree: {
              edits: [
                { id: 'later', add: [node('later.1')] },
                { id: 'work', add: [node('work.1')] },
              ],
            },
          },
        ],
        answer: answer('done'),
      },
    ]),
  );
  await p.commitAll();
  expect((await p.run('step', '--max-iterations', '9')).code).toBe(0);
  const split = await recorded(p, 5);
  expect(split.meta.mode).toBe('repair');
  expect(
    split.tree.children.map(({ children }) => children.length),
    'no leaf is selected in a repair',
  ).toEqual([1, 1]);
  expect(split.runState.repair).toBeNull();
  expect(existsSync(join(p.dir, rejectedFile))).toBe(false);
  expect(existsSync(join(p.dir, '.runner/nodes/work/last.json')), 'it is no leaf any more').toBe(false);
});
