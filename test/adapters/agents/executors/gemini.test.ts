/** gemini: its command and its records one by one. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gemini } from '../../../../src/adapters/agents/executors/gemini.ts';
import { addEvent, emptyTranscript } from '../../../../src/core/agents/transcript.ts';
import { scratchFolder } from '../../../support/scratch.ts';
import { callsOf, emptyLines } from '../../../support/executor-calls.ts';

const { command, follow } = callsOf(gemini);

describe('the command', () => {
  const start =
    '--output-format stream-json --approval-mode yolo --skip-trust --allowed-mcp-server-names none';

  test('in a home of ours, with the prompt on stdin', () => {
    const { argv, env, stdin, files = [] } = command();
    expect(argv.slice(0, 2)).toEqual(['/bin/sh', '-c']);
    expect(argv.slice(3).join(' ')).toBe(`/bin/agent ${start}`);
    expect(env).toEqual({ GEMINI_CLI_HOME: '/g', GEMINI_CLI_NO_RELAUNCH: 'true' });
    expect(stdin).toBe('prompt');
    expect(files.map(({ path }) => path)).toEqual(['/g/.gemini/settings.json']);
    expect(JSON.parse(files[0]?.text ?? '')).toEqual({
      context: { fileName: ['GEMINI.md', 'AGENTS.md'] },
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, maxAttempts: 3 },
      hooksConfig: { enabled: false },
      ide: { enabled: false },
      model: { compressionThreshold: 100 },
      privacy: { usageStatisticsEnabled: false },
      security: { auth: { selectedType: '${RUNNER_GEMINI_AUTH}' } },
      telemetry: { enabled: false },
    });
  });

  test('model, further arguments, and a reviewer that may not edit', () => {
    const agent = { model: 'm', extra_args: ['--debug'] };
    expect(command(agent).argv.slice(4).join(' ')).toBe(`${start} --model m --debug`);
    const review = command(agent, 'review');
    expect(review.argv.slice(4).join(' ')).toBe(`${start} --policy /g/gemini-review.toml --model m --debug`);
    expect(review.files?.[1]).toEqual({
      path: '/g/gemini-review.toml',
      text: '[[rule]]\ntoolName = ["replace", "write_file"]\ndecision = "deny"\npriority = 999\n',
    });
  });
});

describe('the login of the user', () => {
  /** What the program is started with, after the launcher has done its work. */
  function launch(files: Readonly<Record<string, string>>) {
    const top = scratchFolder();
    const home = join(top, 'home', '.gemini');
    const own = join(top, 'own');
    for (const folder of [home, join(own, '.gemini')]) mkdirSync(folder, { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text);
    const [shell = '', ...args] = command().argv;
    const launcher = args.slice(0, 2);
    const show = ['/bin/sh', '-c', 'echo "$RUNNER_GEMINI_AUTH|$1|$2"', 'x', 'a b', '$c'];
    const { stdout, status } = spawnSync(shell, [...launcher, ...show], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] ?? '', HOME: join(top, 'home'), GEMINI_CLI_HOME: own },
    });
    const linked = readdirSync(join(own, '.gemini')).toSorted();
    return {
      stdout,
      status,
      linked,
      read: (name: string) => readFileSync(join(own, '.gemini', name), 'utf8'),
    };
  }

  test.each([
    ['{"security":{"auth":{"selectedType":"oauth-personal"}},"x":{"y":"z"}}', 'oauth-personal'],
    [
      '{\n  "security": {\n    "auth": {\n      "selectedType": "gemini-api-key"\n    }\n  }\n}\n',
      'gemini-api-key',
    ],
    ['{"theme":"dark"}', ''],
    ['', ''],
  ])('what its settings select is kept: %j', (text, selected) => {
    const { stdout, status, linked } = launch({ 'settings.json': text });
    expect({ stdout, status }).toEqual({ stdout: `${selected}|a b|$c\n`, status: 0 });
    expect(linked).toEqual([]);
  });

  test('what it is made of is linked, nothing else is', () => {
    const files = { 'oauth_creds.json': 'o', '.env': 'e', 'settings.json': '{}', 'GEMINI.md': 'g' };
    const { linked, read, status } = launch(files);
    expect(status).toBe(0);
    expect(linked).toEqual(['.env', 'oauth_creds.json']);
    expect([read('.env'), read('oauth_creds.json')]).toEqual(['e', 'o']);
  });

  test('there need not be any', () => {
    expect(launch({})).toMatchObject({ stdout: '|a b|$c\n', status: 0, linked: [] });
  });
});

