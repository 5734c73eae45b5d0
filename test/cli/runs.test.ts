/** Whole runs as a person sees them, with records made by hand: dead and foreign processes, and what was deleted behind our back. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, onTestFinished, test } from 'vitest';
import { processOrigin, processTable } from '../../src/adapters/processes/process-table.ts';
import type { ProcessOwner, RunRecord } from '../../src/core/runs/record.ts';
import { expectOutput } from '../support/output-schema.ts';
import { recordOf, startRun, waitForEnd } from '../support/background.ts';
import { answer, entryFile, project, unstartedProject, write } from '../support/project.ts';
import type { Project } from '../support/project.ts';
import { refused } from '../support/refusals.ts';
import { hasText, waitUntil } from '../support/scratch.ts';
import { isAlive, pidsIn, playAgent, playGuard, shellAgent, shellGuard } from '../support/shell-agent.ts';

interface Listed {
  readonly run_id: string;
  readonly status: string | null;
  readonly reason: string | null;
  readonly worktree_bytes: number | null;
  readonly [key: string]: unknown;
}

async function list(p: Project, ...flags: readonly string[]): Promise<readonly Listed[]> {
  const ran = await p.run('runs', '--json', ...flags);
  expect(ran, ran.err).toMatchObject({ code: 0 });
  const value = JSON.parse(ran.out) as { readonly runs: readonly Listed[] };
  expectOutput('runs', value);
  return value.runs;
}

function recordFile(p: Project, id: string): string {
  return join(p.top, '.git', 'runner', 'runs', `${id}.json`);
}

function saveRecord(p: Project, fields: Partial<RunRecord> & { readonly run_id: string }): void {
  const at = '2026-01-01T00:00:00.000Z';
  const { run_id } = fields;
  const record = { version: 1, status: 'running', branch: `runner/${run_id}`, base_commit: 'b'.repeat(40) };
  mkdirSync(join(recordFile(p, run_id), '..'), { recursive: true });
  writeFileSync(
    recordFile(p, run_id),
    JSON.stringify({ ...record, started_at: at, updated_at: at, ...fields }),
  );
}

/** A loop in the work tree, in a session of its own, as that of a background run; its agent hangs and leaves a process. */
async function hangingLoop(p: Project, worktree: string): Promise<{ owner: ProcessOwner; agent: number }> {
  const pids = join(p.home, 'pids');
  rmSync(pids, { force: true });
  playAgent(
    p,
    `echo half > half.txt; setsid sleep 300 & echo $! > "$HOME/pids.part"; mv "$HOME/pids.part" "$HOME/pids"; sleep 300`,
  );
  const loop = execa(process.execPath, [entryFile, '-C', worktree, 'loop'], {
    env: p.env,
    extendEnv: false,
    reject: false,
    detached: true,
    stdio: 'ignore',
  });
  const pid = loop.pid ?? 0;
  onTestFinished(async () => {
    if (isAlive(pid)) process.kill(-pid, 'SIGKILL');
    await loop;
  });
  await waitUntil('the agent at work', () => hasText(pids));
  const start = (await processTable().processStart(pid)) ?? '';
  return { owner: { pid, start, origin: processOrigin() }, agent: pidsIn(pids)[0] ?? 0 };
}

