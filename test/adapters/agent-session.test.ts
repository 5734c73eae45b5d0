import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agentSession } from '../../src/adapters/agent-session.ts';
import type { AgentSessionOptions } from '../../src/adapters/agent-program.ts';
import { systemClock } from '../../src/adapters/clock.ts';
import { systemHasher } from '../../src/adapters/hasher.ts';
import type { SessionResult } from '../../src/core/session.ts';
import type { Config } from '../../src/core/types.ts';
import type { SessionRequest } from '../../src/ports/sessions.ts';
import { configWith } from '../support/facts.ts';
import { waitUntil } from '../support/scratch.ts';
import { stage, testInterrupts } from '../support/sessions.ts';
import type { Stage } from '../support/sessions.ts';

const answer = '{"status":"done","summary":"s","children":null}';
const path = process.env['PATH'] ?? '';

function options(at: Stage, more: Partial<AgentSessionOptions> = {}): AgentSessionOptions {
  return {
    place: at.place,
    own: at.own,
    top: at.top,
    env: { PATH: path, HOME: '/nowhere', SECRET: 'x', OPENAI_API_KEY: 'key-o', ANTHROPIC_API_KEY: 'key-a' },
    clock: systemClock(),
    interrupts: testInterrupts(),
    entryFile: '/no/entry.js',
    graceMs: 200,
    ...more,
  };
}

function request(agent: Partial<Config['agent']>, more: Partial<SessionRequest> = {}): SessionRequest {
  return {
    run_id: 'r',
    iter: 3,
    node_id: 'root.1',
    prompt: 'the prompt ü\n',
    judged_sessions: 4,
    cookie: systemHasher().cookie(),
    deadlineMs: systemClock().monotonicMs() + 60_000,
    config: configWith({ agent }),
    onActivity: () => undefined,
    ...more,
  };
}

function runCommand(at: Stage, lines: string, more: Partial<SessionRequest> = {}): Promise<SessionResult> {
  const program = at.program('agent', lines);
  return agentSession(options(at)).run(request({ name: 'command', command: [program, 'an arg'] }, more));
}

