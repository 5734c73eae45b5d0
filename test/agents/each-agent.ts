/** One row of the matrix: the same test for every real CLI that is asked for, each with a folder of its own. */
import { describe, it } from 'vitest';
import { askedAgents, isAsked } from './agent-facts.ts';
import type { RealAgent } from './catalogue.ts';
import { agentId } from './catalogue.ts';
import { withDrive } from './drive.ts';
import type { Drive, DriveOptions } from './drive.ts';
import { noteCell } from './matrix-report.ts';

export interface MatrixRow {
  readonly name: string;
  /** All of them when left out. */
  readonly applies?: (agent: RealAgent) => boolean;
  readonly settings: (agent: RealAgent) => DriveOptions;
  /** How it came out, for the matrix. */
  readonly check: (drive: Drive) => Promise<string>;
}

const only = process.env['RUNNER_TEST_AGENTS_CASE']?.split(',');

export function isChosen(name: string): boolean {
  return only === undefined || only.includes(name);
}

/** Several at once; see matrix-tool.ts. */
export function describeRows(title: string, rows: readonly MatrixRow[]): void {
  const cells = rows
    .filter(({ name }) => isChosen(name))
    .flatMap((row) => {
      const agents = askedAgents.filter((agent) => row.applies?.(agent) ?? true);
      return agents.map((agent) => [row.name, agentId(agent), { row, agent }] as const);
    });
  describe.skipIf(!isAsked || cells.length === 0)(`real CLIs: ${title}`, () => {
    it.concurrent.each(cells)(
      '%s, %s',
      async (name, column, { row, agent }) => {
        await withDrive(agent, row.settings(agent), (drive) =>
          noteCell({ row: name, column }, () => row.check(drive)),
        );
      },
      360_000,
    );
  });
}
