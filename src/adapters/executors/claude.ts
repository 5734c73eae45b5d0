/**
 * How `claude -p` is started, followed and read. Its last `result` record holds the answer; the record's subtype says
 * "success" even for failures, so only `is_error` and the answer itself count.
 */
import type { SourceText } from '../../core/types.ts';
import type { AgentCommand, Blocked, CommandRequest, Ended, ExecutorSpec, Followed } from './spec.ts';
import { asList, asRecord, asText, findLastRecord, firstLine, parseRecord } from './records.ts';
import type { JsonRecord } from './records.ts';

export const claude: ExecutorSpec = {
  name: 'claude',
  defaultBin: 'claude',
  installHint: 'npm install -g @anthropic-ai/claude-code, then start claude once and log in',
  hasVersionFlag: true,
  answersInFile: false,
  idleTimeoutSecs: 600,
  answerGraceMs: 10_000,
  credentialNames: [
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_AUTH_TOKEN',
    'ANTHROPIC_BASE_URL',
    'ANTHROPIC_MODEL',
    'CLAUDE_CODE_OAUTH_TOKEN',
    'CLAUDE_CONFIG_DIR',
    'IS_SANDBOX',
  ],
  command,
  follow,
  read,
  blocked,
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
      '--dangerously-skip-permissions',
      '--strict-mcp-config',
      '--json-schema',
      plainSchema(request.schemaText),
      ...agent.extra_args,
    ],
    env: {
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_MAX_RETRIES: '3',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_AUTO_COMPACT: '1',
      DISABLE_ERROR_REPORTING: '1',
      DISABLE_TELEMETRY: '1',
    },
    stdin: 'prompt',
  };
}

/** On one line and without the keys that name a dialect, which not every validator knows. */
function plainSchema(text: string): string {
  const { $schema: _dialect, $id: _id, ...schema } = JSON.parse(text) as Record<string, unknown>;
  return JSON.stringify(schema);
}

function follow(line: string): Followed {
  const record = parseRecord(line);
  const blocks = asList(asRecord(record?.['message'])?.['content'])
    .map(asRecord)
    .filter((block) => block !== null);
  const count = (type: string): number => blocks.filter((block) => block['type'] === type).length;
  const nothing: Followed = { line: null, tools: 0, answer: null };
  switch (asText(record?.['type'])) {
    case 'assistant':
      return { ...nothing, line: firstLine(blocks.map(describeBlock).join('\n')), tools: count('tool_use') };
    case 'user':
      return { ...nothing, tools: 0 - count('tool_result') };
    case 'system':
      return { ...nothing, line: describeRetry(record) };
    case 'result':
      return { ...nothing, answer: answerOf(record) };
    default:
      return nothing;
  }
}

function describeBlock(block: JsonRecord): string {
  if (block['type'] === 'text') {
    return asText(block['text']);
  }
  if (block['type'] !== 'tool_use') {
    return '';
  }
  const input = asRecord(block['input']);
  const detail = asText(input?.['command']) || asText(input?.['file_path']) || asText(input?.['pattern']);
  return `${asText(block['name'])} ${detail}`.trim();
}

function describeRetry(record: JsonRecord | null): string | null {
  if (record?.['subtype'] !== 'api_retry') {
    return null;
  }
  return `waiting for the model: ${asText(record['error'])}, try ${String(record['attempt'])} of ${String(record['max_retries'])}`;
}

function read({ stdoutTail }: Ended): SourceText {
  const text = answerOf(findResult(stdoutTail));
  return text === null ? { kind: 'missing' } : { kind: 'text', text };
}

function answerOf(result: JsonRecord | null): string | null {
  const answer = asRecord(result?.['structured_output']);
  return answer === null ? null : JSON.stringify(answer);
}

function findResult(stdout: string): JsonRecord | null {
  return findLastRecord(stdout, (record) => record['type'] === 'result');
}

function blocked({ stdoutTail, stderrTail }: Ended): Blocked | null {
  const result = findResult(stdoutTail);
  const text = result?.['is_error'] === true ? asText(result['result']) : stderrTail;
  const reason = `claude: ${firstLine(text) ?? ''}`;
  if (/cannot be used with root\/sudo privileges/.test(text)) {
    return { reason, fix: 'run as another user; in a throw-away container: IS_SANDBOX=1 runner loop' };
  }
  if (
    /Not logged in|Failed to authenticate|Invalid API key/i.test(text) ||
    result?.['api_error_status'] === 401
  ) {
    return { reason, fix: 'start claude and log in (or set ANTHROPIC_API_KEY)' };
  }
  if (/hit your .{1,40}limit|Credit balance is too low/i.test(text)) {
    return { reason, fix: 'wait for the reset, or check your plan; then run the same command again' };
  }
  if (result?.['api_error_status'] === 404) {
    return {
      reason,
      fix: 'set agent.model in .runner/state/config.toml to a model you can use and commit it',
    };
  }
  return null;
}
