/**
 * How `pi --mode json` is started, followed and read. It always exits with 0, so only its records show a failure: a message of
 * the model that stopped with an error. It prints the whole message again with every piece of it; those lines are skipped
 * unread, and the message is taken from the record that ends it.
 */
import { join } from 'node:path';
import { toolOutput } from '../../../core/agents/agent-events.ts';
import type { AgentEvent } from '../../../core/agents/agent-events.ts';
import type { FailureKind } from '../../../core/agents/failure.ts';
import { credentialNames } from '../../processes/credential-names.ts';
import type { AgentCommand, CommandRequest, Ended, ExecutorSpec } from './spec.ts';
import { asRecord, asRecords, asText, detailOf, parseRecord, usageOf } from './records.ts';
import type { JsonRecord } from './records.ts';

export const pi: ExecutorSpec = {
  name: 'pi',
  defaultBin: 'pi',
  installHint: 'npm install -g @mariozechner/pi-coding-agent, then start pi once and log in',
  provenVersions: ['0.73.1'],
  hasVersionFlag: true,
  answersInFile: false,
  answersInText: true,
  idleTimeoutSecs: 600,
  answerGraceMs: 10_000,
  // Those of other providers pass by agent.env.
  credentialNames: credentialNames.pi,
  credentials: [
    {
      variable: null,
      file: {
        homeVariable: 'PI_CODING_AGENT_DIR',
        homeFolder: '.pi/agent',
        name: 'auth.json',
        isRenewed: true,
      },
      means: 'login of pi',
    },
    { variable: 'ANTHROPIC_OAUTH_TOKEN', means: 'subscription token', provider: 'anthropic' },
    { variable: 'ANTHROPIC_API_KEY', means: 'API key', provider: 'anthropic' },
    { variable: 'OPENAI_API_KEY', means: 'API key', provider: 'openai' },
    { variable: 'GEMINI_API_KEY', means: 'API key', provider: 'google' },
    { variable: 'OPENROUTER_API_KEY', means: 'API key', provider: 'openrouter' },
    {
      variable: null,
      file: { homeVariable: 'PI_CODING_AGENT_DIR', homeFolder: '.pi/agent', name: 'models.json' },
      means: 'models of your own',
    },
  ],
  fixes: { not_logged_in: 'start pi and type /login (or set the API key of your provider)' },
  command,
  follow,
  failure,
};

/** Compaction has no flag: an extension of ours refuses it. User extensions stay out, project AGENTS.md is read. */
const extensionText = `export default function (pi) {
  pi.on('session_before_compact', () => ({ cancel: true }));
}
`;

function command({ config, role, program, ownDir }: CommandRequest): AgentCommand {
  const { agent } = config;
  const extension = join(ownDir, 'pi-extension.mjs');
  return {
    argv: [
      program,
      '--print',
      '--mode',
      'json',
      '--no-session',
      '--offline',
      '--no-extensions',
      '--extension',
      extension,
      '--no-prompt-templates',
      '--no-themes',
      ...(role === 'review' ? ['--tools', 'read,bash,grep,find,ls'] : []),
      ...(agent.model === null ? [] : ['--model', agent.model]),
      ...(agent.effort === null ? [] : ['--thinking', agent.effort]),
      ...agent.extra_args,
    ],
    env: {},
    stdin: 'prompt',
    files: [{ path: extension, text: extensionText }],
  };
}

