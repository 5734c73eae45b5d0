import { describe, expect, test } from 'vitest';
import { judgeSessionEnd } from '../../../src/adapters/agents/agent-read.ts';
import { claude } from '../../../src/adapters/agents/executors/claude.ts';
import { codex } from '../../../src/adapters/agents/executors/codex.ts';
import type { ExecutorSpec } from '../../../src/adapters/agents/executors/spec.ts';
import type { ProcessResult } from '../../../src/adapters/processes/process.ts';
import { addEvent, emptyTranscript } from '../../../src/core/agents/transcript.ts';
import { processResult } from '../../support/sessions.ts';

/** 16 November 2026, 6:00 UTC, on a clock one hour ahead of it. */
const now = { epochMs: Date.UTC(2026, 10, 16, 6, 0), offsetMinutes: 60 };

interface Run {
  readonly spec?: ExecutorSpec;
  readonly stdout?: readonly (object | string)[];
  readonly stderr?: string;
  readonly result?: Partial<ProcessResult>;
}

/** A session without an answer: what it printed, and how its process ended. */
function judge({ spec = codex, stdout = [], stderr = '', result = {} }: Run) {
  const exitCode = result.exitCode ?? (result.signal === undefined ? 1 : null);
  const lines = stdout.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  return judgeSessionEnd({
    spec,
    result: processResult({ exitCode, ...result }),
    ended: {
      transcript: lines.flatMap((line) => spec.follow(line)).reduce(addEvent, emptyTranscript),
      stderr,
      answerFile: { kind: 'missing' },
      exitCode,
    },
    isAnswered: false,
    loginFix: null,
    idleSecs: 600,
    now,
  });
}

const reconnect = {
  type: 'error',
  message: 'Reconnecting... 1/5 (exceeded retry limit, last status: 429 Too Many Requests)',
};
const metadata = {
  type: 'item.completed',
  item: { type: 'error', message: 'Model metadata for `m` not found. Defaulting to fallback metadata' },
};
const websocket =
  '2026-11-16T06:34:38.714721Z ERROR codex_api::endpoint::responses_websocket: failed to connect to Responses WebSocket';
const crash = { kind: 'failed', failure: 'crashed' };

describe('whose words count', () => {
  test('stderr, where there is no error record: the line that says it', () => {
    const tooLong = 'Error: turn/start failed: Input exceeds the maximum length of 1048576 characters.';
    expect(judge({ stderr: `WARNING: proceeding\n${websocket}\n${tooLong}\n` })).toEqual({
      kind: 'failed',
      failure: 'context_too_long',
      reason: `codex: ${tooLong}`,
    });
    const root = '--dangerously-skip-permissions cannot be used with root/sudo privileges for security';
    expect(judge({ spec: claude, stderr: `${root}\n` })).toEqual({
      kind: 'blocked',
      failure: 'sandbox',
      reason: `claude: ${root}`,
      fix: expect.stringContaining('IS_SANDBOX=1') as unknown,
    });
    expect(judge({ stderr: 'Missing environment variable: `CODEX_API_KEY`.\n' })).toMatchObject({
      failure: 'not_logged_in',
    });
  });

  test('not what was told on the way, on stdout or in log lines', () => {
    expect(judge({ stdout: [metadata], stderr: 'thread panicked\n' })).toMatchObject(crash);
    expect(judge({ stdout: [reconnect, metadata] })).toMatchObject(crash);
    expect(judge({ stderr: `${websocket}\n` })).toMatchObject(crash);
    const tool = '2026-11-16T06:35:11Z ERROR codex_core::tools::router: error=401 Unauthorized';
    expect(judge({ stderr: `${tool}\nerror: unexpected argument '--nope' found\n` })).toEqual({
      ...crash,
      reason: "codex ended with exit code 1: error: unexpected argument '--nope' found",
    });
  });

  test('not what the model or a tool said', () => {
    const message = { type: 'agent_message', text: '401 Unauthorized, Quota exceeded' };
    const output = { type: 'command_execution', aggregated_output: '429', exit_code: 1 };
    const stdout = [message, output].map((item) => ({ type: 'item.completed', item }));
    expect(judge({ stdout: [...stdout, '401 Unauthorized'] })).toMatchObject(crash);
    const said = { type: 'assistant', message: { content: [{ type: 'text', text: 'Quota exceeded' }] } };
    expect(judge({ spec: claude, stdout: [said] })).toMatchObject(crash);
  });

  test('one that was killed did not end by its words, unless it had failed before', () => {
    const killed = { signal: 'SIGKILL' } as const;
    expect(judge({ stderr: 'socket', stdout: [metadata], result: killed })).toEqual({
      ...crash,
      reason: 'codex ended with signal SIGKILL',
    });
    const failed = { type: 'turn.failed', error: { message: 'Quota exceeded.' } };
    expect(judge({ stdout: [failed], result: killed })).toMatchObject({ failure: 'quota' });
  });

  test('as people can read them', () => {
    const message = `\u001b[31mQuota exceeded.\u0007\n${'x'.repeat(5000)}`;
    const end = judge({ stdout: [{ type: 'turn.failed', error: { message } }] });
    expect(end).toMatchObject({ kind: 'blocked', reason: 'codex: Quota exceeded.' });
  });
});

