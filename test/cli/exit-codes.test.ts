/** Every exit code of §10 through the built program, and the texts of the command line around them. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { answer, project, write } from '../support/project.ts';
import { fingerprint, readRefusal } from '../support/refusals.ts';
import { hasText, waitUntil } from '../support/scratch.ts';
import { template } from '../support/template.ts';
import { node } from '../support/trees.ts';

const done = { actions: [write('a.txt', 'a\n')], answer: answer('done') };
const started = template(() => project({ script: [done] }));
const slow = template(() =>
  project({
    script: [{ actions: [write('begun.txt', 'b\n'), { sleep_ms: 60_000 }], answer: answer('done') }],
  }),
);

describe('0, 2: done and complete', () => {
  test('[trap: step on a complete tree was an error] loop ends complete with 0; then select and step say 2, loop 0', async () => {
    const p = await started();
    expect(await p.run('loop')).toMatchObject({
      code: 0,
      out: 'loop: step run=test iter=1 node=root status=done guard=pass\nloop: status=complete run=test steps=1 started_at_iter=1',
    });
    const before = fingerprint(p.top);
    expect(await p.run('select')).toMatchObject({ code: 2, out: 'select: status=complete' });
    expect(await p.run('step')).toMatchObject({
      code: 2,
      out: 'step: status=complete run=test',
      err: 'next: runner finish test',
    });
    expect(await p.run('loop')).toMatchObject({
      code: 0,
      out: 'loop: status=complete run=test steps=0 started_at_iter=2',
      err: 'summary: complete\n  next  runner finish test',
    });
    expect(fingerprint(p.top)).toEqual(before);
  });

  test('a step that records a retry or a failed guard is done what was asked', async () => {
    const p = await project({
      script: [{ answer: answer('retry') }, done],
      guard: ['false'],
    });
    expect(await p.run('step')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/status=retry guard=skipped$/),
    });
    expect(await p.run('step')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/status=done guard=fail$/),
    });
  });
});

test('3: stuck, for select, step and loop; nothing is recorded', async () => {
  const p = await project({
    tree: node('root', { children: [node('a', { attempts: 3 }), node('b', { order: 1 })] }),
  });
  const before = fingerprint(p.top);
  const leaf = 'id=a path=root/a attempts=3/3';
  expect(await p.run('select')).toMatchObject({ code: 3, out: `select: status=stuck ${leaf}` });
  expect(await p.run('step')).toMatchObject({ code: 3, out: `step: status=stuck run=test ${leaf}` });
  expect(await p.run('loop')).toMatchObject({
    code: 3,
    out: `loop: status=stuck run=test ${leaf} steps=0 started_at_iter=1`,
  });
  expect(fingerprint(p.top)).toEqual(before);
});

describe('129, 130, 143: interrupted', () => {
  test.each([
    ['SIGHUP', 129, 'step'],
    ['SIGINT', 130, 'loop'],
    ['SIGTERM', 143, 'step'],
  ] as const)('%s ends with %i and commits what was begun', async (signal, code, command) => {
    const p = await slow();
    const running = p.start([command]);
    await waitUntil('the session works', () => hasText(join(p.dir, 'begun.txt')));
    running.kill(signal);
    const ended = await running;
    expect(ended.exitCode, ended.stderr).toBe(code);
    expect(ended.stderr).toContain(`${signal}: stopping cleanly; a second signal stops at once`);
    expect(ended.stdout).toContain(
      command === 'step'
        ? 'step: run=test iter=1 node=root status=retry guard=skipped'
        : 'loop: status=interrupted run=test steps=1 started_at_iter=1',
    );
    expect(await p.status()).toBe('');
    expect(await p.git('show', 'HEAD:begun.txt')).toBe('b');
    expect(p.tree()).toMatchObject({ passes: false, attempts: 0 });
    expect(p.runState()).toMatchObject({ next_iter: 2, judged_sessions: 0 });
  });

  test('a second signal ends everything at once; the next step goes on by itself', async () => {
    const p = await project({
      agent: `name = "command"\ncommand = ["sh", "-c", "trap '' TERM INT HUP; echo b > begun.txt; while :; do sleep 0.1; done"]`,
    });
    const running = p.start(['step']);
    let said = '';
    running.stderr?.on('data', (chunk: Buffer) => (said += String(chunk)));
    await waitUntil('the session works', () => hasText(join(p.dir, 'begun.txt')));
    running.kill('SIGTERM');
    await waitUntil('the first signal was seen', () => said.includes('SIGTERM: stopping cleanly'));
    running.kill('SIGINT');
    expect((await running).exitCode).toBe(130);
    expect(await p.status()).not.toBe('');
    const next = await p.runWith({ RUNNER_AGENT_COMMAND: '["true"]' }, 'step');
    expect(next.err).toMatch(/^note: took over the lock of a runner that is gone \(pid \d+, runner step\)$/m);
    expect(next.err).toMatch(/^recovered iteration 1: recorded as status=retry guard=skipped$/m);
    expect(next.code).toBe(0);
    expect(await p.git('show', 'HEAD:begun.txt')).toBe('b');
  });
});

describe('64: wrong usage, before anything is looked at [trap: usage errors shared exit code 2 with complete]', () => {
  test.each<[readonly string[], string, string]>([
    [['--quiet'], 'a command is missing', 'runner --help'],
    [['stepp'], "unknown command 'stepp' (Did you mean step?)", 'runner --help'],
    [['xyzzy'], "unknown command 'xyzzy'", 'runner --help'],
    [['step', '--modle', 'x'], "unknown option '--modle' (Did you mean --model?)", 'runner step --help'],
    [
      ['loop', '--max-iterations', 'ten'],
      "option '--max-iterations <n>' argument 'ten' is invalid. It must be a positive whole number.",
      'runner loop --help',
    ],
    [
      ['step', '--prompt-budget', '-1'],
      "option '--prompt-budget <bytes>' argument '-1' is invalid. It must be a positive whole number.",
      'runner step --help',
    ],
    [
      ['select', 'extra'],
      "too many arguments for 'select'. Expected 0 arguments but got 1.",
      'runner select --help',
    ],
    [['step', '-C'], "option '-C <dir>' argument missing", 'runner --help'],
    [['eval'], 'a command is missing', 'runner eval --help'],
    [['config', 'lst'], "unknown command 'lst' (Did you mean list?)", 'runner config --help'],
    [['config', 'get'], "missing required argument 'key'", 'runner config get --help'],
    [
      ['select', '-C', './no-such-folder'],
      'there is no folder ',
      'runner -C <dir> with a folder that exists',
    ],
    [['select', '-C', 'README.md'], 'there is no folder ', 'runner -C <dir> with a folder that exists'],
    [
      ['play-script', 'x', 'one'],
      'play-script needs a script file and the number of a step',
      'set agent.name',
    ],
  ])('%j', async (args, message, hint) => {
    const p = await started();
    const ran = await p.run(...args);
    expect(ran, ran.err).toMatchObject({ code: 64, out: '' });
    const said = readRefusal(ran);
    expect(said.code).toBe('USAGE');
    expect(said.message.startsWith(message), said.message).toBe(true);
    expect(said.hint.startsWith(hint), said.hint).toBe(true);
  });
});

describe('the command line', () => {
  const commands = ['init', 'start', 'validate', 'select', 'explain', 'step', 'loop', 'demo'];

  test('--help of the program and of each command goes to stdout with 0', async () => {
    const p = await started();
    const main = await p.run('--help');
    expect(main).toMatchObject({ code: 0, err: '' });
    for (const name of commands) expect(main.out).toMatch(new RegExp(`^  ${name} `, 'm'));
    for (const exit of ['0 ', '1 ', '2 ', '3 ', '64 ', '129, 130, 143'])
      expect(main.out).toContain(`\n  ${exit}`);
    expect(main.out).not.toContain('play-script');
    const helps = await Promise.all(commands.map((name) => p.run(name, '--help')));
    for (const [index, help] of helps.entries()) {
      expect(help).toMatchObject({ code: 0, err: '' });
      expect(help.out).toMatch(new RegExp(`^Usage: runner ${commands[index]} `));
      for (const flag of ['-C <dir>', '--json', '--quiet', '--verbose']) expect(help.out).toContain(flag);
    }
    expect(await p.run('help', 'step')).toMatchObject({ code: 0, out: helps[commands.indexOf('step')]?.out });
  });

  test('--version', async () => {
    const p = await started();
    for (const flag of ['--version', '-V']) {
      expect(await p.run(flag)).toMatchObject({
        code: 0,
        out: expect.stringMatching(/^\d+\.\d+\.\d+$/),
        err: '',
      });
    }
  });

  test('-C and the other common flags before and after the command', async () => {
    const p = await started();
    const open = { code: 0, out: 'select: status=open id=root path=root attempts=0/3' };
    expect(await p.run('-C', p.dir, 'select')).toMatchObject(open);
    expect(await p.run('select', '-C', p.dir)).toMatchObject(open);
    expect(await p.run('select', `-C${p.dir}`)).toMatchObject(open);
    expect((await p.run('-C', '..', 'select')).code).toBe(1);
    const first = await p.run('--json', '--quiet', 'select');
    expect(first.out).toBe((await p.run('select', '--quiet', '--json')).out);
    expect(JSON.parse(first.out)).toMatchObject({ status: 'open' });
  });

  test('stderr: plain lines by default, nothing with --quiet, activity with --verbose; never an escape code', async () => {
    const script = [
      { actions: [{ print: 'working \u001b[31mred\u001b[0m\n' }], answer: answer('retry', 'esc \u001b[31m') },
    ];
    const make = template(() => project({ script }));
    const run = async (...flags: readonly string[]) => (await make()).run('step', ...flags);
    const plain = await run();
    expect(plain.err.split('\n')).toEqual([
      'iter 1: root Root, with scripted, budget 30:00, rings: sandbox=none settings=on checkout=off',
      expect.stringMatching(/^iter 1: status=retry guard=skipped · /),
    ]);
    const quiet = await run('--quiet');
    expect(quiet).toMatchObject({ code: 0, out: plain.out, err: '' });
    const verbose = await run('--verbose');
    expect(verbose.err.split('\n')).toEqual(
      expect.arrayContaining(['  agent …', '  | working red', '  commit …']),
    );
    for (const { out, err } of [plain, quiet, verbose]) expect(out + err).not.toContain('\u001b');
  });

  test('a closed stdout does not end a run', async () => {
    const p = await started();
    const running = p.start(['loop']);
    running.stdout?.destroy();
    running.stderr?.destroy();
    await running;
    expect(p.tree().passes).toBe(true);
  });
});
