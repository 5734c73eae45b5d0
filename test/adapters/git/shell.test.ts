/** The shell that starts git: whatever a program prints, takes or does, the answer is its own, and nothing is left running. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shellPool } from '../../../src/adapters/git/shell.ts';
import type { ShellCall } from '../../../src/adapters/git/shell.ts';
import { bundleAdapters } from '../../support/adapter-bundle.ts';
import { fuzzCases } from '../../support/fuzz.ts';
import { scratchFolder, waitUntil } from '../../support/scratch.ts';
import { isAlive } from '../../support/shell-agent.ts';

const env = { PATH: process.env['PATH'] ?? '', INHERITED: 'from the shell' };
const bundle = await bundleAdapters(['git/shell']);

function script(text: string, changed: Partial<ShellCall> = {}): ShellCall {
  return {
    program: '/bin/sh',
    args: ['-c', text],
    cwd: '/',
    env: {},
    stdoutBytesMax: Infinity,
    timeoutMs: 60_000,
    ...changed,
  };
}

const fine = { code: 0, stderr: '', cut: false, reason: null };

test('output, errors and exit code are those of the program, call after call', async () => {
  const run = shellPool(env);
  const cwd = scratchFolder();
  expect(await run(script('printf out; printf err >&2; exit 7', { cwd }))).toEqual({
    ...{ code: 7, stdout: Buffer.from('out'), stderr: 'err', cut: false, reason: null },
  });
  const own = script('pwd; echo "$INHERITED, $GIVEN"', { cwd, env: { GIVEN: "it's given" } });
  expect(await run(own)).toEqual({
    ...fine,
    stdout: Buffer.from(`${cwd}\nfrom the shell, it's given\n`),
  });
  // What one call was given is not there for the next, nor is anything to read.
  expect(await run(script('echo "[$GIVEN]"; cat'))).toEqual({ ...fine, stdout: Buffer.from('[]\n') });
});

test('no word, however it looks, is taken for anything but itself', async () => {
  const run = shellPool(env);
  const word = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: 'binary-ascii' }),
    fc.constantFrom("'", "''", '$HOME', '`id`', '\n', '\\', '-n', '; exit 3', '"', '*', '%s', '\u001b[31m'),
  );
  const noNul = word.filter((text) => !text.includes('\0'));
  await fc.assert(
    fc.asyncProperty(fc.array(noNul, { maxLength: 5 }), noNul, async (words, value) => {
      const args = ['-c', String.raw`printf '%s\0' "$VALUE" "$@"`, 'sh', ...words];
      const answer = await run({ ...script(''), args, env: { VALUE: value } });
      expect(answer?.stdout.toString('utf8').split('\0').slice(0, -1)).toEqual([value, ...words]);
    }),
    fuzzCases(100),
  );
});

test('bytes come as they are: none, many, and such as end like an answer', async () => {
  const run = shellPool(env);
  expect((await run(script('true')))?.stdout).toEqual(Buffer.alloc(0));
  const many = await run(script(String.raw`head -c 3000000 /dev/zero; printf '\377\n\n'`));
  expect(many?.stdout.length).toBe(3_000_003);
  expect(many?.stdout.subarray(-3)).toEqual(Buffer.from([0xff, 0x0a, 0x0a]));
  const odd = '\n0123456789abcdef0123456789abcdef 000\n';
  expect((await run(script(`printf '%s' '${odd}'`)))?.stdout.toString()).toBe(odd);
});

test('calls at the same time do not wait for each other', async () => {
  const run = shellPool(env);
  const pipe = join(scratchFolder(), 'pipe');
  await run(script(`mkfifo ${pipe}`));
  const reading = run(script(`cat ${pipe}`));
  await run(script(`echo met > ${pipe}`));
  expect((await reading)?.stdout.toString()).toBe('met\n');
});

test('a program that a signal ended says no code, and the next call goes on', async () => {
  const run = shellPool(env);
  expect(await run(script('printf some; kill -KILL $$'))).toMatchObject({ code: null, reason: null });
  expect(await run(script('kill -TERM $$'))).toMatchObject({ code: null, reason: null });
  expect(await run(script('exit 129'))).toMatchObject({ code: 129 });
});

test('a shell that dies takes its program with it, and another one takes the next call', async () => {
  const run = shellPool(env);
  const pid = join(scratchFolder(), 'pid');
  const dead = await run(script(`echo $$ > ${pid}; kill -KILL $PPID; exec sleep 600`));
  expect(dead).toMatchObject({ code: null, cut: false, reason: null });
  await waitUntil('the program is gone', () => !isAlive(Number(readFileSync(pid, 'utf8'))));
  expect(await run(script('echo again'))).toEqual({ ...fine, stdout: Buffer.from('again\n') });
});

test('a program that does not end is stopped with all it started, and says so', async () => {
  const run = shellPool(env);
  const pids = join(scratchFolder(), 'pids');
  const text = `sleep 600 & echo $! > ${pids}; echo $$ >> ${pids}; trap '' TERM; while :; do sleep 600; done`;
  const late = await run(script(text, { timeoutMs: 200 }));
  expect(late).toMatchObject({ code: null, reason: 'no end after 0.2 s' });
  const started = readFileSync(pids, 'utf8').trim().split('\n').map(Number);
  expect(started).toHaveLength(2);
  await waitUntil('both are gone', () => !started.some(isAlive));
  expect(await run(script('echo next'))).toEqual({ ...fine, stdout: Buffer.from('next\n') });
});

test('output past the limit stops the program and is marked; as much as the limit is not', async () => {
  const run = shellPool(env);
  expect(await run(script('yes', { stdoutBytesMax: 1000 }))).toMatchObject({ cut: true });
  expect(await run(script('printf 12345', { stdoutBytesMax: 4 }))).toMatchObject({ cut: true });
  expect(await run(script('printf 1234', { stdoutBytesMax: 4 }))).toEqual({
    ...fine,
    stdout: Buffer.from('1234'),
  });
});

test('what a process that was left behind prints is in no answer, and holds none up', async () => {
  const run = shellPool(env);
  const folder = scratchFolder();
  const [stop, pid] = [join(folder, 'stop'), join(folder, 'pid')];
  const noisy = `while [ ! -e ${stop} ]; do echo stray; echo stray >&2; done`;
  const left = await run(script(`(${noisy}) & echo $! > ${pid}; printf own; printf said >&2`));
  expect(left?.stdout.toString().replaceAll('stray\n', '')).toBe('own');
  expect(left).toMatchObject({ code: 0, cut: false, reason: null });
  await run(script(`touch ${stop}; while kill -0 $(cat ${pid}) 2>/dev/null; do :; done`));
  // Nothing of what it printed between two calls comes with the next one.
  expect(await run(script('printf next'))).toEqual({ ...fine, stdout: Buffer.from('next') });
});

test('a call that is called off is stopped', async () => {
  const run = shellPool(env);
  const stopping = new AbortController();
  const pid = join(scratchFolder(), 'pid');
  const ended = run(script(`echo $$ > ${pid}; exec sleep 600`, { signal: stopping.signal }));
  await waitUntil('it runs', () => existsSync(pid) && readFileSync(pid, 'utf8').endsWith('\n'));
  stopping.abort();
  expect(await ended).toMatchObject({ code: null, cut: false, reason: null });
  expect(isAlive(Number(readFileSync(pid, 'utf8')))).toBe(false);
});

test('where there is no shell, or no program, nothing is run, and that is said', async () => {
  expect(await shellPool(env, '/nonexistent/sh')(script('true'))).toBeNull();
  const run = shellPool(env);
  expect(await run({ ...script(''), program: '/nonexistent/program' })).toBeNull();
  expect(await run({ ...script(''), program: scratchFolder() })).toBeNull();
});

test('a process in which nothing else happens waits for the answer, also for one that is late', () => {
  const code = `
    const run = adapters.shellPool(process.env);
    const answer = await run({
      program: '/bin/sh', args: ['-c', "trap '' TERM; while :; do sleep 600; done"],
      cwd: '/', env: {}, stdoutBytesMax: 100, timeoutMs: 100,
    });
    process.stdout.write(String(answer.reason));`;
  expect(bundle.run({ code })).toMatchObject({ exitCode: 0, stdout: 'no end after 0.1 s', stderr: '' });
});

test('a process that is made to end takes what it had started with it', async () => {
  const pid = join(scratchFolder(), 'pid');
  const code = `
    void adapters.shellPool(process.env)({
      program: '/bin/sh', args: ['-c', 'echo $$ > ${pid}; exec sleep 600'],
      cwd: '/', env: {}, stdoutBytesMax: 100, timeoutMs: 60000,
    });
    const { existsSync, readFileSync } = await import('node:fs');
    setInterval(() => existsSync('${pid}') && readFileSync('${pid}', 'utf8').endsWith('\\n') && process.exit(7), 10);`;
  expect(bundle.run({ code }).exitCode).toBe(7);
  await waitUntil('it is gone', () => !isAlive(Number(readFileSync(pid, 'utf8'))));
});

test('a process that has used one ends by itself, and the shell with it, also when it is killed', async () => {
  const folder = scratchFolder();
  const code = (end: string): string => `
    const run = adapters.shellPool(process.env);
    const answer = await run({ program: '/bin/sh', args: ['-c', 'echo $PPID'], cwd: '/', env: {}, stdoutBytesMax: 100, timeoutMs: 60000 });
    process.stdout.write(answer.stdout);
    ${end}`;
  const ended = bundle.run({ code: code('') });
  expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
  const [program, ...args] = bundle.command({ code: code('setInterval(() => {}, 1000);') });
  const killed = spawn(program, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  killed.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  await waitUntil('it says its shell', () => said.endsWith('\n'));
  killed.kill('SIGKILL');
  const shells = [ended.stdout, said].map(Number);
  expect(shells.every((pid) => pid > 1)).toBe(true);
  await waitUntil('the shells are gone', () => !shells.some(isAlive));
});
