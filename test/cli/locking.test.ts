/** One runner per work tree (§1.7): of several at once exactly one works, and a dead one's lock is taken over. */
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answer, project, write } from '../support/project.ts';
import { waitUntil } from '../support/scratch.ts';
import { playAgent, shellAgent } from '../support/shell-agent.ts';
import { template } from '../support/template.ts';

const rounds = 3;
const runners = 5;
const done = { actions: [write('a.txt', 'a\n')], answer: answer('done') };
/** A guard outside the repository that waits until the file beside it appears. */
const started = template(() =>
  project({ script: [done], guard: ['sh', '-c', 'touch ../in; until [ -e ../out ]; do sleep 0.05; done'] }),
);

test(`of ${runners} loops started at once one runs, the others exit 1 with LOCKED (${rounds} rounds)`, async () => {
  for (let round = 0; round < rounds; round += 1) {
    const p = await started();
    const running = Array.from({ length: runners }, () => p.start(['loop']));
    const ended: number[] = [];
    for (const [index, one] of running.entries()) void one.then(() => ended.push(index));
    await waitUntil(
      'the others have ended',
      () => ended.length === runners - 1 && existsSync(join(p.base, 'in')),
    );
    const losers = [...ended];
    writeFileSync(join(p.base, 'out'), '');
    const results = await Promise.all(running);
    const winner = results.findIndex((_result, index) => !losers.includes(index));
    for (const [index, result] of results.entries()) {
      if (index === winner) {
        expect(result.exitCode, result.stderr).toBe(0);
        expect(result.stdout).toContain('loop: status=complete run=test steps=1');
      } else {
        expect(result.exitCode).toBe(1);
        expect(result.stdout).toBe('');
        expect(result.stderr).toMatch(
          new RegExp(
            `^loop: checking the run and the repository\nerror: another runner works here: pid ${running[winner]?.pid}, started .*, command: runner loop \\[LOCKED\\]\nhint: .*: runner pause --wait$`,
          ),
        );
      }
    }
    expect((await p.subjects()).filter((line) => line.startsWith('chore(loop): run '))).toHaveLength(1);
    expect(existsSync(join(p.top, '.git/runner/lock'))).toBe(false);
    expect(await p.status()).toBe('');
  }
});

test('two work trees of one repository do not stand in each other’s way', async () => {
  const p = await started();
  const first = p.start(['loop']);
  await waitUntil('the first works', () => existsSync(join(p.base, 'in')));
  await p.git('worktree', 'add', '-q', '-b', 'side', '../linked', 'main');
  writeFileSync(join(p.base, 'linked/.runner/GOAL.md'), '---\nid: side\n---\nSide.\n');
  expect(await p.run('start', '--no-baseline', '-C', '../linked')).toMatchObject({
    code: 0,
    out: 'started run=side branch=runner/side',
  });
  expect(await p.run('select', '-C', '../linked')).toMatchObject({ code: 0 });
  writeFileSync(join(p.base, 'out'), '');
  expect((await first).exitCode).toBe(0);
});

test('the lock of a killed runner is taken over, its session ended, its iteration finished; five at once', async () => {
  const p = await started();
  const first = p.start(['loop']);
  await waitUntil('the first works', () => existsSync(join(p.base, 'in')));
  first.kill('SIGKILL');
  await first;
  const lock = join(p.top, '.git/runner/lock');
  expect(JSON.parse(readFileSync(lock, 'utf8'))).toMatchObject({ pid: first.pid, command: 'runner loop' });
  expect((await p.run('validate')).code).toBe(0);
  writeFileSync(join(p.base, 'out'), '');
  const results = await Promise.all(Array.from({ length: runners }, () => p.start(['loop'])));
  const said = results.map(({ stderr }) => stderr).join('\n');
  const note = `note: took over the lock of a runner that is gone (pid ${first.pid}, runner loop)`;
  expect(said.split('\n').filter((line) => line === note)).toHaveLength(1);
  const recovered = 'recovered iteration 1: recorded as status=done guard=pass';
  expect(said.split('\n').filter((line) => line === recovered)).toHaveLength(1);
  for (const { exitCode, stderr } of results) expect(exitCode).toBe(stderr.includes('[LOCKED]') ? 1 : 0);
  expect((await p.subjects()).filter((line) => line.startsWith('chore(loop): run '))).toHaveLength(1);
  expect(p.tree().passes).toBe(true);
});

test('a lock that no runner wrote, and one of another machine', async () => {
  const p = await started();
  writeFileSync(join(p.base, 'out'), '');
  const lock = join(p.top, '.git/runner/lock');
  writeFileSync(lock, 'garbage');
  const took = await p.run('start');
  expect(took.code, took.err).toBe(0);
  expect(took.err).toMatch(/^note: moved a lock that no runner wrote to .*quarantine/m);
  const owner = {
    pid: 1,
    start: 'x',
    origin: 'elsewhere',
    command: 'runner loop',
    started_at: '2020-01-01T00:00:00.000Z',
    token: 't',
  };
  writeFileSync(lock, JSON.stringify(owner));
  chmodSync(lock, 0o600);
  const remote = await p.run('step');
  expect(remote.code).toBe(1);
  expect(remote.err).toBe(
    `error: another runner works here on another host or container (elsewhere): pid 1, started ${owner.started_at}, command: runner loop [LOCKED]\nhint: if it is gone: rm ${lock}`,
  );
  rmSync(lock);
  const free = await p.run('step');
  expect(free.code, free.err).toBe(0);
});

test('a session that removes the lock lets nobody in, and the run tells it', async () => {
  const p = await project({
    agent: shellAgent,
    guard: ['sh', '-c', 'touch ../in; until [ -e ../out ]; do sleep 0.05; done'],
  });
  playAgent(p, 'rm -r .git/runner/lock; echo a > a.txt; answer done');
  const first = p.start(['step']);
  await waitUntil('its guard runs', () => existsSync(join(p.base, 'in')));
  const second = await p.run('step');
  expect([second.code, second.out]).toEqual([1, '']);
  expect(second.err).toContain(`another runner works here: pid ${first.pid}, `);
  writeFileSync(join(p.base, 'out'), '');
  const { exitCode, stdout, stderr } = await first;
  expect(exitCode, stderr).toBe(0);
  expect(stdout).toContain('status=done guard=pass');
  expect(stderr).toContain('note: the lock of this runner was gone and was put back');
  expect(existsSync(join(p.top, '.git/runner/lock'))).toBe(false);
});

test('a runner whose lock another one has taken meanwhile records nothing', async () => {
  const p = await project({ agent: shellAgent });
  const owner = { pid: process.pid, start: 'x', origin: 'elsewhere', command: 'runner loop' };
  const text = JSON.stringify({ ...owner, started_at: '2020-01-01T00:00:00.000Z', token: 't' });
  playAgent(p, `printf '%s' '${text}' > .git/runner/lock; echo a > a.txt; answer done`);
  const before = await p.git('rev-parse', 'HEAD');
  const refused = await p.run('step');
  expect(refused.code, refused.err).toBe(1);
  expect(refused.err).toContain('another runner works here on another host or container (elsewhere)');
  expect(await p.git('rev-parse', 'HEAD')).toBe(before);
  expect(readFileSync(join(p.dir, 'a.txt'), 'utf8')).toBe('a\n');
  rmSync(join(p.top, '.git/runner/lock'));
  playAgent(p, 'exit 1');
  const recovered = await p.run('step');
  expect(recovered.err).toContain('recovered iteration 1');
});
