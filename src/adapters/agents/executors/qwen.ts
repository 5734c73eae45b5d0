/**
 * How `qwen` is started, followed and read. Its records have the shape of claude's; the last one holds the answer by schema. It
 * cannot be kept from compacting a full context, only from doing so early.
 */
import { join } from 'node:path';
import { toolOutput } from '../../../core/agents/agent-events.ts';
import type { AgentEvent } from '../../../core/agents/agent-events.ts';
import type { FailureKind } from '../../../core/agents/failure.ts';
import { credentialNames } from '../../processes/credential-names.ts';
import type { AgentCommand, CommandRequest, Ended, ExecutorSpec } from './spec.ts';
import {
  asRecord,
  asRecords,
  asText,
  blockEvents,
  blocksOf,
  detailOf,
  parseRecord,
  plainSchema,
  usageOf,
} from './records.ts';
import type { JsonRecord } from './records.ts';

export const qwen: ExecutorSpec = {
  name: 'qwen',
  defaultBin: 'qwen',
  installHint: 'npm install -g @qwen-code/qwen-code@0.24.4, then start qwen once and log in',
  provenVersions: ['0.24.4'],
  hasVersionFlag: true,
  answersInFile: false,
  answersInText: false,
  idleTimeoutSecs: 600,
  answerGraceMs: 10_000,
  credentialNames: credentialNames.qwen,
  // What its settings select comes first; without a choice there it looks at the variables in this order.
  credentials: [
    {
      variable: null,
      file: { homeVariable: 'QWEN_HOME', homeFolder: '.qwen', name: 'oauth_creds.json', isRenewed: true },
      means: 'login of qwen',
    },
    { variable: 'OPENAI_API_KEY', means: 'API key' },
    { variable: 'GEMINI_API_KEY', means: 'API key' },
    { variable: 'ANTHROPIC_API_KEY', means: 'API key' },
  ],
  sandboxFiles: ['.env', 'settings.json'].map((name) => ({
    homeVariable: 'QWEN_HOME',
    homeFolder: '.qwen',
    name,
  })),
  fixes: {
    not_logged_in: 'start qwen and type /auth (or set OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL)',
  },
  command,
  follow,
  failure,
};

function command({ config, role, program, ownDir, schemaText }: CommandRequest): AgentCommand {
  const { agent } = config;
  const settings = join(ownDir, 'qwen.json');
  return {
    argv: [
      program,
      '--output-format',
      'stream-json',
      '--approval-mode',
      'yolo',
      '--extensions',
      'none',
      ...(role === 'review' ? ['--exclude-tools', 'edit,notebook_edit,write_file'] : []),
      '--chat-recording=false',
      '--json-schema',
      plainSchema(schemaText),
      ...(agent.model === null ? [] : ['--model', agent.model]),
      ...agent.extra_args,
    ],
    env: {
      QWEN_CODE_NO_RELAUNCH: 'true',
      QWEN_CODE_SUPPRESS_YOLO_WARNING: '1',
      QWEN_CODE_SYSTEM_SETTINGS_PATH: settings,
      QWEN_USAGE_STATISTICS_ENABLED: 'false',
    },
    stdin: 'prompt',
    files: [{ path: settings, text: `${JSON.stringify(settingsFor(agent.effort))}\n` }],
  };
}

/** Stronger than those of user and project: quiet, no hooks, no MCP servers, no notes to itself, few retries. */
const settingsOverAll = {
  context: { autoCompactThreshold: 1 },
  disableAllHooks: true,
  general: { enableAutoUpdate: false },
  ide: { enabled: false },
  mcp: { excluded: ['*'] },
  memory: { enableAutoSkill: false, enableManagedAutoDream: false, enableManagedAutoMemory: false },
  model: { generationConfig: { maxRetries: 0 } },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
};

function settingsFor(effort: string | null): unknown {
  if (effort === null) return settingsOverAll;
  const { model } = settingsOverAll;
  const generationConfig = { ...model.generationConfig, reasoning: { effort } };
  return { ...settingsOverAll, model: { ...model, generationConfig } };
}

