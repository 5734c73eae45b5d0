/** Ctrl-C, SIGTERM and SIGHUP in agent and guard (§5, first row): work kept, nothing judged, no process left, a clean next step. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { hasOpenJournal } from '../support/open-journal.ts';
import { project } from '../support/project.ts';
import type { Project } from '../support/project.ts';
import { recorded } from '../support/record.ts';
import { waitUntil } from '../support/scratch.ts';
import { isAlive, pidsIn, playAgent, playGuard, shellAgent, shellGuard } from '../support/shell-agent.ts';
import { node } from '../support/trees.ts';

/** Leaves a background child of its own session and waits; says when it is ready. */
const waits = `
setsid sleep 300 & echo $! >> "$HOME/pids"
sleep 300 & echo $! >> "$HOME/pids"
echo $$ >> "$HOME/pids"
touch "$HOME/ready"
wait
`;

type Signal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

async function runInterrupted(p: Project, args: readonly string[], signal: Signal) {
  rmSync(join(p.home, 'ready'), { force: true });
  const running = p.start(args);
  onTestFinished(() => {
    running.kill('SIGKILL');
  });
  await waitUntil('the session to be at work', () => existsSync(join(p.home, 'ready')));
  running.kill(signal);
  const { exitCode, stdout, stderr } = await running;
  return { code: exitCode, out: stdout, err: stderr };
}

function expectNobodyLeft(p: Project): void {
  const pids = pidsIn(join(p.home, 'pids'));
  expect(pids.length).toBeGreaterThan(2);
  expect(pids.filter(isAlive)).toEqual([]);
}

test('each signal, in the agent and in the guard', async () => {
  const p = await project({ agent: shellAgent, guard: shellGuard, tree: node('root', { attempts: 1 }) });
  playAgent(
    p,
    `echo "part $RUNNER_ITER" > "part-$RUNNER_ITER.txt"
    sed -i 's/root title/other title/' .runner/state/tree.json
    answer done "too early"
    ${waits}`,
  );
  const first = await runInterrupted(p, ['loop'], 'SIGINT');
  expect(first, first.err).toMatchObject({
    code: 130,
    out: 'loop: step run=test iter=1 node=root status=retry guard=skipped\nloop: status=interrupted run=test steps=1 started_at_iter=1',
  });
  expect(await runInterrupted(p, ['step'], 'SIGTERM')).toMatchObject({
    code: 143,
    out: 'step: run=test iter=2 node=root status=retry guard=skipped',
  });
  expect(await runInterrupted(p, ['step'], 'SIGHUP')).toMatchObject({ code: 129 });
  playAgent(p, 'echo whole > whole.txt; answer done "all there"');
  playGuard(p, `echo guarding; ${waits}`);
  expect(await runInterrupted(p, ['loop'], 'SIGTERM')).toMatchObject({ code: 143 });
  expect(await runInterrupted(p, ['step'], 'SIGINT')).toMatchObject({ code: 130 });
  expectNobodyLeft(p);

  for (const iter of [1, 2, 3, 4, 5]) {
    const record = await recorded(p, iter);
    expect(record, `iteration ${iter}`).toMatchObject({
      status: 'retry',
      guard: 'skipped',
      attempts: 1,
      last: null,
      errorLog: '',
    });
    expect(record.tree.title, 'the baseline tree').toBe('root title');
    expect(record.runState).toMatchObject({ failures_in_a_row: 0, judged_sessions: 0, last_summary: null });
    expect(record.meta).toMatchObject({ recovered: false, exit_codes: { guard: null } });
  }
  expect(await (await recorded(p, 2)).file('part-2.txt')).toBe('part 2');
  expect(await (await recorded(p, 4)).file('whole.txt')).toBe('whole');
  expect(p.log(4, 'guard.log')).toBe('guarding\n');
  expect(p.log(1, 'tree.agent.json')).toContain('other title');
  expect(await p.status()).toBe('');
  expect(await p.git('rev-list', '--count', 'main..HEAD')).toBe('6');

  playGuard(p, 'true');
  expect(await p.run('step')).toMatchObject({
    code: 0,
    out: 'step: run=test iter=6 node=root status=done guard=pass',
  });
});

test('Ctrl-C twice stops at once; the next step ends what is left, records the work and goes on', async () => {
  const p = await project({ agent: shellAgent });
  playAgent(
    p,
    `echo half > half.txt; trap '' INT TERM HUP; answer done; ${waits}; while :; do sleep 1; done`,
  );
  const running = p.start(['loop']);
  onTestFinished(() => {
    running.kill('SIGKILL');
  });
  let err = '';
  running.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString();
  });
  await waitUntil('the session to be at work', () => existsSync(join(p.home, 'ready')));
  running.kill('SIGINT');
  await waitUntil('the first Ctrl-C to be heard', () => err.includes('a second signal stops at once'));
  running.kill('SIGINT');
  const { exitCode, stdout } = await running;
  expect({ exitCode, stdout }).toEqual({ exitCode: 130, stdout: '' });
  await waitUntil('all processes to be gone', () =>
    pidsIn(join(p.home, 'pids')).every((pid) => !isAlive(pid)),
  );
  expect(hasOpenJournal(p.top)).toBe(true);

  playAgent(p, 'echo rest > rest.txt; answer done');
  const next = await p.run('step');
  expect(next, next.err).toMatchObject({
    code: 0,
    out: 'step: run=test iter=2 node=root status=done guard=pass',
  });
  expect(next.err).toContain('recovering iteration 1 of run test');
  const undone = await recorded(p, 1);
  expect(undone).toMatchObject({ status: 'retry', guard: 'skipped', attempts: 0, last: null });
  expect(undone.meta.recovered).toBe(true);
  expect(await undone.file('half.txt')).toBe('half');
  expect(hasOpenJournal(p.top)).toBe(false);
});

test('an interrupted repair is not fruitless', async () => {
  const p = await project({ agent: shellAgent, config: '[tree]\nmax_repairs = 1\n' });
  playAgent(p, 'echo broken > .runner/state/tree.json; answer done');
  expect((await p.run('step')).code).toBe(0);
  playAgent(p, `echo worse > .runner/state/tree.json; ${waits}`);
  expect(await runInterrupted(p, ['step'], 'SIGINT')).toMatchObject({ code: 130 });
  const record = await recorded(p, 2);
  expect(record.runState.repair).toMatchObject({ node_id: 'root', count: 0 });
  expect(record.meta.mode).toBe('repair');
  expect(await p.run('select')).toMatchObject({ code: 0, out: 'select: status=repair id=root' });
  expectNobodyLeft(p);
});
