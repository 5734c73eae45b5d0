/** Hints about git and pushing: a situation for each code (test/cli/hints-typed.test.ts). */
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { completeRun } from './ending.ts';
import { afterColon, afterThen, met, metWith, works } from './hint-rows.ts';
import type { HintTable } from './hint-rows.ts';
import { answer, bareProject, project, unstartedProject, write } from './project.ts';
import { pathOf } from './refusals.ts';
import { playAgent, playGuard, shellAgent, shellGuard } from './shell-agent.ts';
import { node } from './trees.ts';

const passing = { actions: [write('a.txt', 'a\n')], answer: answer('done') };

async function pushing() {
  const tree = node('root', { children: ['a', 'b', 'c'].map((id, order) => node(id, { order })) });
  const p = await project({ agent: shellAgent, tree });
  playAgent(p, 'echo work >> "work-$RUNNER_NODE_ID.txt"; answer done');
  const remote = join(p.base, 'remote.git');
  await p.git('init', '-q', '--bare', '-b', 'main', remote);
  await p.git('remote', 'add', 'origin', remote);
  return { p, remote };
}

/** A runner that was killed during a session. */
async function killed() {
  const p = await project({ agent: shellAgent, guard: shellGuard });
  playGuard(p, 'exit 0');
  playAgent(p, 'echo work > w.txt; kill -9 $PPID; sleep 60');
  await p.run('step');
  playAgent(p, 'answer retry');
  return p;
}

