/** A person changes the tree between iterations (§12): add, move, drop and import, reopening, questions and answers. */
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { parseTree } from '../../src/core/tree/tree-schema.ts';
import { walkTree } from '../../src/core/tree/tree-walk.ts';
import { recordOf, startRun, waitForEnd } from '../support/background.ts';
import { expectOutput } from '../support/output-schema.ts';
import type { Project } from '../support/project.ts';
import { answer, entryFile, project, unstartedProject, write } from '../support/project.ts';
import { playAgent, shellAgent } from '../support/shell-agent.ts';
import { template } from '../support/template.ts';
import { node } from '../support/trees.ts';

const tree = node('root', {
  children: [
    node('a', { passes: true }),
    node('b', { order: 1 }),
    node('c', { order: 2, children: [node('c.1'), node('c.2', { order: 1 })] }),
  ],
});
const started = template(() =>
  project({ tree, script: [{ actions: [write('a.txt', 'a\n')], answer: answer('done') }] }),
);

async function json(p: Project, ...args: readonly string[]): Promise<Record<string, unknown>> {
  const ran = await p.run(...args, '--json');
  expect(ran, ran.err).toMatchObject({ code: 0 });
  const value = JSON.parse(ran.out) as Record<string, unknown>;
  expectOutput(String(args[0]), value);
  return value;
}

const ids = (p: Project): readonly string[] => walkTree(p.tree()).map((visit) => visit.path);

test('add, move and drop: one commit each, work tree clean, the next step takes what is first', async () => {
  const p = await started();
  p.put('.runner/nodes/b/last.json', '{}\n');
  await p.commitAll('what happened last');
  const added = await p.run('add', 'b', '--title', 'Part one', '--accept', 'works', '--accept', 'fast');
  const commit = await p.git('rev-parse', 'HEAD');
  expect(added.out).toBe(`add: run=test status=committed nodes=b.1 reopened=none commit=${commit}`);
  expect(added.err).toContain('b is split now');
  expect((await p.git('log', '-1', '--format=%B')).trimEnd()).toBe(
    'chore(loop): add b.1\n\nb.1: Part one\n\nRunner-Person: add',
  );
  expect((await p.git('show', '--name-status', '--format=', 'HEAD')).split('\n')).toEqual([
    'D\t.runner/nodes/b/last.json',
    'M\t.runner/state/tree.json',
  ]);
  expect(await json(p, 'move', 'c.2', '--before', 'b', '--under', 'root')).toMatchObject({ nodes: ['c.2'] });
  expect(await json(p, 'move', 'c.2', '--before', 'b')).toMatchObject({ status: 'unchanged', commit: null });
  expect(ids(p)).toEqual(['root', 'root/a', 'root/c.2', 'root/b', 'root/b/b.1', 'root/c', 'root/c/c.1']);
  await json(p, 'add', 'c', '--title', 'More', '--goal', 'More of it', '--after', 'c.1');
  expect(await json(p, 'drop', 'c', '--why', 'not\nneeded')).toMatchObject({
    nodes: ['c', 'c.1', 'c.3'],
    left: [],
  });
  expect(ids(p)).toEqual(['root', 'root/a', 'root/c.2', 'root/b', 'root/b/b.1']);
  expect(await p.git('log', '-1', '--format=%B')).toContain('Why: not needed\n\nRunner-Person: drop');
  const shown = await p.run('tree', '--all');
  expect(shown.out).toContain('[/] c.1 dropped parent=c c.1 title (not needed)');
  for (const line of (await p.run('tree', '--all', '--json')).out.split('\n'))
    expectOutput('tree', JSON.parse(line));
  expect((await p.run('tree')).out).not.toContain('dropped');
  // Ids of dropped nodes are never given again.
  expect(await json(p, 'add', 'root', '--title', 'c')).toMatchObject({ nodes: ['root.1'] });
  expect(await p.status()).toBe('');
  expect((await p.run('step')).out).toBe('step: run=test iter=1 node=c.2 status=done guard=pass');
  expect(parseTree({ kind: 'text', text: p.read('.runner/state/tree.json') }).ok).toBe(true);
  expect((await p.git('fsck', '--no-dangling')).trim()).toBe('');
});

test('criteria are given with --accept or --acceptance, to add and to edit', async () => {
  const p = await started();
  const criteria = (id: string) => walkTree(p.tree()).find((visit) => visit.node.id === id)?.node.acceptance;
  await json(p, 'add', 'root', '--title', 'x', '--acceptance', 'one', '--accept', 'two');
  expect(criteria('root.1')).toEqual(['two', 'one']);
  expect(await p.run('edit', 'root.1', '--accept', 'three')).toMatchObject({ code: 0 });
  expect(criteria('root.1')).toEqual(['three']);
  const missing = await p.run('import', 'nofile.md');
  expect(missing).toMatchObject({ code: 64, err: expect.stringMatching(/hint: runner import --help$/u) });
  const listed = await p.run('config', 'set', 'guard.command', 'npm test');
  expect(listed.err).toMatch(/hint: runner config set guard\.command '\["npm","test"\]'$/u);
  // A person's command has said itself what it changed.
  expect((await p.run('step')).err).not.toContain('new baseline');
});

