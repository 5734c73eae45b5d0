/** `select` (§4): the next leaf as a line and an exit code; needs neither git nor a started run. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openProject, project, tempFolder } from '../support/project.ts';
import { fingerprint, pathOf, refused } from '../support/refusals.ts';
import { template } from '../support/template.ts';
import { node } from '../support/trees.ts';

const started = template(() => project());
const passed = { passes: true } as const;
const stuck = { attempts: 3 } as const;

test('open, complete, stuck, deferred, planned: no git, nothing changes', async () => {
  const base = tempFolder('select');
  mkdirSync(join(base, 'home'));
  mkdirSync(join(base, 'repo'));
  const p = openProject({ base, prefix: '' });
  expect((await p.run('init', '--quiet')).code).toBe(0);
  const env = { PATH: pathOf(p, []) };
  const tree = (children: readonly ReturnType<typeof node>[], fields = {}): void =>
    p.put('.runner/state/tree.json', JSON.stringify(node('root', { children, ...fields })));
  const select = async (config = ''): Promise<readonly [number | undefined, string]> => {
    p.put('.runner/state/config.toml', config);
    const before = fingerprint(p.dir);
    const ran = await p.runWith(env, 'select');
    expect(ran.err).toBe('');
    expect(fingerprint(p.dir)).toEqual(before);
    return [ran.code, ran.out];
  };
  expect(await select()).toEqual([0, 'select: status=open id=root path=root attempts=0/3']);

  tree([
    node('b', { order: 1 }),
    node('a', { order: 2 }),
    node('z', { order: 0 }),
    node('p', { order: -1, ...passed }),
  ]);
  expect(await select(), 'sorted by order').toEqual([0, 'select: status=open id=z path=root/z attempts=0/3']);

  const deep = node('api', { order: 0, children: [node('x', passed), node('y', { attempts: 2 })] });
  tree([deep, node('b', { order: 1 })]);
  expect(await select()).toEqual([0, 'select: status=open id=y path=root/api/y attempts=2/3']);

  tree([node('a', stuck), node('b', { order: 1 })]);
  expect(await select()).toEqual([3, 'select: status=stuck id=a path=root/a attempts=3/3']);
  expect(await select('on_stuck = "defer"')).toEqual([
    0,
    'select: status=open id=b path=root/b attempts=0/3',
  ]);
  expect(await select('on_stuck = "decompose"')).toEqual([
    0,
    'select: status=open mode=decompose id=a path=root/a attempts=3/3',
  ]);
  tree([node('a', stuck), node('b', { order: 1, ...stuck })]);
  expect(await select('on_stuck = "defer"')).toEqual([
    3,
    'select: status=stuck id=a path=root/a attempts=3/3',
  ]);

  tree([node('a', passed)], passed);
  expect(await select()).toEqual([2, 'select: status=complete']);
});

test('a repair that is due, and a planning session that is used up', async () => {
  const p = await started();
  const state = p.runState();
  const put = (fields: object): void =>
    p.put('.runner/state/run_state.json', JSON.stringify({ ...state, ...fields }));
  put({ repair: { node_id: 'root', count: 1, sha256: 'x' } });
  expect(await p.run('select')).toMatchObject({ code: 0, out: 'select: status=repair id=root', err: '' });
  put({ nodes: { root: { decompose_used: true } } });
  p.put('.runner/state/tree.json', JSON.stringify(node('root', stuck)));
  expect(await p.runWith({ RUNNER_ON_STUCK: 'decompose' }, 'select')).toMatchObject({
    code: 3,
    out: 'select: status=stuck id=root path=root attempts=3/3',
  });
});

test('what cannot be read is an error with its reason', async () => {
  const p = await started();
  p.put('.runner/state/tree.json', '{"id": "root"');
  expect(await refused(p, ['select'])).toMatchObject({
    code: 'TREE_INVALID',
    message: `${join(p.dir, '.runner/state/tree.json')} is not a valid task tree: 1 violation`,
    details: [expect.stringMatching(/tree\.json:1:14: /)],
  });
  rmSync(join(p.dir, '.runner'), { recursive: true });
  expect(await refused(p, ['select'])).toMatchObject({ code: 'LAYOUT_MISSING', hint: 'runner init' });
});
