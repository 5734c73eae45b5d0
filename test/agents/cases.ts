/** What each real CLI is put through to be recorded: what the model says, and what else is different. Data only. */
import type { RealAgent } from './catalogue.ts';
import type { ErrorName, Scenario, Turn } from './scenario.ts';

export interface Situation {
  /** The project folder. */
  readonly dir: string;
  /** The runner's own folder beside it. */
  readonly ownDir: string;
  readonly nowSecs: number;
  readonly agent: RealAgent['name'];
}

export interface RecordedCase {
  readonly name: string;
  readonly turns: (situation: Situation) => readonly Turn[];
  /** All of them when left out. */
  readonly agents?: readonly RealAgent['name'][];
  /** The model's port refuses every connection. */
  readonly isRefused?: boolean;
  readonly isLoggedOut?: boolean;
  /** The session is ended by SIGTERM so long after its first request, if it has not ended by then. */
  readonly endAfterSecs?: number;
  /** It is ended so when the model was asked so often; 60 times when left out. */
  readonly endAfterTurns?: number;
  readonly role?: 'agent' | 'review';
  readonly permissions?: 'workspace' | 'full';
  readonly args?: (situation: Situation) => readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Files of the project by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Files of the runner's own folder by name. */
  readonly ownFiles?: Readonly<Record<string, string>>;
  /** Only the end is kept, not the output. */
  readonly isOutputDropped?: boolean;
}

const children = [
  { title: 'Add', goal: 'add.mjs adds two numbers', acceptance: ['add(2, 3) is 5'] },
  { title: 'Multiply', goal: 'mul.mjs multiplies two numbers', acceptance: ['mul(2, 3) is 6'] },
];

function answer(status: string, summary: string, parts: unknown = null): Turn {
  return { kind: 'final', text: JSON.stringify({ status, summary, children: parts }) };
}

const done = answer('done', 'made.txt is written');
const fencedText = 'Here it is:\n\n```json\n{"status":"done","summary":"made.txt is written"}\n```\n';
const shell: Turn = { kind: 'shell', command: 'echo made > made.txt && cat made.txt' };

/** An error that never goes away. */
function failing(error: ErrorName, more: { readonly retryAfterSecs?: number } = {}): readonly Turn[] {
  return [{ kind: 'error', error, ...more }];
}

function planLimit({ nowSecs }: Situation): readonly Turn[] {
  return [{ kind: 'error', error: 'usage-limit', resetsAtSecs: nowSecs + 5400 }];
}

/** The way each CLI asks the person at the keyboard, who is not there. */
const questionTools: Readonly<Partial<Record<RealAgent['name'], string>>> = {
  codex: 'request_user_input',
  claude: 'AskUserQuestion',
  opencode: 'question',
  gemini: 'ask_user',
  qwen: 'ask_user_question',
  copilot: 'ask_user',
  droid: 'AskUser',
};

const question = {
  id: 'which',
  header: 'Which',
  question: 'Which one?',
  multiSelect: false,
  options: [
    { label: 'A', description: 'the first' },
    { label: 'B', description: 'the second' },
  ],
};

const usual: readonly RecordedCase[] = [
  {
    name: 'done',
    turns: () => [
      { ...shell, text: 'I write the file.' },
      { kind: 'shell', command: "sh -c 'exit 7'" },
      done,
    ],
  },
  {
    name: 'edit',
    turns: ({ dir }) => [{ kind: 'edit', file: `${dir}/made.txt`, content: 'one\ntwo\n' }, done],
  },
  { name: 'reasoning', turns: () => [{ ...shell, reasoning: 'First the file, then the answer.' }, done] },
  { name: 'decomposed', turns: () => [answer('decomposed', 'two parts', children)] },
  { name: 'prose', turns: () => [{ kind: 'final', text: 'All is done, I think.' }] },
  { name: 'fenced', turns: () => [{ kind: 'final', text: fencedText, asText: true }] },
  { name: 'wrong-schema', turns: () => [{ kind: 'final', text: '{"status":"finished","note":1}' }] },
  { name: 'empty', turns: () => [{ kind: 'final', text: '' }] },
  {
    name: 'loop',
    agents: ['gemini'],
    turns: () => [{ kind: 'final', text: 'I go on and on in the same words. '.repeat(500) }],
  },
  { name: 'big', turns: () => [{ kind: 'big', bytes: 5_000_000 }], isOutputDropped: true },
];

