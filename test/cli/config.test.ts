/** `runner config`: settings with their origin; one line changed, exactly one file committed, everything else as it was. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { answer, bareProject, project, tempFolder, unstartedProject, write } from '../support/project.ts';
import type { Project } from '../support/project.ts';
import { expectOutput } from '../support/output-schema.ts';
import { fingerprint, readRefusal, refused, typeHint } from '../support/refusals.ts';
import { waitUntil } from '../support/scratch.ts';
import { template } from '../support/template.ts';
import { sampled } from '../support/whole.ts';

const file = '.runner/state/config.toml';
const started = template(() => project({ config: '# mine\nmax_iterations = 5 # few\n' }));

function setIn(p: Project, ...args: readonly string[]) {
  return p.run('config', 'set', ...args);
}

describe('list and get', () => {
  test('every key with its value and origin: default, file, variable, flag', async () => {
    const p = await started();
    const env = { RUNNER_ON_STUCK: 'defer' };
    const plain = await p.runWith(env, 'config', 'list', '--show-origin', '--model', 'm 1');
    expect(plain).toMatchObject({ code: 0, err: '' });
    const lines = plain.out.split('\n');
    expect(lines).toContain('max_iterations=5 origin=file:.runner/state/config.toml:2');
    expect(lines).toContain('on_stuck="defer" origin=env:RUNNER_ON_STUCK');
    expect(lines).toContain('agent.model="m 1" origin=flag:--model');
    expect(lines).toContain('agent.max_failures=5 origin=default');
    expect(lines).toContain('guard.timeout_secs=null origin=default');
    expect((await p.run('config', 'list')).out.split('\n')).toContain('max_iterations=5');
    const json = await p.runWith(env, 'config', 'list', '--json');
    const value = JSON.parse(json.out) as { settings: { key: string }[] };
    expectOutput('config-list', value);
    expect(value.settings).toHaveLength(lines.length);
    expect(value.settings).toContainEqual({
      key: 'on_stuck',
      value: 'defer',
      origin: { kind: 'environment', variable: 'RUNNER_ON_STUCK' },
    });
  });

  test('one value, for a shell: texts bare, lists as JSON, nothing when it is not set', async () => {
    const p = await started();
    expect(await p.run('config', 'get', 'agent.name')).toMatchObject({ code: 0, out: 'scripted' });
    expect(await p.run('config', 'get', 'guard.command')).toMatchObject({ code: 0, out: '["true"]' });
    expect(await p.run('config', 'get', 'agent.model')).toMatchObject({ code: 0, out: '' });
    const value: unknown = JSON.parse((await p.run('config', 'get', 'max_iterations', '--json')).out);
    expectOutput('config-get', value);
    expect(value).toEqual({
      command: 'config get',
      key: 'max_iterations',
      value: 5,
      origin: { kind: 'file', line: 2 },
    });
    const wrong = await p.run('config', 'get', 'max_iteration');
    expect(wrong.code).toBe(64);
    expect(readRefusal(wrong)).toMatchObject({
      code: 'USAGE',
      message: "there is no setting 'max_iteration'; did you mean max_iterations?",
      hint: 'runner config list',
    });
  });

  test('reading writes nothing and needs neither a layout nor a repository nor a clean tree', async () => {
    const p = await started();
    p.put('new.txt', 'x');
    const before = fingerprint(p.top);
    expect((await p.run('config', 'list')).code).toBe(0);
    expect((await p.run('config', 'get', 'git.sign')).out).toBe('false');
    expect(fingerprint(p.top)).toEqual(before);
    const nowhere = await p.run('config', 'get', 'max_iterations', '-C', tempFolder('config'));
    expect(nowhere).toMatchObject({ code: 0, out: '50' });
    p.put(file, 'max_iteration = 5\n');
    const wrong = await p.run('config', 'list');
    expect(readRefusal(wrong)).toMatchObject({ code: 'CONFIG_INVALID' });
  });
});

describe('set on a run branch', () => {
  test('changes one line and commits exactly that file; what is staged or changed stays as it is', async () => {
    const p = await started();
    p.put('staged.txt', 'staged\n');
    p.put('README.md', '# half staged\n');
    await p.git('add', 'staged.txt', 'README.md');
    p.put('README.md', '# changed again\n');
    p.put('new.txt', 'new\n');
    const before = { status: await p.status(), text: p.read(file), staged: await p.git('diff', '--cached') };
    const set = await setIn(p, 'max_iterations', '80');
    const commit = await p.git('rev-parse', 'HEAD');
    expect(set).toMatchObject({
      code: 0,
      out: `config: set key=max_iterations changed=true commit=${commit}`,
      err: '',
    });
    expect(p.read(file)).toBe(before.text.replace('max_iterations = 5 # few', 'max_iterations = 80 # few'));
    expect((await p.subjects())[0]).toBe('chore(loop): set max_iterations');
    expect(await p.git('show', '--name-only', '--format=', 'HEAD')).toBe(file);
    expect(await p.status()).toBe(before.status);
    expect(await p.git('diff', '--cached')).toBe(before.staged);
    expect(await p.git('fsck', '--no-dangling')).toBe('');
    expect((await p.run('validate')).code).toBe(0);
  });

  test('a key that is missing goes into its table; unset takes it out again', async () => {
    const p = await project({ files: { justfile: 'ci:\n    true\n' } });
    const before = p.read(file);
    expect(JSON.parse((await setIn(p, 'limits.max_run_secs', '500', '--json')).out)).toMatchObject({
      changed: true,
      reason: null,
      value: 500,
      origin: { kind: 'file' },
    });
    expect(p.read(file)).toBe(`${before}\n[limits]\nmax_run_secs = 500\n`);
    const unset = await p.run('config', 'unset', 'limits.max_run_secs', '--json');
    const value: unknown = JSON.parse(unset.out);
    expectOutput('config-unset', value);
    expect(value).toMatchObject({ changed: true, value: null, origin: { kind: 'default' } });
    expect(p.read(file)).toBe(`${before}\n[limits]\n`);
    expect((await p.subjects()).slice(0, 2)).toEqual([
      'chore(loop): unset limits.max_run_secs',
      'chore(loop): set limits.max_run_secs',
    ]);
  });

  test('the value that is there already makes no commit', async () => {
    const p = await started();
    const before = fingerprint(p.top);
    const same = await setIn(p, 'max_iterations', '5', '--json');
    const value: unknown = JSON.parse(same.out);
    expectOutput('config-set', value);
    expect(value).toMatchObject({ changed: false, commit: null, reason: 'unchanged' });
    expect(fingerprint(p.top)).toEqual(before);
  });

  test('a variable that stands above the file is said', async () => {
    const p = await started();
    const set = await p.runWith({ RUNNER_MAX_ITERATIONS: '9' }, 'config', 'set', 'max_iterations', '80');
    expect(set.code).toBe(0);
    expect(set.err).toBe('note: env:RUNNER_MAX_ITERATIONS overrides the file: max_iterations is 9 here');
  });

  test('in a sub-folder, with Windows line endings and comments', async () => {
    const p = await project({ prefix: 'deep/er/' });
    p.put(file, `# a\r\n\r\n${p.read(file).replaceAll('\n', '\r\n')}`);
    await p.commitAll();
    const before = p.read(file);
    expect((await setIn(p, 'agent.max_failures', '2')).code).toBe(0);
    expect(p.read(file).replace('max_failures = 2\r\n', '')).toBe(before);
    expect(await p.git('show', '--name-only', '--format=', 'HEAD')).toBe(`deep/er/${file}`);
    expect(await p.status()).toBe('');
    const script = { actions: [write('a', 'a')], answer: answer('done') };
    p.put('.runner-script.json', JSON.stringify({ version: 1, steps: [script] }));
    await p.commitAll();
    expect((await p.run('step')).out).toContain('guard=pass');
  });
});

describe('set elsewhere', () => {
  test('on another branch it only writes, and says so', async () => {
    const p = await unstartedProject();
    const head = await p.git('rev-parse', 'HEAD');
    const set = await setIn(p, 'max_iterations', '80');
    expect(set).toMatchObject({ code: 0, out: 'config: set key=max_iterations changed=true commit=none' });
    expect(set.err).toBe('note: not on the branch of a run: the file is written, nothing is committed');
    expect(await p.git('rev-parse', 'HEAD')).toBe(head);
    expect(await p.status()).toBe(`M ${file}`.padStart(file.length + 3));
  });

  test('outside a repository too; and without a layout it says what helps', async () => {
    const p = await bareProject();
    expect(readRefusal(await setIn(p, 'max_iterations', '80'))).toMatchObject({
      code: 'LAYOUT_MISSING',
      hint: 'runner init',
    });
    const folder = tempFolder('outside');
    expect((await p.run('init', '-C', folder)).code).toBe(0);
    const set = JSON.parse((await setIn(p, 'git.sign', 'true', '-C', folder, '--json')).out) as object;
    expectOutput('config-set', set);
    expect(set).toMatchObject({ changed: true, commit: null, reason: 'no_repository', value: true });
  });
});

describe('set refuses, and writes nothing', () => {
  test.each([
    [['max_iterations', '0'], 1, 'CONFIG_INVALID', 'would not be valid'],
    [['agent.name', 'command'], 1, 'CONFIG_INVALID', 'would not be valid'],
    [['max_iterations', 'many'], 64, 'USAGE', "must be a whole number, not 'many'"],
    [['guard.comand', '[]'], 64, 'USAGE', 'did you mean guard.command?'],
    [['guard.command', 'make'], 64, 'USAGE', 'must be a JSON list'],
  ])('%j', async (args, exit, code, words) => {
    const p = await started();
    const before = fingerprint(p.top);
    const ran = await setIn(p, ...args);
    expect(ran).toMatchObject({ code: exit, out: '' });
    const refusal = readRefusal(ran);
    expect(refusal.code).toBe(code);
    expect(refusal.message).toContain(words);
    expect(fingerprint(p.top)).toEqual(before);
  });

  // What is changed, the settings that make it invalid, and the commands that come first.
  test.each(
    sampled(
      [
        ['agent.name command', '', `runner config set agent.command '["./agent.sh"]' && `],
        ['agent.name scripted', '', 'runner config set agent.script script.json && '],
        ['review.model big', '', 'runner config set review.agent claude && '],
        ['agent.permissions full', '[sandbox]\nkind = "bwrap"\n', 'runner config unset sandbox.kind && '],
        ['sandbox.kind bwrap', 'agent.permissions = "full"\n', 'runner config unset agent.permissions && '],
        [
          'agent.permissions workspace',
          'agent.name = "claude"\n[sandbox]\nkind = "none"\n',
          'runner config unset sandbox.kind && ',
        ],
        ['agent.name gemini', 'limits.max_cost_usd = 1.5\n', 'runner config unset limits.max_cost_usd && '],
        ['agent.name gemini', 'agent.effort = "high"\n', 'runner config unset agent.effort && '],
        [
          'review.agent gemini',
          'review = { agent = "claude", effort = "max" }\n',
          'runner config unset review.effort && ',
        ],
        [
          'agent.name command',
          'limits.max_tokens = 9\n',
          `runner config set agent.command '["./agent.sh"]' && runner config unset limits.max_tokens && `,
        ],
      ],
      4,
    ),
  )('%s with %j: the hint leads on', async (change, config, first) => {
    const p = await bareProject();
    await p.run('init');
    p.put(file, config);
    const args = change.split(' ');
    const { hint } = await refused(p, ['config', 'set', ...args]);
    expect(hint).toBe(`${first}runner config set ${change}`);
    await typeHint(p, hint);
    expect((await p.run('config', 'get', String(args[0]))).out).toBe(args[1]);
  });

  test.each(
    sampled(
      [
        [
          'agent.command',
          'agent = { name = "command", command = ["x"] }\n',
          'runner config unset agent.name && ',
        ],
        [
          'review.agent',
          'review = { agent = "claude", model = "m" }\n',
          'runner config unset review.model && ',
        ],
      ],
      2,
    ),
  )('unset %s with %j: the hint leads on', async (key, config, first) => {
    const p = await bareProject();
    await p.run('init');
    p.put(file, config);
    const { hint } = await refused(p, ['config', 'unset', key]);
    expect(hint).toBe(`${first}runner config unset ${key}`);
    await typeHint(p, hint);
    expect((await p.run('config', 'get', key)).out).toBe('');
  });

  test('when config.toml has changes of its own, on disk or staged', async () => {
    const p = await started();
    p.put(file, `${p.read(file)}# mine\n`);
    const onDisk = await refused(p, ['config', 'set', 'max_iterations', '80']);
    expect(onDisk).toMatchObject({ code: 'GIT_DIRTY' });
    expect(onDisk.message).toContain(file);
    await p.git('add', '-A');
    expect((await refused(p, ['config', 'set', 'max_iterations', '80'])).code).toBe('GIT_DIRTY');
  });

  test('inside a session, and while a runner works', async () => {
    const p = await project({
      script: [{ actions: [write('a.txt', 'a\n')], answer: answer('done') }],
      guard: ['sh', '-c', 'touch ../in; until [ -e ../out ]; do sleep 0.05; done'],
    });
    const inside = { RUNNER_RUN_ID: 'test', RUNNER_WORK_TREE: p.top };
    expect((await refused(p, ['config', 'set', 'max_iterations', '80'], inside)).code).toBe('NESTED');
    expect((await p.runWith(inside, 'config', 'list')).code, 'reading may').toBe(0);
    const loop = p.start(['step']);
    await waitUntil('the guard runs', () => existsSync(join(p.base, 'in')));
    const locked = await setIn(p, 'max_iterations', '80');
    expect(readRefusal(locked).code).toBe('LOCKED');
    expect((await p.run('config', 'get', 'max_iterations')).out).toBe('50');
    loop.kill('SIGKILL');
    await loop;
    const open = await setIn(p, 'max_iterations', '80');
    expect(readRefusal(open), 'the iteration is not finished').toMatchObject({
      code: 'RUN_UNFINISHED',
      hint: 'runner step',
    });
    writeFileSync(join(p.base, 'out'), '');
    expect((await p.run('step')).code).toBeLessThanOrEqual(2);
    expect((await setIn(p, 'max_iterations', '80')).code).toBe(0);
  });

  test('where git is locked, or refuses the commit: the file is as it was', async () => {
    const p = await started();
    const lock = join(p.top, '.git/refs/heads/runner/test.lock');
    writeFileSync(lock, '');
    expect((await refused(p, ['config', 'set', 'max_iterations', '80'])).code).toBe('GIT_LOCKED');
    rmSync(lock);
    await p.git('config', 'gpg.program', 'false');
    expect((await refused(p, ['config', 'set', 'git.sign', 'true'])).code).toBe('GIT_FAILED');
    // A folder where the branch's own log would go: the last step fails, when the file is already written.
    rmSync(join(p.top, '.git/logs/refs/heads/runner/test'));
    mkdirSync(join(p.top, '.git/logs/refs/heads/runner/test'));
    writeFileSync(join(p.top, '.git/logs/refs/heads/runner/test/x'), '');
    expect((await refused(p, ['config', 'set', 'max_iterations', '80'])).code).toBe('GIT_FAILED');
    expect(await p.status()).toBe('');
  });
});
