/** `runner doctor`: each thing that can be wrong is seen on a real machine, with its fix; it writes nothing and tells no secret. */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Check } from '../../src/core/views/doctor.ts';
import type { Project, Ran } from '../support/project.ts';
import { answer, bareProject, project, repositoryRoot, tempFolder, write } from '../support/project.ts';
import { expectOutput } from '../support/output-schema.ts';
import { hasPseudoTerminal, runOnTerminal } from '../support/pseudo-terminal.ts';
import { fingerprint, pathOf, readRefusal } from '../support/refusals.ts';
import { waitUntil } from '../support/scratch.ts';
import { template } from '../support/template.ts';

const guard = ['sh', '-c', 'test -e README.md'];
const started = template(() => project({ guard }));

async function look(p: Project, env: Readonly<Record<string, string>> = {}, ...args: readonly string[]) {
  const ran = await p.runWith(env, 'doctor', '--json', ...args);
  const value = JSON.parse(ran.out) as { checks: Check[]; fail: number };
  expectOutput('doctor', value);
  expect(ran.code).toBe(value.fail === 0 ? 0 : 1);
  const named = (name: string): Check | undefined => value.checks.find((check) => check.name === name);
  return { ran, named, bad: value.checks.filter(({ status }) => status !== 'ok').map(({ name }) => name) };
}

function plain(ran: Ran): readonly string[] {
  return ran.out.split('\n');
}

