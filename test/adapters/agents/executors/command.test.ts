import { describe, expect, test } from 'vitest';
import { renderActivity } from '../../../../src/core/agents/agent-events.ts';
import { commandAgent } from '../../../../src/adapters/agents/executors/command.ts';
import { emptyTranscript } from '../../../../src/core/agents/transcript.ts';
import { scriptedAgent } from '../../../../src/adapters/agents/executors/scripted.ts';
import { commandRequest } from '../../../support/sessions.ts';

const program = '/usr/bin/prog';
const scripted = scriptedAgent('/runner/bin.js');

test('a command gets its own arguments, then the further ones', () => {
  const agent = { name: 'command', command: ['prog', 'a b', ''], extra_args: ['x'] } as const;
  expect(commandAgent.command(commandRequest(agent, { program }))).toEqual({
    argv: [program, 'a b', '', 'x'],
    env: {},
    stdin: 'prompt',
  });
});

test('the scripted agent is the runner itself, with the step of this session', () => {
  const agent = { name: 'scripted', script: 'demo/s.json' } as const;
  expect(scripted.command(commandRequest(agent, { program, session: 4 }))).toEqual({
    argv: [program, '/runner/bin.js', 'play-script', '/p/demo/s.json', '4'],
    env: {},
    stdin: 'none',
  });
  expect(scripted.command(commandRequest({ ...agent, script: '/abs/s.json' })).argv[3]).toBe('/abs/s.json');
});

describe('plain output', () => {
  test('of a command is one message in pieces, so that an answer over several lines is found', () => {
    expect(commandAgent.follow(' {')).toEqual([{ type: 'message', text: ' {\n', partial: true }]);
    expect(commandAgent.answersInText).toBe(true);
  });

  test('of a script is a message a line, and never an answer', () => {
    expect(scripted.follow('hello')).toEqual([{ type: 'message', text: 'hello', partial: false }]);
    expect(scripted.answersInText).toBe(false);
  });

  test('is shown line by line, shortened', () => {
    const shown = (line: string): readonly (string | null)[] => commandAgent.follow(line).map(renderActivity);
    expect(shown('  hello ')).toEqual(['hello']);
    expect(shown(' ')).toEqual([null]);
    expect(shown('x'.repeat(500))).toEqual([`${'x'.repeat(160)}…`]);
  });

  test('means nothing: words of a program of the user are no failure we know', () => {
    const ended = {
      transcript: { ...emptyTranscript, message: '401 Unauthorized' },
      stderr: '429 Too Many Requests',
      answerFile: { kind: 'missing' },
      exitCode: 1,
    } as const;
    expect([commandAgent.failure?.(ended), scripted.failure?.(ended)]).toEqual(['crashed', 'crashed']);
  });
});