describe('follow', () => {
  test.each([
    [
      { type: 'message', role: 'assistant', content: 'Do', delta: true },
      [{ type: 'message', text: 'Do', partial: true }],
    ],
    [{ type: 'message', role: 'user', content: 'prompt' }, []],
    [
      { type: 'tool_use', tool_name: 'run_shell_command', tool_id: 'c', parameters: { command: 'npm test' } },
      [{ type: 'tool_call', id: 'c', tool: 'shell', detail: 'npm test' }],
    ],
    [
      { type: 'tool_use', tool_name: 'write_file', tool_id: 'c', parameters: { file_path: '/p/a' } },
      [
        { type: 'tool_call', id: 'c', tool: 'write_file', detail: '/p/a' },
        { type: 'file_edit', path: '/p/a', change: 'add' },
      ],
    ],
    [
      { type: 'tool_use', tool_name: 'replace', tool_id: 'c', parameters: { file_path: '/p/a' } },
      [
        { type: 'tool_call', id: 'c', tool: 'replace', detail: '/p/a' },
        { type: 'file_edit', path: '/p/a', change: 'update' },
      ],
    ],
    [
      {
        type: 'tool_use',
        tool_name: 'ask_user',
        tool_id: 'c',
        parameters: { questions: [{ question: 'Which?' }] },
      },
      [
        { type: 'tool_call', id: 'c', tool: 'ask_user', detail: '' },
        { type: 'denied', what: 'ask_user Which?' },
      ],
    ],
    [
      { type: 'tool_result', tool_id: 'c', status: 'success', output: 'x' },
      [{ type: 'tool_result', id: 'c', failed: false, exit_code: null, output: 'x' }],
    ],
    [
      { type: 'tool_result', tool_id: 'c', status: 'success', output: 'Command exited with code: 7' },
      [
        {
          type: 'tool_result',
          id: 'c',
          failed: true,
          exit_code: 7,
          output: 'Command exited with code: 7',
        },
      ],
    ],
    [
      {
        type: 'tool_result',
        tool_id: 'c',
        status: 'error',
        error: { type: 'policy_violation', message: 'Tool execution denied by policy.' },
      },
      [
        {
          type: 'tool_result',
          id: 'c',
          failed: true,
          exit_code: null,
          output: 'Tool execution denied by policy.',
        },
        { type: 'denied', what: 'Tool execution denied by policy.' },
      ],
    ],
  ])('%j', (record, events) => {
    expect(follow(record)).toEqual(events);
  });

  test.each([
    ['Loop detected', false],
    ['Model stream ended without a finish reason.', true],
  ])('an error is told on the way (%s), unless it is the end', (message, fatal) => {
    expect(follow({ type: 'error', message })).toEqual([
      { type: 'error', message, status: null, fatal, reset_at_ms: null },
    ]);
  });

  test('the result: what the session used with its thoughts, and what was wrong', () => {
    const stats = { total_tokens: 1300, input_tokens: 1200, output_tokens: 60, cached: 800, input: 400 };
    const usage = { input_tokens: 1200, cached_input_tokens: 800, output_tokens: 100, cost_usd: null };
    const counted = { type: 'usage', scope: 'session', usage };
    expect(follow({ type: 'result', status: 'success', stats })).toEqual([counted, { type: 'finished' }]);
    const error = { type: 'unknown', message: '[API Error: x]' };
    expect(follow({ type: 'result', status: 'error', error, stats })).toEqual([
      counted,
      { type: 'error', message: '[API Error: x]', status: null, fatal: true, reset_at_ms: null },
      { type: 'finished' },
    ]);
    expect(follow({ type: 'result', status: 'error' })).toEqual([{ type: 'finished' }]);
  });

  test.each([...emptyLines, '{"type":"init"}'])('%j is nothing', (line) => {
    expect(gemini.follow(line)).toEqual([]);
  });
});

test.each([
  [145, '[API Error: x]', 'not_logged_in'],
  [173, '[API Error: x]', 'rate_limited'],
  [244, '[API Error: x]', 'overloaded'],
  [144, 'The input token count (9) exceeds the maximum', 'context_too_long'],
  [144, 'API key not valid. Please pass a valid API key.', 'not_logged_in'],
  [41, 'Please set an Auth method', 'not_logged_in'],
  [1, 'fetch failed', 'network'],
  [1, '[API Error: Incomplete JSON segment at the end]', 'network'],
  [1, '[API Error: models/m is not found for API version v1beta.]', 'model_not_found'],
  [53, 'Reached max session turns', null],
  [null, '', null],
])('exit code %s with %j is %s', (exitCode, message, kind) => {
  const events = gemini.follow(JSON.stringify({ type: 'result', status: 'error', error: { message } }));
  const transcript = events.reduce(addEvent, emptyTranscript);
  expect(gemini.failure?.({ transcript, stderr: '', answerFile: { kind: 'missing' }, exitCode })).toBe(kind);
});