test.skipIf(!hasPseudoTerminal)('on a terminal each line begins in the colour of its state', async () => {
  const screen = await runOnTerminal(await started(), 'doctor', 200);
  expect(screen).toMatch(/^\u001B\[32mok\u001B\[0m repository: branch runner\/test/mu);
});

test('a run in order: one line each, exit 0, nothing written', async () => {
  const p = await started();
  const before = fingerprint(p.top);
  const ran = await p.run('doctor');
  expect(ran.code, ran.out).toBe(0);
  expect(ran.err).toBe('');
  const lines = plain(ran);
  for (const line of lines.slice(0, -1)) expect(line).toMatch(/^ok [a-z_.]+: \S/);
  expect(lines).toContain('ok repository: branch runner/test, 0 changed paths');
  expect(lines).toContain('ok run: run test is checked out');
  expect(lines).toContain('ok guard.can_fail: no sign that it can never fail');
  expect(lines).toContain('ok journal: no iteration is open');
  expect(lines.at(-1)).toBe(`doctor: ok=${lines.length - 1} warn=0 fail=0`);
  expect(fingerprint(p.top)).toEqual(before);
  expect(readdirSync(join(p.top, '.git/runner'))).not.toContain('lock');
});

test('outside a repository, and before init', async () => {
  const p = await bareProject();
  const folder = tempFolder('nowhere');
  const outside = await look(p, {}, '-C', folder);
  expect(outside.bad).toEqual(['repository', 'layout']);
  expect(outside.named('layout')).toMatchObject({ status: 'warn', fix: 'runner init' });
  expect(readdirSync(folder)).toEqual([]);
  const inside = await look(p);
  expect(inside.bad).toEqual(['layout']);
  expect(inside.ran.code).toBe(0);
  expect((await p.run('doctor', '-C', `${p.base}/none`)).code).toBe(64);
});

test('broken files: all of them are told, each with its hint', async () => {
  const p = await started();
  p.put('.runner/state/config.toml', 'max_iteration = 5\n');
  p.put('.runner/state/tree.json', '{');
  rmSync(join(p.dir, '.runner/state/feedback.md'));
  const { bad, named } = await look(p);
  expect(bad).toEqual(['repository', 'layout', 'config', 'tree']);
  expect(named('config')?.message).toContain('did you mean max_iterations?');
  expect(named('tree')).toMatchObject({ status: 'fail', fix: 'correct the file, then run: runner validate' });
});

describe('the guard', () => {
  const npm = (script: string): string => JSON.stringify({ scripts: { test: script } });
  test.each<[string, readonly string[], Record<string, string>, string, RegExp]>([
    ['is not there', ['no-such-check'], {}, 'guard', /'no-such-check' of guard.command was not found/],
    ['always succeeds', ['true'], {}, 'guard.can_fail', /true always succeeds/],
    ['is forgiven', ['sh', '-c', 'make test || true'], {}, 'guard.can_fail', /cannot fail/],
    [
      'is a placeholder',
      ['npm', 'test'],
      { 'package.json': npm('echo "Error: no test specified" && exit 1') },
      'guard.can_fail',
      /always fails/,
    ],
    [
      'is a missing script',
      ['npm', 'run', 'ci'],
      { 'package.json': npm('node --test') },
      'guard.can_fail',
      /no script 'ci'/,
    ],
    [
      'is a script that forgives',
      ['./check'],
      { check: '#!/bin/sh\nmake test\nexit 0\n' },
      'guard.can_fail',
      /ends with 'exit 0'/,
    ],
    [
      'is a missing recipe',
      ['just', 'ci'],
      { justfile: 'test:\n    make\n' },
      'guard.can_fail',
      /no recipe 'ci'/,
    ],
    [
      'is an empty recipe',
      ['just', 'ci'],
      { justfile: 'ci:\n    @echo fine\n' },
      'guard.can_fail',
      /cannot fail/,
    ],
  ])('that %s', async (...row) => {
    const [, command, files, name, message] = row;
    const p = await project({ guard: command, files });
    if ('check' in files) chmodSync(join(p.dir, 'check'), 0o755);
    const just = join(repositoryRoot, 'node_modules/.bin');
    const { named, ran } = await look(p, { PATH: `${p.env['PATH'] ?? ''}${delimiter}${just}` });
    expect(named(name), ran.out).toMatchObject({
      status: 'fail',
      message: expect.stringMatching(message) as string,
    });
    expect(named(name)?.fix).toBeTruthy();
    expect(ran.code).toBe(1);
  });

  test.each<[readonly string[], Record<string, string>]>([
    [['npm', 'test'], { 'package.json': npm('node --test && echo fine') }],
    [['just', 'ci'], { justfile: 'ci: test\n\ntest:\n    make\n' }],
  ])('%j is able to fail', async (command, files) => {
    const p = await project({ guard: command, files });
    const just = join(repositoryRoot, 'node_modules/.bin');
    const { named } = await look(p, { PATH: `${p.env['PATH'] ?? ''}${delimiter}${just}` });
    expect(named('guard.can_fail')?.status).toBe('ok');
  });

  test('really runs when asked for, and only then', async () => {
    const p = await project({ guard: ['sh', '-c', 'echo one line; echo run >> ../ran; test ! -e ../red'] });
    await look(p);
    expect(existsSync(join(p.base, 'ran'))).toBe(false);
    const green = await look(p, {}, '--run-guard');
    expect(green.named('guard.run')?.message).toMatch(/^green after \d+\.\d s$/);
    expect(green.ran.err).toBe('  guard: one line');
    writeFileSync(join(p.base, 'red'), '');
    const red = await look(p, {}, '--run-guard');
    expect(red.named('guard.run')).toMatchObject({
      status: 'warn',
      message: expect.stringContaining('exit code 1') as string,
    });
    expect(red.ran.code, 'a red guard is able to fail').toBe(0);
    expect(readFileSync(join(p.base, 'ran'), 'utf8')).toBe('run\nrun\n');
    expect(await p.status()).toBe('');
  });
});

describe('agents', () => {
  const versioned = (text: string): string => `#!/bin/sh\n${text}\n`;

  function putProgram(p: Project, name: string, text: string): Record<string, string> {
    const folder = join(p.base, 'bin');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), 0o755);
    return { PATH: `${folder}${delimiter}${pathOf(p, ['sh', 'git', 'node', 'sleep', 'test'])}` };
  }

  test('found with version and login; a key over a subscription is called out, no secret is told', async () => {
    const p = await project({ agent: 'name = "claude"', guard });
    putProgram(p, 'codex', versioned('echo codex-cli 9.9'));
    const path = putProgram(p, 'claude', versioned('echo "1.2.3 (Claude Code)"'));
    const none = await look(p, path);
    expect(none.bad).toEqual(['agent.claude']);
    expect(none.named('agent.claude')).toMatchObject({
      status: 'warn',
      message: 'the configured agent, 1.2.3 (Claude Code), no login found',
    });
    expect(none.named('agent.codex')).toMatchObject({
      status: 'ok',
      message: 'not configured, codex-cli 9.9 (newer than the proven 0.166.0), no login found',
    });
    expect(none.named('agents')?.message).toBe(
      'not installed and not needed: opencode, gemini, qwen, copilot, pi, droid',
    );
    mkdirSync(join(p.home, '.claude'));
    writeFileSync(join(p.home, '.claude/.credentials.json'), '{"x":"s3cret"}');
    expect((await look(p, path)).bad).toEqual([]);
    const both = await look(p, { ...path, ANTHROPIC_API_KEY: 's3cret' });
    expect(both.named('agent.claude')).toMatchObject({
      status: 'warn',
      message:
        'the configured agent, 1.2.3 (Claude Code), login: API key in ANTHROPIC_API_KEY, which overrides: login of claude (.credentials.json)',
      fix: 'to use the other one: unset ANTHROPIC_API_KEY',
    });
    expect(`${both.ran.out}${both.ran.err}`).not.toContain('s3cret');
  });

  test('the configured one is missing, or never answers', async () => {
    const p = await project({ agent: 'name = "codex"', guard });
    const bare = { PATH: pathOf(p, ['sh', 'git', 'node', 'test']) };
    expect((await look(p, bare)).named('agent.codex')).toMatchObject({
      status: 'fail',
      fix: 'npm install -g @openai/codex, then: codex login',
    });
    const slow = await look(p, putProgram(p, 'codex', versioned('sleep 600')));
    expect(slow.named('agent.codex')?.message).toContain('version unknown');
  });
});

