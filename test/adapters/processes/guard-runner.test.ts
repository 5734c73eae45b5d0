import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/adapters/files/clock.ts';
import { guardRunner } from '../../../src/adapters/processes/guard-runner.ts';
import type { GuardRunnerOptions } from '../../../src/adapters/processes/guard-runner.ts';
import { systemHasher } from '../../../src/adapters/files/hasher.ts';
import type { GuardRun } from '../../../src/core/agents/session.ts';
import { redactor } from '../../../src/core/text/redact.ts';
import type { Config } from '../../../src/core/types.ts';
import type { GuardRequest } from '../../../src/ports/sessions.ts';
import { configOutside } from '../../support/facts.ts';
import { waitUntil } from '../../support/scratch.ts';
import { stage, testInterrupts } from '../../support/sessions.ts';
import type { Stage } from '../../support/sessions.ts';

const path = process.env['PATH'] ?? '';

function options(at: Stage, more: Partial<GuardRunnerOptions> = {}): GuardRunnerOptions {
  return {
    place: at.place,
    own: at.own,
    top: at.top,
    repository: 'a-repository',
    env: { PATH: path, DATABASE_URL: 'db', OPENAI_API_KEY: 'key-o', GIT_DIR: '/x' },
    clock: systemClock(),
    interrupts: testInterrupts(),
    redactor: () => redactor([]),
    graceMs: 200,
    ...more,
  };
}

function request(guard: Partial<Config['guard']>, more: Partial<GuardRequest> = {}): GuardRequest {
  return {
    run_id: 'r',
    iter: 2,
    node_id: 'root',
    cookie: systemHasher().cookie(),
    deadlineMs: systemClock().monotonicMs() + 60_000,
    config: configOutside({ guard }),
    onActivity: () => undefined,
    ...more,
  };
}

function runGuard(at: Stage, script: string, more: Partial<GuardRequest> = {}): Promise<GuardRun> {
  return guardRunner(options(at)).run(request({ command: ['sh', '-c', script] }, more));
}

function guardLog(at: Stage): string {
  return readFileSync(at.place.iteration({ run_id: 'r', iter: 2 }).guardLog, 'utf8');
}

test('[ancestor: guards guards_run_when_done] exit code 0 passes; both streams in order, no input, hash of the log', async () => {
  const at = stage();
  const lines: string[] = [];
  const run = await runGuard(
    at,
    'echo one; echo two >&2; cat; printf "\\033[31mthree\\n\\n"; env > got-env',
    {
      onActivity: ({ line }) => lines.push(line),
    },
  );
  const log = 'one\ntwo\n\u001b[31mthree\n\n';
  expect(run).toMatchObject({ end: { kind: 'passed' }, exit_code: 0, output: 'one\ntwo\nthree\n\n' });
  expect(guardLog(at)).toBe(log);
  expect(run.log_sha256).toBe(createHash('sha256').update(log).digest('hex'));
  expect(lines).toEqual(['one', 'two', 'three']);
  const env = readFileSync(join(at.top, 'got-env'), 'utf8');
  expect(env).toContain('DATABASE_URL=db\n');
  expect(env).toContain('RUNNER_NODE_ID=root\n');
  expect(env).not.toMatch(/key-o|GIT_DIR/);
});

test('anything but exit code 0 fails, and says how', async () => {
  const at = stage();
  expect(await runGuard(at, 'echo no; exit 2')).toMatchObject({
    end: { kind: 'failed', reason: 'the guard ended with exit code 2' },
    exit_code: 2,
    output: 'no\n',
  });
  expect(await runGuard(at, 'kill -SEGV $$')).toMatchObject({
    end: { kind: 'failed', reason: 'the guard ended with signal SIGSEGV' },
    exit_code: null,
  });
});

test('the log of a run replaces the one before', async () => {
  const at = stage();
  await runGuard(at, 'echo first');
  expect(await runGuard(at, 'echo second')).toMatchObject({ output: 'second\n' });
  expect(guardLog(at)).toBe('second\n');
});

