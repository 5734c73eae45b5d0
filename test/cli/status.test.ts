/** `runner status`: before, during and after a run, in every place it may be asked; it never writes. */
import { existsSync, lstatSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { expectOutput } from '../support/output-schema.ts';
import type { Project } from '../support/project.ts';
import {
  answer,
  bareProject,
  child,
  project,
  tempFolder,
  unstartedProject,
  write,
} from '../support/project.ts';
import { hasPseudoTerminal, runOnTerminal } from '../support/pseudo-terminal.ts';
import { waitUntil } from '../support/scratch.ts';
import { playAgent, shellAgent, shellWait } from '../support/shell-agent.ts';
import { template } from '../support/template.ts';
import { node } from '../support/trees.ts';

/** Two leaves: the first passed, the second failed its guard once; one question was asked. */
const worked = template(async () => {
  const p = await project({
    guard: ['sh', '-c', 'test ! -e bad.txt'],
    script: [
      { answer: answer('decomposed', 'two', [child('First'), child('Second \u001B[2Jhalf')]) },
      { actions: [write('a.txt', 'a\n')], answer: answer('done') },
      {
        actions: [
          write('bad.txt', 'b\n'),
          write('.runner/state/questions.md', '# Open Questions\n\n- Which \u001B[31mport?\n'),
        ],
        answer: answer('done'),
      },
    ],
  });
  for (let step = 0; step < 3; step += 1) expect((await p.run('step')).code).toBe(0);
  return p;
});

async function lines(p: Project, ...args: readonly string[]): Promise<readonly string[]> {
  const ran = await p.run('status', ...args);
  expect(ran, ran.err).toMatchObject({ code: 0, err: '' });
  return ran.out.split('\n').map((line) => line.replace(/_secs=\d+\.\d/g, '_secs=N'));
}

async function value(p: Project): Promise<Record<string, unknown>> {
  const ran = await p.run('status', '--json');
  expect(ran, ran.err).toMatchObject({ code: 0, err: '' });
  const parsed = JSON.parse(ran.out) as Record<string, unknown>;
  expectOutput('status', parsed);
  return parsed;
}

test('the run in lines', async () => {
  const p = await worked();
  const commits = (await p.git('log', '--format=%h', '--abbrev=12')).split('\n');
  expect(await lines(p)).toEqual([
    'status: run=test branch=runner/test agent=scripted',
    expect.stringMatching(
      /^status: state=ready code=- since=\S+ until=- pausing=false reason=no_runner_is_running;_next:_Second_half hint=runner_loop$/,
    ),
    'status: leaves=2 passed=1 retrying=1 stuck=0 nodes=3',
    'status: next status=open id=root.2 path=root/root.2 attempts=1/3',
    `status: last run=test iter=1 node=root mode=decompose status=decomposed guard=skipped agent_secs=N guard_secs=N tokens=- cost_usd=- commit=${commits[2]} title=Root`,
    `status: last run=test iter=2 node=root.1 mode=execute status=done guard=pass agent_secs=N guard_secs=N tokens=- cost_usd=- commit=${commits[1]} title=First`,
    `status: last run=test iter=3 node=root.2 mode=execute status=done guard=fail agent_secs=N guard_secs=N tokens=- cost_usd=- commit=${commits[0]} title=Second_half`,
    'status: limit=iterations used=3 max=50',
    expect.stringMatching(/^status: limit=seconds used=\d+\.\d+ max=none$/),
    'status: limit=tokens used=- max=none',
    'status: limit=cost_usd used=- max=none',
    'status: checkout=off setting=off reason=-',
    'status: sandbox=none setting=none guard=outside permissions=full',
    'status: questions=1',
    'status: runner=none',
    'status: proof=proven iterations=3 partial=false',
  ]);
});

test('the same as JSON, as its schema says', async () => {
  const p = await worked();
  expect(await value(p)).toMatchObject({
    run_id: 'test',
    branch: 'runner/test',
    progress: { nodes: 3, leaves: 2, passed: 1, retrying: 1, stuck: 0 },
    next: { status: 'open', id: 'root.2', path: 'root/root.2', attempts: 1, max_attempts: 3 },
    last: [{ iter: 1 }, { iter: 2, guard: 'pass' }, { iter: 3, guard: 'fail' }],
    limits: { iterations: { used: 3, max: 50 }, tokens: { used: null, max: null } },
    questions: ['Which port?'],
    runner: null,
    iteration: null,
  });
});

test('only the last five that are complete, whatever else lies in the log', async () => {
  const p = await worked();
  const log = (iter: number): string => `.runner/iterations/test/${iter}/meta.json`;
  const third = p.read(log(3));
  for (const iter of [4, 5, 6, 7]) p.put(log(iter), third.replace('"iter": 3', `"iter": ${iter}`));
  p.put(log(8), third.slice(0, 50));
  p.put('.runner/iterations/test/9.old-1/meta.json', third);
  p.put('.runner/iterations/test/replaced', '');
  expect((await value(p))['last']).toMatchObject([3, 4, 5, 6, 7].map((iter) => ({ iter })));
});

describe('where and when it may be asked', () => {
  test('before init, in a folder below the project', async () => {
    const p = await bareProject();
    const refused = await p.run('status');
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toContain('[LAYOUT_MISSING]\nhint: runner init');
    const q = await worked();
    q.put('deep/er/x', '');
    const below = await q.run('status', '-C', 'deep/er');
    expect(below.err).toContain(`there is one in ${q.dir} [LAYOUT_MISSING]\nhint: cd ${q.dir}`);
  });

  test('before start, outside git, and in a sub-folder project', async () => {
    const p = await unstartedProject();
    expect(await lines(p)).toEqual(
      expect.arrayContaining([
        'status: run=- branch=main agent=scripted',
        'status: next status=open id=root path=root attempts=0/3',
      ]),
    );
    const q = await project({ prefix: 'sub/' });
    expect((await lines(q))[0]).toBe('status: run=test branch=runner/test agent=scripted');
    rmSync(join(q.top, '.git'), { recursive: true });
    expect((await lines(q))[0]).toBe('status: run=test branch=- agent=scripted');
  });

  test('in a fresh clone, on a dirty tree, on another branch, detached, inside a session', async () => {
    const p = await worked();
    const clone = join(tempFolder('clone'), 'clone');
    await p.git('clone', '-q', p.top, clone);
    const there = await p.run('status', '-C', clone);
    expect(there).toMatchObject({ code: 0, err: '' });
    expect(there.out).not.toContain('status: last');
    p.put('dirty.txt', 'x');
    await p.git('switch', '-q', '-c', 'side');
    const side = await p.run('status');
    expect(side.out.split('\n')[0]).toBe('status: run=test branch=side agent=scripted');
    // Where a run is not checked out, it is named with the way there.
    const way = 'note: run test (Make it work.) is open on runner/test, 1/2 passed: git switch runner/test';
    expect(side.err).toBe(way);
    await p.git('checkout', '-q', '--detach');
    const inside = { RUNNER_RUN_ID: 'test', RUNNER_WORK_TREE: p.top };
    const detached = await p.runWith(inside, 'status');
    expect(detached).toMatchObject({ code: 0, err: way });
    expect(detached.out.split('\n')[0]).toBe('status: run=test branch=- agent=scripted');
  });

  test('a work tree that was not clean: which paths, until it is clean again', async () => {
    const p = await worked();
    p.put('mine.txt', 'x');
    expect((await p.run('loop')).code).toBe(1);
    const refused = { state: 'stopped', code: 'GIT_DIRTY', details: ['?? "mine.txt"'] };
    expect((await value(p))['situation']).toMatchObject(refused);
    await p.commitAll('mine');
    expect((await value(p))['situation']).toMatchObject({ state: 'ready', code: null, details: [] });
  });

  test('complete, stuck, and while a repair is due', async () => {
    const complete = await project({ tree: node('root', { passes: true }) });
    expect((await value(complete))['next']).toEqual({ status: 'complete' });
    const stuck = await project({ tree: node('root', { attempts: 3 }) });
    expect((await value(stuck))['next']).toMatchObject({ status: 'stuck', id: 'root' });
    const broken = await project({
      script: [{ actions: [{ tree: { text: '{' } }], answer: answer('retry') }],
    });
    await broken.run('step');
    expect((await value(broken))['next']).toEqual({ status: 'repair', id: 'root' });
  });

  test('what cannot be read is refused by name', async () => {
    const p = await worked();
    p.put('.runner/state/tree.json', '{');
    expect(await p.run('status')).toMatchObject({ code: 1, out: '' });
    expect((await p.run('status')).err).toContain('[TREE_INVALID]');
    const refused = await p.run('status', '--json');
    expectOutput('error', JSON.parse(refused.out));
  });
});

describe('while a runner works', () => {
  /** A session that damages everything it can reach and waits until it is told to go. */
  async function atWork(): Promise<{ p: Project; end: () => Promise<unknown> }> {
    const p = await project({ agent: shellAgent, tree: node('root', { attempts: 1 }) });
    playAgent(
      p,
      `printf '{' > .runner/state/tree.json
      printf 'nonsense = 1' > .runner/state/config.toml
      printf '{' > .runner/state/run_state.json
      touch "$HOME/ready"
      ${shellWait}
      answer retry`,
    );
    const running = p.start(['loop', '--max-iterations', '7']);
    onTestFinished(() => {
      running.kill('SIGKILL');
    });
    await waitUntil('the session to be at work', () => existsSync(join(p.home, 'ready')));
    return {
      p,
      end: async () => {
        writeFileSync(join(p.home, 'go'), '');
        running.kill('SIGINT');
        return running;
      },
    };
  }

  test('it says who, since when, and where it is; what the session did to the files does not count', async () => {
    const { p, end } = await atWork();
    const lock = readFileSync(join(p.top, '.git/runner/lock'), 'utf8');
    const now = await value(p);
    expect(now).toMatchObject({
      run_id: 'test',
      agent: 'command',
      next: { status: 'open', id: 'root', attempts: 1 },
      limits: { iterations: { used: 0, max: 7 } },
      runner: { command: 'runner loop', is_here: true },
      iteration: { run_id: 'test', iter: 1, node_id: 'root', purpose: 'execute', phase: 'agent' },
    });
    expect((now['runner'] as { pid: number }).pid).toBe((JSON.parse(lock) as { pid: number }).pid);
    expect((await lines(p)).slice(-2)).toEqual([
      expect.stringMatching(/^status: runner=working pid=\d+ command=loop since=20\S+Z$/),
      'status: iteration=running run=test iter=1 node=root phase=agent',
    ]);
    expect(readFileSync(join(p.top, '.git/runner/lock'), 'utf8')).toBe(lock);
    await end();
    expect(await value(p)).toMatchObject({ runner: null, iteration: null });
  });

  test('after a crash it says that the iteration is unfinished', async () => {
    const { p, end } = await atWork();
    const { pid } = JSON.parse(readFileSync(join(p.top, '.git/runner/lock'), 'utf8')) as { pid: number };
    process.kill(pid, 'SIGKILL');
    await end();
    // The settings on disk are the session's; nobody works with the others any more.
    p.put('.runner/state/config.toml', `[agent]\n${shellAgent}\n[guard]\ncommand = ["true"]\n`);
    expect((await lines(p)).slice(-2)).toEqual([
      'status: runner=none',
      'status: iteration=unfinished run=test iter=1 node=root phase=agent',
    ]);
    playAgent(p, 'answer retry');
    expect((await p.run('step')).err).toContain('recovered iteration 1');
    expect(await value(p)).toMatchObject({ iteration: null });
  });
});

/** Every file with size and time of change. */
function snapshot(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => {
      const { size, mtimeMs } = lstatSync(join(folder, path));
      return `${path} ${size} ${mtimeMs}`;
    })
    .toSorted();
}

