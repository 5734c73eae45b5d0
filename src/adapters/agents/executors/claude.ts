/**
 * How `claude -p` is started, followed and read. Its last `result` record holds the answer; the record's subtype says
 * "success" even for failures, so only `is_error` and the answer itself count.
 */
import { toolOutput } from '../../../core/agents/agent-events.ts';
import type { AgentEvent } from '../../../core/agents/agent-events.ts';
import { claudeLogin } from './claude-login.ts';
import { credentialNames } from '../../processes/credential-names.ts';
import type { AgentCommand, CommandRequest, ExecutorSpec } from './spec.ts';
import {
  asAmount,
  asRecord,
  asRecords,
  asStatus,
  asText,
  blockEvents,
  blocksOf,
  detailOf,
  parseRecord,
  plainSchema,
  renderRecord,
  usageOf,
} from './records.ts';
import type { JsonRecord } from './records.ts';

const idleTimeoutSecs = 600;

export const claude: ExecutorSpec = {
  name: 'claude',
  defaultBin: 'claude',
  installHint: 'npm install -g @anthropic-ai/claude-code, then start claude once and log in',
  provenVersions: ['2.1.197', '2.1.325'],
  hasVersionFlag: true,
  answersInFile: false,
  answersInText: false,
  idleTimeoutSecs,
  answerGraceMs: 10_000,
  credentialNames: credentialNames.claude,
  credentials: [
    { variable: 'CLAUDE_CODE_USE_BEDROCK', means: 'Amazon Bedrock by the switch' },
    { variable: 'CLAUDE_CODE_USE_VERTEX', means: 'Google Vertex AI by the switch' },
    { variable: 'CLAUDE_CODE_USE_FOUNDRY', means: 'Microsoft Foundry by the switch' },
    { variable: 'ANTHROPIC_AUTH_TOKEN', means: 'token' },
    { variable: 'ANTHROPIC_API_KEY', means: 'API key' },
    { variable: null, setting: 'apiKeyHelper', means: 'apiKeyHelper' },
    { variable: 'CLAUDE_CODE_OAUTH_TOKEN', means: 'subscription token' },
    {
      variable: null,
      file: {
        homeVariable: 'CLAUDE_CONFIG_DIR',
        homeFolder: '.claude',
        name: '.credentials.json',
        isRenewed: true,
      },
      means: 'login of claude',
    },
  ],
  userSettings: {
    file: { homeVariable: 'CLAUDE_CONFIG_DIR', homeFolder: '.claude', name: 'settings.json' },
    login: claudeLogin,
  },
  fixes: {
    not_logged_in: 'start claude and log in (or set ANTHROPIC_API_KEY)',
    sandbox: 'run as another user; in a throw-away container: IS_SANDBOX=1 runner loop',
  },
  command,
  follow,
};

function command(request: CommandRequest): AgentCommand {
  const { agent } = request.config;
  return {
    argv: [
      request.program,
      '-p',
      '--output-format',
      'stream-json',
      '--verbose',
      '--no-session-persistence',
      ...(agent.model === null ? [] : ['--model', agent.model]),
      ...(agent.effort === null ? [] : ['--effort', agent.effort]),
      ...(agent.permission_mode === null
        ? ['--dangerously-skip-permissions']
        : ['--permission-mode', agent.permission_mode]),
      '--strict-mcp-config',
      '--setting-sources',
      'project',
      ...request.login.args,
      ...(request.role === 'review' ? ['--disallowedTools', 'Edit,MultiEdit,NotebookEdit,Write'] : []),
      '--json-schema',
      plainSchema(request.schemaText),
      ...agent.extra_args,
    ],
    env: {
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_MAX_RETRIES: String(retriesWithin(agent.idle_timeout_secs ?? idleTimeoutSecs)),
      DISABLE_AUTOUPDATER: '1',
      DISABLE_AUTO_COMPACT: '1',
      DISABLE_ERROR_REPORTING: '1',
      DISABLE_TELEMETRY: '1',
      // Without it claude refuses to work as root, whose rights end at the container.
      ...(request.isContained ? { IS_SANDBOX: '1' } : {}),
    },
    stdin: 'prompt',
  };
}

/** An overload of some minutes must not cost a long session, and its waits must fit into the silence it is allowed. */
const retriesMax = 8;

/** Its waits double from half a second to 32 seconds, and vary by a quarter. 0: silence has no limit. */
function retriesWithin(idleSecs: number): number {
  let waited = 0;
  for (let retries = 1; retries <= retriesMax; retries += 1) {
    waited += 1.25 * Math.min(32, 0.5 * 2 ** (retries - 1));
    if (idleSecs > 0 && waited > idleSecs) return retries - 1;
  }
  return retriesMax;
}

