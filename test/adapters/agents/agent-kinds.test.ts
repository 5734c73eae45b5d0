import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agentSession } from '../../../src/adapters/agents/agent-session.ts';
import { systemClock } from '../../../src/adapters/files/clock.ts';
import { unknownUsage } from '../../../src/core/agents/usage.ts';
import type { Clock } from '../../../src/ports/sessions.ts';
import { configOutside } from '../../support/facts.ts';
import { waitUntil } from '../../support/scratch.ts';
import { doneAnswer, sessionOptions, sessionRequest, stage } from '../../support/sessions.ts';
import type { Stage } from '../../support/sessions.ts';

const answer = doneAnswer;
const turnFailed = '{"type":"turn.failed","error":{"message":"Quota exceeded.\\u001b[31m"}}';
const turnDone = '{"type":"turn.completed","usage":{"input_tokens":7,"output_tokens":2}}';
const answerMessage = `{"type":"item.completed","item":{"type":"agent_message","text":${JSON.stringify(answer)}}}`;

/** A file with the lines an agent is to print; its program prints them all. */
function printing(at: Stage, name: string, options: { lines: readonly string[]; after: string }): string {
  const file = join(at.top, `${name}.out`);
  writeFileSync(file, options.lines.map((line) => `${line}\n`).join(''));
  return at.program(name, `cat '${file}'; ${options.after}`);
}

/** Time that stands still until the agent has printed all its lines and then flies, so that a slow machine changes nothing. */
function hastyClock(at: Stage, name: string): Clock & { readonly passedMs: () => number } {
  const size = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  let nowMs = 0;
  return {
    ...systemClock(),
    monotonicMs: () => {
      nowMs += size(at.own.stdout) >= size(join(at.top, `${name}.out`)) ? 200 : 0;
      return nowMs;
    },
    passedMs: () => nowMs,
  };
}

const idle = { idle_timeout_secs: 1 } as const;
const endless = { deadlineMs: 1e12 } as const;

describe('codex', () => {
  test('gets its key and no other, no answer file by name, and writes it where it is told', async () => {
    const at = stage();
    const bin = at.program(
      'my-codex',
      `env > got-env; for a in "$@"; do [ "$last" = -o ] && printf '%s' '${answer}' > "$a"; last=$a; done`,
    );
    const result = await agentSession(sessionOptions(at)).run(sessionRequest({ name: 'codex', bin }));
    expect(result).toMatchObject({ end: { kind: 'exited' }, answer: { kind: 'text', text: answer } });
    const env = readFileSync(join(at.top, 'got-env'), 'utf8');
    expect(env).toContain('key-o');
    expect(env).not.toMatch(/key-a|RUNNER_OUTPUT/);
    expect(env).toContain(`RUNNER_SCHEMA=${at.own.schema}\n`);
  });

  test('is blocked by a failure without an answer; with one it only failed', async () => {
    const at = stage();
    const bin = printing(at, 'my-codex', { lines: [turnFailed], after: 'exit 1' });
    const session = agentSession(sessionOptions(at));
    expect((await session.run(sessionRequest({ name: 'codex', bin }))).end).toMatchObject({
      kind: 'blocked',
      failure: 'quota',
      reason: 'codex: Quota exceeded.',
    });
    const after = `printf '%s' '${answer}' > '${at.own.answer}'; exit 1`;
    const answers = printing(at, 'answers', { lines: [turnFailed], after });
    expect((await session.run(sessionRequest({ name: 'codex', bin: answers }))).end).toEqual({
      kind: 'failed',
      failure: 'crashed',
      reason: 'codex ended with exit code 1',
    });
  });

  test('what it used and what it was refused are told, however it ended', async () => {
    const at = stage();
    const refused = '2026-11-16T06:35:11Z ERROR codex_core::tools::router: error=patch rejected: outside';
    const bin = printing(at, 'my-codex', {
      lines: [turnDone, 'garbage {', ''],
      after: `echo '${refused}' >&2; echo '${refused}' >&2; exit 3`,
    });
    expect(await agentSession(sessionOptions(at)).run(sessionRequest({ name: 'codex', bin }))).toMatchObject({
      end: { kind: 'failed' },
      usage: { ...unknownUsage, input_tokens: 7, output_tokens: 2 },
      denials: ['patch rejected: outside'],
    });
  });
});

describe('one that is through but does not exit is ended after its grace and counts as exited', () => {
  test.each([
    ['command', (at: Stage) => at.program('it', `printf '%s' '${answer}' > "$RUNNER_OUTPUT"; sleep 600`)],
    [
      'codex',
      (at: Stage) => printing(at, 'it', { lines: [answerMessage, turnDone, 'more'], after: 'sleep 600' }),
    ],
    [
      'claude',
      (at: Stage) => {
        const lines = [`{"type":"result","is_error":false,"structured_output":${answer}}`];
        return printing(at, 'it', { lines, after: 'sleep 600' });
      },
    ],
  ] as const)('%s', async (name, make) => {
    const at = stage();
    const bin = make(at);
    const agent = name === 'command' ? { name, command: [bin] } : { name, bin };
    const session = agentSession(sessionOptions(at, { answerGraceMs: 100 }));
    expect(await session.run(sessionRequest(agent))).toMatchObject({
      end: { kind: 'exited' },
      exit_code: 0,
      answer: { kind: 'text', text: answer },
    });
  });

  test('not one that only says something like it, or that says nothing of use', async () => {
    const at = stage();
    for (const lines of [[answerMessage], [turnDone]]) {
      const bin = printing(at, 'it', { lines, after: 'sleep 600' });
      const session = agentSession(sessionOptions(at, { answerGraceMs: 0, clock: hastyClock(at, 'it') }));
      const { end } = await session.run(sessionRequest({ name: 'codex', bin, ...idle }, endless));
      expect(end).toMatchObject({ failure: 'silent' });
    }
  });
});

