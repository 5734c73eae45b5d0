/** Signals and the end of the time while a tool of a real CLI runs: the exit code by the table, nothing left running, work kept. */
import path from 'node:path';
import { expect } from 'vitest';
import { hasText, waitUntil } from '../support/scratch.ts';
import { agentFacts } from './agent-facts.ts';
import type { Drive, DriveOptions, Ran } from './drive.ts';
import { describeRows } from './each-agent.ts';
import type { MatrixRow } from './each-agent.ts';
import { said } from './main-path.ts';
import type { Scenario, Turn } from './scenario.ts';

/** In its own session, deaf to TERM, and plainly in front: all that a tool can leave behind. `work.txt` comes last. */
const stubborn = [
  'setsid nohup sleep 311 >/dev/null 2>&1 &',
  `sh -c "trap '' TERM; sleep 312; sleep 313" &`,
  'echo work > work.txt; sleep 310',
].join(' ');
const tool: Turn = { kind: 'shell', command: stubborn };
const work: Turn = { kind: 'shell', command: 'echo more > more.txt' };

const startSecs = 120;

function during(turn: Turn): () => Scenario {
  return () => ({ sessions: [[turn], [work, said('done', 'done after all')]] });
}

async function toolRuns({ dir }: Drive): Promise<void> {
  const file = path.join(dir, 'work.txt');
  await waitUntil('the tool runs', () => hasText(file), startSecs * 1000);
}

/** The first iteration came to nothing, but what was written is committed. */
function expectKept(drive: Drive, ran: Ran): void {
  expect(drive.leftovers()).toEqual([]);
  expect(drive.subjects()[0], ran.err).toBe(
    'chore(loop): run test iter 1 node root status=retry guard=skipped',
  );
  expect(drive.git('show', 'HEAD:work.txt')).toBe('work');
  expect(drive.git('status', '--porcelain', '--untracked-files=all')).toBe('');
  expect(drive.tree()).toMatchObject({ passes: false, attempts: 0 });
}

interface Signalled {
  readonly signal: NodeJS.Signals;
  readonly code: number;
  readonly sandbox?: 'bwrap';
}

function signalled(name: string, { signal, code, sandbox }: Signalled): MatrixRow {
  return {
    name: `${name} while a tool runs${sandbox === undefined ? '' : ' in bubblewrap'}`,
    settings: (): DriveOptions => ({ scenario: during(tool), ...(sandbox === undefined ? {} : { sandbox }) }),
    check: async (drive: Drive): Promise<string> => {
      const running = drive.start(['loop'], startSecs + 60);
      await toolRuns(drive);
      process.kill(running.pid, signal);
      const ran = await running.done;
      expect(ran.code, ran.err).toBe(code);
      expect(ran.out).toContain('loop: status=interrupted run=test');
      expectKept(drive, ran);
      return `exit ${code}`;
    },
  };
}

/** The next command ends what is left; in bubblewrap nothing is, because it ends with the runner. */
function killed(name: string, sandbox: 'none' | 'bwrap'): MatrixRow {
  return {
    name,
    settings: () => ({ scenario: during(tool), sandbox }),
    check: async (drive) => {
      const running = drive.start(['loop'], startSecs + 60);
      await toolRuns(drive);
      process.kill(running.pid, 'SIGKILL');
      await running.done;
      if (sandbox === 'none') expect(drive.leftovers()).not.toEqual([]);
      else await waitUntil('nothing of it lives', () => drive.leftovers().length === 0, startSecs * 1000);
      const ran = await drive.start(['loop'], startSecs + 60).done;
      expect(ran.code, ran.err).toBe(0);
      expect(drive.leftovers()).toEqual([]);
      expect(drive.subjects().slice(0, 2)).toEqual([
        'chore(loop): run test iter 2 node root status=done guard=pass',
        'chore(loop): run test iter 1 node root status=retry guard=skipped',
      ]);
      expect(drive.git('show', 'HEAD~1:work.txt')).toBe('work');
      return 'complete';
    },
  };
}

describeRows('the end of a session', [
  signalled('SIGTERM', { signal: 'SIGTERM', code: 143 }),
  signalled('Ctrl-C', { signal: 'SIGINT', code: 130 }),
  signalled('Ctrl-C', { signal: 'SIGINT', code: 130, sandbox: 'bwrap' }),
  {
    name: 'timeout while a tool runs',
    settings: ({ name }) => ({
      scenario: during(tool),
      top: { iteration_timeout_secs: agentFacts[name].idleSecs },
    }),
    check: async (drive) => {
      const running = drive.start(['loop'], startSecs + 60);
      await toolRuns(drive);
      const ran = await running.done;
      expect(ran.code).toBe(1);
      expect(ran.err).toContain('[ITERATION_TIMEOUT]');
      expectKept(drive, ran);
      expect(drive.meta(1)).toMatchObject({ failure: 'timed_out' });
      return 'exit 1';
    },
  },
  {
    name: 'Ctrl-C while the model is silent',
    settings: () => ({ scenario: during({ kind: 'silent' }) }),
    check: async (drive) => {
      const running = drive.start(['loop'], startSecs + 60);
      await Promise.race([drive.server.waitForTurns(1), running.done]);
      process.kill(running.pid, 'SIGINT');
      const ran = await running.done;
      expect(ran.code, ran.err).toBe(130);
      expect(drive.leftovers()).toEqual([]);
      expect(drive.tree()).toMatchObject({ passes: false, attempts: 0 });
      return 'exit 130';
    },
  },
  killed('kill -9 while a tool runs', 'none'),
  killed('kill -9 while a tool runs in bubblewrap', 'bwrap'),
]);
