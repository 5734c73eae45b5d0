import { describe, expect, test } from 'vitest';
import { judgeSessionEnd, readAnswer } from '../../../src/adapters/agents/agent-read.ts';
import type { EndFacts } from '../../../src/adapters/agents/agent-read.ts';
import { claude } from '../../../src/adapters/agents/executors/claude.ts';
import { codex } from '../../../src/adapters/agents/executors/codex.ts';
import { commandAgent } from '../../../src/adapters/agents/executors/command.ts';
import { gemini } from '../../../src/adapters/agents/executors/gemini.ts';
import type { Ended } from '../../../src/adapters/agents/executors/spec.ts';
import type { ProcessResult } from '../../../src/adapters/processes/process.ts';
import type { AgentEvent } from '../../../src/core/agents/agent-events.ts';
import { failureKinds, failureTable } from '../../../src/core/agents/failure.ts';
import type { FailureKind } from '../../../src/core/agents/failure.ts';
import { addEvent, emptyTranscript } from '../../../src/core/agents/transcript.ts';
import type { Transcript } from '../../../src/core/agents/transcript.ts';
import { doneAnswer, processResult } from '../../support/sessions.ts';

const missing = { kind: 'missing' } as const;

function endedWith(transcript: Partial<Transcript>, more: Partial<Ended> = {}): Ended {
  return {
    transcript: { ...emptyTranscript, ...transcript },
    stderr: '',
    answerFile: missing,
    exitCode: 0,
    ...more,
  };
}

/** What an agent printed, as records or plain lines. */
function printed(spec: typeof codex, ...lines: readonly (object | string)[]): Transcript {
  return lines
    .flatMap((line) => spec.follow(typeof line === 'string' ? line : JSON.stringify(line)))
    .reduce(addEvent, emptyTranscript);
}

describe('the answer', () => {
  const message = `so: ${doneAnswer}`;
  const text = (value: string) => ({ kind: 'text', text: value });

  test('a file that is there, then what was given by schema, then the end of the last message', () => {
    const answerFile = { kind: 'text', text: 'of the file' } as const;
    expect(readAnswer(codex, endedWith({ answer: '{"a":1}', message }, { answerFile }))).toBe(answerFile);
    expect(readAnswer(codex, endedWith({ answer: '{"a":1}', message }))).toEqual(text('{"a":1}'));
    expect(readAnswer(codex, endedWith({ message }))).toEqual(text(doneAnswer));
    expect(readAnswer(codex, endedWith({ message: 'one {"a":1} two {"b":{"c":2}}.' }))).toEqual(
      text('{"b":{"c":2}}'),
    );
    expect(readAnswer(codex, endedWith({ message: 'no object {' }))).toEqual(missing);
    expect(readAnswer(codex, endedWith({}))).toEqual(missing);
  });

  test.each([
    { kind: 'too_large', bytes: 9, bytesMax: 1 },
    { kind: 'unreadable', message: 'a pipe' },
  ] as const)('a file that cannot be taken is not looked past: %j', (answerFile) => {
    expect(readAnswer(codex, endedWith({ message, answer: '{}' }, { answerFile }))).toBe(answerFile);
  });

  test('words count only where the agent has nothing better, and only of one that ended well', () => {
    expect(readAnswer(claude, endedWith({ message }))).toEqual(missing);
    expect(readAnswer(claude, endedWith({ message, answer: '{}' }, { exitCode: 1 }))).toEqual(text('{}'));
    for (const exitCode of [1, null])
      expect(readAnswer(codex, endedWith({ message }, { exitCode }))).toEqual(missing);
  });

  const long = 'big '.repeat(1_300_000);
  const child = `{"title":"${'t'.repeat(1000)}"},`;
  const large = { kind: 'too_large', bytes: expect.any(Number) as unknown, bytesMax: 65_536 };

  test.each([
    ['one long text', `{"status":"done","summary":"${long}","children":null}`],
    ['many children', `{"children":[${child.repeat(6000)}{}],"status":"decomposed"}`],
    ['children at the end', `{"status":"decomposed","children":[${child.repeat(6000)}{}]}`],
  ])('an answer of megabytes is refused by its size, not cut: %s', (_what, answer) => {
    const bytes = Buffer.byteLength(answer);
    expect(readAnswer(codex, endedWith({ message: answer }))).toEqual({ ...large, bytes });
    const pieces = answer.match(/.{1,32768}/gs) ?? [];
    const transcript = pieces
      .map((piece): AgentEvent => ({ type: 'message', text: piece, partial: true }))
      .reduce(addEvent, emptyTranscript);
    expect(readAnswer(gemini, endedWith(transcript))).toEqual({ ...large, bytes });
  });

  test('an answer after megabytes of log is found; a log without one has none', () => {
    expect(readAnswer(commandAgent, endedWith({ message: `${long}\n${doneAnswer}\n` }))).toEqual(
      text(doneAnswer),
    );
    expect(readAnswer(commandAgent, endedWith({ message: long }))).toEqual(missing);
    const code = `if (x) { y }\n${long}`;
    expect(readAnswer(commandAgent, endedWith({ message: code }))).toEqual(missing);
  });
});

const epochMs = Date.UTC(2026, 10, 16, 6, 0);

