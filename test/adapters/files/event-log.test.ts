import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { openEventLog } from '../../../src/adapters/files/event-log.ts';
import type { EventLog } from '../../../src/adapters/files/event-log.ts';
import type { AgentEvent } from '../../../src/core/agents/agent-events.ts';
import { eventLogBytesMax } from '../../../src/core/limits.ts';
import { unknownUsage } from '../../../src/core/agents/usage.ts';
import { scratchFolder } from '../../support/scratch.ts';
import { canMount, mountSmallDisk } from '../../support/small-disk.ts';

/** Nothing is secret here. */
const same = (text: string): string => text;
const clock = { nowIso: () => '2026-01-01T00:00:00.000Z' };

function open(file: string, session = 1, role: 'agent' | 'review' = 'agent'): EventLog {
  return openEventLog({ folder: '/project', file, session, role, clock, redact: same });
}

function message(text: string, partial = false): AgentEvent {
  return { type: 'message', text, partial };
}

function records(file: string): readonly Record<string, unknown>[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('events.jsonl', () => {
  test('each event is a line at once, numbered, with its place', () => {
    const file = join(scratchFolder(), 'events.jsonl');
    const log = open(file);
    log.add({ type: 'tool_call', id: 't', tool: 'shell', detail: 'npm test' });
    const line =
      '{"v":1,"seq":1,"at":"2026-01-01T00:00:00.000Z","session":1,"role":"agent",' +
      '"type":"tool_call","id":"t","tool":"shell","detail":"npm test"}\n';
    expect(readFileSync(file, 'utf8')).toBe(line);
    log.add({ type: 'finished' });
    expect(records(file).map(({ seq, type }) => [seq, type])).toEqual([
      [1, 'tool_call'],
      [2, 'finished'],
    ]);
    log.close();
  });

  test('pieces of a message are one line; what is open at the end is written then', () => {
    const file = join(scratchFolder(), 'events.jsonl');
    const log = open(file);
    for (const piece of ['a', 'b', '\n', 'c']) log.add(message(piece, true));

    expect(records(file).map(({ text }) => text)).toEqual(['ab\n']);
    log.close();
    expect(records(file).map(({ text }) => text)).toEqual(['ab\n', 'c']);
  });

  test('many at once are the same lines', () => {
    const [one, all] = ['one', 'all'].map((name) => join(scratchFolder(), name)) as [string, string];
    const events = [...['a', 'b\n', 'c'].map((piece) => message(piece, true)), ...Object.values(everyKind)];
    const [first, second] = [open(one), open(all)];
    events.forEach((event) => first.add(event));
    second.addAll(events);
    expect(readFileSync(all, 'utf8')).toBe(readFileSync(one, 'utf8'));
    expect(records(all)).toHaveLength(Object.keys(everyKind).length + 2);
    second.addAll([]);
    first.close();
    second.close();
    expect(readFileSync(all, 'utf8')).toBe(readFileSync(one, 'utf8'));
  });

  test('a second session and a review append to it', () => {
    const file = join(scratchFolder(), 'events.jsonl');
    for (const [session, role] of [
      [1, 'agent'],
      [2, 'agent'],
      [1, 'review'],
    ] as const) {
      const log = open(file, session, role);
      log.add({ type: 'finished' });
      log.close();
    }
    expect(records(file).map(({ session, role, seq }) => [session, role, seq])).toEqual([
      [1, 'agent', 1],
      [2, 'agent', 1],
      [1, 'review', 1],
    ]);
  });
});

const everyKind: { readonly [T in AgentEvent['type']]: Extract<AgentEvent, { type: T }> } = {
  message: { type: 'message', text: 'm', partial: false },
  reasoning: { type: 'reasoning', text: 'r', partial: false },
  tool_call: { type: 'tool_call', id: 'i', tool: 'shell', detail: 'd' },
  tool_result: { type: 'tool_result', id: 'i', failed: false, exit_code: null },
  file_edit: { type: 'file_edit', path: 'p', change: 'delete' },
  error: { type: 'error', message: 'e', status: 429, fatal: true, reset_at_ms: 1 },
  retry: { type: 'retry', message: 'e', status: null, reset_at_ms: null },
  denied: { type: 'denied', what: 'w' },
  usage: { type: 'usage', scope: 'turn', usage: { ...unknownUsage, cost_usd: 0.1 } },
  answer: { type: 'answer', text: '{}' },
  finished: { type: 'finished' },
};

test('every kind of event is a line of the shipped schema, and nothing else is', () => {
  const schema = JSON.parse(readFileSync('schemas/events/v1.schema.json', 'utf8')) as object;
  const validate = new Ajv2020({ allowUnionTypes: true }).compile(schema);
  const file = join(scratchFolder(), 'events.jsonl');
  const log = open(file);
  for (const event of Object.values(everyKind)) log.add(event);

  log.close();
  const kept = records(file);
  expect(kept.map(({ type }) => type)).toEqual(Object.keys(everyKind));
  for (const record of kept) {
    expect([validate(record), record]).toEqual([true, record]);
    expect(validate({ ...record, more: 1 })).toBe(false);
    expect(validate({ ...record, type: 'other' })).toBe(false);
    expect(validate({ ...record, role: 'person' })).toBe(false);
  }
});

describe('what a session does to the path', () => {
  test.each([
    ['a link', (file: string, outside: string) => symlinkSync(outside, file)],
    ['a link to nothing', (file: string, outside: string) => symlinkSync(`${outside}-new`, file)],
    ['a folder', (file: string) => mkdirSync(file)],
    ['a pipe', (file: string) => execFileSync('mkfifo', [file])],
    ['no folder at all', (file: string) => rmSync(join(file, '..'), { recursive: true })],
  ])('%s there is not followed and stops nothing', (_what, put) => {
    const base = scratchFolder();
    const outside = join(base, 'outside');
    writeFileSync(outside, 'mine');
    mkdirSync(join(base, 'logs'));
    const file = join(base, 'logs', 'events.jsonl');
    put(file, outside);
    const log = open(file);
    log.add(message('x'));
    log.close();
    expect(readFileSync(outside, 'utf8')).toBe('mine');
    expect(existsSync(`${outside}-new`)).toBe(false);
  });

  test('a reader at a pipe gets nothing', async () => {
    const file = join(scratchFolder(), 'events.jsonl');
    execFileSync('mkfifo', [file]);
    const log = await withReader(file, () => open(file));
    log.add(message('x'));
    log.close();
  });

  test('what is put there while it runs changes nothing: the log keeps its own file', () => {
    const folder = scratchFolder();
    const file = join(folder, 'events.jsonl');
    const log = open(file);
    log.add(message('one'));
    renameSync(file, join(folder, 'moved'));
    writeFileSync(join(folder, 'outside'), 'mine');
    symlinkSync(join(folder, 'outside'), file);
    log.add(message('two'));
    log.close();
    expect(readFileSync(join(folder, 'outside'), 'utf8')).toBe('mine');
    expect(records(join(folder, 'moved')).map(({ text }) => text)).toEqual(['one', 'two']);
  });
});

/** Opens the pipe for reading first, so that opening it for writing would succeed. */
async function withReader<T>(file: string, act: () => T): Promise<T> {
  const reader = await openFile(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const result = act();
    const { bytesRead } = await reader.read(Buffer.alloc(10), 0, 10, null);
    expect(bytesRead).toBe(0);
    return result;
  } finally {
    await reader.close();
  }
}

describe('room', () => {
  test('the file never grows past its cap, and ends with a whole line', () => {
    const file = join(scratchFolder(), 'events.jsonl');
    writeFileSync(file, '');
    truncateSync(file, eventLogBytesMax - 1000);
    appendFileSync(file, '\n');
    const log = open(file, 2);
    for (let turn = 0; turn < 100; turn += 1) log.add(message('x'.repeat(100)));

    log.add({ type: 'finished' });
    expect(log.isOpen()).toBe(false);
    log.close();
    expect(statSync(file).size).toBeLessThanOrEqual(eventLogBytesMax);
    const lines = readFileSync(file).subarray(-999).toString('utf8').split('\n');
    expect(lines.at(-1)).toBe('');
    expect(JSON.parse(lines.at(-2) ?? '')).toMatchObject({ session: 2, type: 'message' });
  });

  test('a listener gets every event, also where the file has no room', () => {
    const file = join(scratchFolder(), 'events.jsonl');
    writeFileSync(file, '');
    truncateSync(file, eventLogBytesMax);
    const heard: number[] = [];
    const onEvent = (_event: AgentEvent, place: { readonly seq: number }): number => heard.push(place.seq);
    const log = openEventLog({
      folder: '/project',
      file,
      session: 1,
      role: 'agent',
      clock,
      redact: same,
      onEvent,
    });
    log.addAll([message('a'), message('b')]);
    log.add(message('c'));
    expect(log.isOpen()).toBe(true);
    log.close();
    expect(heard).toEqual([1, 2, 3]);
    expect(statSync(file).size).toBe(eventLogBytesMax);
  });

  test.runIf(canMount).each([
    [
      'one by one',
      (log: EventLog, events: readonly AgentEvent[]) => events.forEach((event) => log.add(event)),
    ],
    ['at once', (log: EventLog, events: readonly AgentEvent[]) => log.addAll(events)],
  ])('a full disk loses events, never half of one, and stops nothing (%s)', (_how, put) => {
    const file = join(mountSmallDisk(), 'events.jsonl');
    const log = open(file);
    put(
      log,
      Array.from({ length: 100 }, (_, turn) => message(`${turn} ${'x'.repeat(5000)}`)),
    );
    log.close();
    expect(readFileSync(file, 'utf8').endsWith('}\n')).toBe(true);
    const kept = records(file);
    expect(kept.length).toBeGreaterThan(5);
    expect(kept.length).toBeLessThan(20);
    expect(kept.map(({ seq }) => seq)).toEqual(kept.map((_record, at) => at + 1));
  });
});

test('secrets are taken out of whole events, for the file and for who listens', () => {
  const file = join(scratchFolder(), 'events.jsonl');
  const seen: AgentEvent[] = [];
  const redact = (text: string): string => text.replaceAll('a secret', '[redacted]');
  const onEvent = (event: AgentEvent): number => seen.push(event);
  const log = openEventLog({ folder: '/project', file, session: 1, role: 'agent', clock, redact, onEvent });
  log.addAll([
    { type: 'message', text: 'this is a sec', partial: true },
    { type: 'message', text: 'ret, really', partial: true },
    { type: 'tool_call', id: '1', tool: 'shell', detail: 'echo a secret' },
  ]);
  log.close();
  expect(seen).toMatchObject([{ text: 'this is [redacted], really' }, { detail: 'echo [redacted]' }]);
  expect(readFileSync(file, 'utf8')).not.toContain('secret');
});
