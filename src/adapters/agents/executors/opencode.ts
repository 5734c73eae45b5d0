/**
 * How `opencode run` is started, followed and read. It reports a tool only when the tool has ended, and never reports its
 * retries. For an unknown model it prints only that there was an error; its log on stderr has the reason.
 */
import { toolOutput } from '../../../core/agents/agent-events.ts';
import type { AgentEvent } from '../../../core/agents/agent-events.ts';
import { classifyFailure } from '../../../core/agents/failure.ts';
import type { FailureKind } from '../../../core/agents/failure.ts';
import { credentialNames } from '../../processes/credential-names.ts';
import type { AgentCommand, CommandRequest, Ended, ExecutorSpec } from './spec.ts';
import { asRecord, asStatus, asText, detailOf, parseRecord, usageOf } from './records.ts';
import type { JsonRecord } from './records.ts';

export const opencode: ExecutorSpec = {
  name: 'opencode',
  defaultBin: 'opencode',
  installHint: 'npm install -g opencode-ai, then: opencode auth login',
  provenVersions: ['1.18.33'],
  hasVersionFlag: true,
  answersInFile: false,
  answersInText: true,
  // A running tool is not visible, so the limit must cover the longest one.
  idleTimeoutSecs: 1200,
  answerGraceMs: 10_000,
  // Those of other providers pass by agent.env.
  credentialNames: credentialNames.opencode,
  credentials: [
    { variable: 'OPENCODE_AUTH_CONTENT', means: 'login' },
    {
      variable: null,
      file: { homeVariable: null, homeFolder: '.local/share', name: 'opencode/auth.json', isRenewed: true },
      means: 'login of opencode',
    },
    { variable: 'ANTHROPIC_API_KEY', means: 'API key', provider: 'anthropic' },
    { variable: 'OPENAI_API_KEY', means: 'API key', provider: 'openai' },
    { variable: 'GEMINI_API_KEY', means: 'API key', provider: 'google' },
    { variable: 'OPENROUTER_API_KEY', means: 'API key', provider: 'openrouter' },
    { variable: 'OPENCODE_API_KEY', means: 'API key', provider: 'opencode' },
    {
      variable: null,
      file: { homeVariable: null, homeFolder: '.config', name: 'opencode/opencode.json' },
      means: 'providers of your own',
    },
  ],
  // With the last two it does not ask the npm registry for its plugin package.
  sandboxFiles: ['opencode.jsonc', 'package-lock.json', 'node_modules/.package-lock.json'].map((name) => ({
    homeVariable: null,
    homeFolder: '.config/opencode',
    name,
  })),
  fixes: {
    not_logged_in: 'opencode auth login (or set the API key of your provider)',
    model_not_found:
      'set agent.model in .runner/state/config.toml to one that `opencode models` lists and commit it; a provider without a key has none',
  },
  command,
  follow,
  lastRetry,
  failure,
};

function command(request: CommandRequest): AgentCommand {
  const { agent } = request.config;
  return {
    argv: [
      request.program,
      'run',
      '--format',
      'json',
      '--auto',
      '--pure',
      '--thinking',
      '--print-logs',
      '--log-level',
      'ERROR',
      // Without a title it asks the model for one.
      '--title',
      'runner',
      '--dir',
      request.projectDir,
      ...(agent.model === null ? [] : ['--model', agent.model]),
      ...(agent.effort === null ? [] : ['--variant', agent.effort]),
      ...agent.extra_args,
    ],
    env: {
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        autoupdate: false,
        compaction: { auto: false, prune: false },
        permission: permissions(request),
        share: 'disabled',
        snapshot: false,
      }),
      OPENCODE_DB: ':memory:',
      OPENCODE_DISABLE_AUTOCOMPACT: '1',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_SHARE: '1',
    },
    stdin: 'prompt',
  };
}

const ownTools = [
  'bash',
  'doom_loop',
  'external_directory',
  'glob',
  'grep',
  'invalid',
  'list',
  'lsp',
  'read',
  'skill',
  'task',
  'todoread',
  'todowrite',
  'webfetch',
  'websearch',
];

/** Its own tools and no others: MCP servers of the user start whatever we say, but the model is not shown their tools. */
function permissions({ role }: CommandRequest): Readonly<Record<string, 'allow' | 'deny'>> {
  return {
    '*': 'deny',
    ...Object.fromEntries(ownTools.map((tool) => [tool, 'allow'] as const)),
    edit: role === 'review' ? 'deny' : 'allow',
  };
}

