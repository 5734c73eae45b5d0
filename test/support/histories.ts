/** Honest histories of runs, made by the built program: what the proof must call proven, and what forgeries start from. */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { claudeDone, claudeResult, playFake } from './fake-agent.ts';
import { answer, child, project, write } from './project.ts';
import type { Project } from './project.ts';
import { fakeProgram, playAgent, playGuard, shellAgent, shellGuard } from './shell-agent.ts';
import { node } from './trees.ts';

async function ok(p: Project, ...args: readonly string[]): Promise<void> {
  const ran = await p.run(...args);
  expect(ran.code, `${args.join(' ')}: ${ran.err}`).toBe(0);
}

const three = { tree: { edits: [{ id: 'root.3', set: { title: 'changed' } }] } };

/** Every outcome that a scripted agent can come to, with people's commands in between; reopened, and complete twice. */
export async function richHistory(): Promise<Project> {
  const p = await project({
    files: { 'check.sh': 'test ! -e red\n', 'lib.txt': 'one\n', 'rules/a.txt': 'one\n' },
    config:
      'max_iterations = 60\n[guard]\ncommand = ["sh", "check.sh"]\nprotect = ["check.sh", "rules"]\ncounterfactual = "record"\n[tree]\nmax_repairs = 2\n',
    script: [
      { answer: answer('decomposed', 'split', [child('one'), child('two'), child('three')]) },
      { actions: [write('a.txt', 'a\n')], answer: answer('retry', 'not yet') },
      { actions: [write('red', 'r\n')], answer: answer('done', 'red') },
      { actions: [{ delete: 'red' }], answer: answer('done', 'one is done') },
      { answer: answer('done', 'nothing to do') },
      { answer: answer('done', 'really nothing') },
      { actions: [write('c.txt', 'c\n'), { tree: { text: 'broken' } }], answer: answer('done') },
      { actions: [{ tree: { text: 'still broken' } }] },
      { actions: [{ tree: { edits: [{ id: 'root.3', set: { goal: 'mended' } }] } }] },
      { answer: 'no answer at all' },
      { actions: [three], answer: answer('done') },
      { actions: [three], answer: answer('retry', 'another title') },
      { actions: [{ exit: 3 }] },
      {
        actions: [write('check.sh', '# stricter\ntest ! -e red\n'), write('.gitignore', 'x\n')],
        answer: answer('done', 'three'),
      },
      { actions: [write('.envrc', 'd\n')], answer: answer('done', 'four') },
      { actions: [write('e.txt', 'e\n'), write('rules/a.txt', 'three\n')], answer: answer('done', 'five') },
    ],
  });
  expect((await p.run('loop', '--quiet', '--max-iterations', '4')).code).toBe(1);
  await ok(p, 'add', 'root', '--title', 'four');
  await ok(p, 'add', 'root', '--title', 'extra');
  await ok(p, 'move', 'root.5', '--under', 'root', '--before', 'root.4');
  await ok(p, 'edit', 'root.4', '--goal', 'another goal');
  await ok(p, 'drop', 'root.5', '--why', 'not needed');
  await ok(p, 'config', 'set', 'on_stuck', 'defer');
  await ok(p, 'retry', 'root.3', '--max-attempts', '6');
  p.put('person.txt', 'by a person\n');
  await p.commitAll('docs: a plain commit');
  await ok(p, 'loop', '--quiet');
  await ok(p, 'add', 'root', '--title', 'reopened');
  p.put('rules/a.txt', 'two\n');
  await p.commitAll('test: a rule of the check');
  await ok(p, 'loop', '--quiet');
  return p;
}

/** An agent that commits with our own subject, a review, crashes, hooks, and a person's commit on top of an unfinished iteration. */
export async function roughHistory(): Promise<Project> {
  const p = await project({
    agent: shellAgent,
    guard: shellGuard,
    config: '[review]\nagent = "command"\n[git]\nrun_hooks = true\n',
    tree: node('root', { children: [node('a', { max_attempts: 9 }), node('b', { order: 1 })] }),
  });
  const hook = join(p.top, '.git/hooks/commit-msg');
  writeFileSync(hook, '#!/bin/sh\nprintf "\\nSigned-off-by: A <a@test.invalid>\\n" >> "$1"\n');
  chmodSync(hook, 0o755);
  const play = (work: string, review = 'true'): void =>
    playAgent(p, `if [ "$RUNNER_ROLE" = review ]; then ${review}; exit 0; fi\n${work}`);
  const verdict = (word: string): string =>
    `printf '{"verdict":"${word}","findings":["x"]}' > "$RUNNER_OUTPUT"`;
  playGuard(p, 'true');
  play(
    'echo s > own.txt; git add own.txt; git commit -qm "chore(loop): run test iter 1 node a status=done guard=pass"; answer retry',
  );
  await ok(p, 'step');
  play('echo a > a.txt; answer done', verdict('fail'));
  await ok(p, 'step');
  play('echo b > a.txt; answer done');
  await ok(p, 'step');
  play('echo c > a.txt; kill -9 $PPID; sleep 9');
  expect((await p.run('step')).signal).toBe('SIGKILL');
  play('echo d > a.txt; answer done', verdict('pass'));
  await ok(p, 'step');
  fakeProgram(p, 'gpg', 'exit 2');
  await p.git('config', 'gpg.program', join(p.home, 'bin/gpg'));
  play('echo e > b.txt; answer retry');
  expect((await p.runWith({ RUNNER_GIT_SIGN: 'true' }, 'step')).code).toBe(1);
  await p.git('checkout', '-q', '--', '.runner');
  const tree = p.read('.runner/state/tree.json').replace('b goal', 'what a person wrote');
  p.put('.runner/state/tree.json', tree);
  await p.git('-c', 'commit.gpgsign=false', 'commit', '-qnm', 'person', '--', '.runner/state/tree.json');
  play('echo f > b.txt; answer done', verdict('pass'));
  await ok(p, 'step');
  await ok(p, 'loop', '--quiet');
  return p;
}

/** Sessions that report what they used. */
export async function paidHistory(): Promise<Project> {
  const p = await project({
    agent: 'name = "claude"',
    guard: shellGuard,
    tree: node('root', { children: [node('a', { max_attempts: 9 }), node('b', { order: 1 })] }),
  });
  playGuard(p, 'true');
  const usage = { input: 100, output: 20, cost: 0.1 };
  const works = claudeDone('date +%N > "work-$RUNNER_ITER.txt"', usage);
  const retries = claudeResult({ answer: { status: 'retry', summary: 'not yet', children: null }, usage });
  const path = playFake(p, 'claude', { agent: [retries, works, works] });
  const ran = await p.runWith({ ...path, RUNNER_TREE_MAX_REPAIRS: '1' }, 'loop', '--quiet');
  expect(ran.code, ran.err).toBe(0);
  return p;
}