test('a background run at work, killed, canceled; then its work tree, its record and its branch go', async () => {
  const p = await project({ agent: shellAgent, goal: '# Landing page\n' });
  await p.git('switch', '-q', 'main');
  const worktree = join(p.base, 'away', 'test');
  await p.git('worktree', 'add', '-q', worktree, 'runner/test');
  // The record comes first: it says where iterations are logged.
  saveRecord(p, { run_id: 'test', worktree });
  const first = await hangingLoop(p, worktree);
  saveRecord(p, { run_id: 'test', worktree, owner: first.owner, iterations: { used: 0, max: 9 } });

  expect(await list(p)).toMatchObject([
    {
      run_id: 'test',
      title: 'Landing page',
      state: 'open',
      status: 'running',
      is_alive: true,
      checkout: worktree,
    },
  ]);
  expect(await p.run('run', 'resume', 'test')).toMatchObject({
    code: 1,
    err: expect.stringContaining('[LOCKED]'),
  });

  // Its branch cannot be checked out here as well.
  expect((await refused(p, ['start'])).hint).toMatch(/^runner run attach test, or/);

  process.kill(first.owner.pid, 'SIGKILL');
  await waitUntil('its end', () => !isAlive(first.owner.pid));
  expect(isAlive(first.agent)).toBe(true);
  expect((await refused(p, ['start'])).hint).toMatch(/^runner run resume test, or/);
  expect(await list(p)).toMatchObject([{ status: 'failed', reason: 'crashed', is_alive: false }]);
  const gone = await p.run('run', 'attach', 'test');
  expect(gone).toMatchObject({ code: 1, err: expect.stringContaining('failed(crashed)') });

  const canceled = await p.run('run', 'cancel', 'test', '--json');
  expect(canceled, canceled.err).toMatchObject({ code: 0 });
  const value = JSON.parse(canceled.out) as { readonly ended: readonly string[] };
  expectOutput('run-cancel', value);
  expect(value).toMatchObject({ status: 'canceled', problem: null });
  expect(value.ended.join('\n')).toContain(`${first.agent} (sleep 300)`);
  expect(isAlive(first.agent)).toBe(false);
  // What the agent had done is committed, and the record says who asked.
  expect(await p.git('show', 'runner/test:half.txt')).toBe('half');
  expect(await p.git('-C', worktree, 'status', '--porcelain')).toBe('');
  expect(recordOf(p, 'test')).toMatchObject({
    status: 'canceled',
    owner: null,
    audit: [{ action: 'cancel', by: 'cli' }],
  });
  expect(await p.run('run', 'cancel', 'test')).toMatchObject({ code: 0 });

  // Logs of background runs are read from every checkout.
  expect(existsSync(join(p.top, '.git', 'runner', 'logs', 'test', '1', 'meta.json'))).toBe(true);
  const log = await p.run('log', '--run', 'test');
  expect(log).toMatchObject({ code: 0, out: expect.stringContaining('run=test iter=1 node=root') });

  // A polite end: the process is asked, commits by itself and is waited for.
  const second = await hangingLoop(p, worktree);
  saveRecord(p, { ...recordOf(p, 'test'), status: 'waiting', owner: second.owner });
  const asked = await p.run('run', 'cancel', 'test');
  expect(asked, asked.err).toMatchObject({ code: 0, out: expect.stringContaining('status=canceled') });
  expect([second.owner.pid, second.agent].map(isAlive)).toEqual([false, false]);
  expect(recordOf(p, 'test').audit.map(({ action }) => action)).toEqual(['cancel', 'cancel']);

  rmSync(worktree, { recursive: true, force: true });
  expect(await list(p)).toMatchObject([{ status: 'canceled', worktree, worktree_bytes: null }]);
  expect((await p.run('run', 'show', 'test')).out).toContain(`worktree=${worktree} (gone)`);

  writeFileSync(recordFile(p, 'test'), '{"version":1,\n');
  const broken = await list(p);
  expect(broken).toMatchObject([
    { run_id: 'test', state: 'open', status: null, problems: [expect.any(String)] },
  ]);
  expect((await p.run('run', 'show', 'test')).out).toContain('run: problem=');
  expect(await p.run('run', 'cancel', 'test')).toMatchObject({
    code: 1,
    err: expect.stringContaining('[RUN_ENDED]'),
  });

  saveRecord(p, { run_id: 'test', status: 'failed', iterations: { used: 2, max: 9 } });
  await p.git('worktree', 'prune');
  await p.git('branch', '-D', 'runner/test');
  expect(await list(p)).toMatchObject([{ run_id: 'test', state: 'open', branch: null, status: 'failed' }]);
  expect(await p.run('run', 'resume', 'test')).toMatchObject({
    code: 1,
    err: expect.stringContaining('is gone'),
  });
});

