/** A guard, or a hook, that takes away what the agent wrote: the work is still there afterwards (§1.4). */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { project } from '../support/project.ts';
import type { Project } from '../support/project.ts';
import { playAgent, playGuard, shellAgent, shellGuard } from '../support/shell-agent.ts';
import { node } from '../support/trees.ts';

function begin(): Promise<Project> {
  return project({ agent: shellAgent, guard: shellGuard, tree: node('root', { max_attempts: 9 }) });
}

const rescue = 'refs/runner/rescue/test/1';

function notesOf(p: Project): readonly string[] {
  const file = join(p.dir, '.runner/iterations/test/1/meta.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly notes: readonly string[] }).notes;
}

function rescues(p: Project): Promise<string> {
  return p.git('for-each-ref', '--format=%(refname)', 'refs/runner/rescue');
}

test('files that a guard removes or rewrites are kept, byte for byte', async () => {
  const p = await begin();
  playAgent(
    p,
    `printf 'new \\0 bytes' > made.bin; printf 'a  b' > text.txt; mkdir sub; echo deep > sub/deep.txt; answer done`,
  );
  playGuard(p, `git clean -fdxq -e text.txt; printf 'a b\\n' > text.txt`);
  const { code, out, err } = await p.run('step');
  expect({ code, out }, err).toEqual({
    code: 0,
    out: 'step: run=test iter=1 node=root status=done guard=pass',
  });
  expect(existsSync(join(p.dir, 'made.bin'))).toBe(false);
  expect(await p.git('show', 'HEAD:text.txt')).toBe('a b');
  const note = `the guard changed "made.bin", "sub/deep.txt", "text.txt": what it was before is kept as ${rescue}`;
  expect(notesOf(p)).toEqual([note]);
  expect(err).toContain(note);
  // Nothing but these files differs from what was committed.
  expect(await p.git('diff', '--name-only', rescue, 'HEAD', '--', ':!.runner')).toBe(
    'made.bin\nsub/deep.txt\ntext.txt',
  );
  expect(await p.git('rev-parse', `${rescue}^`)).toBe(await p.git('rev-parse', 'HEAD^'));
  await p.git('restore', `--source=${rescue}`, '--', 'made.bin', 'sub', 'text.txt');
  expect(readFileSync(join(p.dir, 'made.bin'), 'latin1')).toBe('new \0 bytes');
  expect(readFileSync(join(p.dir, 'sub/deep.txt'), 'utf8')).toBe('deep\n');
  expect(readFileSync(join(p.dir, 'text.txt'), 'utf8')).toBe('a  b');
});

test('a guard that goes on changing files: what the agent wrote is kept once, what the guard made of it is not', async () => {
  const p = await begin();
  playAgent(p, 'echo agent > work.txt; answer done');
  playGuard(p, 'echo guard >> work.txt');
  expect((await p.run('step')).out).toContain('status=done guard=fail');
  expect(await rescues(p)).toBe(rescue);
  expect(await p.git('show', `${rescue}:work.txt`)).toBe('agent');
});

test('a guard that fails, and one that changes nothing', async () => {
  const p = await begin();
  playAgent(p, 'echo agent > work.txt; answer done');
  playGuard(p, 'exit 1');
  expect((await p.run('step')).out).toContain('status=done guard=fail');
  expect(await rescues(p)).toBe('');
  playAgent(p, 'echo again > work.txt; answer done');
  playGuard(p, 'git checkout -q -- . ; exit 1');
  expect((await p.run('step')).out).toContain('iter=2 node=root status=done guard=fail');
  expect(await p.git('show', 'HEAD:work.txt')).toBe('agent');
  expect(await p.git('show', 'refs/runner/rescue/test/2:work.txt')).toBe('again');
});

test('also when the runner dies while the guard runs', async () => {
  const p = await begin();
  playAgent(p, 'echo agent > work.txt; answer done');
  playGuard(p, 'rm work.txt; kill -9 $PPID; exit 1');
  expect((await p.run('step')).code).not.toBe(0);
  expect(existsSync(join(p.dir, 'work.txt'))).toBe(false);
  playAgent(p, 'answer retry');
  playGuard(p, 'exit 0');
  const { code, err } = await p.run('step');
  expect(code, err).toBe(0);
  expect(notesOf(p)).toEqual([`the guard changed "work.txt": what it was before is kept as ${rescue}`]);
  expect(await p.git('show', `${rescue}:work.txt`)).toBe('agent');
  expect(await p.status()).toBe('');
});

test.each([
  ['cleans up the repository', 'true', `"work.txt": what it was before is kept as ${rescue}`],
  [
    'prunes the objects away, hold and all',
    'git update-ref -d refs/runner/hold/test',
    'files, and their earlier content could not be kept: git no longer has it',
  ],
])('a guard that also %s does not stop the run, and it is said', async (_, letGo, note) => {
  const p = await begin();
  playAgent(p, 'echo agent > work.txt; echo kept > kept.txt; answer done');
  playGuard(p, `[ ! -e work.txt ] || { rm work.txt; ${letGo}; git gc --quiet --prune=now; }`);
  const { code, out, err } = await p.run('step');
  expect(code, err).toBe(0);
  expect(out).toContain('guard=pass');
  expect(notesOf(p)).toEqual([`the guard changed ${note}`]);
});

test('a hook that changes files', async () => {
  const p = await begin();
  playAgent(p, 'echo agent > work.txt; answer done');
  playGuard(p, 'exit 0');
  const hook = join(p.top, '.git/hooks/pre-commit');
  writeFileSync(hook, '#!/bin/sh\nrm work.txt\necho hook > other.txt\nexit 1\n');
  chmodSync(hook, 0o755);
  const { code, out, err } = await p.runWith({ RUNNER_GIT_RUN_HOOKS: 'true' }, 'step');
  expect(code, err).toBe(0);
  expect(out).toContain('status=done guard=fail');
  expect(notesOf(p)).toEqual([
    `a hook changed "other.txt", "work.txt": what it was before is kept as ${rescue}`,
  ]);
  expect(await p.git('show', `${rescue}:work.txt`)).toBe('agent');
  expect(await p.status()).toBe('');
});
