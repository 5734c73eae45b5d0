/**
 * Traps of the ancestor around processes and logs: one recorded run in which the agent is a shell program that floods, cuts
 * characters, leaves processes behind and plays with git, and a look at what came of it.
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answer, project, write } from '../support/project.ts';
import { template } from '../support/template.ts';

const limit = 20_000;
const retry = `echo '{"status":"retry","summary":"again","children":null}' >"$RUNNER_OUTPUT"\n`;
const long = 'ä€𝄞'.repeat(20_000);

const sessions: readonly string[] = [
  // 1: far more than is kept, in characters of two to four bytes, with an odd number of bytes before them; stderr at the end.
  `printf 'FIRST LINE\\nx'; cat ../agent/long.txt; printf '\\nLAST LINE\\n'; echo 'STDERR LINE' >&2\n${retry}`,
  // 2: bytes that are no UTF-8.
  `printf 'before \\377\\376 after\\n'\n${retry}`,
  // 3: a megabyte printed before the large prompt is read.
  `yes chatty | head -c 1000000\ncat >../agent/prompt-seen\n${retry}`,
  // 4: a grandchild that keeps the output open and does not listen.
  `(trap '' TERM; while :; do sleep 1; done) &\necho $! >../agent/grandchild\n${retry}`,
  // 5: leaves the branch and commits elsewhere.
  `git checkout -q -b evil && echo evil >evil.txt && git add -A && git -c user.name=E -c user.email=e@e.invalid commit -q -m evil\n${retry}`,
  // 6: in the middle of a merge.
  `git rev-parse HEAD >.git/MERGE_HEAD\n${retry}`,
];

const ran = template(async () => {
  const p = await project({
    goal: `# Goal\n\n${'A long goal. '.repeat(15_000)}\n`,
    agent: 'name = "command"\ncommand = ["sh", "-c", ". ../agent/$RUNNER_ITER.sh"]',
    config: `max_iterations = ${sessions.length}\nmax_attempts_default = 9\nexecutor_output_limit_bytes = ${limit}\nprompt_budget_bytes = 250000\n`,
    tree: {
      id: 'root',
      order: 0,
      title: 'T',
      goal: 'G',
      acceptance: [],
      passes: false,
      attempts: 0,
      max_attempts: 99,
      children: [],
    },
  });
  mkdirSync(join(p.base, 'agent'));
  writeFileSync(join(p.base, 'agent/long.txt'), long);
  for (const [index, text] of sessions.entries()) writeFileSync(join(p.base, `agent/${index + 1}.sh`), text);
  const loop = await p.run('loop');
  expect(loop, loop.err).toMatchObject({ code: 1 });
  expect(loop.err).toContain('[ITERATION_LIMIT]');
  writeFileSync(join(p.base, 'loop.err'), loop.err);
  return p;
});

test('[trap: a full stdout pushed stderr out of the log] head, tail and stderr are kept, and what is missing is said', async () => {
  const p = await ran();
  const log = p.log(1, 'executor.log');
  expect(Buffer.byteLength(log)).toBeLessThanOrEqual(limit);
  for (const part of ['FIRST LINE', 'LAST LINE', 'STDERR LINE']) expect(log).toContain(part);
  expect(log).toMatch(/\d+ bytes/);
});

test('[trap: a cut inside a character crashed the runner] logs are cut on character boundaries', async () => {
  const p = await ran();
  const bytes = readFileSync(join(p.dir, '.runner/iterations/test/1/executor.log'));
  expect(new TextDecoder('utf-8', { fatal: true }).decode(bytes)).not.toContain('\ufffd');
});

test('[trap: output that is no UTF-8 was rewritten] the log keeps its bytes', async () => {
  const p = await ran();
  const bytes = readFileSync(join(p.dir, '.runner/iterations/test/2/executor.log'));
  expect(bytes.includes(Buffer.from([0x20, 0xff, 0xfe, 0x20]))).toBe(true);
});

test('[trap: a prompt larger than a pipe and a chatty agent deadlocked] both get through', async () => {
  const p = await ran();
  const seen = readFileSync(join(p.base, 'agent/prompt-seen'), 'utf8');
  expect(seen).toBe(p.log(3, 'prompt.md'));
  expect(Buffer.byteLength(seen)).toBeGreaterThan(150_000);
});

test('[trap: grandchildren lived on and held the runner up] they are ended with the session', async () => {
  const p = await ran();
  const pid = readFileSync(join(p.base, 'agent/grandchild'), 'utf8').trim();
  expect(pid).toMatch(/^\d+$/);
  expect(environmentOf(pid)).not.toContain(p.base);
  expect(readFileSync(join(p.base, 'loop.err'), 'utf8')).toContain(
    'note: ended a process the session left behind: ',
  );
});

test('[trap: the commit landed on whatever branch the agent had left checked out] it lands on the run’s', async () => {
  const p = await ran();
  expect(await p.git('branch', '--show-current')).toBe('runner/test');
  expect((await p.subjects())[1]).toBe('chore(loop): run test iter 5 node root status=retry guard=skipped');
  expect(await p.git('show', 'HEAD:evil.txt')).toBe('evil');
  expect(await p.git('log', '-1', '--format=%s', 'evil')).toBe('evil');
});

test('a merge that was left open is kept where the note says, and no other note is made of it', async () => {
  const p = await ran();
  const notes = readFileSync(join(p.base, 'loop.err'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('  note: '));
  const [, place = 'none'] = /MERGE_HEAD.* kept in the git folder under (\S+)/.exec(notes.join('\n')) ?? [];
  expect(existsSync(join(p.top, '.git', place, 'MERGE_HEAD'))).toBe(true);
  expect(notes).not.toContain('  note: put back .runner/');
});

test('a folder that the agent puts in the place of the output file stops nobody', async () => {
  const make =
    'date +%s%N >a.txt; rm -f .git/runner/stdout.log; mkdir .git/runner/stdout.log; cp ../answer.json "$RUNNER_OUTPUT"';
  const p = await project({ agent: `name = "command"\ncommand = ["sh", "-c", ${JSON.stringify(make)}]` });
  writeFileSync(join(p.base, 'answer.json'), JSON.stringify(answer('done')));
  const step = await p.run('step');
  expect(step, step.err).toMatchObject({
    code: 0,
    out: 'step: run=test iter=1 node=root status=done guard=pass',
  });
});

test('[trap: stale files of a crashed iteration were taken for the new one’s] the folder is set aside first', async () => {
  const p = await project({ script: [{ answer: answer('retry', 'fresh') }] });
  for (const name of ['output.json', 'guard.log', 'runner_error.log', 'meta.json'])
    p.put(`.runner/iterations/test/1/${name}`, 'STALE');
  expect((await p.run('step')).code).toBe(0);
  const now = readdirSync(join(p.dir, '.runner/iterations/test/1'));
  for (const name of ['guard.log', 'runner_error.log']) expect(now).not.toContain(name);
  expect(p.log(1, 'output.json')).toContain('fresh');
  expect(p.read('.runner/iterations/test/1.old-1/guard.log')).toBe('STALE');
});

test('[trap: any timeout was a guard failure or stopped the run] guard.timeout_secs fails the guard; the budget stops and names itself', async () => {
  const done = { actions: [write('a.txt', 'a\n')], answer: answer('done') };
  const p = await project({
    script: [done, { ...done, actions: [write('a.txt', 'b\n')] }],
    guard: ['sh', '-c', 'echo started; sleep 60'],
  });
  const failed = await p.runWith({ RUNNER_GUARD_TIMEOUT_SECS: '1' }, 'step');
  expect(failed, failed.err).toMatchObject({
    code: 0,
    out: expect.stringMatching(/status=done guard=fail$/),
  });
  expect(p.tree().attempts).toBe(1);
  const stopped = await p.runWith({ RUNNER_ITERATION_TIMEOUT_SECS: '2' }, 'loop');
  expect(stopped.code, stopped.err).toBe(1);
  expect(stopped.err).toMatch(
    /^error: iteration 2 ran out of time in the guard after \d+ s \(iteration_timeout_secs = 2\) \[ITERATION_TIMEOUT\]\nhint: set RUNNER_ITERATION_TIMEOUT_SECS to at least 4, /m,
  );
  expect(p.tree().attempts).toBe(1);
  expect(await p.status()).toBe('');
  expect(p.log(2, 'guard.log')).toContain('started');
});

test('[trap: a commit that failed left a dirty tree to clean by hand] the next step finishes it by itself', async () => {
  const p = await project({ script: [{ actions: [write('a.txt', 'a\n')], answer: answer('done') }] });
  await p.git('config', 'gpg.program', 'false');
  const head = await p.git('rev-parse', 'HEAD');
  const failed = await p.runWith({ RUNNER_GIT_SIGN: 'true' }, 'step');
  expect(failed.code, failed.err).toBe(1);
  expect(failed.err).toMatch(/\[GIT_FAILED\]\n[^]*\nhint: /);
  expect(await p.git('rev-parse', 'HEAD')).toBe(head);
  const next = await p.run('step');
  expect(next, next.err).toMatchObject({ code: 2, out: 'step: status=complete run=test' });
  expect(next.err).toContain('recovered iteration 1: recorded as status=done guard=pass');
  expect(await p.git('show', 'HEAD:a.txt')).toBe('a');
  expect(await p.status()).toBe('');
});

/** Empty when the process is gone, also when it goes while it is looked at. */
function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return '';
  }
}
