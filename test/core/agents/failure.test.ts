import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FailureKind, FailureRule } from '../../../src/core/agents/failure.ts';
import { classifyFailure, failureKinds, failureTable } from '../../../src/core/agents/failure.ts';

describe('the table has a rule for every kind (§5)', () => {
  const rules: Readonly<Record<FailureKind, FailureRule>> = {
    not_found: 'stop',
    not_logged_in: 'stop',
    rate_limited: 'wait',
    quota: 'stop',
    overloaded: 'wait',
    network: 'wait',
    context_too_long: 'count',
    model_not_found: 'stop',
    sandbox: 'stop',
    crashed: 'count',
    timed_out: 'count',
    silent: 'count',
    malformed: 'count',
  };
  test.each(failureKinds)('%s', (kind) => {
    const row = failureTable[kind];
    expect(row.rule).toBe(rules[kind]);
    expect(row.means).not.toBe('');
    expect(row.fix).not.toBe('');
  });

  test('no more and no fewer', () => {
    expect(Object.keys(failureTable)).toEqual([...failureKinds]);
    expect(new Set(failureKinds).size).toBe(failureKinds.length);
  });
});

type Row = readonly [status: number | null, text: string, kind: FailureKind | null];

/** The rows of agents.md §5, with the words the programs had for them. */
const measured: Readonly<Record<string, readonly Row[]>> = {
  '401': [
    [401, 'unexpected status 401 Unauthorized: Incorrect API key provided', 'not_logged_in'],
    [null, 'unexpected status 401 Unauthorized', 'not_logged_in'],
    [401, 'Failed to authenticate. API Error: 401 {"type":"error"}', 'not_logged_in'],
    [401, 'Invalid bearer token', 'not_logged_in'],
    [null, 'authentication', 'not_logged_in'],
  ],
  '403': [
    [403, 'unexpected status 403 Forbidden', 'not_logged_in'],
    [null, 'unexpected status 403 Forbidden', 'not_logged_in'],
    [403, 'API Error: 403 {"error":{"type":"permission_error"}}', 'not_logged_in'],
  ],
  '400': [
    [400, '{"error":{"message":"Invalid value for x","type":"invalid_request_error"}}', null],
    [400, '', null],
  ],
  '404': [
    [404, 'unexpected status 404 Not Found', 'model_not_found'],
    [404, 'model_not_found', 'model_not_found'],
    [null, 'The model `gpt-9` does not exist or you do not have access to it.', 'model_not_found'],
    [null, 'There’s an issue with the selected model (x). It may not exist.', 'model_not_found'],
    [400, "The 'gpt-5-x' model is not supported when using Codex with a ChatGPT account.", 'model_not_found'],
  ],
  '429': [
    [429, 'exceeded retry limit, last status: 429 Too Many Requests', 'rate_limited'],
    [null, 'exceeded retry limit, last status: 429 Too Many Requests', 'rate_limited'],
    [429, 'rate_limit', 'rate_limited'],
    [null, 'Reconnecting... 1/5 (unexpected status 429 Too Many Requests)', 'rate_limited'],
    [null, '[API Error: 429 slow down]', 'rate_limited'],
    [null, 'RESOURCE_EXHAUSTED', 'rate_limited'],
    [429, '', 'rate_limited'],
  ],
  quota: [
    [null, 'Quota exceeded. Check your plan and billing details.', 'quota'],
    [429, 'Quota exceeded. Check your plan and billing details.', 'quota'],
    [429, '{"error":{"code":"insufficient_quota"}}', 'quota'],
    [400, 'Your credit balance is too low to access the API.', 'quota'],
    [402, '', 'quota'],
  ],
  'usage limit with a reset': [
    [null, 'You’ve hit your usage limit. Upgrade to Pro or try again at 1:12 AM.', 'rate_limited'],
    [429, "You've hit your session limit · resets 1:27am (UTC)", 'rate_limited'],
    [null, "You've hit your 5-hour limit · resets 1:27am (UTC)", 'rate_limited'],
    [null, 'usage_limit_reached', 'rate_limited'],
    [null, 'You’ve hit your usage limit. To get more, check billing, or try again later.', 'rate_limited'],
  ],
  '500, 503, 529': [
    [null, 'We’re currently experiencing high demand, which may cause temporary errors.', 'overloaded'],
    [500, 'API Error: 500 {"type":"api_error"}', 'overloaded'],
    [500, '', 'overloaded'],
    [null, 'unexpected status 503 Service Unavailable', 'overloaded'],
    [529, 'Overloaded', 'overloaded'],
    [null, 'overloaded_error', 'overloaded'],
    [599, '', 'overloaded'],
    // What opencode says of a model it does not know, too: nothing tells the two apart.
    [null, 'Unexpected server error. Check server logs for details.', 'overloaded'],
  ],
  'refused or dropped': [
    [null, 'Unable to connect to API (ConnectionRefused)', 'network'],
    [null, 'Connection refused — is the server up? (ECONNREFUSED)', 'network'],
    [null, 'Cannot connect to API: fetch failed', 'network'],
    [null, 'error sending request for url (http://127.0.0.1:9/v1/responses)', 'network'],
    [null, 'stream disconnected before completion', 'network'],
    [408, 'Request timeout', 'network'],
  ],
  'bad JSON, HTML or nothing with 200': [
    [null, 'stream closed before response.completed', 'network'],
    [null, 'API returned an empty or malformed response (HTTP 200)', 'network'],
    [200, 'Failed to parse JSON', 'network'],
    [null, 'JSON Parse error: Unterminated string', 'network'],
  ],
  'context too long': [
    [400, '{"error":{"code":"context_length_exceeded"}}', 'context_too_long'],
    [null, '{"error":{"code":"context_length_exceeded"}}', 'context_too_long'],
    [400, 'Prompt is too long', 'context_too_long'],
    [null, 'ContextOverflowError', 'context_too_long'],
    [413, '', 'context_too_long'],
  ],
  'an answer that never fits its schema': [
    [null, 'error_max_structured_output_retries', 'malformed'],
    [200, 'error_max_structured_output_retries', 'malformed'],
  ],
  'no key': [
    [null, 'Missing environment variable: `OPENAI_API_KEY`.', 'not_logged_in'],
    [null, 'Not logged in · Please run /login', 'not_logged_in'],
  ],
  'refused by its sandbox': [
    [null, '--dangerously-skip-permissions cannot be used with root/sudo privileges', 'sandbox'],
    [null, 'bwrap: No permissions to create new namespace', 'sandbox'],
  ],
  'nothing anybody knows': [
    [null, '', null],
    [null, 'Exec failed', null],
    [null, 'Segmentation fault', null],
    [200, 'all is well', null],
    [600, '', null],
    [499, '', null],
  ],
};

