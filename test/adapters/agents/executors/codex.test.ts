import { describe, expect, test } from 'vitest';
import { codex } from '../../../../src/adapters/agents/executors/codex.ts';
import { noUserLogin } from '../../../../src/adapters/agents/executors/spec.ts';
import { callsOf, emptyLines } from '../../../support/executor-calls.ts';
import { commandRequest } from '../../../support/sessions.ts';

const { command, follow } = callsOf(codex);
const argv = (...request: Parameters<typeof command>): string => command(...request).argv.join(' ');

describe('the command', () => {
  const start =
    '/bin/agent exec --json --ephemeral --skip-git-repo-check --color never --ignore-user-config --ignore-rules ' +
    '--disable plugins --disable hooks --disable apps --disable unbounded_connection_retries ' +
    '-c analytics.enabled=false -c check_for_update_on_startup=false ' +
    '-c shell_environment_policy.exclude=["RUST_LOG"] -C /p';
  const end = '--output-schema /g/schema.json -o /g/answer.json';

  test('a fresh, quiet session with the schema, the answer file and the prompt on stdin', () => {
    expect(argv()).toBe(`${start} -s workspace-write ${end} -`);
    expect(command()).toEqual({
      argv: expect.any(Array) as unknown,
      env: { RUST_LOG: 'error,codex_otel.trace_safe=info' },
      stdin: 'prompt',
    });
  });

  test('permissions, model and further arguments', () => {
    expect(argv({ permissions: 'workspace' })).toBe(`${start} -s workspace-write ${end} -`);
    expect(argv({ permissions: 'full', model: 'm', extra_args: ['--search', '-x'] })).toBe(
      `${start} -m m --dangerously-bypass-approvals-and-sandbox ${end} --search -x -`,
    );
  });

  test('in a container its own sandbox is off, the reviewer’s too', () => {
    for (const role of ['agent', 'review'] as const) {
      const request = commandRequest({ name: 'codex' }, { role, isContained: true });
      const words = codex.command(request).argv.join(' ');
      expect(words).toBe(`${start} --dangerously-bypass-approvals-and-sandbox ${end} -`);
    }
  });

  test('a reviewer may only read, whatever the agent may', () => {
    for (const permissions of ['full', 'workspace', null] as const)
      expect(argv({ permissions }, 'review')).toBe(`${start} -s read-only ${end} -`);
  });

  test('effort, a provider of the user’s own, and tools that see the user’s own RUST_LOG', () => {
    const login = { ...noUserLogin, args: ['-c', 'model_provider="acme"'] };
    const userEnv = { RUST_LOG: 'my_crate="debug"' };
    const request = commandRequest({ name: 'codex', model: 'm', effort: 'high' }, { login, userEnv });
    const words = codex.command(request).argv.join(' ');
    expect(words).toContain(
      String.raw`-c model_provider="acme" -c shell_environment_policy.set={RUST_LOG="my_crate=\"debug\""} -C /p -m m -c model_reasoning_effort="high" `,
    );
  });
});