test('every run of the repository: branches, remotes, archives, and records of other boots', async () => {
  const done = { actions: [write('a.txt', 'a\n')], answer: answer('done') };
  const p = await project({ script: [done], goal: '# Slugs\n' });
  expect((await p.run('loop')).code).toBe(0);
  await p.git('switch', '-q', 'main');
  await p.git('remote', 'add', 'origin', p.top);
  const tip = await p.git('rev-parse', 'runner/test');
  await p.git('update-ref', 'refs/remotes/origin/runner/far', tip);
  await p.git('update-ref', 'refs/runner/archive/dropped', 'main');
  await p.git('update-ref', 'refs/runner/archive/merged', 'main');
  await p.git(
    'commit',
    '-q',
    '--allow-empty',
    '-m',
    'feat: it\n\nRunner-Archive: refs/runner/archive/merged',
  );
  const start = (await processTable().processStart(process.pid)) ?? '';
  const owner = { pid: process.pid, start: start.replace(/^\S+/, 'another-boot'), origin: processOrigin() };
  saveRecord(p, { run_id: 'boot', owner, title: 'Search' });

  expect(await list(p)).toMatchObject([
    { run_id: 'boot', title: 'Search', branch: null, status: 'failed', reason: 'crashed' },
    { run_id: 'far', remote: 'origin', branch: 'runner/far', state: 'open' },
    {
      run_id: 'test',
      title: 'Slugs',
      state: 'complete',
      leaves: { passed: 1, all: 1 },
      next: 'runner finish test',
    },
  ]);
  const all = await list(p, '--all');
  expect(Object.fromEntries(all.map(({ run_id, state }) => [run_id, state]))).toEqual({
    boot: 'open',
    far: 'open',
    test: 'complete',
    dropped: 'abandoned',
    merged: 'finished',
  });
  expect((await p.run('runs')).out).toContain(
    'run: id=test state=complete status=complete passed=1/1 branch=runner/test',
  );
  const shown = await p.run('run', 'show', 'boot', '--tail', '2', '--json');
  expectOutput('run-show', JSON.parse(shown.out));
  expect(await p.run('run', 'resume', 'test')).toMatchObject({
    code: 1,
    err: expect.stringContaining('[RUN_COMPLETE]'),
  });
  expect(await p.run('run', 'show', 'tst')).toMatchObject({
    code: 1,
    err: expect.stringContaining('did you mean test?'),
  });
  expect(
    (await p.run('complete', 'run', 'show', '')).out.split('\n').map((line) => line.split('\t')[0]),
  ).toEqual(['boot', 'far', 'test']);

  // The readable log: its end, and what comes until the process is gone.
  writeFileSync(join(p.top, '.git', 'runner', 'runs', 'boot.progress.txt'), 'one\ntwo\nthree\u001b[31m\n');
  const tail = await p.run('run', 'show', 'boot', '--tail', '2', '--follow');
  expect(tail.out).toMatch(/\ntwo\nthree\nrun: id=boot state=open status=failed\(crashed\)$/);
});

