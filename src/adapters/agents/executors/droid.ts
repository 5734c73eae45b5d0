/**
 * How `droid exec` is started, followed and read. Its last words for any failure are "Exec failed"; the error record before
 * them has the reason. It keeps its sessions in ~/.factory and has no switch for that.
 */
import { join } from 'node:path';
import { toolOutput } from '../../../core/agents/agent-events.ts';
import type { AgentEvent } from '../../../core/agents/agent-events.ts';
import type { FailureKind } from '../../../core/agents/failure.ts';
import { credentialNames } from '../../processes/credential-names.ts';
import type { AgentCommand, CommandRequest, Ended, ExecutorSpec } from './spec.ts';
import { asRecord, asRecords, asText, detailOf, parseRecord, usageOf } from './records.ts';
import type { JsonRecord } from './records.ts';

export const droid: ExecutorSpec = {
  name: 'droid',
  defaultBin: 'droid',
  installHint: 'npm install -g droid, then start droid once and log in',
  provenVersions: ['0.215.0'],
  hasVersionFlag: true,
  answersInFile: false,
  answersInText: true,
  idleTimeoutSecs: 600,
  answerGraceMs: 10_000,
  credentialNames: credentialNames.droid,
  credentials: [
    { variable: 'FACTORY_API_KEY', means: 'API key' },
    {
      variable: null,
      file: {
        homeVariable: 'FACTORY_HOME_OVERRIDE',
        homeFolder: '',
        name: '.factory/auth.v2.file',
        isRenewed: true,
      },
      means: 'login of droid',
    },
    {
      variable: null,
      file: { homeVariable: 'FACTORY_HOME_OVERRIDE', homeFolder: '', name: '.factory/settings.json' },
      means: 'models of your own',
    },
  ],
  sandboxFiles: [{ homeVariable: 'FACTORY_HOME_OVERRIDE', homeFolder: '', name: '.factory/auth.v2.key' }],
  fixes: {
    not_logged_in:
      'start droid and log in (or set FACTORY_API_KEY, or a custom model in ~/.factory/settings.json)',
  },
  command,
  follow,
  failure,
};

function command({ config, role, program, projectDir, ownDir }: CommandRequest): AgentCommand {
  const { agent } = config;
  const settings = join(ownDir, 'droid.json');
  return {
    argv: [
      program,
      '--settings',
      settings,
      'exec',
      '--output-format',
      'stream-json',
      '--cwd',
      projectDir,
      '--skip-permissions-unsafe',
      ...(role === 'review' ? ['--remove-tools', 'ApplyPatch,Create,Edit'] : []),
      ...(agent.model === null ? [] : ['--model', agent.model]),
      ...(agent.effort === null ? [] : ['--reasoning-effort', agent.effort]),
      ...agent.extra_args,
    ],
    env: {
      FACTORY_DROID_AUTO_UPDATE_ENABLED: 'false',
      FACTORY_OTEL_ENABLED: 'false',
      ...(agent.model?.startsWith('custom:') === true ? { FACTORY_AIRGAP_ENABLED: 'true' } : {}),
    },
    stdin: 'prompt',
    files: [{ path: settings, text: settingsText }],
  };
}

/** Hooks and MCP servers of the user stay out; a full context ends the session (but an overflow the service reports is compacted once). */
const settingsText = `${JSON.stringify({
  cloudSessionSync: false,
  compactionThresholdCheckEnabled: false,
  hooks: { hooksDisabled: true },
  mcpPolicy: { enabled: true, allowlist: [] },
})}\n`;

function follow(line: string): readonly AgentEvent[] {
  const record = parseRecord(line);
  switch (asText(record?.['type'])) {
    case 'message':
      return record?.['role'] === 'assistant'
        ? [{ type: 'message', text: asText(record['text']), partial: false }]
        : [];
    case 'reasoning':
      return [{ type: 'reasoning', text: asText(record?.['text']), partial: false }];
    case 'tool_call':
      return toolCall(record);
    case 'tool_result':
      return [toolResult(record)];
    case 'error':
      return failures(asText(record?.['message']));
    case 'completion':
      return [...usageEvents(asRecord(record?.['usage'])), { type: 'finished' }];
    default:
      return [];
  }
}

const editTools: ReadonlySet<string> = new Set(['ApplyPatch', 'Create', 'Edit', 'MultiEdit']);

function toolCall(record: JsonRecord | null): readonly AgentEvent[] {
  const name = asText(record?.['toolName']);
  const detail = detailOf(asRecord(record?.['parameters']), [
    'command',
    'file_path',
    'directory_path',
    'pattern',
    'url',
    'query',
    'description',
  ]);
  const call: AgentEvent = {
    type: 'tool_call',
    id: asText(record?.['id']),
    tool: name === 'Execute' ? 'shell' : name,
    detail,
  };
  if (name === 'AskUser') {
    const question = asText(asRecords(asRecord(record?.['parameters'])?.['questions'])[0]?.['question']);
    return [call, { type: 'denied', what: `${name} ${question}`.trim() }];
  }
  if (!editTools.has(name) || detail === '') return [call];

  return [call, { type: 'file_edit', path: detail, change: name === 'Create' ? 'add' : 'update' }];
}

function toolResult(record: JsonRecord | null): AgentEvent {
  const said = asText(record?.['value']) || asText(asRecord(record?.['error'])?.['message']);
  const told = /\[Process exited with code (\d{1,3})\]\s*$/.exec(said.slice(-200))?.[1];
  return {
    type: 'tool_result',
    id: asText(record?.['id']),
    failed: record?.['isError'] === true,
    exit_code: told === undefined ? null : Number(told),
    ...toolOutput(said),
  };
}

function failures(message: string): readonly AgentEvent[] {
  if (message === 'Exec failed') return [];

  // `429 Rate limit reached`.
  const digits = /^([45]\d\d)\b/.exec(message)?.[1];
  const status = digits === undefined ? null : Number(digits);
  return [{ type: 'error', message, status, fatal: true, reset_at_ms: null }];
}

function usageEvents(usage: JsonRecord | null): readonly AgentEvent[] {
  if (usage === null) return [];

  const cached = usage['cache_read_input_tokens'];
  const counted = usageOf({
    input: [usage['input_tokens'], usage['cache_creation_input_tokens'], cached],
    cached,
    output: [usage['output_tokens']],
    cost: null,
  });
  return [{ type: 'usage', scope: 'session', usage: counted }];
}

/** Empty or broken answers of the service. */
function failure({ transcript }: Ended): FailureKind | null {
  return /no usable output/i.test(transcript.error?.message ?? '') ? 'network' : null;
}
