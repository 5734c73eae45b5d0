/** Facts about whole runs for tests: records, tips of branches, and the one row that they give. */
import { expect } from 'vitest';
import { defaultRunState, renderRunState } from '../../src/core/iteration/run-state.ts';
import { parseRunRecord } from '../../src/core/runs/record.ts';
import type { RunRecord } from '../../src/core/runs/record.ts';
import { listRuns } from '../../src/core/runs/run-list.ts';
import type { KnownRecord, RunRow, RunTip } from '../../src/core/runs/run-list.ts';
import { node } from './trees.ts';

export function record(fields: Partial<RunRecord> = {}): RunRecord {
  const parsed = parseRunRecord(
    JSON.stringify({
      version: 1,
      run_id: 'a',
      status: 'running',
      branch: 'runner/a',
      base_commit: 'b0',
      started_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
      ...fields,
    }),
  );
  if (!parsed.ok) throw new Error(parsed.problems.join('; '));
  return parsed.record;
}

export function tip(fields: Partial<RunTip> & { readonly passes?: boolean } = {}): RunTip {
  const { passes = false, ...rest } = fields;
  const run_id = rest.run_id ?? 'a';
  return {
    run_id,
    kind: 'local',
    branch: `runner/${run_id}`,
    remote: null,
    commit: 'c1',
    committed_at: '2026-01-02T00:00:00.000Z',
    goal: '# Landing page\n',
    run_state: renderRunState({ ...defaultRunState, run_id, base_branch: 'main', base_commit: 'b1' }),
    tree: JSON.stringify(node('root', { children: [node('x', { passes }), node('y', { passes })], passes })),
    is_finished: false,
    checkout: null,
    ...rest,
  };
}

export function one(tips: readonly RunTip[], records: readonly KnownRecord[] = []): RunRow {
  const rows = listRuns({ tips, records });
  expect(rows).toHaveLength(1);
  return rows[0] as RunRow;
}

export function known(fields: Partial<RunRecord> = {}, is_alive = false): KnownRecord {
  return { kind: 'record', record: record(fields), is_alive };
}
