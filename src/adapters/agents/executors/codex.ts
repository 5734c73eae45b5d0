/**
 * How `codex exec` is started, followed and read. It writes its last message to a file, validates nothing itself, and says why
 * a turn failed only in prose. `error` records and items only inform (reconnects, warnings); `turn.failed` alone ends a turn.
 */
import { toolOutput } from '../../../core/agents/agent-events.ts';
import type { AgentEvent } from '../../../core/agents/agent-events.ts';
import { codexHazard, helperMissing, isHelperMissing } from './codex-hazard.ts';
import { codexLogin } from './codex-login.ts';
import { credentialNames } from '../../processes/credential-names.ts';
import type { AgentCommand, CommandRequest, ExecutorSpec } from './spec.ts';
import { asRecord, asRecords, asStatus, asText, detailOf, parseRecord, usageOf } from './records.ts';
import type { JsonRecord } from './records.ts';

/** Errors as ever, and one line for each answer of the model with what it used: stdout tells it only at the end of the session. */
const usageLog = 'error,codex_otel.trace_safe=info';

/** Programs that its tools start see the user's own value, or none. */
function toolLogSetting(own: string | undefined): string {
  return own === undefined
    ? 'shell_environment_policy.exclude=["RUST_LOG"]'
    : `shell_environment_policy.set={RUST_LOG=${JSON.stringify(own)}}`;
}

const report: NonNullable<ExecutorSpec['report']> = {
  isReport: (line) => line.includes(' codex_otel.trace_safe: '),
  follow: (line) => {
    const count = (name: string): number | null => {
      const found = new RegExp(` ${name}=(\\d{1,15})(?= |$)`).exec(line)?.[1];
      return found === undefined ? null : Number(found);
    };
    const input = count('input_token_count');
    if (input === null) return [];

    const usage = usageOf({
      input: [input],
      cached: count('cached_token_count'),
      output: [count('output_token_count')],
      cost: null,
    });
    return [{ type: 'usage', scope: 'turn', usage }];
  },
};

export const codex: ExecutorSpec = {
  name: 'codex',
  defaultBin: 'codex',
  installHint: 'npm install -g @openai/codex, then: codex login',
  provenVersions: ['0.166.0'],
  hasVersionFlag: true,
  answersInFile: false,
  answersInText: true,
  idleTimeoutSecs: 600,
  answerGraceMs: 10_000,
  credentialNames: credentialNames.codex,
  credentials: [
    { variable: 'CODEX_API_KEY', means: 'API key' },
    {
      variable: null,
      file: { homeVariable: 'CODEX_HOME', homeFolder: '.codex', name: 'auth.json', isRenewed: true },
      means: 'login of codex',
    },
  ],
  userSettings: {
    file: { homeVariable: 'CODEX_HOME', homeFolder: '.codex', name: 'config.toml' },
    login: codexLogin,
  },
  fixes: {
    not_logged_in: 'codex login (or set CODEX_API_KEY)',
    sandbox:
      'set agent.permissions = "full" in .runner/state/config.toml and commit it, in a machine or container you can lose',
  },
  command,
  hazard: codexHazard,
  follow,
  report,
  denials,
};

function command(request: CommandRequest): AgentCommand {
  const { agent } = request.config;
  return {
    argv: [
      request.program,
      'exec',
      '--json',
      '--ephemeral',
      '--skip-git-repo-check',
      '--color',
      'never',
      // Hooks and servers of the user's own config make a run differ from machine to machine, and can hang it; the login is kept.
      '--ignore-user-config',
      '--ignore-rules',
      '--disable',
      'plugins',
      '--disable',
      'hooks',
      '--disable',
      'apps',
      '--disable',
      'unbounded_connection_retries',
      '-c',
      'analytics.enabled=false',
      '-c',
      'check_for_update_on_startup=false',
      ...request.login.args,
      '-c',
      toolLogSetting(request.userEnv['RUST_LOG']),
      '-C',
      request.projectDir,
      ...(agent.model === null ? [] : ['-m', agent.model]),
      ...(agent.effort === null ? [] : ['-c', `model_reasoning_effort="${agent.effort}"`]),
      ...sandbox(request),
      '--output-schema',
      request.schemaFile,
      '-o',
      request.answerFile,
      ...agent.extra_args,
      '-',
    ],
    env: { RUST_LOG: usageLog },
    stdin: 'prompt',
  };
}

