/**
 * How `gemini` is started, followed and read. Its settings count only in its home folder, so we give it one, with links to the
 * user's login. Its messages come in pieces; its last record says why it failed.
 */
import { join } from 'node:path';
import { toolOutput } from '../../../core/agents/agent-events.ts';
import type { AgentEvent } from '../../../core/agents/agent-events.ts';
import { classifyFailure } from '../../../core/agents/failure.ts';
import type { FailureKind } from '../../../core/agents/failure.ts';
import { credentialNames } from '../../processes/credential-names.ts';
import type { AgentCommand, CommandRequest, Ended, ExecutorSpec } from './spec.ts';
import { asAmount, asRecord, asRecords, asText, detailOf, parseRecord, usageOf } from './records.ts';
import type { JsonRecord } from './records.ts';

export const gemini: ExecutorSpec = {
  name: 'gemini',
  defaultBin: 'gemini',
  installHint: 'npm install -g @google/gemini-cli, then start gemini once and log in',
  provenVersions: ['0.61.0'],
  hasVersionFlag: true,
  answersInFile: false,
  answersInText: true,
  idleTimeoutSecs: 600,
  answerGraceMs: 10_000,
  credentialNames: credentialNames.gemini,
  // What its settings select (security.auth.selectedType) comes first; without a choice there the variables decide.
  credentials: [
    { variable: 'GOOGLE_GENAI_USE_GCA', means: 'Google login' },
    { variable: 'GOOGLE_GENAI_USE_VERTEXAI', means: 'Vertex AI' },
    { variable: 'GEMINI_API_KEY', means: 'API key' },
    {
      variable: null,
      file: { homeVariable: null, homeFolder: '.gemini', name: 'oauth_creds.json', isRenewed: true },
      means: 'Google login of gemini',
    },
  ],
  sandboxFiles: [
    { homeVariable: null, homeFolder: '.gemini', name: 'gemini-credentials.json', isRenewed: true },
    ...['.env', 'google_accounts.json', 'settings.json'].map((name) => ({
      homeVariable: null,
      homeFolder: '.gemini',
      name,
    })),
  ],
  fixes: { not_logged_in: 'start gemini and log in (or set GEMINI_API_KEY)' },
  command,
  follow,
  failure,
};

/** Only the choice of login is taken from the user's settings; hooks, extensions, MCP servers and the rest stay out. */
const launcher = `own="$GEMINI_CLI_HOME/.gemini"
for name in .env gemini-credentials.json google_accounts.json oauth_creds.json; do
  if [ -e "$HOME/.gemini/$name" ]; then ln -sf "$HOME/.gemini/$name" "$own/$name"; fi
done
RUNNER_GEMINI_AUTH=$(sed -n 's/.*"selectedType"[^"]*"\\([a-z-]*\\)".*/\\1/p' "$HOME/.gemini/settings.json" 2>/dev/null)
export RUNNER_GEMINI_AUTH
exec "$0" "$@"`;

const settings = {
  context: { fileName: ['GEMINI.md', 'AGENTS.md'] },
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, maxAttempts: 3 },
  hooksConfig: { enabled: false },
  ide: { enabled: false },
  // Of the model's context: never.
  model: { compressionThreshold: 100 },
  privacy: { usageStatisticsEnabled: false },
  security: { auth: { selectedType: '${RUNNER_GEMINI_AUTH}' } },
  telemetry: { enabled: false },
};

const reviewPolicy = `[[rule]]
toolName = ["replace", "write_file"]
decision = "deny"
priority = 999
`;

function command({ config, role, program, ownDir }: CommandRequest): AgentCommand {
  const { agent } = config;
  const policy = { path: join(ownDir, 'gemini-review.toml'), text: reviewPolicy };
  const isReview = role === 'review';
  return {
    argv: [
      '/bin/sh',
      '-c',
      launcher,
      program,
      '--output-format',
      'stream-json',
      '--approval-mode',
      'yolo',
      '--skip-trust',
      '--allowed-mcp-server-names',
      'none',
      ...(isReview ? ['--policy', policy.path] : []),
      ...(agent.model === null ? [] : ['--model', agent.model]),
      ...agent.extra_args,
    ],
    env: { GEMINI_CLI_HOME: ownDir, GEMINI_CLI_NO_RELAUNCH: 'true' },
    stdin: 'prompt',
    files: [
      { path: join(ownDir, '.gemini', 'settings.json'), text: `${JSON.stringify(settings)}\n` },
      ...(isReview ? [policy] : []),
    ],
  };
}