/** Records that only repeat others, often megabytes. */
const passedOver = /^\{"type":"(?:message_update|message_start|tool_execution_update|turn_end|agent_end)"/;

function follow(line: string): readonly AgentEvent[] {
  if (passedOver.test(line)) return line.startsWith('{"type":"agent_end"') ? [{ type: 'finished' }] : [];

  const record = parseRecord(line);
  switch (asText(record?.['type'])) {
    case 'message_end':
      return messageEvents(asRecord(record?.['message']));
    case 'tool_execution_start':
      return toolCall(record);
    case 'tool_execution_end':
      return [toolResult(record)];
    case 'auto_retry_start':
      return [retry(record)];
    default:
      return [];
  }
}

function messageEvents(message: JsonRecord | null): readonly AgentEvent[] {
  if (message?.['role'] !== 'assistant') return [];

  return [
    ...asRecords(message['content']).flatMap(block),
    ...usageEvents(asRecord(message['usage'])),
    ...failures(message),
  ];
}

function block(content: JsonRecord): readonly AgentEvent[] {
  switch (content['type']) {
    case 'text':
      return [{ type: 'message', text: asText(content['text']), partial: false }];
    case 'thinking':
      return [{ type: 'reasoning', text: asText(content['thinking']), partial: false }];
    default:
      return [];
  }
}

/** Of one request. A cost of 0 means a model without prices, so the cost stays unknown. */
function usageEvents(usage: JsonRecord | null): readonly AgentEvent[] {
  if (usage === null || spentNothing(usage)) return [];

  const cost = asRecord(usage['cost'])?.['total'];
  const counted = usageOf({
    input: [usage['input'], usage['cacheRead'], usage['cacheWrite']],
    cached: usage['cacheRead'],
    output: [usage['output']],
    cost: cost === 0 ? null : cost,
  });
  return [{ type: 'usage', scope: 'turn', usage: counted }];
}

function spentNothing(usage: JsonRecord | null): boolean {
  return usage?.['totalTokens'] === 0;
}

const noAnswer = 'the model service gave an empty answer';

/** It takes an empty answer of the service for a message without text. */
function failures(message: JsonRecord): readonly AgentEvent[] {
  const reason = asText(message['stopReason']);
  const isFailed = reason === 'error' || reason === 'aborted';
  const isEmpty = asRecords(message['content']).length === 0 && spentNothing(asRecord(message['usage']));
  if (!isFailed && !isEmpty) return [];

  const text = isFailed ? asText(message['errorMessage']) || `stopped: ${reason}` : noAnswer;
  return [{ type: 'error', message: text, status: statusIn(text), fatal: true, reset_at_ms: null }];
}

/** `429 Rate limit reached`. */
function statusIn(message: string): number | null {
  const digits = /^([45]\d\d)\b/.exec(message)?.[1];
  return digits === undefined ? null : Number(digits);
}

function toolCall(record: JsonRecord | null): readonly AgentEvent[] {
  const name = asText(record?.['toolName']);
  const detail = detailOf(asRecord(record?.['args']), ['command', 'path', 'pattern']);
  const call: AgentEvent = {
    type: 'tool_call',
    id: asText(record?.['toolCallId']),
    tool: name === 'bash' ? 'shell' : name,
    detail,
  };
  if (name !== 'write' && name !== 'edit') return [call];

  return [call, { type: 'file_edit', path: detail, change: name === 'write' ? 'add' : 'update' }];
}

function toolResult(record: JsonRecord | null): AgentEvent {
  const said = asRecords(asRecord(record?.['result'])?.['content']).map((part) => asText(part['text']));
  const told = /\bCommand exited with code (\d{1,3})\s*$/.exec(said.join('').slice(-200))?.[1];
  return {
    type: 'tool_result',
    id: asText(record?.['toolCallId']),
    failed: record?.['isError'] === true,
    exit_code: told === undefined ? null : Number(told),
    ...toolOutput(said.join('')),
  };
}

function retry(record: JsonRecord | null): AgentEvent {
  const message = asText(record?.['errorMessage']);
  return {
    type: 'retry',
    message: `${message}, try ${String(record?.['attempt'])} of ${String(record?.['maxAttempts'])}`,
    status: statusIn(message),
    reset_at_ms: null,
  };
}

function failure({ transcript, stderr }: Ended): FailureKind | null {
  if (transcript.error?.message === noAnswer) return 'network';

  return transcript.error === null && /^Error: Unknown provider/m.test(stderr) ? 'model_not_found' : null;
}
