import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agentSession } from '../../../src/adapters/agents/agent-session.ts';
import type { SessionResult } from '../../../src/core/agents/session.ts';
import type { SessionRequest } from '../../../src/ports/sessions.ts';
import { waitUntil } from '../../support/scratch.ts';
import { sessionOptions, sessionRequest, stage } from '../../support/sessions.ts';
import type { Stage } from '../../support/sessions.ts';

const started = '{"type":"item.started","item":{"id":"i1","type":"command_execution","command":"npm test"}}';
const ended =
  '{"type":"item.completed","item":{"id":"i1","type":"command_execution","exit_code":1,"status":"failed"}}';
const completed = '{"type":"turn.completed","usage":{"input_tokens":7,"output_tokens":2}}';

function eventsFile(at: Stage): string {
  return at.place.iteration({ run_id: 'r', iter: 3 }).events;
}

function events(at: Stage): readonly Record<string, unknown>[] {
  return readFileSync(eventsFile(at), 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

function runCodex(at: Stage, lines: string, more: Partial<SessionRequest> = {}): Promise<SessionResult> {
  const bin = at.program('my-codex', lines);
  return agentSession(sessionOptions(at)).run(sessionRequest({ name: 'codex', bin }, more));
}

/** Holds the agent until the test lets it go on. */
const hold = (name: string): string => `while [ ! -e '${name}' ]; do sleep 0.05; done`;

describe('live', () => {
  test('what an agent does is in events.jsonl and told while it still runs, line by line', async () => {
    const at = stage();
    const told: string[] = [];
    const lines = `echo '${started}'; ${hold('one')}; echo 'garbage {'; printf '%s' '${ended.slice(0, 40)}'; ${hold('two')}
      echo '${ended.slice(40)}'; ${hold('three')}; printf '%s' '${completed}'`;
    const running = runCodex(at, lines, { onActivity: ({ line }) => told.push(line) });
    const count = (wanted: number) => () => existsSync(eventsFile(at)) && events(at).length === wanted;

    await waitUntil('the first event', count(1));
    expect(events(at)).toMatchObject([
      { v: 1, seq: 1, session: 1, role: 'agent', type: 'tool_call', tool: 'shell', detail: 'npm test' },
    ]);
    expect(told).toEqual(['$ npm test']);
    writeFileSync(join(at.top, 'one'), '');
    await waitUntil('half a line', () => readFileSync(at.own.stdout, 'utf8').endsWith(ended.slice(0, 40)));
    expect(events(at)).toHaveLength(1);
    writeFileSync(join(at.top, 'two'), '');
    await waitUntil('the second event', count(2));
    expect(events(at)[1]).toMatchObject({ seq: 2, type: 'tool_result', failed: true, exit_code: 1 });
    expect(told).toEqual(['$ npm test', 'failed with exit code 1']);
    writeFileSync(join(at.top, 'three'), '');

    const { usage } = await running;
    expect(usage).toMatchObject({ input_tokens: 7, output_tokens: 2 });
    expect(events(at).map(({ type }) => type)).toEqual(['tool_call', 'tool_result', 'usage', 'finished']);
    const log = readFileSync(at.place.iteration({ run_id: 'r', iter: 3 }).executorLog, 'utf8');
    expect(log).toBe(`${started}\ngarbage {\n${ended}\n${completed}`);
  });

  test('a command’s lines are its events, and only those', async () => {
    const at = stage();
    const run = (lines: string) => {
      const program = at.program('agent', lines);
      const request = sessionRequest({ name: 'command', command: [program] });
      return agentSession(sessionOptions(at)).run(request);
    };
    await run('echo one; echo two; printf three');
    await run('echo four');
    expect(events(at).map(({ text }) => text)).toEqual(['one\n', 'two\n', 'three\n', 'four\n']);
  });

  test('a further session and a review go on in the same file', async () => {
    const at = stage();
    await runCodex(at, `echo '${started}'`);
    await runCodex(at, `echo '${completed}'`, { session: 2 });
    await runCodex(at, `echo '${completed}'`, { role: 'review' });
    expect(events(at).map(({ session, role, type }) => [session, role, type])).toEqual([
      [1, 'agent', 'tool_call'],
      [2, 'agent', 'usage'],
      [2, 'agent', 'finished'],
      [1, 'review', 'usage'],
      [1, 'review', 'finished'],
    ]);
  });
});

describe('whatever stands where the events go', () => {
  test.each([
    ['a link', (file: string, outside: string) => symlinkSync(outside, file)],
    ['a folder', (file: string) => mkdirSync(file)],
    ['a pipe', (file: string) => execFileSync('mkfifo', [file])],
  ])('%s is not followed, and the session goes on', async (_what, put) => {
    const at = stage();
    const outside = join(at.top, 'outside');
    writeFileSync(outside, 'mine');
    mkdirSync(dirname(eventsFile(at)), { recursive: true });
    put(eventsFile(at), outside);
    const told: string[] = [];
    const result = await runCodex(at, `echo '${started}'; echo '${completed}'`, {
      onActivity: ({ line }) => told.push(line),
    });
    expect(result).toMatchObject({ end: { kind: 'exited' }, usage: { input_tokens: 7 } });
    expect(told).toEqual(['$ npm test']);
    expect(readFileSync(outside, 'utf8')).toBe('mine');
  });

  test('a link that the agent puts there is not followed either', async () => {
    const at = stage();
    const outside = join(at.top, 'outside');
    writeFileSync(outside, 'mine');
    const file = eventsFile(at);
    await runCodex(
      at,
      `echo '${started}'; rm -f '${file}'; ln -s '${outside}' '${file}'; echo '${completed}'`,
    );
    expect(readFileSync(outside, 'utf8')).toBe('mine');
  });
});
