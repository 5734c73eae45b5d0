/** A batch: several trials at a time, interrupted and gone on with, dealt to several machines and put together again. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  evalProject,
  outcomesIn,
  putCase,
  shellAgent,
  shellDone,
  skippedCase as skipped,
} from '../support/eval-project.ts';
import type { EvalProject, TestCase } from '../support/eval-project.ts';
import { hasOpenJournal } from '../support/open-journal.ts';
import { waitUntil } from '../support/scratch.ts';
import { isAlive, pidsIn, shellWait } from '../support/shell-agent.ts';

const shell = (script: string): TestCase => ({ agent: shellAgent(script) });

/** At work until the test lets it go; a child of another session, and nobody listens to TERM. */
const waits = (stubborn: boolean): string => `
echo x > a.txt
${stubborn ? "trap '' TERM INT HUP" : ''}
setsid sleep 300 & echo $! >> "$HOME/pids"; echo "$$
$PPID" >> "$HOME/pids"; echo "$EVAL_CASE$EVAL_REPEAT" >> "$HOME/begun"
${shellWait}; ${shellDone}`;

function startRun(p: EvalProject, ...args: readonly string[]) {
  const running = p.startRun(...args);
  let err = '';
  running.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString();
  });
  return { running, err: () => err };
}

function atWork(p: EvalProject, count: number): Promise<unknown> {
  const file = join(p.home, 'begun');
  return waitUntil(
    `${count} sessions`,
    () => existsSync(file) && p.read('../home/begun').split('\n').length > count,
  );
}

test('Ctrl-C ends cleanly and keeps what is done; --resume does only what is missing, and refuses what is not the plan', async () => {
  const p = await evalProject({
    aa: skipped,
    bb: shell(waits(false)),
    cc: { ...skipped, about: `tags = ["c"]\n${skipped.about ?? ''}` },
  });
  const { running, err } = startRun(p, '--batch', 'nightly', '--repeat', '2');
  await waitUntil('a session', () => existsSync(join(p.home, 'begun')));
  running.kill('SIGINT');
  const { exitCode, stdout } = await running;
  expect(exitCode, err()).toBe(130);
  expect(err()).toContain('SIGINT: stopping cleanly; a second signal stops at once');
  expect(err()).toMatch(
    /error: stopped by SIGINT; 4 trials are left \[INTERRUPTED\]\nhint: runner eval run --resume --batch nightly\n$/u,
  );
  expect(outcomesIn(stdout)).toHaveLength(2);
  expect(stdout.split('\n').at(-1)).toBe(
    'eval: batch=nightly trials=2 success=0 fail=0 stuck=0 error=0 skipped=2 left=4',
  );
  expect(pidsIn(join(p.home, 'pids')).filter(isAlive)).toEqual([]);
  expect(p.listed('eval/results/bb'), 'no half a result').toEqual([]);
  const before = p.trials('aa').map(({ meta }) => meta);

  const refused = async (message: string, ...args: readonly string[]) => {
    const ran = await p.evalRun('--resume', ...args);
    expect([ran.code, ran.err]).toEqual([64, expect.stringContaining(message)]);
  };
  await refused("--repeat 3: the batch 'nightly' was started with --repeat 2", '--repeat', '3');
  await refused("other agents: the batch 'nightly' was started with default", '--oracle');
  await refused("other cases: the batch 'nightly' was started with aa, bb, cc", '--tag', 'c');
  await refused('--shard 1/2: the batch', '--shard', '1/2');
  expect((await p.evalRun('--batch', 'nightly')).err).toContain(
    "the batch 'nightly' already exists; use --resume",
  );

  const text = p.read('eval/cases/bb.toml');
  p.put('eval/cases/bb.toml', `${text}\n# changed\n`);
  const changed = await p.evalRun('--resume');
  expect(changed.code).toBe(1);
  expect(changed.err).toContain("changed since the batch 'nightly' started: bb [EVAL_CASE_CHANGED]");
  p.put('eval/cases/bb.toml', text);

  writeFileSync(join(p.home, 'go'), '');
  const resumed = await p.evalRun('--resume', '--repeat', '2', 'aa', 'bb', 'cc');
  expect(resumed.code, resumed.err).toBe(0);
  expect(outcomesIn(resumed.out)).toEqual([
    'case=bb variant=default repeat=1 outcome=success',
    'case=bb variant=default repeat=2 outcome=success',
    'case=cc variant=default repeat=1 outcome=skipped reason=requires_missing',
    'case=cc variant=default repeat=2 outcome=skipped reason=requires_missing',
  ]);
  expect(resumed.out).toContain('eval: batch=nightly trials=6 success=2 ');
  expect(p.trials('aa').map(({ meta }) => meta)).toEqual(before);
  const nothing = await p.evalRun('--resume');
  expect([nothing.code, outcomesIn(nothing.out)]).toEqual([0, []]);
  expect(p.batches()).toHaveLength(1);
});