function follow(line: string): readonly AgentEvent[] {
  const record = parseRecord(line);
  switch (asText(record?.['type'])) {
    case 'assistant':
      return blocksOf(record).flatMap((block) => blockEvents(block, toolCall));
    case 'user':
      return blocksOf(record)
        .filter((content) => content['type'] === 'tool_result')
        .map(toolResult);
    case 'system':
      return record?.['subtype'] === 'retry' ? [retry(asRecord(record['data']))] : [];
    case 'result':
      return record === null ? [] : resultEvents(record);
    default:
      return [];
  }
}

const editTools: ReadonlySet<string> = new Set(['edit', 'notebook_edit', 'write_file']);

function toolCall(content: JsonRecord): readonly AgentEvent[] {
  const name = asText(content['name']);
  const names = ['command', 'file_path', 'notebook_path', 'path', 'pattern', 'url', 'description'];
  const detail = detailOf(asRecord(content['input']), names);
  const call: AgentEvent = {
    type: 'tool_call',
    id: asText(content['id']),
    tool: name === 'run_shell_command' ? 'shell' : name,
    detail,
  };
  if (name === 'ask_user_question')
    return [call, { type: 'denied', what: `${name} ${questionIn(asRecord(content['input']))}`.trim() }];

  if (!editTools.has(name)) return [call];

  return [call, { type: 'file_edit', path: detail, change: name === 'write_file' ? 'add' : 'update' }];
}

function questionIn(input: JsonRecord | null): string {
  return asText(asRecords(input?.['questions'])[0]?.['question']);
}

function toolResult(content: JsonRecord): AgentEvent {
  const told = /^Exit Code: (\d{1,3})$/m.exec(asText(content['content']).slice(-1000))?.[1];
  return {
    type: 'tool_result',
    id: asText(content['tool_use_id']),
    failed: content['is_error'] === true,
    exit_code: told === undefined ? null : Number(told),
    ...toolOutput(asText(content['content'])),
  };
}

/** Only stderr says why it retries. */
function retry(data: JsonRecord | null): AgentEvent {
  const tries = `try ${String(data?.['attempt'])} of ${String(data?.['maxRetries'])}`;
  return { type: 'retry', message: `the last request failed, ${tries}`, status: null, reset_at_ms: null };
}

function resultEvents(record: JsonRecord): readonly AgentEvent[] {
  const answer = asRecord(record['structured_result']);
  const denials: AgentEvent[] = asRecords(record['permission_denials']).map((denial) => ({
    type: 'denied',
    what: `${asText(denial['tool_name'])} ${detailOf(asRecord(denial['tool_input']), ['command', 'file_path', 'question'])}`.trim(),
  }));
  return [
    ...denials,
    ...usageEvents(asRecord(record['usage'])),
    ...(record['is_error'] === true ? [failed(record)] : []),
    ...(answer === null ? [] : [{ type: 'answer', text: JSON.stringify(answer) } as const]),
    { type: 'finished' },
  ];
}

/** Input includes what came from a cache. */
function usageEvents(usage: JsonRecord | null): readonly AgentEvent[] {
  if (usage === null) return [];

  const counted = usageOf({
    input: [usage['input_tokens']],
    cached: usage['cache_read_input_tokens'],
    output: [usage['output_tokens']],
    cost: null,
  });
  return [{ type: 'usage', scope: 'session', usage: counted }];
}

function failed(record: JsonRecord): AgentEvent {
  const told = asText(asRecord(record['error'])?.['message']) || asText(record['result']);
  const message = told || asText(record['subtype']);
  // `[API Error: 429 Rate limit reached`.
  const digits = /\bError: ([45]\d\d)\b/.exec(message)?.[1];
  const status = digits === undefined ? null : Number(digits);
  return { type: 'error', message, status, fatal: true, reset_at_ms: null };
}

/** Its own words; it also ends with an error when the model does not answer by schema, or not at all. */
const ownWords: readonly (readonly [FailureKind, RegExp])[] = [
  ['malformed', /structured_output|empty response text/],
  ['not_logged_in', /No auth type is selected/],
  ['network', /non-SSE response/],
];

function failure({ transcript }: Ended): FailureKind | null {
  const text = transcript.error?.message ?? '';
  return ownWords.find(([, words]) => words.test(text))?.[0] ?? null;
}
