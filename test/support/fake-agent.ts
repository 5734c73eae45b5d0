/**
 * Programs called `claude` and `codex` that print what the real ones print and do what a test tells them, session by session. They
 * live in the private home folder, and leave there what every session was given.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fakeProgram } from './shell-agent.ts';

interface Home {
  readonly home: string;
}

type Role = 'agent' | 'review';
type Name = 'claude' | 'codex';

export interface FakePlay {
  /** One shell script for each session of the role, in their order; one session more is a crash. */
  readonly agent?: readonly string[];
  readonly review?: readonly string[];
}

export interface Seen {
  readonly prompt: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export const fakeVersions = { claude: '2.1.325 (Claude Code)', codex: 'codex-cli 0.166.0' } as const;

/** Puts the program on the PATH that is returned; the count of sessions begins anew. */
export function playFake(p: Home, name: Name, play: FakePlay): Record<string, string> {
  for (const role of ['agent', 'review'] as const) {
    rmSync(countFile(p, name, role), { force: true });
    for (const [index, script] of (play[role] ?? []).entries())
      writeFileSync(join(p.home, `${name}.${role}.${index + 1}.sh`), `set -e\n${script}\n`);

    rmSync(join(p.home, `${name}.${role}.${(play[role] ?? []).length + 1}.sh`), { force: true });
  }
  return fakeProgram(
    p,
    name,
    `[ "$1" = --version ] && { echo '${fakeVersions[name]}'; exit; }
    me="$HOME/${name}.$RUNNER_ROLE"
    n=$(($(cat "$me.count" 2>/dev/null || echo 0) + 1)); echo $n > "$me.count"
    cat > "$me.$n.prompt"; printf '%s\\n' "$@" > "$me.$n.args"; env -0 > "$me.$n.env"
    while [ $# -gt 0 ]; do [ "$1" = -o ] && answer_file=$2; shift; done
    . "$me.$n.sh"`,
  );
}

function countFile({ home }: Home, name: Name, role: Role): string {
  return join(home, `${name}.${role}.count`);
}

export function sessionCount(p: Home, name: Name, role: Role = 'agent'): number {
  const file = countFile(p, name, role);
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
}

/** What a session was given. */
export function seenBy({ home }: Home, session: string): Seen {
  const read = (what: string): string => readFileSync(join(home, `${session}.${what}`), 'utf8');
  const variables = read('env').split('\0').filter(Boolean);
  return {
    prompt: read('prompt'),
    args: read('args').trimEnd().split('\n'),
    env: Object.fromEntries(
      variables.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
    ),
  };
}

/** One line of JSON on stdout. */
export function say(record: unknown): string {
  return `printf '%s\\n' '${JSON.stringify(record).replaceAll("'", `'\\''`)}'`;
}

interface Result {
  readonly answer?: unknown;
  readonly usage?: { readonly input: number; readonly output: number; readonly cost: number } | null;
  readonly denials?: readonly unknown[];
  readonly error?: { readonly status: number | null; readonly text: string };
}

/** The last record of `claude -p`, as recorded from the real one; `subtype` says success even for failures. */
export function claudeResult(result: Result): string {
  const { answer, usage = null, denials = [], error } = result;
  return say({
    type: 'result',
    subtype: 'success',
    is_error: error !== undefined,
    api_error_status: error?.status ?? null,
    result: error?.text ?? 'I am through.',
    ...(answer === undefined ? {} : { structured_output: answer }),
    ...(usage === null
      ? {}
      : {
          total_cost_usd: usage.cost,
          usage: {
            input_tokens: usage.input,
            cache_creation_input_tokens: 0,
            cache_read_input_tokens: 0,
            output_tokens: usage.output,
          },
        }),
    permission_denials: denials,
  });
}

/** A session of claude that works and answers. */
export function claudeDone(work: string, usage: Result['usage'] = null): string {
  return `${work}\n${claudeResult({ answer: { status: 'done', summary: 'made it', children: null }, usage })}`;
}

/** A session of claude that ends with an error of the service. */
export function claudeFails(status: number | null, text: string): string {
  return `${claudeResult({ error: { status, text }, usage: { input: 0, output: 0, cost: 0 } })}\nexit 1`;
}

/** A limit of the subscription that ends in so many whole seconds. */
export function claudeLimited(secs: number, usage: Result['usage'] = null): string {
  const info = `{"status":"rejected","resetsAt":%s,"rateLimitType":"five_hour"}`;
  const error = { status: 429, text: "You've hit your session limit · resets 1:27am (UTC)" };
  return `printf '{"type":"rate_limit_event","rate_limit_info":${info}}\\n' $(($(date +%s) + ${secs}))
  ${claudeResult({ error, usage })}
  exit 1`;
}

/** A session of codex that works and answers. */
export function codexDone(work: string): string {
  return `${work}
  printf '{"status":"done","summary":"made it","children":null}' > "$answer_file"
  ${say({ type: 'turn.completed', usage: { input_tokens: 70, cached_input_tokens: 30, output_tokens: 7 } })}`;
}

export function codexFails(text: string): string {
  return `${say({ type: 'turn.failed', error: { message: text } })}\nexit 1`;
}

/** For `agent` of a project whose agent and reviewer are shell scripts; see `playRoles`. */
export const shellRoles = `name = "command"\ncommand = ['sh', '-c', 'exec sh "$HOME/$RUNNER_ROLE.sh"']`;

const words = `set -e
answer() { printf '{"status":"%s","summary":"%s","children":null}' "$1" "\${2:-said $1}" > "$RUNNER_OUTPUT"; }
verdict() { printf '{"verdict":"%s","findings":[%s]}' "$1" "$2" > "$RUNNER_OUTPUT"; }
`;

/** `answer <status> [summary]` and `verdict <pass|fail> [findings as JSON]` are at hand; what fails ends the script. */
export function playRoles({ home }: Home, roles: Partial<Record<Role, string>>): void {
  for (const [role, script] of Object.entries(roles))
    writeFileSync(join(home, `${role}.sh`), `${words}${script}\n`);
}