describe('git', () => {
  test('no identity, a lock file, hooks that do not run', async () => {
    const p = await started();
    const hooks = join(p.top, '.git/hooks');
    mkdirSync(hooks, { recursive: true });
    writeFileSync(join(hooks, 'pre-commit'), '#!/bin/sh\n');
    expect((await look(p)).named('hooks')).toMatchObject({
      status: 'warn',
      message: expect.stringContaining('pre-commit') as string,
    });
    chmodSync(join(hooks, 'pre-commit'), 0o755);
    expect((await look(p)).named('hooks')).toMatchObject({
      status: 'ok',
      fix: 'to run them: runner config set git.run_hooks true',
    });
    const lock = join(p.top, '.git/index.lock');
    writeFileSync(lock, '');
    expect((await look(p)).named('git_locks')).toMatchObject({
      status: 'fail',
      fix: `if no git runs: rm ${lock}`,
    });
    rmSync(lock);
    await p.git('config', '--unset', 'user.email');
    await p.git('config', 'user.useConfigOnly', 'true');
    const nobody = await look(p);
    expect(nobody.bad).toEqual(['identity']);
    expect(nobody.ran.code).toBe(1);
  });

  test('no git at all, a repository without a commit, a detached HEAD, a dirty tree', async () => {
    const p = await started();
    const gitless = await look(p, { PATH: pathOf(p, ['sh', 'node', 'test']) });
    expect(gitless.bad).toEqual(expect.arrayContaining(['git', 'repository']));
    p.put('new.txt', 'x');
    expect((await look(p)).named('repository')).toMatchObject({
      status: 'warn',
      message: expect.stringContaining('1 changed path;') as string,
    });
    await p.git('checkout', '-q', '--detach');
    expect((await look(p)).named('repository')).toMatchObject({
      status: 'warn',
      message: 'HEAD is detached',
    });
    const empty = join(p.base, 'empty');
    mkdirSync(empty);
    await p.git('init', '-q', empty);
    expect((await look(p, {}, '-C', empty)).named('repository')?.message).toBe(
      'the repository has no commit yet',
    );
  });
});

test('what a killed runner left: lock, open iteration, processes; and a runner at work is no fault', async () => {
  const p = await project({
    script: [{ actions: [write('a.txt', 'a\n')], answer: answer('done') }],
    guard: ['sh', '-c', 'touch ../in; until [ -e ../out ]; do sleep 0.05; done'],
  });
  const running = p.start(['step']);
  await waitUntil('the guard runs', () => existsSync(join(p.base, 'in')));
  const busy = await look(p);
  expect(
    busy.bad.filter((name) => name !== 'repository'),
    'the agent has written a file',
  ).toEqual([]);
  expect(busy.named('lock')?.message).toContain(`a runner works here: pid ${running.pid}`);
  expect(busy.named('journal')?.message).toBe('iteration 1 of run test is being worked on');
  expect(readRefusal(await p.run('doctor', '--run-guard')).code).toBe('LOCKED');
  running.kill('SIGKILL');
  await running;
  const left = await look(p);
  expect(left.bad.filter((name) => name !== 'repository')).toEqual(['lock', 'journal', 'processes']);
  expect(left.named('journal')).toMatchObject({ status: 'warn', fix: 'runner step' });
  const pids =
    /^kill ((?:\d+ ?)+)$/
      .exec(left.named('processes')?.fix ?? '')?.[1]
      ?.trim()
      .split(' ') ?? [];
  expect(pids.length).toBeGreaterThan(0);
  expect(left.ran.code, 'the next command mends all of it').toBe(0);
  writeFileSync(join(p.base, 'out'), '');
  expect((await p.run('step')).code).toBe(2);
  expect((await look(p)).bad).toEqual([]);
  writeFileSync(join(p.top, '.git/runner/lock'), 'garbage');
  expect((await look(p)).named('lock')).toMatchObject({ status: 'warn' });
});
