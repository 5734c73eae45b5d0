/** `runner tree`: states, attempts and times of every node; titles are data, and 100,000 nodes are no trouble. */
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { displayWidth } from '../../src/core/text/display-width.ts';
import type { TreeNode } from '../../src/core/types.ts';
import { expectOutput } from '../support/output-schema.ts';
import { answer, entryFile, project, unstartedProject, write } from '../support/project.ts';
import { hasPseudoTerminal, runOnTerminal } from '../support/pseudo-terminal.ts';
import { template } from '../support/template.ts';
import { node } from '../support/trees.ts';

const tree = node('root', {
  children: [
    node('a', { passes: true, children: [node('a.1', { passes: true })] }),
    node('b', { order: 1, attempts: 1 }),
    node('c', { order: 2, attempts: 3 }),
    node('d', { order: 3, title: 'up\u001B[5A\n[x] fake \u202Epassed' }),
  ],
});

/** One iteration on `b`, which failed its guard. */
const failed = template(async () => {
  const p = await project({
    tree,
    guard: ['false'],
    script: [{ actions: [write('x', '1')], answer: answer('done') }],
  });
  expect((await p.run('step')).code).toBe(0);
  return p;
});

test('the tree, one line a node, and what is next', async () => {
  const p = await failed();
  const shown = async (...args: readonly string[]): Promise<readonly string[]> => {
    const ran = await p.run('tree', ...args);
    expect(ran, ran.err).toMatchObject({ code: 0, err: '' });
    return ran.out.split('\n').map((line) => line.replace(/time=\d\d:\d\d/, 'time=N'));
  };
  const end = 'tree: run=test leaves=4 passed=1 retrying=1 stuck=1 nodes=6';
  const open = [
    '[-] root derived root title',
    '  [>] b retrying attempts=2/3 iterations=1 time=N b title',
    '  [!] c stuck attempts=3/3 c title',
    '  [ ] d open attempts=0/3 up [x] fake passed',
  ];
  expect(await shown()).toEqual([
    open[0],
    '  [x] a passed a title',
    '    [x] a.1 passed attempts=0/3 a.1 title',
    ...open.slice(1),
    `${end} shown=6`,
  ]);
  expect(await shown('--open')).toEqual([...open, `${end} shown=4`]);
  expect(await shown('--depth', '1')).toEqual(['[-] root derived below=5 root title', `${end} shown=1`]);
});

test('as JSON: a line for each node and one at the end, as the schema says', async () => {
  const p = await failed();
  const ran = await p.run('tree', '--json', '--depth', '2');
  const values = ran.out.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
  for (const value of values) expectOutput('tree', value);
  expect(values.map((value) => value['id'])).toEqual(['root', 'a', 'b', 'c', 'd', undefined]);
  expect(values[2]).toMatchObject({
    path: 'root/b',
    depth: 2,
    state: 'retrying',
    next: true,
    attempts: 2,
    iterations: 1,
    tokens: null,
  });
  expect(values[1]).toMatchObject({ state: 'passed', hidden: 1, children: 1 });
  expect(values.at(-1)).toMatchObject({
    event: 'end',
    run_id: 'test',
    shown: 5,
    next: { status: 'open', id: 'b' },
  });
});

test('a stuck leaf that is to be split is next; before start there is no run', async () => {
  const p = await unstartedProject({
    tree: node('root', { attempts: 3 }),
    config: 'on_stuck = "decompose"\n',
  });
  expect((await p.run('tree')).out).toBe(
    '[>] root stuck attempts=3/3 root title\ntree: run=- leaves=1 passed=0 retrying=0 stuck=1 nodes=1 shown=1',
  );
});

test('wrong flags, a missing and a broken tree', async () => {
  const p = await unstartedProject();
  expect(await p.run('tree', '--depth', '0')).toMatchObject({ code: 64, out: '' });
  expect(await p.run('tree', 'root')).toMatchObject({ code: 64, out: '' });
  p.put('.runner/state/tree.json', '{');
  const refused = await p.run('tree');
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toContain('[TREE_INVALID]');
});

function stripColours(text: string): string {
  return text.replaceAll(/\u001B\[\d+m/gu, '');
}

test.skipIf(!hasPseudoTerminal)(
  'on a terminal lines are coloured by state, cut to its width, and nothing acts',
  async () => {
    const p = await unstartedProject({ tree });
    const painted = await runOnTerminal(p, 'tree', 30);
    expect(painted).toContain('\u001B[31m[!] c stuck\u001B[0m attempts=3/3');
    expect(painted).toContain('\u001B[32m[x] a passed\u001B[0m');
    const text = stripColours(painted);
    expect(text).not.toContain('\u001B');
    const lines = text.split('\n').map((line) => line.trimEnd());
    expect(lines[5]).toBe('  [ ] d open attempts=0/3 up …');
    for (const line of lines.slice(0, -1)) expect(line.length).toBeLessThanOrEqual(30);
  },
);

test.skipIf(!hasPseudoTerminal)('wide characters take two columns of a terminal', async () => {
  const p = await unstartedProject({ tree: node('root', { title: '漢字'.repeat(30) }) });
  for (const command of ['tree', 'status']) {
    const text = stripColours(await runOnTerminal(p, command, 40));
    expect(text).toContain('漢字');
    for (const line of text.split('\n').slice(0, 4))
      if (line.includes('漢')) expect(displayWidth(line.trimEnd()), line).toBeLessThanOrEqual(40);
  }
});

test('100,000 nodes in chains as deep as allowed; a reader that leaves ends it', async () => {
  const chain = (name: string, length: number): TreeNode => {
    let top = node(`${name}-${length}`);
    for (let at = length - 1; at > 0; at -= 1) top = node(`${name}-${at}`, { children: [top] });
    return top;
  };
  const chains = Array.from({ length: 1587 }, (_, index) => chain(`n${index}`, 63));
  const p = await unstartedProject();
  // Without indentation: with it, a tree this deep would be over the limit of bytes.
  p.put('.runner/state/tree.json', JSON.stringify(node('root', { children: chains })));
  const ran = await p.run('tree');
  expect(ran.err).toBe('');
  const lines = ran.out.split('\n');
  expect(lines).toHaveLength(99_983);
  expect(lines.at(-1)).toBe('tree: run=- leaves=1587 passed=0 retrying=0 stuck=0 nodes=99982 shown=99982');
  const headed = await execa('sh', ['-c', `'${process.execPath}' '${entryFile}' tree | head -n 1`], {
    cwd: p.dir,
    env: p.env,
    extendEnv: false,
  });
  expect(headed).toMatchObject({ stdout: '[-] root derived root title', stderr: '' });
});
