/**
 * Traps of the ancestor that an agent could spring: one recorded run with a scripted agent that tries them one after the other, and
 * a look at what came of each.
 */
import { expect, test } from 'vitest';
import { answer, project, write } from '../support/project.ts';
import { template } from '../support/template.ts';

function edit(id: string, set: object): unknown {
  return { tree: { edits: [{ id, set }] } };
}

function bareNode(id: string, order: number): object {
  return { id, order, title: `${id} title`, goal: `${id} goal`, acceptance: [], children: [] };
}

const evilConfig = 'max_iterations = 1\n[agent]\nname = "codex"\n[guard]\ncommand = ["true"]\n';
const guardText = `${'é'.repeat(30_000)}\n${'noise\n'.repeat(10_000)}THE REASON\n`;

/** The guard is red until `good.txt` is there, and then prints far more than a prompt may hold. */
const ran = template(async () => {
  const p = await project({
    goal: '# The goal\n\nA sentence that only the goal holds.\n',
    config: 'max_attempts_default = 9\n',
    files: { 'noise.txt': guardText },
    guard: ['sh', '-c', 'test -e good.txt || { cat noise.txt; exit 1; }'],
    script: [
      {
        note: '1: children in the wrong order, without the keys that are the runner’s',
        actions: [
          { tree: { edits: [{ id: 'root', add: [bareNode('b', 2), bareNode('a', 1), bareNode('c', 2)] }] } },
        ],
        answer: answer('decomposed', 'split it'),
      },
      {
        note: '2: another guard, other limits, another schema, another goal; and done without the work',
        actions: [
          write('.runner/state/config.toml', evilConfig),
          write('.runner/state/schema.json', '{}'),
          write('.runner/GOAL.md', '---\nid: other\n---\nNothing to do.\n'),
          write('half.txt', 'half\n'),
          write('output.json', '{"status":"done","summary":"stray","children":null}'),
        ],
        answer: answer('done', 'OWN SUMMARY OF A'),
      },
      {
        note: '3: more attempts for itself',
        actions: [edit('a', { attempts: 0, max_attempts: 99 })],
        answer: answer('retry', 'second try'),
      },
      {
        note: '4: fewer attempts than it has used',
        actions: [edit('a', { attempts: 0, max_attempts: 1 })],
        answer: answer('retry', 'third try'),
      },
      {
        note: '5: the open siblings removed, so that the root would pass early',
        actions: [{ tree: { edits: [{ remove: 'b' }, { remove: 'c' }] } }, write('good.txt', 'good\n')],
        answer: answer('done', 'all done'),
      },
      { note: '6: no valid answer', answer: '{"status": "finished", "summary": "KEEP THIS OUTPUT"}' },
      {
        note: '7: passes itself',
        actions: [edit('a', { passes: true }), write('a.txt', 'a\n')],
        answer: answer('done', 'DONE A'),
      },
      { note: '8: the next leaf', actions: [write('b.txt', 'b\n')], answer: answer('done', 'DONE B') },
    ],
  });
  const loop = await p.run('loop', '--max-iterations', '8');
  expect(loop, loop.err).toMatchObject({ code: 1 });
  p.put('loop.out', loop.out);
  p.put('loop.err', loop.err);
  return p;
});

test('the run went as planned', async () => {
  const p = await ran();
  const steps = p
    .read('loop.out')
    .split('\n')
    .flatMap((line) => /iter=\d+ (.*)$/.exec(line)?.[1] ?? []);
  expect(steps.slice(0, 8)).toEqual([
    'node=root status=decomposed guard=skipped',
    'node=a status=done guard=fail',
    'node=a status=retry guard=skipped',
    'node=a status=retry guard=skipped',
    'node=a status=retry guard=skipped',
    'node=a status=retry guard=skipped',
    'node=a status=done guard=pass',
    'node=b status=done guard=pass',
  ]);
});