test('a wrong move is taken back; what a dropped node left behind is named', async () => {
  const steps = [1, 2].map((at) => ({ actions: [write(`w${at} x`, 'half\n')], answer: answer('retry') }));
  const open = node('root', { children: [node('b'), node('c', { order: 1, children: [node('c.1')] })] });
  const p = await project({ tree: open, script: steps, prefix: 'app/' });
  const before = p.tree();
  expect((await p.run('move', 'b', '--under', 'c.1')).err).toContain('c.1 is split now');
  const back = await p.run('move', 'b', '--before', 'c');
  expect(back, back.err).toMatchObject({ code: 0 });
  expect(p.tree()).toEqual(before);
  for (const iter of [1, 2]) expect((await p.run('step')).out).toContain(`iter=${iter} node=b status=retry`);
  const dropped = await p.run('drop', 'b', '--why', 'wrong');
  expect(dropped.err).toContain('b: dropped (b title)\n');
  expect(dropped.err).toContain('what sessions wrote stays: 2 files changed since b began');
  const command = /to look: (.*)/u.exec(dropped.err)?.[1] ?? '';
  const shown = await execa('sh', ['-c', `${command} | cat`], { cwd: p.dir, env: p.env });
  expect(shown.stdout).toMatch(/\+half[^]*\+half/u);
  expect((await p.run('audit')).out).toContain('verdict=proven');
});

describe('refused, with nothing changed', () => {
  test.each([
    [['add', 'a', '--title', 'x'], 1, 'NODE_CLOSED'],
    [['add', 'root'], 64, 'USAGE'],
    [['add', 'root', '--title', 'x', '--before', 'a', '--after', 'b'], 64, 'USAGE'],
    [['move', 'c.1'], 64, 'USAGE'],
    [['move', 'c', '--under', 'c.1'], 1, 'NODE_CLOSED'],
    [['drop', 'c.1'], 64, 'USAGE'],
    [['drop', 'a', '--why', 'x'], 1, 'NODE_CLOSED'],
    [['import', 'README.md', '--under', 'a'], 1, 'NODE_CLOSED'],
    [['import', 'nothing.json'], 64, 'USAGE'],
    [['answer', '1.1', 'x'], 64, 'USAGE'],
    [['answer', '1.1', ' '], 64, 'USAGE'],
  ])('%j', async (args, code, name) => {
    const p = await started();
    const ran = await p.run(...args);
    expect(ran, ran.err).toMatchObject({ code, out: '' });
    expect(ran.err).toContain(`[${name}]`);
    expect(await p.status()).toBe('');
    expect((await p.subjects())[0]).toBe('chore(loop): start run test');
  });
});

test('a complete run is opened again by add, and completes again', async () => {
  const p = await project({
    tree: node('root', { children: [node('a')] }),
    script: [
      { actions: [write('a.txt', 'a\n')], answer: answer('done') },
      { actions: [write('b.txt', 'b\n')], answer: answer('done') },
    ],
  });
  expect((await p.run('loop')).out).toContain('loop: status=complete');
  const before = p.tree().children[0];
  const added = await p.run('add', 'root', '--title', 'B');
  expect(added.out).toContain('nodes=root.1 reopened=root');
  expect(await p.git('log', '-1', '--format=%B')).toContain('Runner-Mark: reopened');
  expect((await p.run('select')).out).toBe('select: status=open id=root.1 path=root/root.1 attempts=0/3');
  expect((await p.run('loop')).out).toContain('loop: status=complete run=test steps=1');
  expect(p.tree().children[0]).toEqual(before);
});

test('import: open tasks in their order, finished ones named; a dry run writes nothing', async () => {
  const p = await started();
  const prd = {
    tasks: [
      { id: 'T-1', title: 'Cart', status: 'todo' },
      { id: 'T-2', title: 'Old', status: 'done' },
      { id: 'T-3', title: 'Pay', status: 'in_progress', acceptance: ['cash'] },
    ],
  };
  p.put('prd.json', JSON.stringify(prd));
  await p.commitAll('plan');
  const head = await p.git('rev-parse', 'HEAD');
  const planned = await p.run('import', 'prd.json', '--dry-run');
  expect(planned.out).toBe('import: status=planned tasks=2 left_out=1');
  expect(planned.err).toBe('left out (status done): Old\nroot.1: Cart\nroot.2: Pay\n'.trimEnd());
  expect(await json(p, 'import', 'prd.json', '--dry-run')).toMatchObject({ status: 'planned' });
  expect(await p.git('rev-parse', 'HEAD')).toBe(head);
  expect(await json(p, 'import', 'prd.json', '--under', 'c')).toMatchObject({
    nodes: ['c.3', 'c.4'],
    left_out: [{ source_id: 'T-2', title: 'Old', why: 'status done' }],
  });
  const c = p.tree().children[2];
  expect(c?.children.map(({ id, goal, acceptance }) => [id, goal, acceptance])).toEqual([
    ['c.1', 'c.1 goal', []],
    ['c.2', 'c.2 goal', []],
    ['c.3', 'Cart\n\nImported from prd.json: T-1', []],
    ['c.4', 'Pay\n\nImported from prd.json: T-3', ['cash']],
  ]);
  p.put('done.md', '- [x] all\n');
  expect(await json(p, 'import', 'done.md')).toMatchObject({ status: 'nothing' });
});

