/** A limit that passes, through every real CLI: the iteration waits and goes on with a fresh session; Ctrl-C ends the wait. */
import { expect } from 'vitest';
import { describeRows } from './each-agent.ts';
import { said } from './main-path.ts';
import type { Turn } from './scenario.ts';

const limit: Turn = { kind: 'error', error: 'rate-limit' };
const work: Turn = { kind: 'shell', command: 'echo work > work.txt' };

describeRows('a rate limit', [
  {
    name: 'transient 429',
    settings: () => ({
      scenario: () => ({ sessions: [[limit], [work, said('done', 'done after the wait')]] }),
      agent: { max_wait_secs: 2, max_failures: 1 },
    }),
    check: async (drive) => {
      const ran = await drive.start(['loop'], 180).done;
      expect(ran.code, ran.err).toBe(0);
      expect(ran.err).toContain('(Ctrl-C stops)');
      expect(ran.out.split('\n')[0]).toBe('loop: step run=test iter=1 node=root status=done guard=pass');
      expect(drive.meta(1)).toMatchObject({ sessions: 2, waited_secs: 2, failure: null, status: 'done' });
      expect(drive.tree()).toMatchObject({ passes: true, attempts: 0 });
      expect(drive.leftovers()).toEqual([]);
      return 'pass in iteration 1';
    },
  },
  {
    name: 'Ctrl-C while waiting for the limit',
    settings: () => ({ scenario: () => ({ sessions: [[limit]] }), agent: { max_wait_secs: 3600 } }),
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
