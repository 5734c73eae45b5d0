/** Recorded output of the real codex and claude (test/agents/recordings) as the runner reads it, end by end. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { judgeSessionEnd, readAnswer } from '../../../../src/adapters/agents/agent-read.ts';
import { claude } from '../../../../src/adapters/agents/executors/claude.ts';
import { codex } from '../../../../src/adapters/agents/executors/codex.ts';
import type { ExecutorSpec } from '../../../../src/adapters/agents/executors/spec.ts';
import { parseAgentOutput } from '../../../../src/core/agents/agent-output.ts';
import { addEvent, emptyTranscript } from '../../../../src/core/agents/transcript.ts';
import type { SourceText } from '../../../../src/core/types.ts';

const folder = 'test/agents/recordings';

interface Recorded {
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly ended_by: 'itself' | 'us';
  readonly started_at: string;
}

/** A session that had to be ended was ended for its silence. */
function replay(spec: ExecutorSpec, place: string) {
  const read = (name: string): string => readFileSync(join(folder, place, name), 'utf8');
  const recorded = JSON.parse(read('end.json')) as Recorded;
  const lines = read('stdout.txt').split('\n');
  const events = lines.flatMap((line) => spec.follow(line));
  const transcript = events.reduce(addEvent, emptyTranscript);
  const answerFile: SourceText = existsSync(join(folder, place, 'answer.txt'))
    ? { kind: 'text', text: read('answer.txt') }
    : { kind: 'missing' };
  const ended = { transcript, stderr: read('stderr.txt'), answerFile, exitCode: recorded.exit_code };
  const answer = parseAgentOutput(readAnswer(spec, ended));
  const startedMs = Date.parse(recorded.started_at);
  const end = judgeSessionEnd({
    spec,
    result: {
      end: recorded.ended_by === 'us' ? 'idle' : 'exited',
      exitCode: recorded.exit_code,
      signal: recorded.signal,
      interruptSignal: null,
      startError: null,
      durationMs: 1,
      leftovers: [],
    },
    ended,
    isAnswered: answer.ok,
    idleSecs: 6,
    now: { epochMs: startedMs, offsetMinutes: 0 },
  });
  const denials = [...transcript.denials, ...(spec.denials?.(ended.stderr) ?? [])];
  return { end, answer, events, transcript, denials, startedMs };
}

const answered = { kind: 'exited', status: 'done' };
const noAnswer = { kind: 'exited', status: null };
const stopped = (failure: string) => ({ kind: 'blocked', failure, status: null });
const waiting = (failure: string) => ({ kind: 'unavailable', failure, status: null });
const counted = (failure: string) => ({ kind: 'failed', failure, status: null });

/** How each case ends; claude checks its answers itself and gives up on one that it cannot make fit. */
const rows: Readonly<Record<string, object>> = {
  done: answered,
  edit: answered,
  reasoning: answered,
  decomposed: { kind: 'exited', status: 'decomposed' },
  cut: answered,
  transient: answered,
  denied: answered,
  question: answered,
  prose: noAnswer,
  empty: noAnswer,
  'wrong-schema': noAnswer,
  'claude wrong-schema': counted('malformed'),
  '401': stopped('not_logged_in'),
  '403': stopped('not_logged_in'),
  'not-logged-in': stopped('not_logged_in'),
  '404-model': stopped('model_not_found'),
  quota: stopped('quota'),
  '400-too-long': counted('context_too_long'),
  '429': waiting('rate_limited'),
  '429-retry-after': waiting('rate_limited'),
  '429-hour': waiting('rate_limited'),
  'usage-limit': waiting('rate_limited'),
  '500': waiting('overloaded'),
  '529': waiting('overloaded'),
  refused: waiting('network'),
  dropped: waiting('network'),
  malformed: waiting('network'),
  'malformed-empty': waiting('network'),
  silent: counted('silent'),
};

describe.each([
  { id: 'codex-0.166.0', spec: codex },
  { id: 'claude-2.1.197', spec: claude },
  { id: 'claude-2.1.325', spec: claude },
])('$id', ({ id, spec }) => {
  const cases = readdirSync(join(folder, id)).filter((name) => name in rows);

  test('was recorded in every case', () => {
    expect(cases).toHaveLength(Object.keys(rows).length - 1);
    expect(spec.provenVersions.map((version) => `${spec.name}-${version}`)).toContain(id);
  });

  test.each(cases)('%s', (name) => {
    const { end, answer, transcript } = replay(spec, `${id}/${name}`);
    const status = answer.ok ? answer.output.status : null;
    expect({ ...end, status }).toMatchObject(rows[`${spec.name} ${name}`] ?? rows[name] ?? {});
    // A tool that seems open for ever would hide a silence.
    expect(transcript.openTools.size).toBe(0);
  });

  test('what it used is the sum over the requests of the session', () => {
    const cost = spec === claude ? (expect.closeTo(0.007, 3) as unknown) : null;
    expect(replay(spec, `${id}/done`).transcript.usage).toEqual({
      input_tokens: 3600,
      cached_input_tokens: 2400,
      output_tokens: 180,
      cost_usd: cost,
    });
  });

  test('what it did', () => {
    const types = (name: string) => replay(spec, `${id}/${name}`).events.map(({ type }) => type);
    const { events } = replay(spec, `${id}/done`);
    expect(events).toContainEqual({ type: 'message', text: 'I write the file.', partial: false });
    const detail = expect.stringContaining('echo made > made.txt') as unknown;
    expect(events).toContainEqual(expect.objectContaining({ type: 'tool_call', tool: 'shell', detail }));
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'tool_result', failed: true, exit_code: 7 }),
    );
    expect(replay(spec, `${id}/edit`).events).toContainEqual({
      type: 'file_edit',
      path: expect.stringMatching(/\/made\.txt$/) as unknown,
      change: 'add',
    });
    expect(types('reasoning')).toContain('reasoning');
    expect(types('transient').filter((type) => type === 'retry').length).toBeGreaterThan(0);
    expect(types('transient')).not.toContain('error');
  });

  test('what it was refused, and what it could not ask', () => {
    const denied = replay(spec, `${id}/denied`).denials;
    const asked = replay(spec, `${id}/question`).denials;
    expect([denied, asked]).toEqual(
      spec === claude
        ? [['Bash rm a.txt'], ['AskUserQuestion Which one?']]
        : [
            ['patch rejected: writing outside of the project; rejected by user approval settings'],
            ['request_user_input is unavailable in Default mode'],
          ],
    );
    expect(replay(spec, `${id}/done`).denials).toEqual([]);
  });

  test('a plan limit says when it ends, to the minute at least', () => {
    const { end, startedMs } = replay(spec, `${id}/usage-limit`);
    const resetMs = end.kind === 'unavailable' ? (end.reset_at_ms ?? 0) : 0;
    expect(Math.abs(resetMs - (startedMs + 5_400_000))).toBeLessThan(90_000);
  });
});