function judge(more: Partial<EndFacts>, result: Partial<ProcessResult> = {}) {
  const outcome = processResult(result);
  return judgeSessionEnd({
    spec: codex,
    result: outcome,
    ended: endedWith({}, { exitCode: outcome.exitCode }),
    isAnswered: false,
    loginFix: null,
    idleSecs: 600,
    now: { epochMs, offsetMinutes: 60 },
    ...more,
  });
}

describe('how a session ended', () => {
  const fatal = { type: 'error', message: 'Quota exceeded.', status: null, fatal: true, reset_at_ms: null };

  test.each<readonly [Partial<ProcessResult>, object]>([
    [
      { end: 'interrupted', interruptSignal: 'SIGHUP', exitCode: 0 },
      { kind: 'interrupted', signal: 'SIGHUP' },
    ],
    [
      { end: 'deadline', durationMs: 2600, exitCode: 0 },
      { kind: 'out_of_time', seconds: 3 },
    ],
    [{ end: 'answered', exitCode: 0 }, { kind: 'exited' }],
    [{ end: 'exited', exitCode: 0 }, { kind: 'exited' }],
    [
      { end: 'not_started', exitCode: null, startError: 'spawn x ENOENT' },
      { kind: 'failed', failure: 'crashed', reason: 'codex could not be started: spawn x ENOENT' },
    ],
    [
      { end: 'disk_cap', exitCode: null, signal: 'SIGTERM' },
      { kind: 'failed', failure: 'crashed', reason: 'codex printed more than 2147483648 bytes' },
    ],
    [
      { end: 'idle', exitCode: null, signal: 'SIGTERM' },
      {
        kind: 'failed',
        failure: 'silent',
        reason: 'codex was silent for 600 s (agent.idle_timeout_secs)',
      },
    ],
    [{ exitCode: 7 }, { kind: 'failed', failure: 'crashed', reason: 'codex ended with exit code 7' }],
    [
      { exitCode: null, signal: 'SIGKILL' },
      { kind: 'failed', failure: 'crashed', reason: 'codex ended with signal SIGKILL' },
    ],
  ])('%j', (result, end) => {
    expect(judge({}, result)).toEqual(end);
  });

  test('our own signal is a cancel, whatever it left; so is our clock', () => {
    const ended = endedWith({ error: fatal as Transcript['error'], answer: doneAnswer });
    expect(judge({ ended, isAnswered: true }, { end: 'interrupted', exitCode: 1 }).kind).toBe('interrupted');
    expect(judge({ ended, isAnswered: true }, { end: 'deadline', exitCode: 0 }).kind).toBe('out_of_time');
  });

  test('an answer needs a good end, and a good end no error once it has answered', () => {
    const ended = endedWith({ error: fatal as Transcript['error'] });
    expect(judge({ ended, isAnswered: true }, { exitCode: 0 })).toEqual({ kind: 'exited' });
    expect(judge({ ended, isAnswered: true }, { exitCode: 1 })).toEqual({
      kind: 'failed',
      failure: 'crashed',
      reason: 'codex ended with exit code 1',
    });
    expect(judge({ ended }, { exitCode: 0 })).toMatchObject({ kind: 'blocked', failure: 'quota' });
    const weak = { ...fatal, fatal: false } as Transcript['error'];
    expect(judge({ ended: endedWith({ error: weak }) }, { exitCode: 0 })).toEqual({ kind: 'exited' });
  });

  const words: Readonly<Record<FailureKind, string | null>> = {
    not_found: null,
    not_logged_in: 'unexpected status 401 Unauthorized: Incorrect API key provided: x., url: http://h',
    rate_limited: 'exceeded retry limit, last status: 429 Too Many Requests',
    quota: 'Quota exceeded. Check your plan and billing details.',
    overloaded: 'We’re currently experiencing high demand, which may cause temporary errors.',
    network: 'Connection failed: error sending request',
    context_too_long: '{"error":{"code":"context_length_exceeded"}}',
    model_not_found: 'The model `gpt-x` does not exist or you do not have access to it.',
    sandbox: 'bwrap: setting up uid map: Permission denied',
    crashed: 'thread panicked',
    timed_out: null,
    silent: null,
    malformed: null,
  };

  test.each(failureKinds.filter((kind) => words[kind] !== null))('%s goes by its rule', (failure) => {
    const message = words[failure] ?? '';
    const transcript = printed(codex, { type: 'turn.failed', error: { message } });
    const end = judge({ ended: endedWith(transcript, { exitCode: 1 }) });
    const { rule, fix } = failureTable[failure];
    const known = failure === 'crashed' ? `codex ended with exit code 1: ${message}` : `codex: ${message}`;
    const told = { failure, reason: known };
    const own = { ...told, fix: codex.fixes[failure] ?? fix };
    expect(end).toEqual(
      {
        stop: { kind: 'blocked', ...own },
        wait: { kind: 'unavailable', ...own, reset_at_ms: null },
        count: { kind: 'failed', ...told },
      }[rule],
    );
  });

  test('the fix is the agent’s own where it has one', () => {
    const login = { type: 'result', is_error: true, result: 'Not logged in · Please run /login' };
    const ended = endedWith(printed(claude, login), { exitCode: 1 });
    expect(judge({ spec: claude, ended })).toEqual({
      kind: 'blocked',
      failure: 'not_logged_in',
      reason: 'claude: Not logged in · Please run /login',
      fix: claude.fixes.not_logged_in,
    });
  });
});