describe('silence', () => {
  test('ends it', async () => {
    const at = stage();
    const silent = at.program('silent', 'sleep 600');
    const quiet = sessionRequest({ name: 'command', command: [silent], ...idle });
    const session = agentSession(sessionOptions(at));
    expect((await session.run(quiet)).end).toEqual({
      kind: 'failed',
      failure: 'silent',
      reason: 'the agent was silent for 1 s (agent.idle_timeout_secs)',
    });
  });

  test('does not count while a tool call is open', async () => {
    const at = stage();
    const started = '{"type":"item.started","item":{"id":"i","type":"command_execution","command":"x"}}';
    const after = `while [ ! -e go ]; do sleep 0.05; done; printf '%s' '${answer}' > '${at.own.answer}'`;
    const bin = printing(at, 'it', { lines: [started], after });
    const clock = hastyClock(at, 'it');
    const session = agentSession(sessionOptions(at, { clock }));
    const running = session.run(sessionRequest({ name: 'codex', bin, ...idle }, endless));
    await waitUntil('many times the limit', () => clock.passedMs() > 5000);
    writeFileSync(join(at.top, 'go'), '');
    expect(await running).toMatchObject({ end: { kind: 'exited' }, answer: { kind: 'text', text: answer } });
  });

  test('after a word about the model is a wait for it, to the reset it stated', async () => {
    const at = stage();
    const limit = '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":4000000000}}';
    const retry =
      '{"type":"system","subtype":"api_retry","attempt":1,"max_retries":2,"error_status":429,"error":"rate_limit"}';
    const bin = printing(at, 'it', { lines: [limit, retry], after: 'sleep 600' });
    const session = agentSession(sessionOptions(at, { clock: hastyClock(at, 'it') }));
    const request = sessionRequest({ name: 'claude', bin, ...idle }, endless);
    expect((await session.run(request)).end).toMatchObject({
      kind: 'unavailable',
      failure: 'rate_limited',
      reset_at_ms: 4_000_000_000_000,
    });
  });

  test('is not waited for where an agent asks its model for ever', async () => {
    const at = stage();
    const again = '{"type":"error","message":"Reconnecting... 1/5 (503 Service Unavailable)"}';
    const bin = printing(at, 'it', { lines: Array.from({ length: 20 }, () => again), after: 'sleep 600' });
    expect((await agentSession(sessionOptions(at)).run(sessionRequest({ name: 'codex', bin }))).end).toEqual({
      kind: 'unavailable',
      failure: 'overloaded',
      reason: expect.stringMatching(/^codex asked its model 20 times in vain after: Reconnecting/) as unknown,
      fix: expect.any(String) as unknown,
      reset_at_ms: null,
    });
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
  const request = sessionRequest({ name: 'scripted', script: 'sub/s.json' });
  const result = await agentSession(sessionOptions(at, { entryFile })).run(request);
  expect(result.answer).toMatchObject({
    kind: 'text',
    text: expect.stringContaining(`play-script ${at.top}/sub/s.json 5`) as unknown,
  });
});

describe('after a crash', () => {
  const request = { run_id: 'r', iter: 3, config: configOutside({ agent: { name: 'codex' } }) };

  test('what the session reported is read from what it printed, and its log is kept', async () => {
    const at = stage();
    mkdirSync(dirname(at.own.stdout), { recursive: true });
    writeFileSync(at.own.stdout, `${answerMessage}\n${turnDone}\n{"type":"turn.comple`);
    writeFileSync(at.own.stderr, '2026-11-16T06:35:11Z ERROR codex_core::tools::router: error=rejected x\n');
    writeFileSync(at.own.answer, answer);
    const session = agentSession(sessionOptions(at));
    for (const _time of ['once', 'and again after another crash']) {
      expect(await session.salvage(request)).toEqual({
        usage: { ...unknownUsage, input_tokens: 7, output_tokens: 2 },
        denials: ['rejected x'],
      });
    }
    const { executorLog, output } = at.place.iteration(request);
    expect(readFileSync(executorLog, 'utf8')).toContain(answerMessage);
    expect(readFileSync(output, 'utf8')).toBe(answer);
  });

  test('nothing there is nothing known', async () => {
    const at = stage();
    const session = agentSession(sessionOptions(at));
    expect(await session.salvage(request)).toEqual({ usage: unknownUsage, denials: [] });
    mkdirSync(at.own.stdout, { recursive: true });
    expect(await session.salvage(request)).toEqual({ usage: unknownUsage, denials: [] });
  });
});
