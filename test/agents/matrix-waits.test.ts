/** A limit that passes, through every real CLI: the iteration waits and goes on with a fresh session; Ctrl-C ends the wait. */
import { expect } from 'vitest';
import { agentFacts } from './agent-facts.ts';
import type { RealAgent } from './catalogue.ts';
import { describeRows } from './each-agent.ts';
import { said } from './main-path.ts';
import type { Turn } from './scenario.ts';

const overload: Turn = { kind: 'error', error: 'overloaded' };
const limit: Turn = { kind: 'error', error: 'rate-limit' };
const work: Turn = { kind: 'shell', command: 'echo work > work.txt' };

/** Claude's own retries fit into the silence it is allowed. */
function fewRetries(name: RealAgent['name']): Readonly<Record<string, unknown>> {
  return name === 'claude' ? { idle_timeout_secs: agentFacts.claude.idleSecs } : {};
}

/** Of a plan, which is reset in some seconds; codex states the minute only. */
function planLimit(): Turn {
  return { kind: 'error', error: 'usage-limit', resetsAtSecs: Math.floor(Date.now() / 1000) + 20 };
}

describeRows('a rate limit', [
  {
    name: 'usage limit with a reset goes on by itself',
    applies: ({ name }) => name === 'codex' || name === 'claude',
    settings: ({ name }) => ({
      scenario: () => ({ sessions: [[planLimit()], [work, said('done', 'done after the reset')]] }),
      agent: { max_wait_secs: 600, max_failures: 1 },
      // Only who is logged in with a plan has this limit.
      ...(name === 'claude' ? { isLoggedOut: true, env: { CLAUDE_CODE_OAUTH_TOKEN: 'dummy-token' } } : {}),
    }),
    check: async (drive) => {
      const ran = await drive.start(['loop'], 300).done;
      expect(ran.code, ran.err).toBe(0);
      expect(ran.err).toMatch(/\(Ctrl-C stops\): \w+: You.ve hit your .*(?:try again at|resets) \d/);
      expect(drive.meta(1)).toMatchObject({ sessions: 2, failure: null, status: 'done', guard: 'pass' });
      expect(drive.meta(1)['waited_secs']).toBeLessThanOrEqual(90);
      expect(drive.tree()).toMatchObject({ passes: true, attempts: 0 });
      expect(drive.leftovers()).toEqual([]);
      return 'pass in iteration 1';
    },
  },
  {
    name: 'a short overload costs no session',
    applies: ({ name }) => name === 'claude',
    settings: () => ({
      scenario: () => ({
        sessions: [[work, ...Array.from({ length: 4 }, () => overload), said('done', 'done after all')]],
      }),
    }),
    check: async (drive) => {
      const ran = await drive.start(['loop'], 180).done;
      expect(ran.code, ran.err).toBe(0);
      expect(drive.meta(1)).toMatchObject({ sessions: 1, waited_secs: 0, status: 'done', guard: 'pass' });
      return 'pass in one session';
    },
  },
  {
    name: 'transient 429',
    settings: ({ name }) => ({
      scenario: () => ({ sessions: [[limit], [work, said('done', 'done after the wait')]] }),
      agent: { max_wait_secs: 2, max_failures: 1, ...fewRetries(name) },
    }),
    check: async (drive) => {
      const ran = await drive.start(['loop'], 180).done;
      expect(ran.code, ran.err).toBe(0);
      expect(ran.err).toContain('(Ctrl-C stops)');
      expect(ran.out.split('\n')[0]).toBe('loop: step run=test iter=1 node=root status=done guard=pass');
      expect(drive.meta(1)).toMatchObject({ sessions: 2, failure: null, status: 'done' });
      // Measured, so a busy machine adds to it.
      expect(drive.meta(1)['waited_secs']).toBeGreaterThanOrEqual(2);
      expect(drive.tree()).toMatchObject({ passes: true, attempts: 0 });
      expect(drive.leftovers()).toEqual([]);
      return 'pass in iteration 1';
    },
  },
  {
    name: 'Ctrl-C while waiting for the limit',
    settings: ({ name }) => ({
      scenario: () => ({ sessions: [[limit]] }),
      agent: { max_wait_secs: 3600, ...fewRetries(name) },
    }),
    check: async (drive) => {
      const running = drive.start(['loop'], 180);
      await running.waitForErr('(Ctrl-C stops)');
      process.kill(running.pid, 'SIGINT');
      const ran = await running.done;
      expect(ran.code, ran.err).toBe(130);
      expect(drive.leftovers()).toEqual([]);
      expect(drive.git('status', '--porcelain', '--untracked-files=all')).toBe('');
      return 'exit 130';
    },
  },
]);
