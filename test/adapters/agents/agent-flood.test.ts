/** Agents that print without measure. The volume is small here; RUNNER_FLOOD_BYTES=812000000 is what pi was seen to print. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agentSession } from '../../../src/adapters/agents/agent-session.ts';
import { parseAgentOutput } from '../../../src/core/agents/agent-output.ts';
import type { SessionResult } from '../../../src/core/agents/session.ts';
import { configOutside } from '../../support/facts.ts';
import { bundleAdapters } from '../../support/adapter-bundle.ts';
import { doneAnswer, sessionOptions, sessionRequest, stage } from '../../support/sessions.ts';
import type { Stage } from '../../support/sessions.ts';

const floodBytes = Number(process.env['RUNNER_FLOOD_BYTES'] ?? 128_000_000);
const messageBytes = 5_000_000;
const mebibyte = 1024 * 1024;
const bundle = await bundleAdapters([
  'agents/agent-session',
  'agents/secret-values',
  'files/clock',
  'files/layout',
]);

/** A program of Node that prints with `print(text)`. */
function program(at: Stage, name: string, code: string): string {
  const file = join(at.top, `${name}.mjs`);
  const print = `import { writeSync } from 'node:fs';
    function print(text) { const all = Buffer.from(text); for (let at = 0; at < all.length;) at += writeSync(1, all, at); }`;
  writeFileSync(file, `${print}\n${code}`);
  return at.program(name, `exec '${process.execPath}' '${file}'`);
}

interface Measured {
  readonly result: SessionResult;
  readonly shown: number;
  readonly peakBytes: number;
}

