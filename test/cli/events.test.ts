/** `events.jsonl` (§8): what an agent does, line by line while it works, in one form; garbage in between harms nothing. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, onTestFinished, test } from 'vitest';
import { claudeResult, playFake, playRoles, say, shellRoles } from '../support/fake-agent.ts';
import type { Project } from '../support/project.ts';
import { project, repositoryRoot } from '../support/project.ts';
import { recorded } from '../support/record.ts';
import { waitUntil } from '../support/scratch.ts';
import { template } from '../support/template.ts';

const isEvent = new Ajv2020({ strict: false }).compile(
  JSON.parse(readFileSync(join(repositoryRoot, 'schemas/events/v1.schema.json'), 'utf8')) as object,
);

type Line = Readonly<Record<string, unknown>>;

/** Every line, checked by the shipped schema. */
function eventsOf(p: Project, iter: number): readonly Line[] {
  const lines = p.log(iter, 'events.jsonl').trimEnd().split('\n');
  return lines.map((text) => {
    const line = JSON.parse(text) as Line;
    expect(isEvent(line), `${text}: ${JSON.stringify(isEvent.errors)}`).toBe(true);
    return line;
  });
}

/** Without what every line has. */
function bare(lines: readonly Line[]): readonly Line[] {
  return lines.map(({ v: _v, seq: _seq, at: _at, session: _session, role: _role, ...rest }) => rest);
}

const started = template(() =>
  project({ agent: 'name = "claude"', config: '[guard]\ncommand = ["true"]\n' }),
);

const usage = { input: 11, output: 4, cost: 0.5 };
const answer = { status: 'done', summary: 'made it', children: null };
const blocks = (...content: readonly unknown[]): string => say({ type: 'assistant', message: { content } });
const results = (...content: readonly unknown[]): string => say({ type: 'user', message: { content } });

const busy = `
${say({ type: 'system', subtype: 'init', tools: [] })}
echo 'Warning: this line is for people'
printf '{"type":"assistant","message":{"content":[{"type":"text","te\\n'
printf '\\377\\376\\000\\033[2Jgarbage\\n'
${blocks({ type: 'thinking', thinking: 'hm' }, { type: 'text', text: 'I look\naround \u001b[31mred' })}
${blocks({ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls -la' } })}
${results({ type: 'tool_result', tool_use_id: 't1', is_error: true, content: 'Exit code 2\nno such file' })}
${blocks({ type: 'tool_use', id: 't2', name: 'Write', input: { file_path: 'x.txt', content: 'x' } })}
${results({ type: 'tool_result', tool_use_id: 't2', content: 'ok' })}
${say({ type: 'system', subtype: 'api_retry', attempt: 1, max_retries: 2, error_status: 529, error: 'overloaded' })}
${say({ type: 'something new', message: 7 })}
${say([1, 2])}
echo x > x.txt
touch "$HOME/ready"
until [ -f "$HOME/go" ]; do test -d "$HOME"; sleep 0.05; done
${claudeResult({ answer, usage })}`;

test('lines appear while the agent works; garbage breaks nothing; --verbose shows what people can read', async () => {
  const p = await started();
  const path = playFake(p, 'claude', { agent: [busy] });
  const running = p.start(['step', '--verbose'], path);
  onTestFinished(() => {
    running.kill('SIGKILL');
  });
  await waitUntil('the agent to be busy', () => existsSync(join(p.home, 'ready')));
  const file = join(p.dir, '.runner/iterations/test/1/events.jsonl');
  await waitUntil('its events', () => readFileSync(file, 'utf8').includes('"type":"retry"'));
  expect(existsSync(join(p.dir, '.runner/iterations/test/1/meta.json')), 'it is not over').toBe(false);
  const early = eventsOf(p, 1).length;
  writeFileSync(join(p.home, 'go'), '');
  const ran = await running;
  expect(ran.stdout, ran.stderr).toBe('step: run=test iter=1 node=root status=done guard=pass');

  const lines = eventsOf(p, 1);
  expect(lines.length).toBeGreaterThan(early);
  expect(lines.map(({ seq }) => seq)).toEqual(lines.map((_, index) => index + 1));
  for (const line of lines) expect(line).toMatchObject({ v: 1, session: 1, role: 'agent' });
  expect(bare(lines)).toEqual([
    { type: 'reasoning', text: 'hm', partial: false },
    { type: 'message', text: 'I look\naround red', partial: false },
    { type: 'tool_call', id: 't1', tool: 'shell', detail: 'ls -la' },
    { type: 'tool_result', id: 't1', failed: true, exit_code: 2, output: 'Exit code 2\nno such file' },
    { type: 'tool_call', id: 't2', tool: 'Write', detail: 'x.txt' },
    { type: 'file_edit', path: 'x.txt', change: 'add' },
    { type: 'tool_result', id: 't2', failed: false, exit_code: null, output: 'ok' },
    { type: 'retry', message: 'overloaded, try 1 of 2', status: 529, reset_at_ms: null },
    {
      type: 'usage',
      scope: 'session',
      usage: { input_tokens: 11, cached_input_tokens: 0, output_tokens: 4, cost_usd: 0.5 },
    },
    { type: 'answer', text: JSON.stringify(answer) },
    { type: 'finished' },
  ]);
  const log = readFileSync(join(p.dir, '.runner/iterations/test/1/executor.log'));
  expect(log.toString('latin1'), 'the raw text stays').toContain('\xff\xfe\0\u001b[2Jgarbage');
  const shown = ran.stderr.split('\n').filter((line) => line.startsWith('  | '));
  expect(shown).toEqual([
    '  | thinking: hm',
    '  | I look',
    '  | $ ls -la',
    '  | failed with exit code 2',
    '  | Write x.txt',
    '  | add x.txt',
    '  | waiting for the model: overloaded, try 1 of 2',
    `  | ${JSON.stringify(answer)}`,
  ]);
  expect(ran.stderr).not.toContain('\u001b');
});

test('a command of the user’s own and its review share the file; without --verbose nothing of it is shown', async () => {
  const p = await project({ agent: shellRoles, config: '[review]\nagent = "command"\n' });
  playRoles(p, {
    agent: 'echo first line; printf "second "; echo line; echo x > x.txt; answer done',
    review: 'echo looks good; verdict pass',
  });
  const ran = await p.run('step');
  expect(ran, ran.err).toMatchObject({ code: 0 });
  expect(ran.err).not.toContain('first line');
  const lines = eventsOf(p, 1);
  expect(lines.map(({ role, text }) => `${String(role)}: ${String(text).trimEnd()}`)).toEqual([
    'agent: first line',
    'agent: second line',
    'review: looks good',
  ]);
});

test('an agent that puts a link in the place of the file writes nowhere else and loses nothing but the file', async () => {
  const p = await project({ agent: shellRoles });
  writeFileSync(join(p.home, 'target'), 'untouched\n');
  playRoles(p, {
    agent: `cd ".runner/iterations/test/$RUNNER_ITER"; rm -f events.jsonl; ln -s "$HOME/target" events.jsonl; cd - > /dev/null
    echo words; echo x > x.txt; answer done`,
  });
  const ran = await p.run('step');
  expect(ran, ran.err).toMatchObject({ out: 'step: run=test iter=1 node=root status=done guard=pass' });
  expect(readFileSync(join(p.home, 'target'), 'utf8')).toBe('untouched\n');
  expect((await recorded(p, 1)).status).toBe('done');
});
