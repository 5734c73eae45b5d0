/** One `runner eval run` at a time on a batch, what a killed one leaves, and names that are taken. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  evalProject,
  outcomesIn,
  shellAgent,
  shellDone,
  skippedCase as skipped,
} from '../support/eval-project.ts';
import type { EvalProject, TestCase } from '../support/eval-project.ts';
import { hasText, waitUntil } from '../support/scratch.ts';
import { isAlive, pidsIn, shellWait } from '../support/shell-agent.ts';

/** At work until the test lets it go; tells its own id and its runner's. */
const waits: TestCase = {
  agent: shellAgent(`echo x > a.txt; echo "$$\n$PPID" >> "$HOME/pids"; ${shellWait}; ${shellDone}`),
};

async function startAtWork(p: EvalProject, ...args: readonly string[]) {
  const running = p.startRun(...args);
  await waitUntil('a session', () => hasText(join(p.home, 'pids')));
  return { running };
}

test('who works on a batch is alone with it: no second run, no clean, no merge; another batch is free', async () => {
  const p = await evalProject({ aa: skipped, bb: waits });
  p.put('machine/README', '');
  const go = join(p.home, 'go');
  writeFileSync(go, '');
  const place = ['-C', 'machine', '--cases', '../eval/cases'];
  expect((await p.evalRun(...place, '--batch', 'nightly', '--repeat', '2', '--shard', '1/4')).code).toBe(0);
  for (const file of [go, join(p.home, 'pids')]) rmSync(file, { force: true });
  const { running } = await startAtWork(p, '--batch', 'nightly', '--repeat', '2', '--jobs', '2');
  const refused = async (...args: readonly string[]) => {
    const ran = await p.run('eval', ...args);
    expect([ran.code, ran.err]).toEqual([
      1,
      expect.stringMatching(
        /error: another runner works here: pid \d+, .*command: eval run --batch nightly \[LOCKED\]\nhint: .* kill \d+$/u,
      ),
    ]);
  };
  await refused('run', '--batch', 'nightly');
  await refused('run', '--resume');
  await refused('clean', 'aa');
  await refused('merge', 'machine');
  const other = await p.evalRun('aa', '--batch', 'other');
  expect(other.code, other.err).toBe(0);
  writeFileSync(go, '');
  expect((await running).exitCode).toBe(0);
  // Two jobs: which of them began first is chance.
  const repeats = p.trials('bb').map(({ meta }) => meta.repeat);
  expect(new Set(repeats)).toEqual(new Set([1, 2]));
  expect(p.listed('eval/results').filter((name) => name.endsWith('.lock'))).toEqual([]);
  expect((await p.run('eval', 'clean', 'aa')).code).toBe(0);
});

test('a harness that was killed leaves its runner at work: --resume ends it, and nothing is run or recorded twice', async () => {
  const p = await evalProject({ aa: skipped, bb: waits });
  const { running } = await startAtWork(p, '--batch', 'nightly');
  running.kill('SIGKILL');
  await running.catch(() => null);
  const left = pidsIn(join(p.home, 'pids'));
  expect(left.map(isAlive), 'agent and runner').toEqual([true, true]);
  rmSync(join(p.home, 'pids'));
  const resumed = p.start(['eval', 'run', '--resume']);
  let err = '';
  resumed.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString();
  });
  await waitUntil('a session', () => hasText(join(p.home, 'pids')));
  expect(left.filter(isAlive)).toEqual([]);
  expect(err).toMatch(
    /note: took over the lock of a runner that is gone \(pid \d+, eval run --batch nightly\)/u,
  );
  expect(err).toMatch(/note: ended processes of a dead harness: \d+ \(runner\)/u);
  writeFileSync(join(p.home, 'go'), '');
  const { exitCode, stdout } = await resumed;
  expect(exitCode, err).toBe(0);
  expect(outcomesIn(stdout)).toEqual(['case=bb variant=default repeat=1 outcome=success']);
  expect([p.trials('aa').length, p.trials('bb').length]).toEqual([1, 1]);
});

test('a name whose batch cannot be read is taken, and the reason is told', async () => {
  const p = await evalProject({ aa: skipped });
  expect((await p.evalRun('--batch', 'nightly')).code).toBe(0);
  const file = join(p.dir, 'eval/results/nightly.batch.json');
  writeFileSync(file, '{');
  const resumed = await p.evalRun('--resume', '--batch', 'nightly');
  expect([resumed.code, resumed.err]).toEqual([
    1,
    expect.stringMatching(
      /there is no batch 'nightly' that can be read \[EVAL_BATCH_UNKNOWN\]\n {2}skipped .*nightly\.batch\.json: line 1, column 2/u,
    ),
  ]);
  const again = await p.evalRun('--batch', 'nightly');
  expect([again.code, again.err]).toEqual([
    64,
    expect.stringContaining(`is used by ${file}; choose another`),
  ]);
  rmSync(file);
  const trial = p.trial('aa').dir;
  const mixed = await p.evalRun('--batch', 'nightly');
  expect([mixed.code, mixed.err]).toEqual([
    64,
    expect.stringContaining(`is used by ${trial}; choose another`),
  ]);
  expect(p.trials('aa')).toHaveLength(1);
});