test('questions keep their ids, an answer is in every later prompt, and no session changes it', async () => {
  const p = await project({
    agent: shellAgent,
    tree: node('root', { children: [node('a'), node('b', { order: 1 })] }),
  });
  playAgent(
    p,
    `printf -- '- Which port?\\n  It matters.\\n\\nAnd which host?\\n' >> .runner/state/questions.md\necho 1 > a.txt\nanswer done`,
  );
  await p.run('step');
  playAgent(p, `printf '* Third?\\n' >> .runner/state/questions.md\necho 2 > a.txt\nanswer retry`);
  await p.run('step');
  const asked = await json(p, 'questions');
  expect(asked).toEqual({
    command: 'questions',
    open: 3,
    answered: 0,
    questions: [
      { id: '1.1', text: 'Which port?\nIt matters.', answered: false, answer: null, run_id: null },
      { id: '1.2', text: 'And which host?', answered: false, answer: null, run_id: null },
      { id: '2.1', text: 'Third?', answered: false, answer: null, run_id: null },
    ],
  });
  expect(await json(p, 'answer', '1.1', 'Port 8080.')).toMatchObject({ id: '1.1', run_id: 'test' });
  expect(p.read('.runner/state/answers.md')).toBe(
    '# Answers\n\n### 1.1\n\n> Which port?\n> It matters.\n\nPort 8080.\n',
  );
  await execa(process.execPath, [entryFile, 'answer', '2.1', '-'], {
    cwd: p.dir,
    env: p.env,
    extendEnv: false,
    input: 'No.\n',
  });
  expect((await p.run('questions')).out).toBe(
    'question: id=1.2 status=open And which host?\nquestions: open=1 answered=2',
  );
  expect((await p.run('questions', '--all')).out).toContain(
    'question: id=2.1 status=answered Third?\nanswer: id=2.1 No.',
  );
  expect((await p.run('status')).out).toContain('status: questions=1');
  // A person removes the first: the others keep their ids.
  p.put(
    '.runner/state/questions.md',
    p.read('.runner/state/questions.md').replace(/- Which port\?\n {2}It matters.\n/u, ''),
  );
  await p.commitAll('answered');
  expect((await p.run('questions', '--all')).out).toContain('question: id=1.2 ');
  const answers = p.read('.runner/state/answers.md');
  playAgent(
    p,
    'echo forged > .runner/state/answers.md\nmkdir -p .runner/nodes/x\necho {} > .runner/nodes/x/dropped.json\necho 3 > a.txt\nanswer done',
  );
  const step = await p.run('step');
  expect(step.out).toContain('iter=3 node=b status=done guard=pass');
  expect(p.read('.runner/state/answers.md')).toBe(answers);
  expect(p.log(3, 'prompt.md')).toMatch(
    /## Answers\n\nA person's word[^\n]*\n\n# Answers\n\n### 1\.1\n\n> Which port\?/u,
  );
  expect(await p.git('ls-files', '.runner/nodes')).toBe('');
});

test('questions of background runs are named from main, with the command that answers them there', async () => {
  const p = await unstartedProject({ agent: shellAgent });
  p.put('.runner/state/questions.md', '- Asked before?\n');
  await p.commitAll('a question that every run finds');
  playAgent(
    p,
    `printf -- '- %s?\\n' "$RUNNER_RUN_ID" >> .runner/state/questions.md\necho 1 > a.txt\nanswer done`,
  );
  for (const id of ['one', 'two']) {
    await startRun(p, id);
    await waitForEnd(p, id, 'complete');
  }
  const { worktree } = recordOf(p, 'two');
  const asked = await p.run('questions');
  expect(asked.out.split('\n')).toEqual([
    'question: id=0.1 status=open Asked before?',
    'question: run=one id=1.1 status=open one?',
    'question: run=two id=1.1 status=open two?',
    'questions: open=3 answered=0',
  ]);
  expect(asked.err).toContain(`answer one of two: runner -C ${worktree} answer <id> <text>`);
  expect(await p.run('-C', worktree ?? '', 'answer', '1.1', 'Yes.')).toMatchObject({ code: 0 });
  expect((await p.run('abandon', 'one')).code).toBe(0);
  const left = await json(p, 'questions', '--all');
  expect(left).toMatchObject({ open: 1, answered: 1 });
  expect(left['questions']).toEqual([
    { id: '0.1', text: 'Asked before?', answered: false, answer: null, run_id: null },
    { id: '1.1', text: 'two?', answered: true, answer: 'Yes.', run_id: 'two' },
  ]);
  const there = await p.run('-C', worktree ?? '', 'questions', '--all');
  expect(there.out, 'in its own folder it is no other run').not.toContain('run=');
});