describe.each(Object.entries(measured))('%s (agents.md §5)', (_case, rows) => {
  test.each(rows)('%j %s → %s', (status, text, kind) => {
    expect(classifyFailure({ status, text })).toBe(kind);
  });
});

test('every kind that is told by words or status can be told', () => {
  const told = new Set(Object.values(measured).flatMap((rows) => rows.map(([, , kind]) => kind)));
  // The others are seen by the runner itself.
  const own: readonly FailureKind[] = ['not_found', 'crashed', 'timed_out', 'silent'];
  expect([...told].filter((kind) => kind !== null).toSorted()).toEqual(
    failureKinds.filter((kind) => !own.includes(kind)).toSorted(),
  );
});

test('the status counts, but for words that say more', () => {
  expect(classifyFailure({ status: 429, text: 'server error' })).toBe('rate_limited');
  expect(classifyFailure({ status: 500, text: 'unauthorized' })).toBe('overloaded');
  expect(classifyFailure({ status: 429, text: 'check your billing' })).toBe('quota');
  expect(classifyFailure({ status: 500, text: 'prompt is too long' })).toBe('context_too_long');
  expect(classifyFailure({ status: 403, text: 'sandbox error' })).toBe('sandbox');
});

test('whatever comes, it is a kind or nothing, and soon', () => {
  const arbWord = fc.constantFrom(
    'model ',
    'hit your ',
    'limit',
    'not found',
    'usage_limit_reached',
    ' 429 ',
    'network',
  );
  const arbText = fc
    .array(fc.oneof(arbWord, fc.string({ unit: 'binary' })), { maxLength: 10 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.option(fc.oneof(fc.integer(), fc.double())), arbText, (status, text) => {
      const kind = classifyFailure({ status, text });
      if (kind !== null) expect(failureKinds).toContain(kind);
    }),
  );
  for (const text of ['model ', 'hit your ', 'sandbox ', 'connection '])
    expect(classifyFailure({ status: null, text: text.repeat(20_000) })).toBeNull();
});