test('[trap: children written in another order made the tree invalid] they are sorted', async () => {
  const p = await ran();
  expect(p.tree().children.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  expect(p.log(1, 'tree.agent.json').indexOf('"b"')).toBeLessThan(p.log(1, 'tree.agent.json').indexOf('"a"'));
});

test('[trap: max_attempts_default was never applied to new nodes] it is', async () => {
  const p = await ran();
  expect(p.tree().max_attempts).toBe(3);
  expect(p.tree().children.map(({ max_attempts }) => max_attempts)).toEqual([9, 9, 9]);
});

test('[trap: the agent could change limits and guard for later iterations] config is put back and has no effect', async () => {
  const p = await ran();
  expect(p.log(2, 'guard.log')).toContain('THE REASON');
  expect(p.read('.runner/state/config.toml')).toContain('max_attempts_default = 9');
  expect(p.log(2, 'kept/.runner/state/config.toml')).toBe(evilConfig);
  expect(p.read('loop.err')).toContain('note: put back .runner/state/config.toml');
  expect(await p.git('log', '--format=%h', 'runner/test', '--', '.runner/state/config.toml')).toHaveLength(7);
});

test('[trap: validation trusted the schema in the work tree] it is put back and never used', async () => {
  const p = await ran();
  expect(p.read('.runner/state/schema.json')).toContain('Task Tree v1');
  p.put('.runner/state/schema.json', '{}');
  p.put('.runner/state/tree.json', '{"id": 1}');
  expect((await p.run('select')).code).toBe(1);
});

test('[trap: an agent could get more attempts, or fewer than it had used, which bricked the run] neither', async () => {
  const p = await ran();
  const after = (iter: number) =>
    (JSON.parse(p.log(iter, 'tree.after.json')) as ReturnType<typeof p.tree>).children[0];
  expect([2, 3, 4, 5, 6, 7].map((iter) => `${after(iter)?.attempts}/${after(iter)?.max_attempts}`)).toEqual([
    '1/9',
    '2/9',
    '3/9',
    '4/9',
    '4/9',
    '4/9',
  ]);
});

test('[trap: removing open siblings let the root pass early] it is refused', async () => {
  const p = await ran();
  expect(p.log(5, 'agent_error.log')).toMatch(/'b'|'c'/);
  expect(p.tree().passes).toBe(false);
});

test("[trap: a runner error replaced the agent's own output] it is kept as given", async () => {
  const p = await ran();
  expect(p.log(6, 'output.json')).toBe('{"status": "finished", "summary": "KEEP THIS OUTPUT"}');
  expect(p.log(6, 'agent_error.log')).toContain('status must be one of done, retry, decomposed');
  expect(p.log(7, 'prompt.md')).toContain('status must be one of done, retry, decomposed');
});

test('[trap: the goal text, tree.json, the guard and the memory files were never in the prompt] they are', async () => {
  const p = await ran();
  const prompt = p.log(1, 'prompt.md');
  for (const part of [
    'A sentence that only the goal holds.',
    '.runner/state/tree.json',
    '.runner/state/assumptions.md',
    '.runner/state/questions.md',
    '"max_attempts": 3, "children": []',
    'test -e good.txt',
    'ONE JSON object',
  ])
    expect(prompt).toContain(part);
  expect(prompt).not.toContain('None.');
});

test('[trap: an output.json in the work tree was taken for the answer, or asked for] it is ordinary work', async () => {
  const p = await ran();
  expect(p.log(2, 'output.json')).toContain('OWN SUMMARY OF A');
  expect(p.log(1, 'prompt.md')).not.toContain('output.json');
});

test("[trap: after a failed guard the agent's own summary was not shown] summary and guard output both are", async () => {
  const p = await ran();
  expect(p.log(3, 'prompt.md')).toContain('OWN SUMMARY OF A');
  expect(p.log(3, 'prompt.md')).toContain('THE REASON');
});

test('[trap: one retry later the guard output was gone] it stays until the guard speaks again', async () => {
  const p = await ran();
  for (const iter of [4, 5, 6, 7]) expect(p.log(iter, 'prompt.md'), String(iter)).toContain('THE REASON');
  expect(p.log(4, 'prompt.md')).toContain('second try');
});

test('[trap: history and failure were not tied to a node] the next leaf sees none of it', async () => {
  const p = await ran();
  const prompt = p.log(8, 'prompt.md');
  for (const part of ['THE REASON', 'OWN SUMMARY OF A', 'DONE A', '## History', '## Failure'])
    expect(prompt).not.toContain(part);
});

test('[trap: a guard log over 40 KB made the whole failure section vanish, or the cut broke a character] it is shortened', async () => {
  const p = await ran();
  const prompt = p.log(3, 'prompt.md');
  expect(Buffer.byteLength(prompt)).toBeLessThanOrEqual(40_000);
  expect(prompt).not.toContain('\ufffd');
  expect(prompt).toMatch(/left out/);
  expect(prompt).toContain('é');
  expect(prompt.endsWith('\n\n')).toBe(true);
});

test('[trap: the tree summary had no titles and no mark] it has both', async () => {
  const p = await ran();
  const summary = p.log(8, 'prompt.md').split('## Tree summary')[1] ?? '';
  expect(summary).toMatch(/\[x\].*a title/);
  expect(summary).toMatch(/\[ \].*c title/);
  expect(
    summary.split('\n').filter((line) => line.includes('b title') && /<-|selected|current|you/i.test(line)),
  ).toHaveLength(1);
});

test('[trap: nothing was printed when an iteration started] it is, before the agent works', async () => {
  const p = await ran();
  const lines = p.read('loop.err').split('\n');
  const [begun, ended] = [
    'iter 1: root Root, with scripted, budget 30:00, rings: sandbox=none settings=on checkout=off',
    'iter 1: status=decomposed guard=skipped · ',
  ];
  expect(lines.indexOf(begun)).toBeGreaterThanOrEqual(0);
  expect(lines.findIndex((line) => line.startsWith(ended))).toBeGreaterThan(lines.indexOf(begun));
});

test('[trap: times in meta.json were always null, and it was written before the snapshots]', async () => {
  const p = await ran();
  expect(p.meta(7)).toMatchObject({
    started_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    ended_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    commit: expect.stringMatching(/^[0-9a-f]{40}$/),
  });
});