function follow(line: string): readonly AgentEvent[] {
  const record = parseRecord(line);
  switch (asText(record?.['type'])) {
    case 'message':
      return record?.['role'] === 'assistant'
        ? [{ type: 'message', text: asText(record['content']), partial: record['delta'] === true }]
        : [];
    case 'tool_use':
      return toolCall(record);
    case 'tool_result':
      return toolResult(record);
    case 'error':
      return [failed(asText(record?.['message']), brokenStream.test(asText(record?.['message'])))];
    case 'result':
      return resultEvents(record);
    default:
      return [];
  }
}

/** Empty or broken answers of the service; after some of them it ends as if nothing had been wrong. */
const brokenStream = /stream ended without|Incomplete JSON/;

function toolCall(record: JsonRecord | null): readonly AgentEvent[] {
  const name = asText(record?.['tool_name']);
  const names = ['command', 'file_path', 'absolute_path', 'dir_path', 'path', 'pattern', 'url', 'query'];
  const detail = detailOf(asRecord(record?.['parameters']), names);
  const call: AgentEvent = {
    type: 'tool_call',
    id: asText(record?.['tool_id']),
    tool: name === 'run_shell_command' ? 'shell' : name,
    detail,
  };
  if (name === 'ask_user') {
    const question = asText(asRecords(asRecord(record?.['parameters'])?.['questions'])[0]?.['question']);
    return [call, { type: 'denied', what: `${name} ${question}`.trim() }];
  }
  if (name !== 'write_file' && name !== 'replace') return [call];

  return [call, { type: 'file_edit', path: detail, change: name === 'write_file' ? 'add' : 'update' }];
}

/** It reports an exit code only if there was no output. */
function toolResult(record: JsonRecord | null): readonly AgentEvent[] {
  const error = asRecord(record?.['error']);
  const told = /^Command exited with code: (\d{1,3})$/.exec(asText(record?.['output']))?.[1];
  const ended: AgentEvent = {
    type: 'tool_result',
    id: asText(record?.['tool_id']),
    failed: record?.['status'] === 'error' || told !== undefined,
    exit_code: told === undefined ? null : Number(told),
    ...toolOutput(asText(record?.['output']) || asText(error?.['message'])),
  };
  const what = asText(error?.['message']);
  const isDenied = error?.['type'] === 'policy_violation' || /denied|^Path not in workspace/.test(what);
  return isDenied ? [ended, { type: 'denied', what }] : [ended];
}

function resultEvents(record: JsonRecord | null): readonly AgentEvent[] {
  const message = asText(asRecord(record?.['error'])?.['message']);
  return [
    ...usageEvents(asRecord(record?.['stats'])),
    ...(record?.['status'] === 'error' && message !== '' ? [failed(message, true)] : []),
    { type: 'finished' },
  ];
}

/** What the model thought counts in the total only. */
function usageEvents(stats: JsonRecord | null): readonly AgentEvent[] {
  const total = asAmount(stats?.['total_tokens']);
  const input = asAmount(stats?.['input_tokens']);
  if (stats === null || total === null || input === null) return [];

  const counted = usageOf({
    input: [input],
    cached: stats['cached'],
    output: [total - input],
    cost: null,
  });
  return [{ type: 'usage', scope: 'session', usage: counted }];
}

function failed(message: string, fatal: boolean): AgentEvent {
  return { type: 'error', message, status: null, fatal, reset_at_ms: null };
}

/** It exits with the HTTP status, of which a process can only keep the lower byte, but not for a model it does not find. */
function failure({ transcript, stderr, exitCode }: Ended): FailureKind | null {
  const text = transcript.error?.message ?? stderr;
  if (exitCode === 41) return 'not_logged_in';

  if (/\bmodels\/\S+ is not found\b/.test(text)) return 'model_not_found';

  if (brokenStream.test(text)) return 'network';

  const status = exitCode !== null && exitCode >= 400 - 256 ? exitCode + 256 : null;
  return classifyFailure({ status, text });
}
