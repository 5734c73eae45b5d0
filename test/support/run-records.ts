/** Records of background runs made by hand, as a runner of another time would have left them. */
import { execa } from 'execa';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ProcessOwner, RunRecord } from '../../src/core/runs/record.ts';
import { processOrigin, processTable } from '../../src/adapters/processes/process-table.ts';
import type { Project } from './project.ts';

export function recordsDir({ top }: Pick<Project, 'top'>): string {
  return join(top, '.git/runner/runs');
}

export function putRecord(made: Pick<Project, 'top'>, runId: string, fields: Partial<RunRecord> = {}): void {
  const record = {
    version: 1,
    run_id: runId,
    branch: `runner/${runId}`,
    base_commit: 'b'.repeat(40),
    base_branch: 'main',
    started_at: '2026-11-18T06:00:00.000Z',
    updated_at: '2026-11-18T06:05:00.000Z',
    status: 'complete',
    ...fields,
  };
  mkdirSync(recordsDir(made), { recursive: true });
  writeFileSync(join(recordsDir(made), `${runId}.json`), `${JSON.stringify(record, null, 2)}\n`);
}

export function readRecord(made: Pick<Project, 'top'>, runId: string): RunRecord {
  return JSON.parse(readFileSync(join(recordsDir(made), `${runId}.json`), 'utf8')) as RunRecord;
}

/** A process that only lives, and how a record names it. Ended with the test at the latest. */
export async function sleeper(): Promise<{
  readonly owner: ProcessOwner;
  readonly end: () => Promise<void>;
}> {
  const running = execa('sleep', ['600'], { reject: false });
  const end = async (): Promise<void> => {
    running.kill('SIGKILL');
    await running;
  };
  onTestFinished(end);
  const pid = running.pid ?? 0;
  return {
    owner: { pid, start: (await processTable().processStart(pid)) ?? '', origin: processOrigin() },
    end,
  };
}
