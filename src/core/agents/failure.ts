/**
 * The table of agent failures: how each is recognised by status codes and error texts, and what the runner does about it (§5).
 * Only error records and stderr of a session without an answer are read here, never its work.
 */

export const failureKinds = [
  'not_found',
  'not_logged_in',
  'rate_limited',
  'quota',
  'overloaded',
  'network',
  'context_too_long',
  'model_not_found',
  'sandbox',
  'crashed',
  'timed_out',
  'silent',
  'malformed',
] as const;

export type FailureKind = (typeof failureKinds)[number];

/** `stop`: at once, with the fix. `wait`: to the stated reset, or growing waits. `count`: towards `agent.max_failures`. */
export type FailureRule = 'stop' | 'wait' | 'count';

interface FailureRow {
  readonly rule: FailureRule;
  readonly means: string;
  /** What helps, where it is the same for every agent. */
  readonly fix: string;
}

const logFix = 'runner log --failed, then: runner loop';
const againFix =
  'run the same command again later, or wait longer: runner config set agent.max_wait_secs <seconds>';

export const failureTable: Readonly<Record<FailureKind, FailureRow>> = {
  not_found: { rule: 'stop', means: 'its program is not there', fix: 'install the agent' },
  not_logged_in: { rule: 'stop', means: 'it has no valid login or key', fix: 'log in to the agent' },
  rate_limited: { rule: 'wait', means: 'too many requests, or a plan limit with a reset', fix: againFix },
  quota: {
    rule: 'stop',
    means: 'the paid quota is used up',
    fix: 'check plan and billing of the account, then run the same command again',
  },
  overloaded: { rule: 'wait', means: 'the model service answers with a server error', fix: againFix },
  network: {
    rule: 'wait',
    means: 'the model service cannot be reached, or its answers are broken',
    fix: `check the network and the agent's base URL, then ${againFix}`,
  },
  context_too_long: {
    rule: 'count',
    means: "the session outgrew the model's context",
    fix: 'split the node into smaller ones, or: runner config set prompt_budget_bytes <fewer bytes>',
  },
  model_not_found: {
    rule: 'stop',
    means: 'the model is unknown to the service',
    fix: 'set agent.model in .runner/state/config.toml to a model you can use and commit it',
  },
  sandbox: {
    rule: 'stop',
    means: 'the agent or its sandbox refuses to run here',
    fix: 'see docs/executors.md on permissions',
  },
  crashed: { rule: 'count', means: 'it ended with an error of its own', fix: logFix },
  timed_out: {
    rule: 'count',
    means: 'the time budget is used up',
    fix: 'runner config set iteration_timeout_secs <seconds>',
  },
  silent: { rule: 'count', means: 'it was silent for too long', fix: logFix },
  malformed: { rule: 'count', means: 'it ended without an answer that can be read', fix: logFix },
};

/** Patterns for failures, from the most specific to the least; the first match counts. */
const patterns: readonly (readonly [FailureKind, RegExp])[] = [
  ['malformed', /error_max_structured_output/i],
  [
    'context_too_long',
    /context_length_exceeded|prompt is too long|ContextOverflow|maximum context length|context window|input token count|too many tokens|input exceeds the maximum/i,
  ],
  [
    'sandbox',
    /cannot be used with root|sandbox (?:error|setup failed|is not supported)|failed to (?:initialize|apply|set up) (?:the )?(?:sandbox|landlock|seccomp)|bwrap:/i,
  ],
  ['rate_limited', /hit your .{0,40}limit|usage[ _]limit[ _]reached|limit (?:will reset|resets)/i],
  [
    'quota',
    /insufficient_quota|quota exceeded|(?:exceeded|exhausted) your (?:\w+ )?quota|credit balance is too low|billing|payment required|out of credits/i,
  ],
  [
    'model_not_found',
    /model_not_found|model .{0,80}(?:does not exist|not found|is not supported|not available)|(?:unknown|invalid) model|issue with the selected model/i,
  ],
  [
    'not_logged_in',
    /unauthori[sz]ed|not logged in|please (?:log|sign) in|\/login|invalid[ _]api[ _]key|incorrect api key|api key (?:is )?(?:missing|not valid|not found|required)|(?:missing|no) (?:api key|credentials)|authentication|failed to authenticate|missing environment variable|auth method|permission_error|forbidden/i,
  ],
  [
    'rate_limited',
    /rate[ _-]?limit|too many requests|resource[ _]exhausted|(?:status|error|code|http)\W{0,12}429\b|\b429 [a-z]/i,
  ],
  [
    'overloaded',
    /overloaded|high demand|internal server error|server[ _]error|bad gateway|service unavailable|gateway time-?out|temporarily unavailable|(?:status|error|code|http)\W{0,12}(?:50[0-4]|529)\b|\b(?:50[0-4]|529) [a-z]/i,
  ],
  [
    'network',
    /\bECONN|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EPIPE|connection (?:refused|reset|error|closed)|connection was closed|unable to connect|cannot connect|could not connect|fetch failed|network (?:error|failure|connection|request|is|unreachable)|(?:waiting for|no) network|socket (?:hang up|closed|error|connection)|other side closed|stream (?:closed|disconnected|error|ended)|premature close|\bterminated\.?$|error sending request|dns (?:error|lookup)|empty or malformed response|failed to parse json|json parse error|unexpected (?:token|end) .{0,80}json|invalid (?:json|response)/im,
  ],
];

/** What an HTTP status says, where the text does not say more. */
function kindOfStatus(status: number): FailureKind | null {
  if (status === 401 || status === 403) return 'not_logged_in';
  if (status === 402) return 'quota';
  if (status === 404) return 'model_not_found';
  if (status === 413) return 'context_too_long';
  if (status === 408 || status === 429) return status === 429 ? 'rate_limited' : 'network';
  return status >= 500 && status < 600 ? 'overloaded' : null;
}

/** These say more than the status they come with: a 429 may be a bill, a 400 a prompt that is too long. */
const stronger: ReadonlySet<FailureKind> = new Set(['context_too_long', 'sandbox', 'quota']);

/** Null: nothing known, which is a crash. */
export function classifyFailure(input: {
  readonly status: number | null;
  readonly text: string;
}): FailureKind | null {
  const told = patterns.find(([, pattern]) => pattern.test(input.text))?.[0] ?? null;
  if (told !== null && stronger.has(told)) return told;
  const byStatus = input.status === null ? null : kindOfStatus(input.status);
  return byStatus ?? told;
}