export const gitHints = {
  GIT_MISSING: {
    meet: async () => {
      const p = await unstartedProject();
      return metWith(p, { PATH: pathOf(p, ['node', 'sh']) }, 'start');
    },
    // A package manager is none of ours; that git is there is what it leads to.
    words: () => 'git --version',
    ledOn: works('start'),
  },
  GIT_NOT_A_REPO: {
    meet: async () => {
      const p = await unstartedProject();
      rmSync(join(p.top, '.git'), { recursive: true });
      return met(p, 'start');
    },
  },
  GIT_NO_COMMIT: {
    meet: async () => {
      const p = await unstartedProject();
      rmSync(join(p.top, '.git'), { recursive: true });
      await p.git('init', '-q', '-b', 'main');
      await p.git('config', 'user.name', 'A');
      await p.git('config', 'user.email', 'a@test.invalid');
      return met(p, 'start');
    },
    ledOn: works('start'),
  },
  GIT_IDENTITY: {
    meet: async () => {
      const p = await unstartedProject();
      await p.git('config', '--unset', 'user.name');
      await p.git('config', '--unset', 'user.email');
      await p.git('config', 'user.useConfigOnly', 'true');
      return met(p, 'start');
    },
    ledOn: works('start'),
  },
  GIT_DETACHED: {
    meet: async () => {
      const p = await project();
      await p.git('switch', '-q', '--detach');
      return met(p, 'step');
    },
    words: (hint) => hint.replace('<branch>', 'runner/test'),
    ledOn: works('step', '--dry-run'),
  },
  GIT_PROTECTED_BRANCH: {
    meet: async () => {
      const p = await project();
      await p.git('switch', '-q', 'main');
      p.put('.runner/GOAL.md', 'Another.\n');
      await p.git('restore', '--source', 'runner/test', '--staged', '--worktree', '.runner');
      await p.git('commit', '-qm', 'merged by hand');
      return met(p, 'step');
    },
    ledOn: works('step', '--dry-run'),
  },
  GIT_WRONG_BRANCH: {
    meet: async () => {
      const p = await killed();
      await p.git('switch', '-q', 'main');
      return met(p, 'step');
    },
    ledOn: works('step'),
  },
  GIT_DIRTY: {
    meet: async () => {
      const p = await project();
      p.put('mine.txt', 'm\n');
      return met(p, 'step');
    },
    ledOn: works('step', '--dry-run'),
  },
  GIT_CONFLICT: {
    meet: async () => {
      const p = await project();
      for (const [branch, text] of [
        ['other', 'theirs'],
        ['runner/test', 'ours'],
      ] as const) {
        await p.git('switch', '-q', ...(branch === 'other' ? ['-c'] : []), branch);
        p.put('README.md', `${text}\n`);
        await p.git('commit', '-qam', text);
      }
      await p.git('merge', 'other').catch(() => '');
      return met(p, 'step');
    },
    byHand: (p) => p.put('README.md', 'both\n'),
    words: (hint) => afterThen(hint).split('; or')[0] ?? '',
    ledOn: works('step', '--dry-run'),
  },
  GIT_LOCKED: {
    meet: async () => {
      const p = await project();
      writeFileSync(join(p.top, '.git/index.lock'), '');
      return met(p, 'step');
    },
    words: afterColon,
    ledOn: works('step', '--dry-run'),
  },
  GIT_UNSUPPORTED: {
    meet: async () => {
      const p = await project();
      await p.git('sparse-checkout', 'set', '.runner');
      return met(p, 'step');
    },
    ledOn: works('step', '--dry-run'),
  },
  GIT_FAILED: {
    meet: async () => {
      const p = await project();
      const tree = await p.git('rev-parse', 'HEAD^{tree}');
      rmSync(join(p.top, '.git/objects', tree.slice(0, 2), tree.slice(2)));
      return met(p, 'step');
    },
    // It shows what git says, which is no success here.
    words: (hint) => `${afterColon(hint)} || test $? = 128`,
  },
  GIT_HOOK: {
    meet: async () => {
      const p = await completeRun();
      const hook = join(p.top, '.git/hooks/pre-commit');
      mkdirSync(join(p.top, '.git/hooks'), { recursive: true });
      writeFileSync(hook, '#!/bin/sh\necho first sign it; exit 1\n');
      chmodSync(hook, 0o755);
      return met(p, 'finish');
    },
    byHand: (p) => rmSync(join(p.top, '.git/hooks/pre-commit')),
    words: (hint) => `${hint.split(',')[0] ?? ''} && ${afterThen(hint)}`,
  },
  PUSH_REJECTED: {
    meet: async () => {
      const { p, remote } = await pushing();
      await p.run('step', '--push', 'origin');
      const other = join(p.base, 'other');
      await p.git('clone', '-q', '-b', 'runner/test', remote, other);
      for (const args of [
        ['config', 'user.name', 'B'],
        ['config', 'user.email', 'b@test.invalid'],
        ['commit', '-q', '--allow-empty', '-m', 'other worker'],
        ['push', '-q'],
      ])
        await p.git('-C', other, ...args);
      return met(p, 'step', '--push', 'origin');
    },
    ledOn: works('step', '--push', 'origin'),
  },
  PUSH_FAILED: {
    meet: async () => {
      const { p, remote } = await pushing();
      renameSync(remote, `${remote}.away`);
      return met(p, 'step', '--push', 'origin');
    },
    byHand: (p) => renameSync(join(p.base, 'remote.git.away'), join(p.base, 'remote.git')),
  },
  RUN_UNFINISHED: {
    meet: async () => met(await killed(), 'retry', 'root', '--max-attempts', '9'),
    ledOn: works('retry', 'root', '--max-attempts', '9'),
  },
  GUARD_RED: {
    meet: async () => {
      const p = await completeRun({ guard: ['sh', '-c', 'test ! -e bad.txt'] });
      await p.git('switch', '-q', 'main');
      p.put('bad.txt', 'b\n');
      await p.git('add', '-A');
      await p.git('commit', '-qm', 'bad');
      await p.git('switch', '-q', 'runner/test');
      return met(p, 'finish');
    },
    words: (hint) =>
      `${hint.split(',')[0] ?? ''} && git rm -q bad.txt && git commit -qm mend && ${afterThen(hint)}`,
  },
  RUN_COMPLETE: { meet: async () => met(await completeRun(), 'start') },
  RUN_OPEN: {
    meet: async () => met(await project({ script: [passing] }), 'finish'),
    ledOn: works('finish'),
  },
  RUN_UNPROVEN: {
    meet: async () => {
      const p = await completeRun();
      const message = await p.git('log', '-1', '--format=%B');
      await p.git(
        'commit',
        '-q',
        '--amend',
        '-m',
        message.replace('Runner-Guard-Exit: 0', 'Runner-Guard-Exit: 1'),
      );
      return met(p, 'finish');
    },
    words: afterColon,
  },
  RUN_UNKNOWN: { meet: async () => met(await project(), 'finish', 'nope') },
  RUN_ENDED: {
    meet: async () => {
      const p = await project();
      await p.run('abandon');
      return met(p, 'finish', 'test');
    },
  },
  RUN_NOT_STARTED: {
    meet: async () => {
      const p = await unstartedProject();
      await p.git('switch', '-q', '-c', 'work');
      return met(p, 'step');
    },
    ledOn: works('step', '--dry-run'),
  },
  RUN_ID_MISMATCH: {
    meet: async () => {
      const p = await project();
      p.put('.runner/GOAL.md', '---\nid: other\n---\nAnother goal.\n');
      await p.git('commit', '-qam', 'goal');
      return met(p, 'step');
    },
    ledOn: works('step', '--dry-run'),
  },
  SETUP_FAILED: {
    meet: async () => {
      const p = await bareProject();
      await p.run('init');
      p.put('.runner/GOAL.md', 'Make it.\n');
      await p.run('config', 'set', 'automation.setup', '["false"]');
      await p.run('config', 'set', 'agent.command', '["true"]');
      return met(p, 'run', 'start', '--wait', '--agent', 'command');
    },
  },
} satisfies HintTable;
