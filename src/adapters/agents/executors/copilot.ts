/**
 * How `copilot` is started, followed and read. It prints no token counts, keeps its sessions in ~/.copilot, and starts the hooks
 * and MCP servers the user set up there; none of that has a switch that leaves the login alone.
 */
import { toolOutput } from '../../../core/agents/agent-events.ts';
import type { AgentEvent } from '../../../core/agents/agent-events.ts';
import type { FailureKind } from '../../../core/agents/failure.ts';
import { credentialNames } from '../../processes/credential-names.ts';
import type { AgentCommand, CommandRequest, Ended, ExecutorSpec } from './spec.ts';
import { asRecord, asRecords, asStatus, asText, detailOf, parseRecord } from './records.ts';
import type { JsonRecord } from './records.ts';

export const copilot: ExecutorSpec = {
  name: 'copilot',
  defaultBin: 'copilot',
  installHint: 'npm install -g @github/copilot, then: copilot login',
  provenVersions: ['1.0.102'],
  hasVersionFlag: true,
  answersInFile: false,
  answersInText: true,
  idleTimeoutSecs: 600,
  answerGraceMs: 10_000,
  credentialNames: credentialNames.copilot,
  credentials: [
    { variable: 'COPILOT_PROVIDER_BASE_URL', means: 'model service of your own' },
    { variable: 'COPILOT_GITHUB_TOKEN', means: 'GitHub token' },
    { variable: 'GH_TOKEN', means: 'GitHub token' },
    { variable: 'GITHUB_TOKEN', means: 'GitHub token' },
    {
      variable: null,
      file: { homeVariable: 'COPILOT_HOME', homeFolder: '.copilot', name: 'config.json' },
      means: 'login of copilot',
    },
  ],
  fixes: { not_logged_in: 'copilot login (or set COPILOT_GITHUB_TOKEN)' },
  command,
  follow,
  failure,
};

function command({ config, role, program }: CommandRequest): AgentCommand {
  const { agent } = config;
  return {
    argv: [
      program,
      '--output-format',
      'json',
      '--allow-all',
      ...(role === 'review' ? ['--deny-tool=write'] : []),
      '--no-ask-user',
      '--no-auto-update',
      '--no-color',
      '--no-remote',
      '--no-remote-export',
      '--disable-builtin-mcps',
      '--disable-client-telemetry',
      '--log-level',
      'none',
      ...(agent.model === null ? [] : ['--model', agent.model]),
      ...(agent.effort === null ? [] : ['--reasoning-effort', agent.effort]),
      ...agent.extra_args,
    ],
    env: {},
    stdin: 'prompt',
  };
}

/** Partial records; the complete ones follow. */
const passedOver = /^\{"type":"(?:assistant|tool)\.[a-z_]*(?:_delta|_partial_result|shell_output)"/;

function follow(line: string): readonly AgentEvent[] {
  if (passedOver.test(line)) return [];

  const record = parseRecord(line);
  const data = asRecord(record?.['data']);
  switch (asText(record?.['type'])) {
    case 'assistant.message':
      return spoken('message', asText(data?.['content']));
    case 'assistant.reasoning':
      return spoken('reasoning', asText(data?.['content']));
    case 'tool.execution_start':
      return toolCall(data);
    case 'tool.execution_complete':
      return toolEnded(data);
    case 'model.call_failure':
      return [retry(data)];
    case 'session.error':
      return [failed(data)];
    case 'result':
      return [{ type: 'finished' }];
    default:
      return [];
  }
}

/** A message that only calls tools is empty. */
function spoken(type: 'message' | 'reasoning', text: string): readonly AgentEvent[] {
  return text === '' ? [] : [{ type, text, partial: false }];
}

function toolCall(data: JsonRecord | null): readonly AgentEvent[] {
  const name = asText(data?.['toolName']);
  const input = asRecord(data?.['arguments']);
  const call: AgentEvent = {
    type: 'tool_call',
    id: asText(data?.['toolCallId']),
    tool: name === 'bash' ? 'shell' : name,
    detail: detailOf(input, ['command', 'path', 'pattern', 'url', 'query', 'description']),
  };
  return name === 'ask_user'
    ? [call, { type: 'denied', what: `${name} ${questionIn(input)}`.trim() }]
    : [call];
}

function questionIn(input: JsonRecord | null): string {
  return asText(input?.['question'] ?? asRecords(input?.['questions'])[0]?.['question']);
}

function toolEnded(data: JsonRecord | null): readonly AgentEvent[] {
  const exit_code = asStatus(asRecord(data?.['shellExecution'])?.['exitCode']);
  const error = asRecord(data?.['error']);
  const edits: AgentEvent[] = asRecords(data?.['fileEdits']).map((edit) => ({
    type: 'file_edit',
    path: asText(edit['path']),
    change: changeOf(asText(edit['kind'])),
  }));
  const ended: AgentEvent = {
    type: 'tool_result',
    id: asText(data?.['toolCallId']),
    failed: data?.['success'] !== true || (exit_code !== null && exit_code !== 0),
    exit_code,
    ...toolOutput(asText(asRecord(data?.['result'])?.['content']) || asText(error?.['message'])),
  };
  const denied: AgentEvent = { type: 'denied', what: asText(error?.['message']) };
  return [...edits, ended, ...(error?.['code'] === 'denied' ? [denied] : [])];
}

function changeOf(kind: string): 'add' | 'update' | 'delete' {
  if (kind === 'create') return 'add';
  return kind === 'delete' ? 'delete' : 'update';
}

/** Sent for every failed request, even the last one, which `session.error` follows. */
function retry(data: JsonRecord | null): AgentEvent {
  const message = asText(data?.['errorMessage']) || 'the request failed';
  return { type: 'retry', message, status: asStatus(data?.['statusCode']), reset_at_ms: null };
}

function failed(data: JsonRecord | null): AgentEvent {
  return {
    type: 'error',
    message: asText(data?.['message']),
    status: asStatus(data?.['statusCode']),
    fatal: true,
    reset_at_ms: null,
  };
}

/** Its own words for broken answers of the service, and for a model that says nothing. */
function failure({ transcript }: Ended): FailureKind | null {
  const text = transcript.error?.message ?? '';
  if (/chat-completions stream|not valid JSON/.test(text)) return 'network';

  return text.startsWith('No response was returned') ? 'malformed' : null;
}
