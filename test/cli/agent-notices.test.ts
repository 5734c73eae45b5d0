/** What people are told about an agent before and after its sessions: logins, versions, missing programs, tokens, refusals. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { claudeDone, codexDone, codexFails, playFake, say } from '../support/fake-agent.ts';
import { expectOutput } from '../support/output-schema.ts';
import { project, unstartedProject } from '../support/project.ts';
import { recorded } from '../support/record.ts';
import { fakeProgram } from '../support/shell-agent.ts';
import { template } from '../support/template.ts';

const started = template(() => project({ agent: 'name = "codex"', guard: ['true'] }));

const report = (input: number): string =>
  `echo '2026-11-18T09:30:30.1Z  INFO codex_otel.trace_safe: event.kind=response.completed input_token_count=${input} output_token_count=7 cached_token_count=5 model=m' >&2`;

test('the tokens of a codex session that was ended are those it reported until then', async () => {
  const p = await started();
  const script = `${say({ type: 'turn.started' })}\necho work > work.txt; echo 'a word on stderr' >&2\n${report(100)}\n${report(300)}\nexec sleep 60`;
  const path = playFake(p, 'codex', { agent: [script] });
  const ran = await p.runWith({ ...path, RUNNER_AGENT_IDLE_TIMEOUT_SECS: '2' }, 'step');
  expect(ran.out, ran.err).toBe('step: run=test iter=1 node=root status=retry guard=skipped');
  const { meta, runState } = await recorded(p, 1);
  expect(meta).toMatchObject({ failure: 'silent', tokens: 414 });
  expect(runState.totals.tokens).toBe(414);
  expect(p.log(1, 'executor.log')).toContain('a word on stderr');
  expect(p.log(1, 'executor.log'), 'the report is no log').not.toContain('codex_otel');
});

test('what codex says at the end counts, not both', async () => {
  const p = await started();
  const path = playFake(p, 'codex', { agent: [`${report(70)}\n${codexDone('echo work > work.txt')}`] });
  await p.runWith(path, 'step');
  expect((await recorded(p, 1)).meta.tokens).toBe(77);
});

test('codex without its sandbox helper: doctor and the outcome say it', async () => {
  const p = await started();
  const item = {
    id: 'a',
    type: 'command_execution',
    command: 'true',
    aggregated_output: 'bwrap: execvp codex-linux-sandbox: No such file or directory',
    exit_code: 1,
    status: 'failed',
  };
  const path = playFake(p, 'codex', {
    agent: [`${say({ type: 'item.completed', item })}\n${codexFails('I cannot do anything')}`],
  });
  const told = 'codex has no sandbox helper here; set CODEX_HOME or TMPDIR to another folder';
  const ran = await p.runWith(path, 'step');
  expect(ran.err).toContain(`note: the agent was refused: every command: ${told}`);
  expect((await recorded(p, 1)).meta.notes.join(' ')).toContain(told);
  const below = join(p.home, 'tmp');
  mkdirSync(join(below, 'codex'), { recursive: true });
  const doctor = await p.runWith({ ...path, TMPDIR: below, CODEX_HOME: join(below, 'codex') }, 'doctor');
  expect(doctor.out).toMatch(
    /^warn agent\.codex\.sandbox: every command of it would fail: codex makes no sandbox helper/m,
  );
});

test('a version newer than the proven ones is told once, with what was proven', async () => {
  const p = await started();
  const work = ['1', '2'].map((name) => codexDone(`echo ${name} > ${name}.txt`).replace('done', 'retry'));
  const path = playFake(p, 'codex', { agent: work });
  const newer = fakeProgram(
    { home: p.home },
    'newer-codex',
    `[ "$1" = --version ] && { echo 'codex-cli 9.9.9'; exit; }; exec codex "$@"`,
  );
  const env = { ...path, ...newer, RUNNER_AGENT_BIN: 'newer-codex' };
  const ran = await p.runWith(env, 'loop', '--max-iterations', '2');
  const note = 'codex-cli 9.9.9 is newer than what codex was proven with: 0.166.0';
  expect(ran.err.split(note), ran.err).toHaveLength(2);
  expect((await p.runWith(env, 'doctor')).out).toContain('codex-cli 9.9.9 (newer than the proven 0.166.0)');
  expect((await p.runWith(path, 'doctor')).out).not.toContain('newer than');
});

test('start names the logins of agent and reviewer', async () => {
  const p = await unstartedProject({ agent: 'name = "codex"', config: '[review]\nagent = "claude"\n' });
  const path = { ...playFake(p, 'claude', {}), ...playFake(p, 'codex', {}) };
  const keys = { CODEX_API_KEY: 'sk-1', ANTHROPIC_API_KEY: 'sk-2' };
  const ran = await p.runWith({ ...path, ...keys }, 'start');
  expect(ran.err).toContain('agent codex, login: API key in CODEX_API_KEY');
  expect(ran.err).toContain('reviewer claude, login: API key in ANTHROPIC_API_KEY');
  const again = JSON.parse((await p.runWith({ ...path, ...keys }, 'start', '--json')).out) as object;
  expectOutput('start', again);
  expect(again).toMatchObject({ reviewer: { agent: 'claude', credential: 'API key in ANTHROPIC_API_KEY' } });
});

test('start with a missing program says so, and nothing of a login', async () => {
  const p = await unstartedProject({ agent: 'name = "codex"\nbin = "no-such-codex"' });
  const ran = await p.run('start');
  expect(ran, ran.err).toMatchObject({ code: 0 });
  expect(ran.err).toContain(
    "warning: the program 'no-such-codex' of the agent 'codex' was not found: npm install -g @openai/codex, then: codex login",
  );
  expect(ran.err).not.toContain('login: ');
});

test('a message of a limit is shown whole while it waits', async () => {
  const p = await started();
  const words = `You’ve hit your usage limit. Visit https://chatgpt.com/codex/settings/usage to purchase more credits${' and more words'.repeat(8)}, or try again in 1s.`;
  const path = playFake(p, 'codex', { agent: [codexFails(words), codexDone('echo work > work.txt')] });
  const ran = await p.runWith(path, 'step');
  expect(ran.out, ran.err).toContain('status=done guard=pass');
  expect(ran.err).toContain(`(Ctrl-C stops): codex: ${words}`);
});

test('a reviewer has its own program and arguments', async () => {
  const p = await project({
    agent: 'name = "codex"',
    guard: ['true'],
    config: '[review]\nagent = "claude"\nbin = "strict-claude"\nenv = ["MY_TOKEN"]\n',
  });
  const path = playFake(p, 'codex', { agent: [codexDone('echo work > work.txt')] });
  const verdict = claudeDone('printenv MY_TOKEN > "$HOME/token"').replace(
    /"structured_output":\{[^}]*\}/,
    '"structured_output":{"verdict":"pass","findings":[]}',
  );
  const strict = fakeProgram(
    { home: p.home },
    'strict-claude',
    `[ "$1" = --version ] && { echo 2.1.325; exit; }\n${verdict}`,
  );
  const ran = await p.runWith({ ...path, ...strict, MY_TOKEN: 'for-the-reviewer' }, 'step');
  expect(ran.out, ran.err).toContain('status=done guard=pass');
  expect(p.read('../home/token')).toBe('for-the-reviewer\n');
});