function sandbox({ config, role, isContained }: CommandRequest): readonly string[] {
  if (isContained) return ['--dangerously-bypass-approvals-and-sandbox'];

  if (role === 'review') return ['-s', 'read-only'];

  return config.agent.permissions === 'full'
    ? ['--dangerously-bypass-approvals-and-sandbox']
    : ['-s', 'workspace-write'];
}

function follow(line: string): readonly AgentEvent[] {
  const record = parseRecord(line);
  switch (asText(record?.['type'])) {
    case 'item.started':
      return itemStarted(asRecord(record?.['item']));
    case 'item.completed':
      return itemCompleted(asRecord(record?.['item']));
    case 'turn.completed':
      return [...usageEvents(asRecord(record?.['usage'])), { type: 'finished' }];
    case 'turn.failed':
      return [failed(asText(asRecord(record?.['error'])?.['message']))];
    case 'error':
      return [reconnect(asText(record?.['message']))];
    default:
      return [];
  }
}

const toolItems: ReadonlySet<string> = new Set(['command_execution', 'mcp_tool_call', 'web_search']);

function itemStarted(item: JsonRecord | null): readonly AgentEvent[] {
  const kind = asText(item?.['type']);
  if (!toolItems.has(kind)) return [];

  const tool = kind === 'command_execution' ? 'shell' : asText(item?.['tool']) || kind;
  const detail = detailOf(item, ['command', 'query']);
  return [{ type: 'tool_call', id: asText(item?.['id']), tool, detail }];
}

function itemCompleted(item: JsonRecord | null): readonly AgentEvent[] {
  const kind = asText(item?.['type']);
  if (toolItems.has(kind)) return toolEnded(item);

  switch (kind) {
    case 'agent_message':
      return [{ type: 'message', text: asText(item?.['text']), partial: false }];
    case 'reasoning':
      return [{ type: 'reasoning', text: asText(item?.['text']), partial: false }];
    case 'file_change':
      // One that failed has changed nothing.
      if (asText(item?.['status']) === 'failed') return [];
      return asRecords(item?.['changes']).map((change) => ({
        type: 'file_edit',
        path: asText(change['path']),
        change: changeOf(asText(change['kind'])),
      }));
    case 'error':
      return [
        { type: 'error', message: asText(item?.['message']), status: null, fatal: false, reset_at_ms: null },
      ];
    default:
      return [];
  }
}

function toolEnded(item: JsonRecord | null): readonly AgentEvent[] {
  const status = asText(item?.['status']);
  const exit_code = asStatus(item?.['exit_code']);
  const ended: AgentEvent = {
    type: 'tool_result',
    id: asText(item?.['id']),
    failed: status === 'failed' || status === 'declined' || (exit_code !== null && exit_code !== 0),
    exit_code,
    ...toolOutput(asText(item?.['aggregated_output'])),
  };
  if (status === 'declined') return [ended, { type: 'denied', what: detailOf(item, ['command', 'query']) }];

  return isHelperMissing(asText(item?.['aggregated_output']))
    ? [ended, { type: 'denied', what: helperMissing }]
    : [ended];
}

function changeOf(kind: string): 'add' | 'update' | 'delete' {
  return kind === 'add' || kind === 'delete' ? kind : 'update';
}

function usageEvents(usage: JsonRecord | null): readonly AgentEvent[] {
  if (usage === null) return [];

  const counted = usageOf({
    input: [usage['input_tokens']],
    cached: usage['cached_input_tokens'],
    output: [usage['output_tokens']],
    cost: null,
  });
  return [{ type: 'usage', scope: 'session', usage: counted }];
}

function failed(message: string): AgentEvent {
  return { type: 'error', message, status: statusIn(message), fatal: true, reset_at_ms: null };
}

function reconnect(message: string): AgentEvent {
  const status = statusIn(message);
  return message.startsWith('Reconnecting')
    ? { type: 'retry', message, status, reset_at_ms: null }
    : { type: 'error', message, status, fatal: false, reset_at_ms: null };
}

/** It reports refusals and unanswered questions only on stderr, one log line each. */
function denials(stderr: string): readonly string[] {
  return stderr
    .split('\n')
    .flatMap((line) => /tools::router: error=(.+)$/.exec(line)?.[1] ?? [])
    .filter((what) => /reject|unavailable|denied|not permitted/i.test(what));
}

/** `unexpected status 401 Unauthorized: …`, `… (429 Too Many Requests)`. */
function statusIn(message: string): number | null {
  const found = /\bstatus:? (\d{3})\b|\b([45]\d\d) [A-Z][a-z]/.exec(message);
  const digits = found?.[1] ?? found?.[2];
  return digits === undefined ? null : Number(digits);
}