describe('follow', () => {
  test.each([
    [
      'item.started',
      { id: 'item_2', type: 'command_execution', command: "/bin/bash -lc 'npm test'", status: 'in_progress' },
      [{ type: 'tool_call', id: 'item_2', tool: 'shell', detail: "/bin/bash -lc 'npm test'" }],
    ],
    [
      'item.completed',
      { id: 'item_2', type: 'command_execution', command: 'x', exit_code: 0, status: 'completed' },
      [{ type: 'tool_result', id: 'item_2', failed: false, exit_code: 0 }],
    ],
    [
      'item.completed',
      {
        id: 'item_2',
        type: 'command_execution',
        command: 'x',
        aggregated_output: 'no such test\n',
        exit_code: 3,
        status: 'failed',
      },
      [{ type: 'tool_result', id: 'item_2', failed: true, exit_code: 3, output: 'no such test\n' }],
    ],
    [
      'item.completed',
      { id: 'item_2', type: 'command_execution', command: 'rm x', exit_code: null, status: 'declined' },
      [
        { type: 'tool_result', id: 'item_2', failed: true, exit_code: null },
        { type: 'denied', what: 'rm x' },
      ],
    ],
    [
      'item.started',
      { id: 'i', type: 'mcp_tool_call', tool: 'look' },
      [{ type: 'tool_call', id: 'i', tool: 'look', detail: '' }],
    ],
    [
      'item.started',
      { id: 'i', type: 'web_search', query: 'q' },
      [{ type: 'tool_call', id: 'i', tool: 'web_search', detail: 'q' }],
    ],
    ['item.started', { type: 'agent_message' }, []],
    [
      'item.completed',
      { type: 'agent_message', text: 'Done.\nmore' },
      [{ type: 'message', text: 'Done.\nmore', partial: false }],
    ],
    [
      'item.completed',
      { type: 'reasoning', text: 'hm' },
      [{ type: 'reasoning', text: 'hm', partial: false }],
    ],
    ['item.started', { type: 'file_change', changes: [{ path: '/p/a', kind: 'add' }] }, []],
    [
      'item.completed',
      { type: 'file_change', status: 'failed', changes: [{ path: '/p/a', kind: 'add' }] },
      [],
    ],
    [
      'item.completed',
      {
        type: 'file_change',
        changes: [
          { path: '/p/a', kind: 'add' },
          { path: '/p/b', kind: 'update' },
          { path: '/p/c', kind: 'delete' },
          { path: '/p/d', kind: 'else' },
        ],
      },
      [
        { type: 'file_edit', path: '/p/a', change: 'add' },
        { type: 'file_edit', path: '/p/b', change: 'update' },
        { type: 'file_edit', path: '/p/c', change: 'delete' },
        { type: 'file_edit', path: '/p/d', change: 'update' },
      ],
    ],
    [
      'item.completed',
      { type: 'error', message: 'Model metadata for `m` not found.' },
      [
        {
          type: 'error',
          message: 'Model metadata for `m` not found.',
          status: null,
          fatal: false,
          reset_at_ms: null,
        },
      ],
    ],
    ['item.completed', { type: 'todo_list' }, []],
  ])('%s %j', (type, item, events) => {
    expect(follow({ type, item })).toEqual(events);
  });

  test('the end of a turn: the sums of the session, and that it is through', () => {
    const usage = {
      input_tokens: 3600,
      cached_input_tokens: 2400,
      cache_write_input_tokens: 0,
      output_tokens: 180,
      reasoning_output_tokens: 20,
    };
    const counted = {
      input_tokens: 3600,
      cached_input_tokens: 2400,
      output_tokens: 180,
      cost_usd: null,
    };
    expect(follow({ type: 'turn.completed', usage })).toEqual([
      { type: 'usage', scope: 'session', usage: counted },
      { type: 'finished' },
    ]);
    expect(follow({ type: 'turn.completed' })).toEqual([{ type: 'finished' }]);
    const unknown = {
      input_tokens: null,
      cached_input_tokens: null,
      output_tokens: null,
      cost_usd: null,
    };
    expect(follow({ type: 'turn.completed', usage: { input_tokens: '5', output_tokens: -1 } })[0]).toEqual({
      type: 'usage',
      scope: 'session',
      usage: unknown,
    });
  });

  test.each([
    ['unexpected status 401 Unauthorized: Incorrect API key provided: x., url: http://h/v1/responses', 401],
    ['exceeded retry limit, last status: 429 Too Many Requests', 429],
    ['stream error (503 Service Unavailable)', 503],
    ['Quota exceeded. Check your plan and billing details.', null],
    ['took 500 ms', null],
    ['', null],
  ])('only a failed turn is fatal: %s', (message, status) => {
    const failed = follow({ type: 'turn.failed', error: { message } });
    expect(failed).toEqual([{ type: 'error', message, status, fatal: true, reset_at_ms: null }]);
    expect(follow({ type: 'error', message })).toEqual([
      { type: 'error', message, status, fatal: false, reset_at_ms: null },
    ]);
    const again = `Reconnecting... 1/5 (${message})`;
    expect(follow({ type: 'error', message: again })).toEqual([
      { type: 'retry', message: again, status, reset_at_ms: null },
    ]);
  });

  test.each([
    ...emptyLines,
    '{"item":3}',
    '{"type":"thread.started"}',
    '{"type":"item.completed"}',
    '{"type":"item.started","item":[]}',
  ])('%j is nothing', (line) => {
    expect(codex.follow(line)).toEqual([]);
  });
});

test('refusals and questions are told on stderr alone', () => {
  const at = '2026-11-16T06:35:11.001006Z ERROR codex_core::tools::router: error=';
  const stderr = [
    'WARNING: proceeding, even though we could not create PATH aliases',
    '2026-11-16T06:35:10.932344Z ERROR codex_api::endpoint::responses_websocket: failed to connect',
    `${at}patch rejected: writing outside of the project; rejected by user approval settings`,
    `${at}request_user_input is unavailable in Default mode`,
    `${at}approval policy is Never; reject command — you should not ask for escalated permissions`,
    `${at}exec_command failed: No such file or directory`,
    'the model said: error=rejected',
    '',
  ].join('\n');
  expect(codex.denials?.(stderr)).toEqual([
    'patch rejected: writing outside of the project; rejected by user approval settings',
    'request_user_input is unavailable in Default mode',
    'approval policy is Never; reject command — you should not ask for escalated permissions',
  ]);
  expect(codex.denials?.('')).toEqual([]);
});

describe('what it reports on stderr while it works', () => {
  const stamp = '2026-11-18T09:30:30.144705Z  INFO codex_otel.trace_safe: event.name="codex.sse_event"';
  const counted = `${stamp} event.kind=response.completed input_token_count=1200 output_token_count=60 cached_token_count=800 cache_write_token_count=0 model=gpt-5.5`;

  test('one line for each answer of the model', () => {
    expect(codex.report?.isReport(counted)).toBe(true);
    expect(codex.report?.follow(counted)).toEqual([
      {
        type: 'usage',
        scope: 'turn',
        usage: { input_tokens: 1200, cached_input_tokens: 800, output_tokens: 60, cost_usd: null },
      },
    ]);
  });

  test('other lines of the report count nothing, and errors are no report', () => {
    expect(codex.report?.isReport(`${stamp} event.kind=response.created duration_ms=0`)).toBe(true);
    expect(codex.report?.follow(`${stamp} event.kind=response.created duration_ms=0`)).toEqual([]);
    expect(codex.report?.isReport('2026-11-18T09:30:30Z ERROR codex_core::tools::router: error=x')).toBe(
      false,
    );
  });
});

test('a command that failed for want of the sandbox helper is told as refused', () => {
  const item = {
    id: 'item_0',
    type: 'command_execution',
    command: 'true',
    aggregated_output: 'bwrap: execvp codex-linux-sandbox: No such file or directory\n',
    exit_code: 1,
    status: 'failed',
  };
  expect(follow({ type: 'item.completed', item })).toEqual([
    { type: 'tool_result', id: 'item_0', failed: true, exit_code: 1, output: item.aggregated_output },
    { type: 'denied', what: expect.stringMatching(/^every command: codex has no sandbox helper here; set/) },
  ]);
  const failed = { ...item, aggregated_output: 'cat codex-linux-sandbox.md: no such file' };
  expect(follow({ type: 'item.completed', item: failed })).toHaveLength(1);
});