test('its own time limit is a failed check, the budget is not', async () => {
  const at = stage();
  const guards = guardRunner(options(at));
  const slow = { command: ['sh', '-c', 'echo begun; sleep 600'] };
  expect(await guards.run(request({ ...slow, timeout_secs: 1 }))).toMatchObject({
    end: { kind: 'failed', reason: 'the guard took longer than 1 s (guard.timeout_secs)' },
    output: 'begun\n',
  });
  const late = await guards.run(request(slow, { deadlineMs: systemClock().monotonicMs() + 300 }));
  expect(late.end.kind).toBe('out_of_time');
  const never = await guards.run(request(slow, { deadlineMs: 0 }));
  expect(never).toMatchObject({ end: { kind: 'out_of_time' }, output: '' });
});

test('an interrupt ends it', async () => {
  const at = stage();
  const interrupts = testInterrupts();
  const running = guardRunner(options(at, { interrupts })).run(
    request({ command: ['sh', '-c', 'echo > started; sleep 600'] }),
  );
  await waitUntil('the guard', () => existsSync(join(at.top, 'started')));
  interrupts.send('SIGINT');
  expect((await running).end).toEqual({ kind: 'interrupted', signal: 'SIGINT' });
});

test('a program that is not there', async () => {
  const at = stage();
  const guards = guardRunner(options(at, { env: { PATH: join(at.top, 'empty') } }));
  expect((await guards.run(request({ command: ['./gone'] }))).end).toMatchObject({
    kind: 'not_started',
    reason: expect.stringMatching(/ENOENT/) as unknown,
  });
  await expect(guards.check(configOutside())).rejects.toMatchObject({
    code: 'GUARD_MISSING',
    message: "the program 'just' of guard.command was not found",
    hint: expect.stringMatching(/^install just .*guard\.command/) as unknown,
  });
  await expect(guards.check(configOutside({ guard: { command: ['gone'] } }))).rejects.toMatchObject({
    hint: expect.stringMatching(/^set guard\.command/) as unknown,
  });
  await expect(
    guardRunner(options(at)).check(configOutside({ guard: { command: ['sh'] } })),
  ).resolves.toBeUndefined();
});

test('the log keeps within its limit, head and tail', async () => {
  const at = stage();
  const config = configOutside({ guard: { command: ['seq', '1', '20000'] }, guard_output_limit_bytes: 1000 });
  const run = await guardRunner(options(at)).run(request({}, { config }));
  expect(run.output).toBe(guardLog(at));
  expect(run.output.length).toBeLessThanOrEqual(1000);
  expect(run.output).toMatch(/^1\n2\n[^]*bytes left out[^]*20000\n$/);
});

test('a guard that puts a link in the way of its log loses nothing', async () => {
  const at = stage();
  const outside = join(at.top, 'outside');
  mkdirSync(outside);
  const run = await runGuard(
    at,
    `mkdir -p .runner/iterations; ln -s ${outside} .runner/iterations/r; echo hi`,
  );
  expect(run).toMatchObject({ end: { kind: 'passed' }, output: 'hi\n' });
  expect(existsSync(join(outside, '2'))).toBe(false);
});

test('secrets are in no line, no log and no hash of one', async () => {
  const at = stage();
  const lines: string[] = [];
  const secret = 'a-value-nobody-may-see';
  const guards = guardRunner(options(at, { redactor: () => redactor([secret]) }));
  const onActivity = ({ line }: { readonly line: string }): number => lines.push(line);
  const run = await guards.run(
    request({ command: ['printf', `%s%s\\n`, 'a-value-', 'nobody-may-see'] }, { onActivity }),
  );
  expect(lines).toEqual(['[redacted]']);
  expect(run.output).toBe('[redacted]\n');
  expect(run.log_sha256).toBe(createHash('sha256').update('[redacted]\n').digest('hex'));
});

test('what the log shows only when its backspaces have acted is redacted, too', async () => {
  const at = stage();
  const secret = 'correct-horse';
  const text = `${secret.slice(0, 5)}${secret}${'\\b'.repeat('[redacted]'.length)}${secret.slice(5)}`;
  const guards = guardRunner(options(at, { redactor: () => redactor([secret]) }));
  const run = await guards.run(request({ command: ['printf', `${text}\\n`] }));
  expect(run.output).not.toContain(secret);
  expect(run.output).toMatch(/^\[redacted\]/);
});