describe('when it will work again', () => {
  test('the whole message is shown, however long', () => {
    const words = `You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro),\nvisit https://chatgpt.com/codex/settings/usage to purchase more credits${' or wait a little'.repeat(6)}, or try again at 9:12 AM.`;
    const end = judge({ stdout: [{ type: 'turn.failed', error: { message: words } }] });
    expect(end).toMatchObject({
      kind: 'unavailable',
      reason: `codex: ${words.replaceAll('\n', ' ')}`,
      reset_at_ms: Date.UTC(2026, 10, 16, 8, 13),
    });
  });

  const limit = (resetsAt: number) => ({
    type: 'rate_limit_event',
    rate_limit_info: { status: 'rejected', resetsAt, rateLimitType: 'five_hour' },
  });
  const rejected = {
    type: 'result',
    is_error: true,
    api_error_status: 429,
    result: "You've hit your session limit · resets 9:27am (UTC)",
  };

  test('as a record states it, else as the words do', () => {
    expect(judge({ spec: claude, stdout: [limit(1_794_792_438), rejected] })).toMatchObject({
      kind: 'unavailable',
      failure: 'rate_limited',
      reset_at_ms: 1_794_792_438_000,
    });
    expect(judge({ spec: claude, stdout: [rejected] })).toMatchObject({
      kind: 'unavailable',
      reset_at_ms: Date.UTC(2026, 10, 16, 9, 28),
    });
  });

  test('on the local clock', () => {
    const message = 'You’ve hit your usage limit. Upgrade to Pro or try again at 8:34 AM.';
    expect(judge({ stdout: [{ type: 'turn.failed', error: { message } }] })).toMatchObject({
      kind: 'unavailable',
      failure: 'rate_limited',
      reset_at_ms: Date.UTC(2026, 10, 16, 7, 35),
    });
  });

  test('only by the words it ended with', () => {
    const early = { type: 'error', message: 'told on the way: try again in 2 hours' };
    const failed = { type: 'turn.failed', error: { message: '429 Too Many Requests' } };
    expect(judge({ stdout: [early, failed] })).toMatchObject({ kind: 'unavailable', reset_at_ms: null });
    expect(judge({ stderr: 'rate limit reached, retry after 30s' })).toMatchObject({
      kind: 'unavailable',
      reset_at_ms: now.epochMs + 30_000,
    });
  });
});

describe('silence', () => {
  const idle = { end: 'idle', signal: 'SIGTERM' } as const;
  const silent = 'codex was silent for 600 s (agent.idle_timeout_secs)';

  test('after a word about the model is what that word says', () => {
    expect(judge({ stdout: [reconnect], result: idle })).toMatchObject({
      kind: 'unavailable',
      failure: 'rate_limited',
      reason: `${silent} after: ${reconnect.message}`,
      reset_at_ms: null,
    });
    const span = { type: 'error', message: 'Reconnecting... 2/5 (429 Too Many Requests: try again in 60s)' };
    expect(judge({ stdout: [span], result: idle })).toMatchObject({ reset_at_ms: now.epochMs + 60_000 });
    const login = { type: 'error', message: 'Reconnecting... 1/5 (unexpected status 401 Unauthorized: x)' };
    expect(judge({ stdout: [login], result: idle })).toMatchObject({
      kind: 'blocked',
      failure: 'not_logged_in',
    });
  });

  test('without one, or after the model was heard again, is a hang', () => {
    const message = { type: 'item.completed', item: { type: 'agent_message', text: 'go on' } };
    for (const stdout of [[], [reconnect, message]])
      expect(judge({ stdout, result: idle })).toEqual({ kind: 'failed', failure: 'silent', reason: silent });

    const riddle = { type: 'system', subtype: 'api_retry', attempt: 1, max_retries: 2, error: 'unknown' };
    expect(judge({ spec: claude, stdout: [riddle], result: idle })).toMatchObject({ failure: 'silent' });
  });
});
