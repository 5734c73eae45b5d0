/** `runner log`: the list, one iteration, the text of its files; whatever stands in the logs, the terminal is safe. */
import { appendFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { expectOutput } from '../support/output-schema.ts';
import type { Project } from '../support/project.ts';
import {
  answer,
  bareProject,
  child,
  entryFile,
  project,
  tempFolder,
  unstartedProject,
  write,
} from '../support/project.ts';
import { hasPseudoTerminal, runOnTerminal } from '../support/pseudo-terminal.ts';
import { playAgent, shellAgent } from '../support/shell-agent.ts';
import { template } from '../support/template.ts';

const worked = template(async () => {
  const p = await project({
    guard: ['sh', '-c', 'printf "red \\033[31mtext\\033[0m\\n"; test ! -e bad.txt'],
    script: [
      { answer: answer('decomposed', 'two', [child('First'), child('Second')]) },
      {
        actions: [{ print: 'working\n' }, write('bad.txt', 'b\n')],
        answer: answer('done', 'half \u001B[2Jdone'),
      },
      { answer: { status: 'perhaps' } },
    ],
  });
  for (let step = 0; step < 3; step += 1) expect((await p.run('step')).code).toBe(0);
  return p;
});

const logOf = (p: Project, iter: number, name = ''): string =>
  join(p.dir, `.runner/iterations/test/${iter}`, name);

async function lines(p: Project, ...args: readonly string[]): Promise<readonly string[]> {
  const ran = await p.run('log', ...args);
  expect(ran, ran.err).toMatchObject({ code: 0, err: '' });
  return ran.out === '' ? [] : ran.out.split('\n').map((line) => line.replace(/_secs=\d+\.\d/g, '_secs=N'));
}

async function values(p: Project, ...args: readonly string[]): Promise<readonly Record<string, unknown>[]> {
  const all = (await lines(p, '--json', ...args)).map((line) => JSON.parse(line) as Record<string, unknown>);
  for (const value of all) expectOutput('log', value);
  return all;
}

async function refused(
  p: Project,
  ...args: readonly string[]
): Promise<{ readonly code: string; readonly message: string }> {
  const ran = await p.run('log', ...args, '--json');
  expect(ran).toMatchObject({ code: 1 });
  expectOutput('error', JSON.parse(ran.out));
  return (JSON.parse(ran.out) as { error: { code: string; message: string } }).error;
}

describe('the list', () => {
  test('one line an iteration, oldest first, and the same as JSON', async () => {
    const p = await worked();
    const commits = (await p.git('log', '--format=%h', '--abbrev=12')).split('\n');
    const end = 'agent_secs=N guard_secs=N tokens=- cost_usd=-';
    expect(await lines(p)).toEqual([
      `log: run=test iter=1 node=root mode=decompose status=decomposed guard=skipped ${end} commit=${commits[2]} title=Root`,
      `log: run=test iter=2 node=root.1 mode=execute status=done guard=fail ${end} commit=${commits[1]} title=First`,
      `log: run=test iter=3 node=root.1 mode=execute status=retry guard=skipped ${end} commit=${commits[0]} title=First`,
    ]);
    expect(await values(p)).toMatchObject([
      { iter: 1, state: 'finished' },
      { iter: 2, guard: 'fail' },
      { iter: 3 },
    ]);
  });

  test('by node, and by run', async () => {
    const p = await worked();
    expect((await values(p, '--node', 'root.1')).map((value) => value['iter'])).toEqual([2, 3]);
    expect(await refused(p, '--node', 'root.11')).toEqual({
      code: 'NODE_UNKNOWN',
      message: "there is no node 'root.11'; did you mean root.1?",
      details: [],
      hint: 'runner tree',
    });
    p.put(
      '.runner/iterations/older/4/meta.json',
      p
        .read('.runner/iterations/test/2/meta.json')
        .replace('"test"', '"older"')
        .replace('"iter": 2', '"iter": 4')
        .replaceAll('root.1', 'gone'),
    );
    expect((await lines(p, '--run', 'older')).join('')).toContain('log: run=older iter=4 node=gone');
    expect(await lines(p, '--run', 'older', '--node', 'gone')).toHaveLength(1);
    expect(await refused(p, '--run', 'odler')).toMatchObject({
      code: 'LOG_MISSING',
      message: "there is no log of a run 'odler' here; did you mean older?",
      details: ['run older', 'run test'],
    });
    expect(await refused(p, '--run', '../../state')).toMatchObject({ code: 'LOG_MISSING' });
  });

  test('what is half-written, missing or foreign does not break it', async () => {
    const p = await worked();
    truncateSync(logOf(p, 1, 'meta.json'), 40);
    writeFileSync(
      logOf(p, 2, 'meta.json'),
      '{"run_id":"test","iter":2,"node_id":"a\\u001b[2J","status":"done","guard":"pass"}',
    );
    rmSync(logOf(p, 3, 'meta.json'));
    for (const name of ['4.old-1', 'replaced', '0', 'x'])
      p.put(`.runner/iterations/test/${name}/meta.json`, '{}');
    expect(await lines(p)).toEqual(
      [1, 2, 3].map((iter) => `log: run=test iter=${iter} node=- status=unfinished phase=-`),
    );
    expect(await values(p, '2')).toMatchObject([{ event: 'detail', state: 'unfinished', node_id: null }]);
  });

  test('nothing to list is said, and is no error', async () => {
    const p = await worked();
    const none = await p.run('log', '--node', 'root.2');
    expect(none).toMatchObject({ code: 0, out: '' });
    expect(none.err).toMatch(/^note: run test has no iteration on root\.2 here; runner loop begins one/);
    rmSync(join(p.dir, '.runner/iterations'), { recursive: true });
    for (const args of [['log'], ['log', '--follow'], ['log', '--json']]) {
      const empty = await p.run(...args);
      expect(empty).toMatchObject({ code: 0, out: '' });
      expect(empty.err).toMatch(/^note: run test has no iteration here; /);
    }
    expect(await p.run('log', '--quiet')).toMatchObject({ code: 0, out: '', err: '' });
  });

  test('before init, before start, in a fresh clone, on another branch', async () => {
    const bare = await bareProject();
    expect((await bare.run('log')).err).toContain('[LAYOUT_MISSING]');
    const p = await unstartedProject();
    expect(await p.run('log')).toMatchObject({
      code: 0,
      out: '',
      err: 'note: no run has been started on this branch',
    });
    expect(await p.run('log', '--quiet')).toMatchObject({ code: 0, out: '', err: '' });
    const q = await worked();
    const clone = join(tempFolder('clone'), 'clone');
    await q.git('clone', '-q', q.top, clone);
    expect(await q.run('log', '-C', clone, '--quiet')).toMatchObject({ code: 0, out: '', err: '' });
    await q.git('switch', '-q', 'main');
    expect((await q.run('log')).err).toContain('there are logs of: test (runner log --run <id>)');
    expect(await lines(q, '--run', 'test')).toHaveLength(3);
  });
});

describe('one iteration', () => {
  test('what happened, and where its files are', async () => {
    const p = await worked();
    const shown = await lines(p, '2');
    expect(shown.slice(0, 5)).toEqual([
      expect.stringContaining('log: run=test iter=2 node=root.1 mode=execute status=done guard=fail '),
      expect.stringMatching(/^log: path=root\/root\.1 started=20\S+Z ended=20\S+Z sessions=1 waited_secs=0$/),
      'log: exit_agent=0 exit_guard=1 failure=- changed_files=1 recovered=no',
      'log: agent=scripted version=- model=- effort=-',
      'log: summary=half done',
    ]);
    expect(shown.slice(5).map((line) => line.replace(/ bytes=\d+ /, ' '))).toEqual(
      expect.arrayContaining(
        ['prompt.md', 'guard.log', 'diff.patch', 'events.jsonl', 'meta.json'].map(
          (name) => `log: file=${name} path=${logOf(p, 2, name)}`,
        ),
      ),
    );
    expect(await values(p, '2')).toMatchObject([
      {
        event: 'detail',
        state: 'finished',
        summary: 'half \u001B[2Jdone',
        error: null,
        exit_codes: { guard: 1 },
      },
    ]);
  });

  test('what went wrong, and what the runner noted', async () => {
    const p = await worked();
    const meta = p.read('.runner/iterations/test/3/meta.json');
    writeFileSync(logOf(p, 3, 'meta.json'), meta.replace('"notes": []', '"notes": ["put \\u001b[2Jback"]'));
    const shown = await lines(p, '3');
    expect(shown.some((line) => line.startsWith('log: error='))).toBe(true);
    expect(shown.some((line) => line.startsWith('log: summary='))).toBe(false);
    expect(shown).toContain('log: note=put back');
  });

  test('an unknown one is refused with those that are known', async () => {
    const p = await worked();
    expect(await refused(p, '9')).toEqual({
      code: 'LOG_MISSING',
      message: 'run test has no log of iteration 9: it has iterations 1 to 3',
      details: [],
      hint: 'runner log',
    });
    expect((await refused(p, '1', '--node', 'root.1')).message).toBe(
      'run test has no log of iteration 1 on node root.1: it has iterations 2 to 3',
    );
    rmSync(join(p.dir, '.runner/iterations'), { recursive: true });
    expect((await refused(p, '1')).message).toContain('a fresh clone has none');
    for (const wrong of [['0'], ['x'], ['1', '2'], ['1', '--guard', '--diff'], ['--follow', '--guard']])
      expect(await p.run('log', ...wrong), wrong.join(' ')).toMatchObject({ code: 64, out: '' });
  });
});

describe('its files', () => {
  test.each([
    ['--prompt', 'prompt.md'],
    ['--output', 'output.json'],
    ['--events', 'events.jsonl'],
    ['--diff', 'diff.patch'],
  ])('%s prints %s', async (flag, name) => {
    const p = await worked();
    const text = p.log(2, name).replaceAll('\u001B[2J', '');
    expect((await p.run('log', '2', flag)).out).toBe(text.replace(/\n$/, ''));
  });

  test('without escape codes, with a last line end, of the newest iteration that is meant', async () => {
    const p = await worked();
    expect(p.log(2, 'guard.log')).toContain('\u001B[31m');
    expect((await p.run('log', '2', '--guard')).out).toBe('red text');
    writeFileSync(logOf(p, 2, 'guard.log'), 'no end \u001B]0;title\u0007\u202E\u009B31m');
    const { stdout } = await execa(
      'sh',
      ['-c', `'${process.execPath}' '${entryFile}' log 2 --guard; echo end`],
      { cwd: p.dir, env: p.env, extendEnv: false },
    );
    expect(stdout).toBe('no end \nend');
    expect(await values(p, '2', '--guard')).toEqual([
      { command: 'log', event: 'text', run_id: 'test', iter: 2, file: 'guard.log', text: 'no end ' },
    ]);
    expect((await p.run('log', '--prompt')).out).toBe(p.log(3, 'prompt.md').replace(/\n$/, ''));
    expect((await p.run('log', '--node', 'root', '--prompt')).out).toBe(
      p.log(1, 'prompt.md').replace(/\n$/, ''),
    );
  });

  test('one that is not there, and a link in its place', async () => {
    const p = await worked();
    expect(await refused(p, '1', '--guard')).toEqual({
      code: 'LOG_MISSING',
      message: 'iteration 1 of run test has no guard.log',
      details: [],
      hint: 'runner log 1 --run test (its files)',
    });
    writeFileSync(join(p.home, 'secret'), 'secret');
    symlinkSync(join(p.home, 'secret'), logOf(p, 1, 'guard.log'));
    expect((await refused(p, '1', '--guard')).message).toContain('is a symbolic link, not a regular file');
  });

  test('a large one is handed on in flat memory, and not at all when nobody reads', async () => {
    const p = await worked();
    const block = `${'x'.repeat(99)}\n`.repeat(10_000);
    writeFileSync(logOf(p, 2, 'guard.log'), '');
    for (let count = 0; count < 200; count += 1) appendFileSync(logOf(p, 2, 'guard.log'), block);
    const call = `NODE_OPTIONS=--max-old-space-size=40 '${process.execPath}' '${entryFile}' log 2 --guard`;
    const shell = (script: string) =>
      execa('sh', ['-c', script], { cwd: p.dir, env: p.env, extendEnv: false });
    expect(await shell(`${call} | wc -c`)).toMatchObject({ stdout: '200000000', stderr: '' });
    expect(await shell(`${call} | head -n 1`)).toMatchObject({ stdout: 'x'.repeat(99), stderr: '' });
  });
});

test.skipIf(!hasPseudoTerminal)('on a terminal: lines for people, in colours, and nothing acts', async () => {
  const p = await worked();
  const list = await runOnTerminal(p, 'log', 60);
  expect(list).toMatch(/^ {3}1 {2}\u001B\[1mdecomposed {6}\u001B\[0m {2}\d\d:\d\d {2}root Root\r?$/m);
  expect(list).toMatch(/^ {3}2 {2}\u001B\[31mdone, guard fail\u001B\[0m {2}\d\d:\d\d {2}root\.1 First\r?$/m);
  const one = (await runOnTerminal(p, 'log 2', 60)).replaceAll(/\u001B\[\d+m/gu, '');
  expect(one).toContain('iteration 2 of run test: done, guard fail');
  expect(one).toMatch(/^ {2}node {5}root\.1 First \(root\/root\.1\)\r?$/m);
  expect(one).toMatch(/^ {2}summary {2}half done\r?$/m);
  expect(one).not.toContain('\u001B');
  expect(await runOnTerminal(p, 'log --failed', 60)).toContain(
    '\u001B[31m      the guard failed: red text\u001B[0m',
  );
});

describe('what went wrong, at a glance', () => {
  test('--failed: the iterations that brought nothing forward, with the reason', async () => {
    const p = await worked();
    const shown = await lines(p, '--failed');
    expect(shown).toHaveLength(2);
    expect(shown[0]).toMatch(
      /^log: run=test iter=2 node=root\.1 .*title=First reason=the guard failed: red text$/,
    );
    expect(shown[1]).toMatch(/ iter=3 .* reason=the agent gave no valid answer: .*status/);
    expect(await values(p, '--failed')).toMatchObject([
      { event: 'failure', iter: 2, title: 'First', reason: 'the guard failed: red text' },
      { event: 'failure', iter: 3 },
    ]);
    expect(await lines(p, '2', '--failed')).toHaveLength(1);
    const none = await p.run('log', '1', '--failed');
    expect(none).toMatchObject({ code: 0, out: '', err: 'note: no iteration has failed' });
  });

  test('--first-error of an agent that failed: what it printed, not what it reported as JSON', async () => {
    const p = await project({ agent: `${shellAgent}\nmax_failures = 1` });
    playAgent(p, `echo '{"type":"error"}'; echo "Error: Cannot find module 'csv'" >&2; exit 1`);
    await p.run('loop');
    expect((await p.run('log', '--first-error')).out).toMatch(
      /^log: run=test iter=1 node=root file=executor\.log line=\d+ error=Error: Cannot find module 'csv'$/u,
    );
    expect((await p.run('log', '--failed')).out).toContain(
      "reason=the agent failed: Error: Cannot find module 'csv'",
    );
    playAgent(p, 'exit 3');
    await p.run('loop');
    expect((await p.run('log', '--first-error')).out).toMatch(/file=runner_error\.log .*exit code 3$/u);
  });

  test('--first-error: of the last failure, or of the one asked for', async () => {
    const p = await worked();
    writeFileSync(
      logOf(p, 2, 'guard.log'),
      'ok 1\r\n12 passed, 0 failed\n\u001B[31mTypeError\u001B[0m: x is \u001B]0;y\u0007no z\nfailed too\n',
    );
    expect(await lines(p, '--first-error')).toEqual([
      expect.stringMatching(/^log: run=test iter=3 node=root\.1 file=agent_error\.log line=1 error=.*status/),
    ]);
    expect(await lines(p, '2', '--first-error')).toEqual([
      'log: run=test iter=2 node=root.1 file=guard.log line=3 error=TypeError: x is no z',
    ]);
    expect(await values(p, '2', '--first-error')).toEqual([
      expect.objectContaining({ event: 'first_error', iter: 2, title: 'First', line: 3 }),
    ]);
    expect((await p.run('log', '1', '--first-error')).err).toBe('note: no iteration has failed');
  });

  test('--agent: what it said and did, as text', async () => {
    const p = await worked();
    expect(await lines(p, '2', '--agent')).toEqual(['working']);
    const line = (event: object): string =>
      JSON.stringify({ v: 1, seq: 1, at: 'now', session: 1, role: 'agent', ...event });
    writeFileSync(
      logOf(p, 2, 'events.jsonl'),
      [
        line({ type: 'message', text: 'First \u001B[2Jlook.\nThen do.', partial: false }),
        line({ type: 'tool_call', id: '1', tool: 'shell', detail: 'npm test' }),
        'not an event',
        line({ type: 'error', message: 'overloaded', status: 529, fatal: false, reset_at_ms: null }),
      ].join('\n'),
    );
    expect(await lines(p, '2', '--agent')).toEqual([
      'First look.',
      'Then do.',
      '  | $ npm test',
      '  | error: overloaded',
    ]);
    const [first] = await values(p, '2', '--agent');
    expect(first).toMatchObject({ event: 'text', file: 'events.jsonl' });
  });

  test('one at a time', async () => {
    const p = await worked();
    const both = await p.run('log', '--failed', '--first-error');
    expect(both).toMatchObject({ code: 64 });
    expect(both.err).toContain('only one of --failed, --first-error at a time');
    expect((await p.run('log', '--follow', '--agent')).err).toContain(
      '--follow cannot be combined with --agent',
    );
  });
});
