/** Errors as each model API words them: status, headers and body. Pure. */
import type { Json } from './model-api.ts';
import type { ErrorName } from './scenario.ts';

export type ApiName = 'responses' | 'messages' | 'chat' | 'gemini';

export interface HttpError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface ErrorFault {
  readonly error: ErrorName;
  readonly retryAfterSecs?: number;
  readonly resetsAtSecs?: number;
}

/** `model` and `nowSecs` are what the answer says of itself. */
export function renderError(
  api: ApiName,
  fault: ErrorFault,
  { model, nowSecs }: { model: string; nowSecs: number },
): HttpError {
  const after = fault.retryAfterSecs;
  const common: Record<string, string> = {
    'content-type': 'application/json',
    ...(after === undefined ? {} : { 'retry-after': String(after) }),
  };
  const resetsAt = fault.resetsAtSecs ?? nowSecs + 3600;
  switch (api) {
    case 'messages': {
      const [status, type, message] = anthropicErrors(model)[fault.error];
      const headers = fault.error === 'usage-limit' ? { ...common, ...unifiedHeaders(resetsAt) } : common;
      return { status, headers, body: JSON.stringify({ type: 'error', error: { type, message } }) };
    }
    case 'gemini': {
      const [status, name, message] = geminiErrors(model)[fault.error];
      const details = geminiDetails(fault.error, after ?? null);
      const error = { code: status, message, status: name, ...(details.length === 0 ? {} : { details }) };
      return { status, headers: common, body: JSON.stringify({ error }) };
    }
    case 'responses':
    case 'chat': {
      if (api === 'responses' && fault.error === 'usage-limit')
        return { status: 429, headers: common, body: JSON.stringify(planLimit(resetsAt, nowSecs)) };

      const [status, type, code, message] = openaiErrors(model)[fault.error];
      return {
        status,
        headers: common,
        body: JSON.stringify({ error: { message, type, param: null, code } }),
      };
    }
  }
}

function planLimit(resetsAt: number, nowSecs: number): Json {
  const error = {
    type: 'usage_limit_reached',
    message: 'The usage limit has been reached',
    plan_type: 'plus',
    resets_at: resetsAt,
    resets_in_seconds: resetsAt - nowSecs,
  };
  return { error };
}

function unifiedHeaders(resetsAt: number): Record<string, string> {
  return {
    'anthropic-ratelimit-unified-status': 'rejected',
    'anthropic-ratelimit-unified-reset': String(resetsAt),
    'anthropic-ratelimit-unified-representative-claim': 'five_hour',
    'anthropic-ratelimit-unified-fallback': 'unavailable',
    'anthropic-ratelimit-unified-5h-status': 'rejected',
    'anthropic-ratelimit-unified-5h-reset': String(resetsAt),
    'anthropic-ratelimit-unified-5h-utilization': '1.0',
    'anthropic-ratelimit-unified-overage-status': 'rejected',
    'anthropic-ratelimit-unified-overage-disabled-reason': 'org_level_disabled',
  };
}

type OpenaiRow = readonly [status: number, type: string, code: string | null, message: string];

function openaiErrors(model: string): Readonly<Record<ErrorName, OpenaiRow>> {
  const bad = 'invalid_request_error';
  return {
    unauthorized: [401, bad, 'invalid_api_key', 'Incorrect API key provided: dummy.'],
    forbidden: [
      403,
      bad,
      'insufficient_permissions',
      'You have insufficient permissions for this operation.',
    ],
    'model-not-found': [
      404,
      bad,
      'model_not_found',
      `The model \`${model}\` does not exist or you do not have access to it.`,
    ],
    'too-long': [
      400,
      bad,
      'context_length_exceeded',
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 200000 tokens.",
    ],
    'rate-limit': [
      429,
      'tokens',
      'rate_limit_exceeded',
      `Rate limit reached for ${model} on tokens per min.`,
    ],
    quota: [
      429,
      'insufficient_quota',
      'insufficient_quota',
      'You exceeded your current quota, please check your plan and billing details.',
    ],
    'usage-limit': [
      429,
      'requests',
      'rate_limit_exceeded',
      `Rate limit reached for ${model} on requests per day.`,
    ],
    'server-error': [500, 'server_error', null, 'The server had an error while processing your request.'],
    overloaded: [503, 'server_error', null, 'That model is currently overloaded with other requests.'],
  };
}

type MessageRow = readonly [status: number, type: string, message: string];

function anthropicErrors(model: string): Readonly<Record<ErrorName, MessageRow>> {
  return {
    unauthorized: [401, 'authentication_error', 'invalid x-api-key'],
    forbidden: [
      403,
      'permission_error',
      'Your API key does not have permission to use the specified resource.',
    ],
    'model-not-found': [404, 'not_found_error', `model: ${model}`],
    'too-long': [400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'],
    'rate-limit': [429, 'rate_limit_error', "This request would exceed your organization's rate limit."],
    quota: [
      400,
      'invalid_request_error',
      'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.',
    ],
    'usage-limit': [429, 'rate_limit_error', "This request would exceed your account's rate limit."],
    'server-error': [500, 'api_error', 'Internal server error'],
    overloaded: [529, 'overloaded_error', 'Overloaded'],
  };
}

function geminiErrors(model: string): Readonly<Record<ErrorName, MessageRow>> {
  return {
    unauthorized: [401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.'],
    forbidden: [403, 'PERMISSION_DENIED', 'The caller does not have permission'],
    'model-not-found': [404, 'NOT_FOUND', `models/${model} is not found for API version v1beta.`],
    'too-long': [
      400,
      'INVALID_ARGUMENT',
      'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    ],
    'rate-limit': [429, 'RESOURCE_EXHAUSTED', 'Resource has been exhausted (e.g. check quota).'],
    quota: [
      429,
      'RESOURCE_EXHAUSTED',
      'You exceeded your current quota, please check your plan and billing details.',
    ],
    'usage-limit': [429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota for requests per day.'],
    'server-error': [500, 'INTERNAL', 'An internal error has occurred.'],
    overloaded: [503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'],
  };
}

const googleType = 'type.googleapis.com/google.rpc';

function geminiDetails(error: ErrorName, retryAfterSecs: number | null): readonly Json[] {
  const details: Json[] = [];
  if (error === 'quota' || error === 'usage-limit') {
    const quotaId = 'GenerateRequestsPerDayPerProjectPerModel-FreeTier';
    details.push({ '@type': `${googleType}.QuotaFailure`, violations: [{ quotaId }] });
  }
  if (retryAfterSecs !== null)
    details.push({ '@type': `${googleType}.RetryInfo`, retryDelay: `${retryAfterSecs}s` });

  return details;
}
