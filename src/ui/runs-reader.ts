/** Every run with a row for each iteration. A row is cached as long as its record is the same file. */
import { setImmediate } from 'node:timers/promises';
import { findIteration, iterationReader } from '../adapters/project/iteration-reader.ts';
import type { Layout } from '../adapters/files/layout.ts';
import { stampFile } from '../adapters/files/look-at.ts';
import type { IterationMeta } from '../core/agents/session.ts';
import type { IterationRow, RunsAnswer } from '../core/views/web-api.ts';
import type { IterationPlace } from '../ports/iteration-reader.ts';
import { readRunState } from './project-reader.ts';
import type { OpenWork } from './source.ts';

/** Who is at work. */
export interface RunsNow {
  readonly open: OpenWork | null;
  /** Background runs. */
  readonly live: ReadonlySet<string>;
}

export interface RunsReader {
  /** `run`: only this one; none when it is not there. */
  readonly read: (place: Layout, now: RunsNow, run: string | null) => Promise<RunsAnswer>;
}

const rowsAtOnce = 100;

interface KeptRow {
  readonly stamp: string;
  readonly row: IterationRow;
}

export function runsReader(): RunsReader {
  let keptFor = '';
  const kept = new Map<string, KeptRow>();

  async function rowOf(layout: Layout, place: IterationPlace): Promise<IterationRow> {
    const { meta: path } = findIteration(layout, place).files;
    const stamp = stampFile(path);
    const known = kept.get(path);
    if (known !== undefined && known.stamp === stamp) return known.row;
    const meta = stamp === '' ? null : await iterationReader(layout).loadMeta(place);
    const row = meta === null ? emptyRow(place.iter) : rowOfMeta(meta);
    kept.set(path, { stamp, row });
    return row;
  }

  return {
    read: async (layout, { open, live }, run) => {
      // Another folder behind the same link has other rows.
      if (keptFor !== layout.projectDir) kept.clear();
      keptFor = layout.projectDir;
      const reader = iterationReader(layout);
      const current = currentRun(layout);
      const wanted = (await reader.listRuns()).filter((name) => run === null || name === run);
      const runs = [];
      for (const run_id of wanted) {
        const rows = [];
        for (const iter of await reader.listIterations(run_id)) {
          const row = await rowOf(layout, { run_id, iter });
          const isOpen = open?.iteration.run_id === run_id && open.iteration.iter === iter;
          rows.push(isOpen && !row.is_complete ? openRow(open) : row);
          // Thousands of records take a while; others are answered in between.
          if (rows.length % rowsAtOnce === 0) await setImmediate();
        }
        const last = rows.at(-1);
        // Its own process works on the last one.
        if (last !== undefined && !last.is_complete && live.has(run_id))
          rows[rows.length - 1] = { ...last, is_running: true };

        runs.push({ run_id, is_current: run_id === current, rows });
      }
      return { runs };
    },
  };
}

function currentRun(layout: Layout): string | null {
  try {
    return readRunState(layout).run_id;
  } catch {
    // An unreadable run state is reported where it is requested.
    return null;
  }
}

function emptyRow(iter: number): IterationRow {
  return {
    iter,
    node_id: null,
    node_path: null,
    mode: null,
    status: null,
    guard: null,
    outcome: null,
    failure: null,
    agent: null,
    started_at: null,
    ended_at: null,
    duration_ms: null,
    tokens: null,
    cost_usd: null,
    changed_files: null,
    commit: null,
    recovered: false,
    is_complete: false,
    is_running: false,
  };
}

function openRow({ iteration, is_running }: OpenWork): IterationRow {
  const { iter, node_id, node_path, started_at } = iteration;
  return { ...emptyRow(iter), node_id, node_path, started_at, is_running };
}

function rowOfMeta(meta: IterationMeta): IterationRow {
  const { iter, node_id, node_path, mode, status, guard, outcome, failure, agent } = meta;
  const { started_at, ended_at, duration_ms, tokens, cost_usd, changed_files, commit, recovered } = meta;
  return {
    iter,
    node_id,
    node_path,
    mode,
    status,
    guard,
    outcome,
    failure,
    agent: agent.name,
    started_at,
    ended_at,
    duration_ms,
    tokens,
    cost_usd,
    changed_files,
    commit: commit === '' ? null : commit,
    recovered,
    is_complete: true,
    is_running: false,
  };
}