test('it writes nothing and takes no lock', async () => {
  const p = await worked();
  const before = snapshot(p.top);
  for (const command of ['status', 'tree', 'log']) expect((await p.run(command)).code).toBe(0);
  expect(snapshot(p.top)).toEqual(before);
});

test.skipIf(!hasPseudoTerminal)(
  'on a terminal: a bar, words, nothing that acts, and no line wider than it',
  async () => {
    const p = await worked();
    const text = await runOnTerminal(p, 'status', 60);
    const view = text.split('\n').map((line) => line.trimEnd());
    expect(view.slice(0, 4)).toEqual([
      'run test · branch runner/test · agent scripted',
      '[###############...............] 1 of 2 tasks passed · 1 to…',
      'next    root.2 Second half (attempts 1/3)',
      'now     no runner is working',
    ]);
    expect(view.slice(-2)).toEqual(['        Which port?', 'proof   proven (unsigned), all 3 iterations']);
    expect(text).not.toContain('\u001B');
    for (const line of view) expect(line.length).toBeLessThanOrEqual(60);
    await p.git('switch', '-q', '-c', 'side');
    expect((await runOnTerminal(p, 'status', 80)).split('\n')[0]?.trimEnd()).toBe(
      'run test · branch side, not runner/test · agent scripted',
    );
  },
);
