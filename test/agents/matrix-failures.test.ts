/** Every failure of a model service through every real CLI: how the run ends, what is recorded, and that nothing is left running. */
import { describe, expect, it } from 'vitest';
import { failureTable } from '../../src/core/agents/failure.ts';
import { agentFacts, askedAgents, isAsked, specOf } from './agent-facts.ts';
import type { Situation } from './cases.ts';
import { agentId } from './catalogue.ts';
import type { RealAgent } from './catalogue.ts';
import { withDrive } from './drive.ts';
import type { Drive, Ran } from './drive.ts';
import { isChosen } from './each-agent.ts';
import { failuresOf } from './matrix-cases.ts';
import type { FailureCase, Wanted } from './matrix-cases.ts';
import { noteCell } from './matrix-report.ts';
import type { Session, Turn } from './scenario.ts';

const budgetSecs = 300;

const cells = askedAgents
  .flatMap((agent) =>
    failuresOf(agent.name).map((failure) => [failure.name, agentId(agent), { failure, agent }] as const),
  )
  .filter(([name]) => isChosen(name));

describe.skipIf(!isAsked || cells.length === 0)('a failure of the model service', () => {
  it.concurrent.each(cells)(
    '%s, %s',
    async (row, column, { failure, agent }) => {
      await withDrive(agent, settings(agent, failure), async (drive) => {
        await noteCell({ row, column }, async () => {
          const ran = await drive.start(['loop'], budgetSecs + 60).done;
          const { wanted } = failure;
          expectNoPass(drive, ran);
          expectEnd(drive, ran, wanted);
          return 'failure' in wanted ? `${wanted.end} (${wanted.failure})` : wanted.end;
        });
      });
    },
    (budgetSecs + 120) * 1000,
  );
});

/** All waits are bounded by settings, so that every case ends by itself and soon. */
function settings({ name }: RealAgent, failure: FailureCase): Parameters<typeof withDrive>[1] {
  return {
    scenario: (dir) => ({
      sessions: sessionsOf(failure, { dir, ownDir: '', agent: name, nowSecs: Math.floor(Date.now() / 1000) }),
    }),
    isRefused: failure.isRefused === true,
    isLoggedOut: failure.isLoggedOut === true,
    env: failure.env ?? {},
    top: { iteration_timeout_secs: budgetSecs },
    agent: {
      // Claude's own retries fit into it, so that they end soon.
      idle_timeout_secs: failure.isQuiet || name === 'claude' ? agentFacts[name].idleSecs : budgetSecs,
      max_failures: 1,
      max_wait_secs: 1,
    },
  };
}

/** The session after a wait first does some work, so that what it came to is recorded and the work is kept. */
function sessionsOf({ turns }: FailureCase, situation: Situation): readonly Session[] {
  const work: Turn = { kind: 'shell', command: 'echo half > half.txt' };
  return [turns(situation), [work, ...turns(situation)]];
}

function expectNoPass(drive: Drive, ran: Ran): void {
  expect(ran.code, ran.err).toBe(1);
  expect(ran.out.trimEnd().split('\n').at(-1)).toContain('loop: status=error run=test');
  expect(drive.tree()).toMatchObject({ passes: false, attempts: 0, children: [] });
  expect(drive.subjects().filter((subject) => subject.includes('guard=pass'))).toEqual([]);
  expect(drive.git('status', '--porcelain', '--untracked-files=all')).toBe('');
  expect(drive.leftovers()).toEqual([]);
}

function expectEnd(drive: Drive, { err }: Ran, wanted: Wanted): void {
  if (wanted.end === 'out of time') {
    expect(err).toContain('[ITERATION_TIMEOUT]');
    return;
  }
  const { failure } = wanted;
  if (wanted.end === 'failing') {
    expect(err).toContain('[AGENT_FAILING]');
    expectRecorded(drive, failure);
    return;
  }
  const fix = specOf(drive.agent).fixes[failure] ?? failureTable[failure].fix;
  expect(err).toContain('[AGENT_BLOCKED]');
  expect(err).toContain(`hint: ${fix}`);
  if (wanted.end === 'gave up') {
    expect(err).toContain('(Ctrl-C stops)');
    expect(err).toContain('(waited 1 s of agent.max_wait_secs)');
  } else {
    expect(err).not.toContain('(Ctrl-C stops)');
    if (wanted.end === 'stated') expect(err).toMatch(/, which lasts until \d{4}-.*\(waited 0 s of agent/);
  }
  if (drive.git('ls-files', 'half.txt') !== '') expectRecorded(drive, failure);
  else expect(drive.subjects()[0]).toBe('chore(loop): start run test');
}

function expectRecorded(drive: Drive, failure: string): void {
  expect(drive.subjects()[0]).toBe('chore(loop): run test iter 1 node root status=retry guard=skipped');
  expect(drive.meta(1)).toMatchObject({ status: 'retry', guard: 'skipped', failure });
}
