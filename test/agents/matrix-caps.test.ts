/** A run that has used its tokens, as every real CLI reports them: it stops at the first iteration past the limit, whatever happens to it. */
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { agentTraits } from '../../src/core/config/agents.ts';
import { waitUntil } from '../support/scratch.ts';
import type { RealAgent } from './catalogue.ts';
import type { Drive, Ran } from './drive.ts';
import { describeRows } from './each-agent.ts';
import { guard, mainPath, projectFiles } from './main-path.ts';

/** More than the first session uses, less than the first two. */
const limits = { max_tokens: 4000 };

/** Tells that it runs and waits for leave, once there is work to check. */
const patient = `if [ -e add.mjs ]; then
  touch ../guard-runs
  while [ ! -e ../go ]; do sleep 0.05; done
fi
exec ${guard.join(' ')}
`;

function expectLimit(drive: Drive, ran: Ran, steps: number): void {
  const { tokens } = drive.runState().totals;
  expect(ran.code, ran.err).toBe(1);
  expect(ran.err).toContain('[RUN_TOKEN_LIMIT]');
  expect(ran.out.trimEnd().split('\n').at(-1)).toContain(
    `loop: status=limit run=test tokens=${tokens} max_tokens=4000 steps=${steps}`,
  );
  expect(drive.subjects()[0]).toBe('chore(loop): run test iter 2 node root.1 status=done guard=fail');
  expect(tokens).toBe(drive.server.requests.filter(({ kind }) => kind === 'turn').length * 1260);
  expect(drive.leftovers()).toEqual([]);
}

function applies({ name }: RealAgent): boolean {
  return agentTraits[name].reportsTokens;
}

describeRows('max_tokens', [
  {
    name: 'max_tokens',
    applies,
    settings: () => ({ scenario: mainPath, guard, files: projectFiles, limits }),
    check: async (drive) => {
      expectLimit(drive, await drive.start(['loop'], 180).done, 2);
      const asked = drive.server.requests.length;
      expectLimit(drive, await drive.start(['loop'], 60).done, 0);
      expect(drive.server.requests).toHaveLength(asked);
      return 'limit after 2';
    },
  },
  {
    name: 'max_tokens after kill -9',
    applies,
    settings: () => ({
      scenario: mainPath,
      guard: ['sh', 'patient.sh'],
      files: { ...projectFiles, 'patient.sh': patient },
      limits,
    }),
    check: async (drive) => {
      const running = drive.start(['loop'], 180);
      await waitUntil('the guard runs', () => existsSync(path.join(drive.base, 'guard-runs')), 120_000);
      process.kill(running.pid, 'SIGKILL');
      await running.done;
      const asked = drive.server.requests.length;
      writeFileSync(path.join(drive.base, 'go'), '');
      const ran = await drive.start(['loop'], 60).done;
      expect(ran.err).toContain('recovered iteration 2');
      expectLimit(drive, ran, 1);
      expect(drive.server.requests).toHaveLength(asked);
      return 'limit after 2';
    },
  },
]);
