/** A crash while the guard's files of before are laid over the work (§14, §7): the work comes back, and only the work is committed. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { openProject, project, tempFolder } from '../support/project.ts';
import type { Project } from '../support/project.ts';
import { recorded } from '../support/record.ts';
import { playAgent, shellAgent } from '../support/shell-agent.ts';

/** The check of before ends the runner until it is told to be calm. */
const before = 'test -f "$HOME/calm" || kill -9 "$PPID"\ngrep -q yes value.txt\n';

async function prepared(): Promise<Project> {
  const p = await project({
    agent: shellAgent,
    config: '[guard]\ncheckout = "off"\ncommand = ["sh", "check.sh"]\n',
    files: { 'check.sh': before, 'value.txt': 'no\n', 'old.txt': 'old\n' },
  });
  playAgent(
    p,
    'echo "grep -q yes value.txt # mine" > check.sh; echo yes > value.txt; rm old.txt; answer done',
  );
  return p;
}

const mine = 'grep -q yes value.txt # mine';

test('the guard runs again, and the session’s version is committed', async () => {
  const p = await prepared();
  expect((await p.run('step')).signal).toBe('SIGKILL');
  expect(p.read('check.sh'), 'it died in the second run').toBe(before);
  writeFileSync(join(p.home, 'calm'), '');
  const ran = await p.run('step');
  expect(ran.err).toContain('recorded as status=done guard=pass');
  const work = await recorded(p, 1);
  expect(await work.file('check.sh')).toBe(mine);
  expect(await work.file('old.txt')).toBe(null);
  expect(work.meta.notes.join(), 'nothing of the work had changed').not.toContain('rescue');
  expect(await p.status()).toBe('');
});

test('a person’s edit after the crash is kept in the log', async () => {
  const p = await prepared();
  await p.run('step');
  p.put('check.sh', 'a person was here\n');
  writeFileSync(join(p.home, 'calm'), '');
  await p.run('step');
  expect(await (await recorded(p, 1)).file('check.sh')).toBe(mine);
  expect(p.log(1, 'kept/check.sh')).toBe('a person was here\n');
});

test('cut off twice it is a retry with the session’s version', async () => {
  const p = await prepared();
  await p.run('step');
  await p.run('step');
  const ran = await p.run('step');
  expect(ran.err).toContain('recorded as status=retry guard=skipped');
  const work = await recorded(p, 1);
  expect(work.attempts).toBe(1);
  expect(await work.file('check.sh')).toBe(mine);
});

test('killed at any instant of the second run', async () => {
  const p = await prepared();
  writeFileSync(join(p.home, 'calm'), '');
  const copy = (): Project => {
    const base = tempFolder('ratchet');
    cpSync(dirname(p.top), base, { recursive: true });
    return openProject({ base, prefix: '' });
  };
  const whole = copy();
  const log = join(whole.home, 'failpoints');
  await whole.runWith({ RUNNER_FAILPOINT_LOG: log }, 'step');
  const names = readFileSync(log, 'utf8').trimEnd().split('\n');
  const first = names.indexOf('git:before:update-index');
  const last = names.lastIndexOf('git:before:commit-tree');
  const points = [0.05, 0.25, 0.5, 0.75].map((part) => Math.floor(first + (last - first) * part));
  for (const point of points) {
    const dead = copy();
    const killed = await dead.runWith({ RUNNER_FAILPOINT: String(point + 1) }, 'step');
    expect(killed.signal, `${names[point]}: ${killed.err}`).toBe('SIGKILL');
    await dead.run('loop');
    const label = `${point} ${names[point]}`;
    const work = await recorded(dead, 1);
    expect(work, label).toMatchObject({ status: 'done', guard: 'pass' });
    expect(await work.file('check.sh'), label).toBe(mine);
    expect(await dead.status(), label).toBe('');
  }
});