/** The session in a process of its own with little room, so that keeping the flood would end it. */
function measure(at: Stage, agent: Parameters<typeof sessionRequest>[0], everyActivity = true): Measured {
  const config = configOutside({ agent, executor_output_limit_bytes: mebibyte });
  const given = {
    ...sessionRequest(agent),
    config,
    everyActivity,
    onEvent: null,
    deadlineMs: 1e12,
    top: at.top,
    git: at.own.gitDir,
  };
  const code = `
    const given = ${JSON.stringify(given)};
    let shown = 0;
    const session = adapters.agentSession({
      place: adapters.layout(given.top), own: adapters.privateLayout(given.git), top: given.top, repository: 'a-repository',
      env: process.env, clock: adapters.systemClock(), entryFile: '',
      interrupts: { current: () => null, subscribe: () => () => {} },
      redactor: adapters.secretRedactor(process.env),
    });
    const result = await session.run({ ...given, onActivity: () => { shown += 1; } });
    process.stdout.write(JSON.stringify({ result, shown, peakBytes: peakBytes() }));`;
  const { stdout, stderr, exitCode } = bundle.run({
    code,
    env: { NODE_OPTIONS: '--max-old-space-size=64' },
  });
  expect([exitCode, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as Measured;
}

function expectBounded(at: Stage, peakBytes: number): void {
  const { executorLog, events } = at.place.iteration({ run_id: 'r', iter: 3 });
  expect(statSync(executorLog).size).toBeLessThanOrEqual(mebibyte);
  expect(statSync(events).size).toBeLessThanOrEqual(32 * mebibyte);
  expect(existsSync(at.own.stdout)).toBe(false);
  expect(peakBytes).toBeLessThan(180 * mebibyte);
}

describe('a flood', () => {
  test('of a message repeated with every piece of it (pi) stays small, and the message is whole', () => {
    const at = stage();
    const bin = program(
      at,
      'my-pi',
      `const text = JSON.stringify({ status: 'done', summary: 'x'.repeat(${messageBytes}), children: null });
       const message = (part) => ({ role: 'assistant', content: [{ type: 'text', text: part }], usage: { input: 5, output: 7 } });
       const pieces = Math.ceil((2 * ${floodBytes}) / text.length);
       for (let piece = 1; piece <= pieces; piece += 1) {
         const part = text.slice(0, Math.ceil((text.length * piece) / pieces));
         print(JSON.stringify({ type: 'message_update', message: message(part) }) + '\\n');
       }
       print(JSON.stringify({ type: 'message_end', message: message(text) }) + '\\n');
       print('{"type":"agent_end"}\\n');`,
    );
    const { result, peakBytes } = measure(at, { name: 'pi', bin });
    expect(result).toMatchObject({
      end: { kind: 'exited' },
      answer: { kind: 'too_large', bytes: doneAnswer.length - 1 + messageBytes },
      usage: { input_tokens: 5, output_tokens: 7 },
    });
    expectBounded(at, peakBytes);
  });

  test('of lines, with the answer after it, stays small, and the answer is found', () => {
    const at = stage();
    const agent = program(
      at,
      'agent',
      `const line = 'log '.repeat(25_000) + '\\n';
       for (let bytes = 0; bytes < ${floodBytes}; bytes += line.length) print(line);
       print('{"status":"done","summary":"s",\\n"children":null}\\n');`,
    );
    const { result, shown, peakBytes } = measure(at, { name: 'command', command: [agent] });
    expect(result).toMatchObject({
      end: { kind: 'exited' },
      answer: { kind: 'text', text: '{"status":"done","summary":"s",\n"children":null}' },
    });
    expect(shown).toBe(Math.ceil(floodBytes / 100_001) + 2);
    expectBounded(at, peakBytes);
  });

  test('of short lines is passed over where nobody wants to see each, and leaves the same answer', () => {
    const at = stage();
    const agent = program(
      at,
      'agent',
      `const block = ('words of no use, é '.repeat(30) + '\\n').repeat(2000);
       for (let bytes = 0; bytes < ${floodBytes} / 2; bytes += block.length) print(block);
       print('{"status":"done","summary":' + JSON.stringify('x'.repeat(70_000)) + ',\\n"children":null}');`,
    );
    const [every, latest] = [true, false].map((everyActivity) =>
      measure(at, { name: 'command', command: [agent] }, everyActivity),
    ) as [Measured, Measured];
    expect(every.result.answer).toMatchObject({ kind: 'text' });
    expect(latest.result.answer).toStrictEqual(every.result.answer);
    expect(every.shown).toBeGreaterThan(floodBytes / 2000);
    expect(latest.shown).toBeGreaterThan(0);
    expect(latest.shown).toBeLessThan(every.shown / 10);
    expectBounded(at, latest.peakBytes);
  });
});

describe('an answer of 5 MB on one line', () => {
  const answer = JSON.stringify({ ...JSON.parse(doneAnswer), summary: 'x'.repeat(messageBytes) });

  test.each([
    [
      'claude',
      [
        { type: 'result', subtype: 'success', is_error: false, result: answer, total_cost_usd: 0.25 },
        { usage: { input_tokens: 5, output_tokens: 7 }, structured_output: JSON.parse(answer) as object },
      ],
    ],
    [
      'codex',
      [
        { type: 'item.completed', item: { type: 'agent_message', text: answer } },
        { type: 'turn.completed', usage: { input_tokens: 5, output_tokens: 7 } },
      ],
    ],
  ] as const)('%s: arrives whole and is refused by its size', async (name, [first, second]) => {
    const at = stage();
    const file = join(at.top, 'out');
    const lines = name === 'claude' ? [{ ...first, ...second }] : [first, second];
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const bin = at.program('it', `cat '${file}'`);
    const { answer: read, usage } = await agentSession(sessionOptions(at)).run(sessionRequest({ name, bin }));
    expect(parseAgentOutput(read)).toEqual({
      ok: false,
      error: `the answer has ${answer.length} bytes; at most 65536 are allowed`,
    });
    expect(usage).toMatchObject({ input_tokens: 5, output_tokens: 7 });
    const { events } = at.place.iteration({ run_id: 'r', iter: 3 });
    expect(readFileSync(events, 'utf8').trimEnd().split('\n').length).toBe(3);
  });
});
