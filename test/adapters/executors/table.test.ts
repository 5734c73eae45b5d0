import { expect, test } from 'vitest';
import { allCredentialNames, executorTable } from '../../../src/adapters/executors/table.ts';
import type { CommandRequest, Ended } from '../../../src/adapters/executors/spec.ts';
import type { Config } from '../../../src/core/types.ts';
import { configWith } from '../../support/facts.ts';

const table = executorTable('/runner/bin.js');

function request(agent: Partial<Config['agent']>, session = 1): CommandRequest {
  return {
    config: configWith({ agent }),
    program: '/usr/bin/prog',
    projectDir: '/p',
    answerFile: '/g/a',
    schemaFile: '/p/s',
    schemaText: '{}',
    session,
  };
}

test('names and credentials', () => {
  for (const [name, spec] of Object.entries(table)) {
    expect(spec.name).toBe(name);
    expect(spec.credentialNames.every((variable) => allCredentialNames.has(variable))).toBe(true);
  }
  expect(allCredentialNames.has('ANTHROPIC_API_KEY') && allCredentialNames.has('OPENAI_API_KEY')).toBe(true);
  expect([table.codex.idleTimeoutSecs, table.claude.idleTimeoutSecs]).toEqual([600, 600]);
  expect([table.command.idleTimeoutSecs, table.scripted.idleTimeoutSecs]).toEqual([null, null]);
});

test('a command gets its own arguments, then the further ones', () => {
  expect(
    table.command.command(request({ name: 'command', command: ['prog', 'a b', ''], extra_args: ['x'] })),
  ).toEqual({
    argv: ['/usr/bin/prog', 'a b', '', 'x'],
    env: {},
    stdin: 'prompt',
  });
});

test('the scripted agent is the runner itself, with the step of this session', () => {
  expect(table.scripted.command(request({ name: 'scripted', script: 'demo/s.json' }, 4))).toEqual({
    argv: ['/usr/bin/prog', '/runner/bin.js', 'play-script', '/p/demo/s.json', '4'],
    env: {},
    stdin: 'none',
  });
  expect(table.scripted.command(request({ name: 'scripted', script: '/abs/s.json' })).argv[3]).toBe(
    '/abs/s.json',
  );
});

test.each<readonly [Partial<Ended>, Ended['answerFile']]>([
  [
    { answerFile: { kind: 'text', text: 'f' }, stdoutTail: '{"a":1}' },
    { kind: 'text', text: 'f' },
  ],
  [{ stdoutTail: 'x {"a":1} y {"b":{}} z' }, { kind: 'text', text: '{"b":{}}' }],
  [{ stdoutTail: 'no answer' }, { kind: 'missing' }],
  [{ stdoutTail: '{"a":1}', exitCode: 1 }, { kind: 'missing' }],
  [
    { stdoutTail: '{"a":1}', answerFile: { kind: 'too_large', bytes: 9, bytesMax: 1 } },
    { kind: 'too_large', bytes: 9, bytesMax: 1 },
  ],
])('a command answers by file, else by what it printed: %j', (more, answer) => {
  const ended: Ended = {
    stdoutTail: '',
    stderrTail: '',
    answerFile: { kind: 'missing' },
    exitCode: 0,
    ...more,
  };
  expect(table.command.read(ended)).toEqual(answer);
  expect(table.command.blocked(ended)).toBeNull();
});

test('plain output is shown line by line, shortened', () => {
  expect(table.command.follow('  hello ')).toEqual({ line: 'hello', tools: 0, answer: null });
  expect(table.scripted.follow(' ')).toEqual({ line: null, tools: 0, answer: null });
  expect(table.command.follow('x'.repeat(500)).line).toBe(`${'x'.repeat(160)}…`);
});
