/** The other traps of the ancestor: identity, front matter, files. Those of single commands stand with their commands. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answer, bareProject, project, write } from '../support/project.ts';
import { fingerprint, refused } from '../support/refusals.ts';
import { template } from '../support/template.ts';

const done = { actions: [write('a.txt', 'a\n')], answer: answer('done') };
const started = template(() => project({ script: [done] }));

test('[trap: loop chose before it looked at git, so on main with a finished tree it exited 0] it refuses', async () => {
  const p = await started();
  expect((await p.run('loop', '--quiet')).code).toBe(0);
  await p.git('switch', '-q', 'main');
  await p.git('merge', '-q', '--ff-only', 'runner/test');
  expect(p.tree().passes).toBe(true);
  for (const command of ['loop', 'step'])
    expect((await refused(p, [command])).code).toBe('GIT_PROTECTED_BRANCH');
});

test('[trap: front matter was read line by line] it is YAML', async () => {
  const p = await bareProject();
  expect((await p.run('init', '--quiet')).code).toBe(0);
  const cases: readonly (readonly [string, string])[] = [
    ['---\nnote: |\n  a line without a colon\nid: one # inline comment\n---\nBody\n', 'one'],
    ['---\nmeta:\n  id: nested\nid: "two"\n---\nBody\n', 'two'],
    ['---\r\nid: three\r\n---\r\nBody', 'three'],
    ['---\n---\nBody with\n---\nid: not-this\n---\n', ''],
  ];
  for (const [text, id] of cases) {
    await p.git('switch', '-q', '-f', 'main');
    p.put('.runner/GOAL.md', text);
    const ran = await p.run('start', '--new');
    expect(ran, ran.err).toMatchObject({ code: 0 });
    const found = /run=(\S+)/.exec(ran.out)?.[1] ?? '';
    expect(found).toMatch(id === '' ? /^run-[0-9a-f]{8}$/ : new RegExp(`^${id}$`));
    const after = p.read('.runner/GOAL.md');
    expect(id === '' ? after.replace(`id: ${found}\n`, '') : after).toBe(text);
    expect(await p.run('validate', '--quiet')).toMatchObject({ code: 0 });
  }
});

test('[trap: tree.json was written in place] it is replaced whole, and nothing of the writing stays', async () => {
  const p = await project({ script: [{ answer: answer('retry') }] });
  const before = statSync(join(p.dir, '.runner/state/tree.json')).ino;
  expect((await p.run('step')).code).toBe(0);
  expect(statSync(join(p.dir, '.runner/state/tree.json')).ino).not.toBe(before);
  const names = readdirSync(p.top, { recursive: true }).map(String);
  expect(names.filter((name) => /stage|\.tmp|\.lock$/.test(name))).toEqual([]);
});

test('[trap: the reason of a runner error was lost in its log] it is there, told by loop too, and no attempt is used', async () => {
  const p = await project({
    agent: 'name = "command"\ncommand = ["sh", "-c", "echo boom >&2; exit 7"]\nmax_failures = 2',
  });
  const ran = await p.run('loop');
  expect(ran.code).toBe(1);
  expect(ran.err).toMatch(
    /^error: the agent failed 2 times in a row \(agent\.max_failures\): .*7.* \[AGENT_FAILING\]$/m,
  );
  expect(p.log(2, 'runner_error.log')).toContain('7');
  expect(p.log(2, 'executor.log')).toContain('boom');
  expect(p.tree().attempts).toBe(0);
});

test('[trap: a kill in the middle left a dirty tree and no way on] the next step goes on by itself, also after two', async () => {
  const p = await project({
    script: [done, { answer: answer('retry') }],
    guard: ['sh', '-c', 'kill -9 $PPID; sleep 60'],
  });
  for (const _try of [1, 2]) {
    expect((await p.run('step')).signal).toBe('SIGKILL');
    expect(await p.status()).not.toBe('');
  }
  const next = await p.run('step');
  expect(next.err).toContain('recovering iteration 1 of run test (stopped at: guard)');
  expect(next.err).toContain('recovered iteration 1: recorded as status=retry guard=skipped');
  expect(next).toMatchObject({ code: 0, out: 'step: run=test iter=2 node=root status=retry guard=skipped' });
  expect(await p.status()).toBe('');
  expect(await p.git('show', 'HEAD:a.txt')).toBe('a');
  expect(p.tree().attempts).toBe(2);
});

test('[trap: a command changed files before it refused] a refused step leaves every byte', async () => {
  const p = await started();
  p.put('dirty.txt', 'x\n');
  const before = fingerprint(p.top);
  for (const command of ['step', 'loop', 'start']) expect((await p.run(command)).code).toBe(1);
  expect(fingerprint(p.top)).toEqual(before);
});
