/** Hints about agents, guards and runners at work: a situation for each code (test/cli/hints-typed.test.ts). */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { claudeDone, claudeFails, claudeResult, playFake } from './fake-agent.ts';
import { afterThen, met, metWith, works } from './hint-rows.ts';
import type { HintTable } from './hint-rows.ts';
import { project, unstartedProject } from './project.ts';
import { waitUntil } from './scratch.ts';
import { playAgent, playGuard, shellAgent, shellGuard } from './shell-agent.ts';
import { node } from './trees.ts';

const usage = { input: 100, output: 20, cost: 0.25 };

const again = claudeResult({ answer: { status: 'retry', summary: 'not yet', children: null }, usage });
const done = claudeDone('echo a > a.txt', usage);

/** A run whose first iteration used more than the setting allows. */
async function spent(key: string, value: string) {
  const p = await project({ agent: 'name = "claude"', tree: node('root', { max_attempts: 9 }) });
  const env = playFake(p, 'claude', { agent: [again, done] });
  await p.run('config', 'set', key, value);
  await p.runWith(env, 'step');
  return metWith(p, env, 'loop');
}

export const workHints = {
  RUN_TOKEN_LIMIT: { meet: () => spent('limits.max_tokens', '120') },
  RUN_COST_LIMIT: { meet: () => spent('limits.max_cost_usd', '0.25') },
  ITERATION_TIMEOUT: {
    meet: async () => {
      const p = await project({ agent: shellAgent, config: 'iteration_timeout_secs = 1' });
      playAgent(p, 'sleep 60');
      return met(p, 'step');
    },
    byHand: (p) => playAgent(p, 'echo a > a.txt; answer done'),
    words: (hint) => `${hint.split(' (')[0] ?? ''}0 && ${afterThen(hint)}`,
  },
  AGENT_FAILING: {
    meet: async () => {
      const p = await project({ agent: `${shellAgent}\nmax_failures = 1` });
      playAgent(p, 'exit 3');
      return met(p, 'loop');
    },
    byHand: (p) => playAgent(p, 'echo a > a.txt; answer done'),
    words: afterThen,
  },
  AGENT_BLOCKED: {
    meet: async () => {
      const p = await project({ agent: 'name = "claude"' });
      const env = playFake(p, 'claude', {
        agent: [claudeFails(null, 'Not logged in · Please run /login'), done],
      });
      return metWith(p, env, 'step');
    },
    // The login itself is the agent's and needs a person; then the same command goes on.
    words: () => 'runner step',
  },
  GUARD_NOT_STARTED: {
    meet: async () => {
      const p = await project({
        agent: shellAgent,
        guard: ['./guard.sh'],
        files: { 'guard.sh': '#!/no/such\n' },
      });
      playAgent(p, 'echo a > a.txt; answer done');
      await p.git('update-index', '--chmod=+x', 'guard.sh');
      await p.git('commit', '-qm', 'mode');
      await p.git('checkout', '-q', '--', 'guard.sh');
      return met(p, 'step');
    },
    byHand: async (p) => {
      p.put('guard.sh', '#!/bin/sh\n');
      await p.git('commit', '-qam', 'guard');
    },
    words: afterThen,
  },
  LOCKED: {
    meet: async () => {
      const p = await project({ agent: shellAgent });
      playAgent(p, 'touch "$HOME/works"; until [ -e "$HOME/go" ]; do sleep 0.1; done; answer retry');
      const loop = p.start(['loop']);
      onTestFinished(() => {
        loop.kill('SIGKILL');
      });
      await waitUntil('the session', () => existsSync(join(p.home, 'works')));
      const found = await met(p, 'retry', 'root', '--max-attempts', '9');
      // `pause --wait` waits for the end of the iteration.
      writeFileSync(join(p.home, 'go'), '');
      return found;
    },
    ledOn: works('retry', 'root', '--max-attempts', '9'),
  },
  NESTED: {
    meet: async () => {
      const p = await project({ agent: shellAgent });
      playAgent(p, 'answer retry');
      return metWith(p, { RUNNER_RUN_ID: 'test', RUNNER_WORK_TREE: p.top }, 'step');
    },
    // "run it outside the session"
    words: () => 'runner step',
  },
  PROCESS_ALIVE: {
    why: 'only a process that the kernel does not end comes here; test/adapters/processes/sweep.test.ts has a stand-in',
  },
  INTERRUPTED: {
    meet: async () => {
      const p = await unstartedProject({ guard: shellGuard });
      playGuard(p, 'touch "$HOME/works"; sleep 60');
      const start = p.start(['start']);
      await waitUntil('the guard', () => existsSync(join(p.home, 'works')));
      start.kill('SIGTERM');
      const { exitCode, stdout, stderr } = await start;
      return { p, ran: { code: exitCode, signal: undefined, out: stdout, err: stderr } };
    },
    byHand: (p) => playGuard(p, 'exit 0'),
  },
} satisfies HintTable;