test('attach follows and lets go; a record that was deleted is made again from the branch', async () => {
  const p = await unstartedProject({ agent: shellAgent });
  const hold = join(p.home, 'hold');
  writeFileSync(hold, '');
  playAgent(
    p,
    'echo seen; while test -e "$HOME/hold"; do sleep 0.1; done; echo made > made.txt; answer done',
  );
  await startRun(p, 'lost', { args: ['--no-input'] });
  const attached = p.start(['run', 'attach', 'lost']);
  let shown = '';
  attached.stdout.on('data', (text: Buffer) => {
    shown += String(text);
  });
  await waitUntil('the output of the agent', () => shown.includes('seen'));
  attached.kill('SIGINT');
  const left = await attached;
  expect(left).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('detached: run lost goes on') });

  const open = await p.run('log', '--run', 'lost');
  expect(open.out).toContain('log: run=lost iter=1 node=root status=running phase=agent');

  // Its process is still there: nobody may begin a second one, and the list says where it is.
  const { owner, worktree } = recordOf(p, 'lost');
  rmSync(recordFile(p, 'lost'));
  const second = await p.run('run', 'resume', 'lost');
  expect(second).toMatchObject({ code: 1, err: expect.stringContaining('[LOCKED]') });
  process.kill(owner?.pid ?? 0, 'SIGKILL');
  await waitUntil('its end', () => !isAlive(owner?.pid ?? 0));

  rmSync(recordFile(p, 'lost'), { force: true });
  rmSync(hold);
  expect(await list(p)).toMatchObject([
    { run_id: 'lost', status: null, checkout: worktree, is_alive: false },
  ]);
  const cancel = await p.run('run', 'cancel', 'lost');
  expect(cancel).toMatchObject({ code: 1, err: expect.stringContaining('no runner works on it') });
  const resumed = await p.run('run', 'resume', 'lost', '--json');
  expect(resumed, resumed.err).toMatchObject({
    code: 0,
    err: expect.stringContaining('was made from the branch'),
  });
  expectOutput('run-resume', JSON.parse(resumed.out));
  const followed = await p.run('run', 'show', 'lost', '--follow', '--tail', '1');
  expect(followed.out).toContain('run: id=lost state=complete status=complete');
  expect(await waitForEnd(p, 'lost', 'complete')).toMatchObject({
    worktree,
    base_branch: 'main',
    audit: [{ action: 'resume', by: 'cli' }],
  });
  expect(await p.git('show', 'runner/lost:made.txt')).toBe('made');
});

test('a run that somebody ended stays ended, and one that a process took meanwhile is not ended', async () => {
  const p = await unstartedProject({ agent: shellAgent, guard: shellGuard });
  playAgent(
    p,
    'echo done > done.txt; : > "$HOME/open"; until test -e "$HOME/go"; do sleep 0.1; done; answer done',
  );
  playGuard(p, 'if test -e "$HOME/taken"; then cat "$HOME/taken" > "$RECORD"; fi');
  await startRun(p, 'one');
  await waitUntil('the agent at work', () => existsSync(join(p.home, 'open')));
  const { owner } = recordOf(p, 'one');
  saveRecord(p, { ...recordOf(p, 'one'), status: 'abandoned', owner: null });
  writeFileSync(join(p.home, 'go'), '');
  await waitUntil('the end of its process', () => !isAlive(owner?.pid ?? 0));
  expect(recordOf(p, 'one').status).toBe('abandoned');
  expect(await p.run('run', 'work', 'one')).toMatchObject({
    code: 1,
    err: expect.stringContaining('[RUN_ENDED]'),
  });
  expect(recordOf(p, 'one').status).toBe('abandoned');

  // While the guard of finish works, somebody resumes the run.
  saveRecord(p, { ...recordOf(p, 'one'), status: 'complete' });
  const start = (await processTable().processStart(process.pid)) ?? '';
  const taken = { status: 'running', owner: { pid: process.pid, start, origin: processOrigin() } };
  writeFileSync(join(p.home, 'taken'), JSON.stringify({ ...recordOf(p, 'one'), ...taken }));
  const refs = ['for-each-ref', 'refs/heads', 'refs/runner/archive'];
  const before = await p.git(...refs);
  const late = await p.runWith({ RECORD: recordFile(p, 'one') }, 'finish', 'one');
  expect(late).toMatchObject({ code: 1, err: expect.stringContaining('[LOCKED]') });
  expect(await p.git(...refs)).toBe(before);
  expect(recordOf(p, 'one').status).toBe('running');
});
