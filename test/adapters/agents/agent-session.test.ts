import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agentSession } from '../../../src/adapters/agents/agent-session.ts';
import { systemClock } from '../../../src/adapters/files/clock.ts';
import { agentOutputSchemaText, reviewSchemaText } from '../../../src/core/shipped.js';
import type { SessionResult } from '../../../src/core/agents/session.ts';
import { unknownUsage } from '../../../src/core/agents/usage.ts';
import type { SessionRequest } from '../../../src/ports/sessions.ts';
import { configOutside } from '../../support/facts.ts';
import { waitUntil } from '../../support/scratch.ts';
import { doneAnswer, sessionOptions, sessionRequest, stage, testInterrupts } from '../../support/sessions.ts';
import type { Stage } from '../../support/sessions.ts';

const answer = doneAnswer;

function runCommand(at: Stage, lines: string, more: Partial<SessionRequest> = {}): Promise<SessionResult> {
  const program = at.program('agent', lines);
  const request = sessionRequest({ name: 'command', command: [program, 'an arg'] }, more);
  return agentSession(sessionOptions(at)).run(request);
}

function iterationOf(at: Stage): ReturnType<Stage['place']['iteration']> {
  return at.place.iteration({ run_id: 'r', iter: 3 });
}

describe('a session', () => {
  test('[ancestor: executor execute_and_load_reads_output] prompt on stdin, answer in the file, log beside the others', async () => {
    const at = stage();
    const lines: string[] = [];
    const result = await runCommand(
      at,
      `cat > got-prompt; env > got-env; cat "$RUNNER_SCHEMA" > got-schema; echo "arg: $1"; echo err >&2; pwd > got-cwd
       printf '%s' '${answer}' > "$RUNNER_OUTPUT"`,
      { onActivity: ({ line }) => lines.push(line) },
    );
    expect(result).toEqual({
      end: { kind: 'exited' },
      exit_code: 0,
      duration_ms: expect.any(Number) as unknown,
      answer: { kind: 'text', text: answer },
      usage: unknownUsage,
      denials: [],
      leftovers: [],
    });
    expect(result.duration_ms).toBeGreaterThan(0);
    const read = (name: string): string => readFileSync(join(at.top, name), 'utf8');
    expect(read('got-prompt')).toBe('the prompt ü\n');
    expect(read('got-cwd').trim()).toBe(at.top);
    expect(read('got-schema')).toBe(agentOutputSchemaText);
    for (const line of ['RUNNER_RUN_ID=r', `RUNNER_WORK_TREE=${at.top}`, 'RUNNER_ROLE=agent'])
      expect(read('got-env')).toContain(`${line}\n`);

    expect(read('got-env')).not.toMatch(/SECRET|key-/);
    expect(lines).toEqual(['arg: an arg']);
    expect(readFileSync(iterationOf(at).executorLog, 'utf8')).toBe('arg: an arg\n\n=== stderr ===\nerr\n');
    expect(readFileSync(iterationOf(at).output, 'utf8')).toBe(answer);
    expect([at.own.answer, at.own.stdout, at.own.stderr].filter((file) => existsSync(file))).toEqual([]);
  });

  test('[ancestor: executor execute_and_load_errors_on_missing_output] no answer is a value; an old one is never taken', async () => {
    const at = stage();
    mkdirSync(at.own.root);
    writeFileSync(at.own.answer, answer);
    writeFileSync(at.own.stdout, answer);
    expect(await runCommand(at, 'true')).toMatchObject({
      end: { kind: 'exited' },
      answer: { kind: 'missing' },
    });
    expect(await runCommand(at, `echo 'so:'; echo '{"status":'; echo '"done","summary":"s"}'`)).toMatchObject(
      { answer: { kind: 'text', text: '{"status":\n"done","summary":"s"}' } },
    );
    expect(await runCommand(at, 'head -c 70000 /dev/zero > "$RUNNER_OUTPUT"')).toMatchObject({
      answer: { kind: 'too_large' },
    });
  });

  test('how it ended otherwise', async () => {
    const at = stage();
    expect((await runCommand(at, 'exit 7')).end).toEqual({
      kind: 'failed',
      failure: 'crashed',
      reason: 'the agent ended with exit code 7',
    });
    expect(await runCommand(at, 'kill -9 $$')).toMatchObject({
      end: { kind: 'failed', reason: 'the agent ended with signal SIGKILL' },
      exit_code: null,
    });
    const missing = sessionRequest({ name: 'command', command: ['./no-such-agent'] });
    expect((await agentSession(sessionOptions(at)).run(missing)).end).toMatchObject({
      kind: 'failed',
      reason: expect.stringMatching(/^the agent could not be started: .*ENOENT/) as unknown,
    });
    const late = await runCommand(at, 'sleep 600', { deadlineMs: systemClock().monotonicMs() + 300 });
    expect(late.end.kind).toBe('out_of_time');
  });

  test('an interrupt ends it', async () => {
    const at = stage();
    const interrupts = testInterrupts();
    const program = at.program('agent', 'echo on > started; sleep 600');
    const running = agentSession(sessionOptions(at, { interrupts })).run(
      sessionRequest({ name: 'command', command: [program] }),
    );
    await waitUntil('the agent', () => existsSync(join(at.top, 'started')));
    interrupts.send('SIGHUP');
    expect((await running).end).toEqual({ kind: 'interrupted', signal: 'SIGHUP' });
  });

  test('what is no answer does not end it, and cannot make the runner wait', async () => {
    const at = stage();
    const program = at.program('agent', 'mkfifo "$RUNNER_OUTPUT"; echo x; sleep 1; exit 5');
    const session = agentSession(sessionOptions(at, { answerGraceMs: 0 }));
    expect(await session.run(sessionRequest({ name: 'command', command: [program] }))).toMatchObject({
      end: { kind: 'failed', reason: 'the agent ended with exit code 5' },
      answer: { kind: 'unreadable' },
    });
    rmSync(at.own.answer, { force: true });
    const failing = at.program(
      'claude',
      `echo '{"type":"result","is_error":true,"result":"x"}'; sleep 1; exit 1`,
    );
    expect((await session.run(sessionRequest({ name: 'claude', bin: failing }))).end).toEqual({
      kind: 'failed',
      failure: 'crashed',
      reason: 'claude ended with exit code 1: x',
    });
  });

  test('a link in the way of the log is moved, never followed', async () => {
    const at = stage();
    const outside = join(at.top, 'outside');
    mkdirSync(outside);
    const result = await runCommand(
      at,
      `rm -rf .runner/iterations; ln -s ${outside} .runner/iterations; echo hi`,
    );
    expect(result.end.kind).toBe('exited');
    expect(readFileSync(iterationOf(at).executorLog, 'utf8')).toBe('hi\n');
    expect(existsSync(join(outside, 'r'))).toBe(false);
  });

  test('the log keeps within its limit', async () => {
    const at = stage();
    const program = at.program('agent', 'seq 1 20000');
    const config = configOutside({
      agent: { name: 'command', command: [program] },
      executor_output_limit_bytes: 2000,
    });
    await agentSession(sessionOptions(at)).run(sessionRequest({}, { config }));
    const log = readFileSync(iterationOf(at).executorLog, 'utf8');
    expect(log.length).toBeLessThanOrEqual(2000);
    expect(log).toMatch(/^1\n2\n[^]*bytes left out[^]*20000\n$/);
  });
});