const failures: readonly RecordedCase[] = [
  { name: '401', turns: () => failing('unauthorized') },
  { name: '403', turns: () => failing('forbidden') },
  { name: '404-model', turns: () => failing('model-not-found') },
  { name: '400-too-long', turns: () => failing('too-long') },
  { name: '429', turns: () => failing('rate-limit') },
  { name: '429-retry-after', turns: () => failing('rate-limit', { retryAfterSecs: 2 }) },
  { name: '429-hour', turns: () => failing('rate-limit', { retryAfterSecs: 3600 }), endAfterSecs: 6 },
  { name: 'quota', turns: () => failing('quota') },
  { name: 'usage-limit', agents: ['codex'], turns: planLimit },
  {
    name: 'usage-limit',
    agents: ['claude'],
    // Only who is logged in with a plan has this limit.
    isLoggedOut: true,
    env: { CLAUDE_CODE_OAUTH_TOKEN: 'dummy-token' },
    turns: planLimit,
  },
  { name: '500', turns: () => failing('server-error') },
  { name: '529', turns: () => failing('overloaded') },
  { name: 'refused', turns: () => [done], isRefused: true },
  { name: 'dropped', turns: () => [{ kind: 'drop' }] },
  { name: 'malformed', turns: () => [{ kind: 'malformed', body: 'html' }], endAfterTurns: 20 },
  { name: 'malformed-empty', turns: () => [{ kind: 'malformed', body: 'empty' }], endAfterTurns: 20 },
  { name: 'silent', turns: () => [{ kind: 'silent' }], endAfterSecs: 6 },
  { name: 'cut', turns: () => [{ kind: 'cut' }, shell, done] },
  {
    name: 'transient',
    turns: () => [
      { kind: 'error', error: 'rate-limit', retryAfterSecs: 1 },
      shell,
      { kind: 'error', error: 'server-error' },
      done,
    ],
  },
  { name: 'not-logged-in', turns: () => failing('unauthorized'), isLoggedOut: true },
  {
    name: 'bad-key',
    agents: ['gemini'],
    turns: () => [{ kind: 'status', status: 400, body: badGeminiKey }],
  },
];

const badGeminiKey = JSON.stringify({
  error: {
    code: 400,
    message: 'API key not valid. Please pass a valid API key.',
    status: 'INVALID_ARGUMENT',
    details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }],
  },
});

const remove: Turn = { kind: 'shell', command: 'rm a.txt' };

/** What a CLI was told not to do, as far as each can be told. */
const denials: readonly RecordedCase[] = [
  {
    name: 'denied',
    agents: ['codex'],
    permissions: 'workspace',
    turns: () => [
      { kind: 'shell', command: 'echo x > /usr/denied.txt' },
      { kind: 'edit', file: '/usr/denied.txt', content: 'x\n' },
      done,
    ],
  },
  {
    name: 'denied',
    agents: ['claude'],
    args: () => ['--disallowedTools', 'Bash(rm:*)'],
    turns: () => [remove, done],
  },
  {
    name: 'denied',
    agents: ['opencode'],
    env: { OPENCODE_PERMISSION: '{"bash":{"*":"allow","rm *":"deny"}}' },
    turns: () => [remove, done],
  },
  {
    name: 'denied',
    agents: ['gemini'],
    args: ({ ownDir }) => ['--policy', `${ownDir}/deny.toml`],
    ownFiles: {
      'deny.toml':
        '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "rm"\ndecision = "deny"\npriority = 900\n',
    },
    turns: () => [remove, { kind: 'edit', file: '/usr/denied.txt', content: 'x\n' }, done],
  },
  {
    name: 'denied',
    agents: ['qwen'],
    files: { '.qwen/settings.json': '{"permissions":{"deny":["Bash(rm *)"]}}' },
    turns: () => [remove, done],
  },
  {
    name: 'denied',
    agents: ['copilot'],
    args: () => ['--deny-tool', 'shell(rm:*)'],
    turns: () => [remove, done],
  },
  {
    name: 'denied',
    agents: ['droid'],
    files: { '.factory/settings.json': '{"commandDenylist":["rm"]}' },
    turns: () => [remove, done],
  },
  {
    name: 'question',
    agents: ['codex', 'claude', 'opencode', 'gemini', 'qwen', 'copilot', 'droid'],
    turns: ({ agent }) => [
      { kind: 'call', name: questionTools[agent] ?? '', args: { questions: [question] } },
      done,
    ],
  },
];

export const recordedCases: readonly RecordedCase[] = [...usual, ...failures, ...denials];

export function casesOf(agent: RealAgent['name']): readonly RecordedCase[] {
  return recordedCases.filter(({ agents }) => agents === undefined || agents.includes(agent));
}

export function scenarioOf(recorded: RecordedCase, situation: Situation): Scenario {
  return { sessions: [recorded.turns(situation)], advance: 'manual', chunkBytes: 512 * 1024 };
}
