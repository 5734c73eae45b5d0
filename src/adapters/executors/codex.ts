/**
 * How `codex exec` is started, followed and read. It writes its last message to a file, validates nothing itself, and says
 * why a turn failed only in prose; what that prose does not make plain is an ordinary failure.
 */
import type { AgentCommand, Blocked, CommandRequest, Ended, ExecutorSpec, Followed } from './spec.ts';
import { asRecord, asText, findLastRecord, firstLine, parseRecord } from './records.ts';

const toolItems: ReadonlySet<string> = new Set(['command_execution', 'mcp_tool_call', 'web_search']);

export const codex: ExecutorSpec = {
  name: 'codex',
  defaultBin: 'codex',
  installHint: 'npm install -g @openai/codex, then: codex login',
  hasVersionFlag: true,
  answersInFile: false,
  idleTimeoutSecs: 600,
  answerGraceMs: 10_000,
  credentialNames: [
    'CODEX_API_KEY',
    'CODEX_HOME',
    'OPENAI_API_KEY',
    'OPENAI_BASE_URL',
    'OPENAI_ORGANIZATION',
    'OPENAI_PROJECT',
  ],
  command,
  follow,
  read: (ended) => ended.answerFile,
  blocked,
};

function command(request: CommandRequest): AgentCommand {
  const { agent } = request.config;
  const isFull = agent.permissions === 'full';
  return {
    argv: [
      request.program,
      'exec',
      '--json',
      '--ephemeral',
      '--skip-git-repo-check',
      '--color',
      'never',
      '--disable',
      'plugins',
      '--disable',
      'unbounded_connection_retries',
      '-c',
      'analytics.enabled=false',
      '-c',
      'check_for_update_on_startup=false',
      '-C',
      request.projectDir,
      ...(agent.model === null ? [] : ['-m', agent.model]),
      ...(isFull ? ['--dangerously-bypass-approvals-and-sandbox'] : ['-s', 'workspace-write']),
      '--output-schema',
      request.schemaFile,
      '-o',
      request.answerFile,
      ...agent.extra_args,
      '-',
    ],
    env: {},
    stdin: 'prompt',
  };
}

function follow(line: string): Followed {
  const record = parseRecord(line);
  const type = asText(record?.['type']);
  const item = asRecord(record?.['item']);
  const itemType = asText(item?.['type']);
  const isTool = toolItems.has(itemType);
  if (type === 'item.started' && isTool) {
    return { line: describeTool(itemType, asText(item?.['command'])), tools: 1, answer: null };
  }
  if (type === 'item.completed') {
    const text = itemType === 'agent_message' ? asText(item?.['text']) : '';
    return { line: firstLine(text), tools: isTool ? -1 : 0, answer: null };
  }
  // Not fatal by itself: codex reports retries this way.
  return { line: type === 'error' ? firstLine(asText(record?.['message'])) : null, tools: 0, answer: null };
}

function describeTool(itemType: string, commandText: string): string {
  return itemType === 'command_execution'
    ? `$ ${firstLine(commandText) ?? ''}`
    : itemType.replaceAll('_', ' ');
}

const loginFix = 'codex login (or set CODEX_API_KEY)';

function blocked({ stdoutTail, stderrTail }: Ended): Blocked | null {
  const failed = findLastRecord(stdoutTail, (record) => record['type'] === 'turn.failed');
  const message = asText(asRecord(failed?.['error'])?.['message']);
  const text = message === '' ? stderrTail : message;
  const reason = `codex: ${firstLine(text) ?? ''}`;
  if (/401 Unauthorized|Missing environment variable: |not logged in/i.test(text)) {
    return { reason, fix: loginFix };
  }
  if (/Quota exceeded|insufficient_quota|hit your usage limit/i.test(text)) {
    return {
      reason,
      fix: 'check your plan and billing, or wait for the reset; then run the same command again',
    };
  }
  if (/model_not_found|model .{1,80} does not exist|model is not supported/i.test(text)) {
    return {
      reason,
      fix: 'set agent.model in .runner/state/config.toml to a model you can use and commit it',
    };
  }
  return null;
}