test('Ctrl-C twice stops at once, two stubborn agents and all', async () => {
  const p = await evalProject({ aa: shell(waits(true)), bb: shell(waits(true)) });
  const { running, err } = startRun(p, '--jobs', '2');
  await atWork(p, 2);
  running.kill('SIGINT');
  await waitUntil('the first Ctrl-C to be heard', () => err().includes('a second signal stops at once'));
  running.kill('SIGINT');
  expect((await running).exitCode).toBe(130);
  const pids = pidsIn(join(p.home, 'pids'));
  expect(pids, 'agent, child and runner of each').toHaveLength(6);
  await waitUntil('all processes to be gone', () => !pids.some(isAlive));
  // The runners were ended too, and did not come to an end by themselves.
  const tops = ['aa_latest', 'bb_latest'].map((name) => join(p.dir, 'eval/workspaces', name));
  expect(tops.map(hasOpenJournal)).toEqual([true, true]);
  expect([...p.trials('aa'), ...p.trials('bb')]).toEqual([]);
});

test('Ctrl-C twice during checks leaves none of them behind', async () => {
  const cmd = ['sh', '-c', waits(true).replace('echo x > a.txt', ':')];
  const p = await evalProject({ aa: { checks: [{ type: 'command_succeeds', cmd, timeout_secs: 120 }] } });
  const { running, err } = startRun(p);
  await atWork(p, 1);
  running.kill('SIGINT');
  await waitUntil('the first Ctrl-C to be heard', () => err().includes('a second signal stops at once'));
  running.kill('SIGINT');
  expect((await running).exitCode).toBe(130);
  const [child = 0, check = 0] = pidsIn(join(p.home, 'pids'));
  await waitUntil('both to be gone', () => ![child, check].some(isAlive));
  expect(p.trials('aa')).toEqual([]);
});

test('--jobs: trials are at work at the same time', async () => {
  const meet = (own: string, other: string): TestCase =>
    shell(
      `touch "$HOME/${own}"; while [ -d "$HOME" ] && [ ! -e "$HOME/${other}" ]; do sleep 0.05; done; echo x > a.txt; ${shellDone}`,
    );
  const p = await evalProject({
    aa: { ...meet('a', 'b'), about: 'timeout_secs = 60' },
    bb: { ...meet('b', 'a'), about: 'timeout_secs = 60' },
  });
  const ran = await p.evalRun('--jobs', '2', '--quiet');
  expect([ran.code, ran.err]).toEqual([0, '']);
  expect(outcomesIn(ran.out).every((line) => line.endsWith('outcome=success'))).toBe(true);
});

/** Without times, ids and places, which differ between any two runs. */
function comparable(p: EvalProject, batch_id: string): readonly unknown[] {
  return ['good', 'bad', 'none']
    .flatMap((id) => p.trials(id))
    .filter(({ meta }) => meta.batch_id === batch_id)
    .map(({ meta, checks }) => ({
      ...meta,
      ...{ eval_run_id: '', start_time: '', end_time: '', duration_secs: 0, workspace: '', batch_id: '' },
      checks: checks.map(({ command, ...rest }) => ({ ...rest, command: { ...command, duration_ms: 0 } })),
    }))
    .toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
}

test('shards 1..5 of 5 in folders of their own, merged, are one unsharded run', async () => {
  const cases: Readonly<Record<string, TestCase>> = {
    good: { isOracle: true, checks: [{ type: 'command_succeeds', cmd: ['cat', 'a.txt'] }] },
    bad: { about: 'tags = ["t"]\nrequires = ["no-such-program"]' },
    none: { agent: 'name = "scripted"\nscript = "x"' },
  };
  const whole = await evalProject(cases);
  const flags = ['--oracle', '--repeat', '2'];
  expect((await whole.evalRun('--batch', 'whole', ...flags)).code).toBe(0);
  const sizes: number[] = [];
  const folders: string[] = [];
  for (const index of [1, 2, 3, 4, 5]) {
    const machine = `machine-${index}`;
    whole.put(`${machine}/README`, '');
    const place = ['-C', machine, '--cases', '../eval/cases'];
    const ran = await whole.evalRun(...place, '--shard', `${index}/5`, '--batch', 'parts', ...flags);
    expect(ran.code, ran.err).toBe(0);
    sizes.push(outcomesIn(ran.out).length);
    folders.push(join(machine, 'eval/results'));
  }
  const merged = await whole.run('eval', 'merge', ...folders);
  expect(merged.code, merged.err).toBe(0);
  expect(sizes.toSorted((a, b) => a - b)).toEqual([1, 1, 1, 1, 2]);
  expect(comparable(whole, 'parts')).toEqual(comparable(whole, 'whole'));
  expect(comparable(whole, 'parts')).toHaveLength(6);
  const parts = whole.batches().find(({ batch_id }) => batch_id === 'parts');
  expect(parts?.shards).toBeNull();
  const left = await whole.evalRun('--resume', '--batch', 'parts');
  expect([left.code, outcomesIn(left.out)]).toEqual([0, []]);
});