function follow(line: string): readonly AgentEvent[] {
  const record = parseRecord(line);
  const part = asRecord(record?.['part']);
  switch (asText(record?.['type'])) {
    case 'text':
      return [{ type: 'message', text: asText(part?.['text']), partial: false }];
    case 'reasoning':
      return [{ type: 'reasoning', text: asText(part?.['text']), partial: false }];
    case 'tool_use':
      return toolEvents(part);
    case 'step_finish':
      return stepEvents(part);
    case 'error':
      return [failed(asRecord(record?.['error']))];
    default:
      return [];
  }
}

function toolEvents(part: JsonRecord | null): readonly AgentEvent[] {
  const id = asText(part?.['callID']);
  const state = asRecord(part?.['state']);
  const input = asRecord(state?.['input']);
  // It reports a missing or forbidden tool as `invalid`.
  const isMissing = part?.['tool'] === 'invalid';
  const tool = asText(isMissing ? input?.['tool'] : part?.['tool']);
  const detail = detailOf(input, ['command', 'filePath', 'path', 'pattern', 'url', 'query', 'description']);
  const metadata = asRecord(state?.['metadata']);
  const exit_code = asStatus(metadata?.['exit']);
  const isError = isMissing || state?.['status'] === 'error';
  const isEdit = (tool === 'write' || tool === 'edit') && !isError;
  const change = tool === 'write' && metadata?.['exists'] === false ? 'add' : 'update';
  const isDenied = /\brule which prevents|rejected permission|unavailable tool/.test(
    asText(state?.['error'] ?? input?.['error']),
  );
  return [
    { type: 'tool_call', id, tool: tool === 'bash' ? 'shell' : tool, detail },
    ...(isEdit ? [{ type: 'file_edit', path: detail, change } as const] : []),
    {
      type: 'tool_result',
      id,
      failed: isError || (exit_code !== null && exit_code !== 0),
      exit_code,
      ...toolOutput(asText(state?.['output'] ?? state?.['error'])),
    },
    ...(isDenied ? [{ type: 'denied', what: `${tool} ${detail}`.trim() } as const] : []),
  ];
}

/** After an empty answer of the service it retries forever. */
function stepEvents(part: JsonRecord | null): readonly AgentEvent[] {
  const tokens = asRecord(part?.['tokens']);
  const reason = part?.['reason'];
  if (reason === 'unknown' && tokens?.['input'] === 0 && tokens['output'] === 0) {
    const message = 'the model service gave an empty answer (invalid response)';
    return [{ type: 'retry', message, status: null, reset_at_ms: null }];
  }
  return [...usageEvents(part, tokens), ...(reason === 'stop' ? [{ type: 'finished' } as const] : [])];
}

/** Of one request. A cost of 0 means a model without prices, so the cost stays unknown. */
function usageEvents(part: JsonRecord | null, tokens: JsonRecord | null): readonly AgentEvent[] {
  if (tokens === null) return [];

  const cache = asRecord(tokens['cache']);
  const counted = usageOf({
    input: [tokens['input'], cache?.['read'], cache?.['write']],
    cached: cache?.['read'],
    output: [tokens['output'], tokens['reasoning']],
    cost: part?.['cost'] === 0 ? null : part?.['cost'],
  });
  return [{ type: 'usage', scope: 'turn', usage: counted }];
}

function failed(error: JsonRecord | null): AgentEvent {
  const name = asText(error?.['name']);
  const data = asRecord(error?.['data']);
  const after = asText(asRecord(data?.['responseHeaders'])?.['retry-after']);
  const told = asText(data?.['message']) || name;
  return {
    type: 'error',
    message: `${name === 'APIError' ? '' : `${name}: `}${told}${/^\d{1,9}$/.test(after) ? ` (retry after ${after} s)` : ''}`,
    status: asStatus(data?.['statusCode']),
    fatal: true,
    reset_at_ms: null,
  };
}

/** It waits for its model without an event, but logs why. Lines of later errors are of something else. */
function lastRetry(stderr: string): string | null {
  const last = stderr.trimEnd().split('\n').at(-1) ?? '';
  return / level=ERROR .* message="stream error" .* error\.error="(.*)"$/.exec(last)?.[1] ?? null;
}

function failure({ transcript, stderr }: Ended): FailureKind | null {
  const message = transcript.error?.message ?? '';
  if (message.startsWith('ProviderAuthError')) return 'not_logged_in';

  if (!message.startsWith('UnknownError: Unexpected server error')) return null;

  const logged = stderr.split('\n').findLast((line) => / level=ERROR .* message=failed /.test(line)) ?? '';
  return classifyFailure({ status: null, text: / error="([^"]*)"/.exec(logged)?.[1] ?? '' }) ?? 'crashed';
}