function follow(line: string): readonly AgentEvent[] {
  const record = parseRecord(line);
  if (record === null) return [];

  switch (asText(record['type'])) {
    case 'assistant':
      return assistantEvents(record);
    case 'user':
      return blocksOf(record).filter(isToolResult).map(toolResult);
    case 'system':
      return record['subtype'] === 'api_retry' ? [retry(record)] : [];
    case 'rate_limit_event':
      return limit(asRecord(record['rate_limit_info']));
    case 'result':
      return resultEvents(record);
    default:
      return [];
  }
}

/** An error of the service comes as a message of the model too; its words are not the agent's. */
function assistantEvents(record: JsonRecord): readonly AgentEvent[] {
  return record['error'] === undefined
    ? blocksOf(record).flatMap((block) => blockEvents(block, toolCall))
    : [];
}

const editTools: ReadonlySet<string> = new Set(['Edit', 'MultiEdit', 'NotebookEdit', 'Write']);

function toolCall(content: JsonRecord): readonly AgentEvent[] {
  const name = asText(content['name']);
  const input = asRecord(content['input']);
  const detail = detailOf(input, ['command', 'file_path', 'notebook_path', 'pattern', 'url', 'description']);
  const call: AgentEvent = {
    type: 'tool_call',
    id: asText(content['id']),
    tool: name === 'Bash' ? 'shell' : name,
    detail,
  };
  if (name === 'AskUserQuestion') return [call, denied(name, input)];

  if (!editTools.has(name)) return [call];

  return [call, { type: 'file_edit', path: detail, change: name === 'Write' ? 'add' : 'update' }];
}

/** A refused tool call, or a question: nobody can answer it here, so it is reported. */
function denied(name: string, input: JsonRecord | null): AgentEvent {
  const questions = asRecords(input?.['questions']).map((one) => asText(one['question']));
  const words = [name, detailOf(input, ['command', 'file_path', 'question']), ...questions];
  return { type: 'denied', what: words.filter((word) => word !== '').join(' ') };
}

function isToolResult(content: JsonRecord): boolean {
  return content['type'] === 'tool_result';
}

function toolResult(content: JsonRecord): AgentEvent {
  const failed = content['is_error'] === true;
  const told = /^Exit code (\d{1,3})\b/.exec(asText(content['content']))?.[1];
  return {
    type: 'tool_result',
    id: asText(content['tool_use_id']),
    failed,
    exit_code: told === undefined ? null : Number(told),
    ...toolOutput(textIn(content['content'])),
  };
}

/** A text, or blocks of which some are text. */
function textIn(content: unknown): string {
  return (
    asText(content) ||
    asRecords(content)
      .map((part) => asText(part['text']))
      .join('')
  );
}

function retry(record: JsonRecord): AgentEvent {
  const tries = `try ${asStatus(record['attempt']) ?? '?'} of ${asStatus(record['max_retries']) ?? '?'}`;
  return {
    type: 'retry',
    message: `${asText(record['error'])}, ${tries}`,
    status: asStatus(record['error_status']),
    reset_at_ms: null,
  };
}

function limit(info: JsonRecord | null): readonly AgentEvent[] {
  const resetSecs = asAmount(info?.['resetsAt']);
  if (info?.['status'] !== 'rejected') return [];

  return [
    {
      type: 'error',
      message: `limit reached (${asText(info['rateLimitType']) || 'rate limit'})`,
      status: 429,
      fatal: false,
      reset_at_ms: resetSecs === null ? null : resetSecs * 1000,
    },
  ];
}

function resultEvents(record: JsonRecord): readonly AgentEvent[] {
  const structured = asRecord(record['structured_output']);
  const answer = structured === null ? null : renderRecord(structured);
  const denials = asRecords(record['permission_denials']).map((denial) =>
    denied(asText(denial['tool_name']), asRecord(denial['tool_input'])),
  );
  return [
    ...denials,
    ...usageEvents(record),
    ...(record['is_error'] === true ? [failure(record)] : []),
    ...(answer === null ? [] : [{ type: 'answer', text: answer } as const]),
    { type: 'finished' },
  ];
}

function usageEvents(record: JsonRecord): readonly AgentEvent[] {
  const usage = asRecord(record['usage']);
  if (usage === null) return [];

  const cached = usage['cache_read_input_tokens'];
  const counted = usageOf({
    input: [usage['input_tokens'], usage['cache_creation_input_tokens'], cached],
    cached,
    output: [usage['output_tokens']],
    cost: record['total_cost_usd'],
  });
  return [{ type: 'usage', scope: 'session', usage: counted }];
}

function failure(record: JsonRecord): AgentEvent {
  const message = asText(record['result']) || asText(record['subtype']);
  return {
    type: 'error',
    message,
    status: asStatus(record['api_error_status']),
    fatal: true,
    reset_at_ms: null,
  };
}