test('what is chosen, and what the flags mean together', async () => {
  const p = await evalProject({
    aa: { ...skipped, about: `tags = ["x"]\n${skipped.about ?? ''}` },
    bb: { isOracle: true, about: skipped.about ?? '' },
  });
  const chosen = async (...args: readonly string[]) => {
    const ran = await p.evalRun(...args);
    expect(ran.code, ran.err).toBe(0);
    return outcomesIn(ran.out).map((line) => line.replace(/ outcome.*/u, ''));
  };
  expect(await chosen('--tag', 'x')).toEqual(['case=aa variant=default repeat=1']);
  expect(await chosen('bb', '--oracle', '--null', '--agent', 'codex,claude', '--model', 'm/1')).toEqual([
    'case=bb variant=claude:m/1 repeat=1',
    'case=bb variant=codex:m/1 repeat=1',
    'case=bb variant=null repeat=1',
    'case=bb variant=oracle repeat=1',
  ]);
  const refused = async (message: string, ...args: readonly string[]) => {
    const ran = await p.evalRun(...args);
    expect([ran.code, ran.err], args.join(' ')).toEqual([64, expect.stringContaining(message)]);
  };
  await refused("there is no agent 'codx'; did you mean codex?", '--agent', 'codx');
  await refused("--shard must look like 2/5, not '6/5'", '--shard', '6/5');
  await refused("--min-pass-rate takes a number from 0 to 1, not '80'", '--min-pass-rate', '80');
  await refused('--batch must be up to 64 letters', '--batch', 'a/b');
  await refused('--model needs --agent', '--oracle', '--model', 'm');
  await refused('--model is empty', '--agent', 'codex', '--model', '');
  await refused('--null cannot be replayed', '--replay', '--null');
  await refused('--replay and --record cannot be combined', '--replay', '--record');
  await refused('--ui and --jobs cannot be combined', '--ui', '--jobs', '2');
  await refused('--ui shows one case, but 2 are selected', '--ui');
  await refused('there is no reporter', '--reporter', 'jnit');
  const unknown = await p.evalRun('ab');
  expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining("there is no case 'ab'")]);
  const none = await p.evalRun('--tag', 'y');
  expect([none.code, none.err]).toEqual([1, expect.stringContaining('no case in')]);
  rmSync(join(p.dir, 'eval/results'), { recursive: true });
  expect((await p.evalRun('--resume')).err).toContain("there is no batch 'latest'");
});

test('--oracle and --null; --min-pass-rate; a bad case file hides no other and is not passed over; reports at the end', async () => {
  const p = await evalProject({
    good: { isOracle: true, checks: [{ type: 'file_exists', path: 'a.txt' }] },
    bad: { isOracle: true, checks: [{ type: 'file_exists', path: 'x' }] },
  });
  const report = ['--jobs', '2', '--reporter', 'junit=out.xml,json'];
  const enough = await p.evalRun('--oracle', '--min-pass-rate', '0.5', ...report);
  expect(enough.code, enough.err).toBe(0);
  const both = await p.evalRun('--oracle', '--null', '--min-pass-rate', '0.25', '--quiet');
  expect([both.code, both.err], 'each variant has a rate of its own').toEqual([
    1,
    expect.stringContaining('the pass rate 0.000 is below --min-pass-rate 0.25'),
  ]);
  expect(JSON.parse(enough.out), 'a report on stdout is there alone').toBeTypeOf('object');
  expect(p.read('out.xml')).toContain('<testsuites');
  const outcomes = p.trials('good').map(({ meta }) => `${meta.variant.kind} ${meta.outcome}`);
  expect([...new Set(outcomes)].toSorted(), 'who does nothing does not succeed').toEqual([
    'null fail',
    'oracle success',
  ]);
  putCase(p, 'skip', skipped);
  p.put('eval/cases/broken.toml', '[case]\nid = "broken"\n');
  const low = await p.evalRun('skip', '--min-pass-rate', '0');
  expect([low.code, low.err]).toEqual([
    1,
    expect.stringContaining(
      'a variant has no trial that ran, so --min-pass-rate is missed [EVAL_RATE_MISSED]',
    ),
  ]);
  const missed = await p.evalRun('bad', 'skip', '--oracle', '--min-pass-rate', '1', '--json');
  expect(missed.code).toBe(1);
  expect(JSON.parse(missed.out.split('\n').at(-1) ?? '')).toMatchObject({
    error: { code: 'EVAL_RATE_MISSED', message: 'the pass rate 0.000 is below --min-pass-rate 1' },
  });
  const rest = await p.evalRun('--null', '--tag', 'none');
  expect([rest.code, rest.err]).toEqual([1, expect.stringContaining('broken.toml:1')]);
  rmSync(join(p.dir, 'eval/cases/bad.toml'));
  rmSync(join(p.dir, 'eval/cases/good.toml'));
  const others = await p.evalRun();
  expect([others.code, outcomesIn(others.out)]).toEqual([
    1,
    ['case=skip variant=default repeat=1 outcome=skipped reason=requires_missing'],
  ]);
  expect(others.err).toMatch(
    /broken\.toml:1[^]*error: 1 case file has problems and did not run \[EVAL_CASE_INVALID\]/u,
  );
});