describe('a session', () => {
  test('[ancestor: executor execute_and_load_reads_output] prompt on stdin, answer in the file, log beside the others', async () => {
    const at = stage();
    const lines: string[] = [];
    const result = await runCommand(
      at,
      `cat > got-prompt; env > got-env; echo "arg: $1"; echo err >&2; pwd > got-cwd; printf '%s' '${answer}' > "$RUNNER_OUTPUT"`,
      { onActivity: ({ line }) => lines.push(line) },
    );
    expect(result).toMatchObject({
      end: { kind: 'exited' },
      exit_code: 0,
      answer: { kind: 'text', text: answer },
      leftovers: [],
    });
    expect(result.duration_ms).toBeGreaterThan(0);
    const read = (name: string): string => readFileSync(join(at.top, name), 'utf8');
    expect(read('got-prompt')).toBe('the prompt ü\n');
    expect(read('got-cwd').trim()).toBe(at.top);
    expect(read('got-env')).toContain(`RUNNER_RUN_ID=r\n`);
    expect(read('got-env')).toContain(`RUNNER_WORK_TREE=${at.top}\n`);
    expect(read('got-env')).toContain(`RUNNER_SCHEMA=${at.place.outputSchema}\n`);
    expect(read('got-env')).not.toMatch(/SECRET|key-/);
    expect(lines).toEqual(['arg: an arg']);
    expect(readFileSync(at.place.iteration({ run_id: 'r', iter: 3 }).executorLog, 'utf8')).toBe(
      'arg: an arg\n\n=== stderr ===\nerr\n',
    );
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
    expect(await runCommand(at, `echo 'so: ${answer}'`)).toMatchObject({
      answer: { kind: 'text', text: answer },
    });
    expect(await runCommand(at, 'head -c 70000 /dev/zero > "$RUNNER_OUTPUT"')).toMatchObject({
      answer: { kind: 'too_large' },
    });
  });

  test('how it ended otherwise', async () => {
    const at = stage();
    expect((await runCommand(at, 'exit 7')).end).toEqual({
      kind: 'failed',
      reason: 'command ended with exit code 7',
    });
    expect(await runCommand(at, 'kill -9 $$')).toMatchObject({
      end: { kind: 'failed', reason: 'command ended with signal SIGKILL' },
      exit_code: null,
    });
    const missing = request({ name: 'command', command: ['./no-such-agent'] });
    expect((await agentSession(options(at)).run(missing)).end).toMatchObject({
      kind: 'failed',
      reason: expect.stringMatching(/^command could not be started: .*ENOENT/) as unknown,
    });
    const late = await runCommand(at, 'sleep 600', { deadlineMs: systemClock().monotonicMs() + 300 });
    expect(late.end.kind).toBe('out_of_time');
  });

  test('silence ends it, but not while a tool call is open', async () => {
    const at = stage();
    const silent = at.program('silent', 'sleep 600');
    const quiet = request({ name: 'command', command: [silent], idle_timeout_secs: 1 });
    expect((await agentSession(options(at)).run(quiet)).end).toEqual({
      kind: 'failed',
      reason: 'command was silent for 1 s (agent.idle_timeout_secs)',
    });
    const started = '{"type":"item.started","item":{"type":"command_execution","command":"x"}}';
    const busy = at.program(
      'busy',
      `echo '${started}'; sleep 2.5; printf '%s' '${answer}' > '${at.own.answer}'`,
    );
    const working = request({ name: 'codex', bin: busy, idle_timeout_secs: 1 });
    expect(await agentSession(options(at)).run(working)).toMatchObject({
      end: { kind: 'exited' },
      answer: { kind: 'text', text: answer },
    });
  });

  test('an interrupt ends it', async () => {
    const at = stage();
    const interrupts = testInterrupts();
    const program = at.program('agent', 'echo on > started; sleep 600');
    const running = agentSession(options(at, { interrupts })).run(
      request({ name: 'command', command: [program] }),
    );
    await waitUntil('the agent', () => existsSync(join(at.top, 'started')));
    interrupts.send('SIGHUP');
    expect((await running).end).toEqual({ kind: 'interrupted', signal: 'SIGHUP' });
  });

  test('one that has answered but hangs is ended and counts as exited', async () => {
    const at = stage();
    const program = at.program('agent', `printf '%s' '${answer}' > "$RUNNER_OUTPUT"; sleep 600`);
    const session = agentSession(options(at, { answerGraceMs: 200 }));
    expect(await session.run(request({ name: 'command', command: [program] }))).toMatchObject({
      end: { kind: 'exited' },
      exit_code: 0,
      answer: { kind: 'text', text: answer },
    });
    const result = `{"type":"result","structured_output":${answer}}`;
    const claude = at.program('claude', `echo '${result}'; sleep 600`);
    expect(await session.run(request({ name: 'claude', bin: claude }))).toMatchObject({
      end: { kind: 'exited' },
      answer: { kind: 'text', text: answer },
    });
  });

  test('what is no answer does not end it, and cannot make the runner wait', async () => {
    const at = stage();
    const program = at.program('agent', 'mkfifo "$RUNNER_OUTPUT"; echo x; sleep 1; exit 5');
    const session = agentSession(options(at, { answerGraceMs: 0 }));
    expect(await session.run(request({ name: 'command', command: [program] }))).toMatchObject({
      end: { kind: 'failed', reason: 'command ended with exit code 5' },
      answer: { kind: 'unreadable' },
    });
    rmSync(at.own.answer, { force: true });
    const failing = at.program(
      'claude',
      `echo '{"type":"result","is_error":true,"result":"x"}'; sleep 1; exit 1`,
    );
    expect((await session.run(request({ name: 'claude', bin: failing }))).end).toEqual({
      kind: 'failed',
      reason: 'claude ended with exit code 1',
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
    expect(readFileSync(at.place.iteration({ run_id: 'r', iter: 3 }).executorLog, 'utf8')).toBe('hi\n');
    expect(existsSync(join(outside, 'r'))).toBe(false);
  });

  test('the log keeps within its limit', async () => {
    const at = stage();
    const program = at.program('agent', 'seq 1 20000');
    const config = configWith({
      agent: { name: 'command', command: [program] },
      executor_output_limit_bytes: 2000,
    });
    await agentSession(options(at)).run(request({}, { config }));
    const log = readFileSync(at.place.iteration({ run_id: 'r', iter: 3 }).executorLog, 'utf8');
    expect(log.length).toBeLessThanOrEqual(2000);
    expect(log).toMatch(/^1\n2\n[^]*bytes left out[^]*20000\n$/);
  });
});

describe('the agents', () => {
  test('codex gets its key and nobody else, and writes the answer file', async () => {
    const at = stage();
    const bin = at.program(
      'my-codex',
      `env > got-env; for a in "$@"; do [ "$last" = -o ] && printf '%s' '${answer}' > "$a"; last=$a; done`,
    );
    const result = await agentSession(options(at)).run(request({ name: 'codex', bin }));
    expect(result).toMatchObject({ end: { kind: 'exited' }, answer: { kind: 'text', text: answer } });
    const env = readFileSync(join(at.top, 'got-env'), 'utf8');
    expect(env).toContain('key-o');
    expect(env).not.toContain('key-a');
  });

  test('blocked needs a failure without an answer', async () => {
    const at = stage();
    const failed = '{"type":"turn.failed","error":{"message":"Quota exceeded.\\u001b[31m"}}';
    const bin = at.program('my-codex', `echo '${failed}'; exit 1`);
    const session = agentSession(options(at));
    expect((await session.run(request({ name: 'codex', bin }))).end).toMatchObject({
      kind: 'blocked',
      reason: 'codex: Quota exceeded.',
    });
    const answers = at.program(
      'answers',
      `printf '%s' '${answer}' > '${at.own.answer}'; echo '${failed}'; exit 1`,
    );
    expect((await session.run(request({ name: 'codex', bin: answers }))).end).toEqual({
      kind: 'failed',
      reason: 'codex ended with exit code 1',
    });
  });

  test('the scripted agent is node with the entry file and the number of the session', async () => {
    const at = stage();
    const entryFile = join(at.top, 'entry.mjs');
    writeFileSync(
      entryFile,
      `import { writeFileSync } from 'node:fs';
       writeFileSync(process.env.RUNNER_OUTPUT, JSON.stringify({ status: 'done', summary: process.argv.slice(2).join(' '), children: null }));`,
    );
    const result = await agentSession(options(at, { entryFile })).run(
      request({ name: 'scripted', script: 'sub/s.json' }),
    );
    expect(result.answer).toMatchObject({
      kind: 'text',
      text: expect.stringContaining(`play-script ${at.top}/sub/s.json 5`) as unknown,
    });
  });
});

describe('who the agent is', () => {
  test('name, version and model', async () => {
    const at = stage();
    const bin = at.program(
      'my-codex',
      '[ "$1" = --version ] && printf "\\n codex-cli \\033[1m0.166.0\\nmore\\n"',
    );
    const session = agentSession(options(at));
    expect(await session.describe(configWith({ agent: { name: 'codex', bin, model: 'm' } }))).toEqual({
      name: 'codex',
      version: 'codex-cli 0.166.0',
      model: 'm',
    });
    const command = configWith({ agent: { name: 'command', command: [bin] } });
    expect(await session.describe(command)).toEqual({ name: 'command', version: null, model: null });
    const scripted = configWith({ agent: { name: 'scripted', script: 's' } });
    await expect(session.describe(scripted)).rejects.toMatchObject({
      code: 'AGENT_MISSING',
      message: "the script 's' of the agent 'scripted' was not found",
    });
    writeFileSync(join(at.top, 's'), '{}');
    expect(await session.describe(scripted)).toMatchObject({ name: 'scripted', version: null });
  });

  test('no version is no error', async () => {
    const at = stage();
    const session = agentSession(options(at));
    for (const lines of ['exit 1', 'echo 1.0; exit 1', 'true']) {
      const bin = at.program('my-claude', lines);
      expect(await session.describe(configWith({ agent: { name: 'claude', bin } }))).toEqual({
        name: 'claude',
        version: null,
        model: null,
      });
    }
  });

  test.each([
    [
      { name: 'codex' } as const,
      "the program 'codex' of the agent 'codex' was not found",
      /npm install -g @openai\/codex/,
    ],
    [
      { name: 'claude', bin: './gone' } as const,
      "the program './gone' of the agent 'claude' was not found",
      /claude-code/,
    ],
    [
      { name: 'command', command: ['gone'] } as const,
      "the program 'gone' of the agent 'command' was not found",
      /agent\.command/,
    ],
  ])('a missing program: %j', async (agent, message, hint) => {
    const at = stage();
    const session = agentSession(options(at, { env: { PATH: join(at.top, 'empty') } }));
    await expect(session.describe(configWith({ agent }))).rejects.toMatchObject({
      code: 'AGENT_MISSING',
      message,
      hint: expect.stringMatching(hint) as unknown,
    });
  });

  test('a link to a program is fine', async () => {
    const at = stage();
    symlinkSync(at.program('real', 'echo 2'), join(at.top, 'codex'));
    const session = agentSession(options(at, { env: { PATH: `${at.top}:${path}` } }));
    expect(await session.describe(configWith({ agent: { name: 'codex' } }))).toMatchObject({ version: '2' });
  });
});