describe('a review', () => {
  test('has its own schema, answer and log, and knows what it is', async () => {
    const at = stage();
    await runCommand(at, `echo work; printf '%s' '${answer}' > "$RUNNER_OUTPUT"`);
    const verdict = '{"verdict":"fail","findings":["x"]}';
    const program = at.program(
      'reviewer',
      `printf '%s' "$RUNNER_ROLE" > got-role; cat "$RUNNER_SCHEMA" > got-schema
       echo look; printf '%s' '${verdict}' > "$RUNNER_OUTPUT"; sleep 600`,
    );
    const session = agentSession(sessionOptions(at, { answerGraceMs: 100 }));
    const request = sessionRequest({ name: 'command', command: [program] }, { role: 'review' });
    expect(await session.run(request)).toMatchObject({
      end: { kind: 'exited' },
      answer: { kind: 'text', text: verdict },
    });
    expect(readFileSync(join(at.top, 'got-role'), 'utf8')).toBe('review');
    expect(readFileSync(join(at.top, 'got-schema'), 'utf8')).toBe(reviewSchemaText);
    const { executorLog, output, reviewLog, reviewOutput } = iterationOf(at);
    const files = [executorLog, output, reviewLog, reviewOutput];
    expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(['work\n', answer, 'look\n', verdict]);
  });

  test('is no review when it answers like an agent', async () => {
    const at = stage();
    const lines = `printf '%s' '${answer}' > "$RUNNER_OUTPUT"; exit 3`;
    const failed = { kind: 'failed', failure: 'crashed', reason: 'the agent ended with exit code 3' };
    expect((await runCommand(at, lines, { role: 'review' })).end).toEqual(failed);
  });
});
