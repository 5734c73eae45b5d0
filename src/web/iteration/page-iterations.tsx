/** *Iterations*: every iteration as a row with its times side by side, newest first; filtered by run, task and outcome. */
import type { VNode } from 'preact';
import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { chipOf } from '../../core/views/outcome-chip.ts';
import type { IterationRow, RunsAnswer } from '../../core/views/web-api.ts';
import { nowMs } from '../clock.ts';
import { workedMs } from '../current.ts';
import { renderCount, renderDollars, renderMoment, renderMs, renderTime } from '../format.ts';
import { listKeys } from '../keys.ts';
import { Bar, Empty, Failed, Loading, NoIterations, OutcomeBadge } from '../parts.tsx';
import { hrefOf } from '../routes.ts';
import type { Route } from '../routes.ts';
import { useRuns, useStatus, useTitles } from '../store.ts';
import { VirtualList } from '../virtual-list.tsx';
import { Line } from '../words.tsx';

type IterationsRoute = Extract<Route, { readonly page: 'iterations' }>;

interface Row extends IterationRow {
  readonly run_id: string;
  readonly title: string;
}

const rowHeight = 30;

export function IterationsPage({ route }: { readonly route: IterationsRoute }): VNode {
  const { value, failure } = useRuns();
  const titleOf = useTitles();
  const all = useMemo(() => listAll(value, titleOf), [value, titleOf]);
  const rows = useMemo(() => selectRows(all, route), [all, route.run, route.node, route.status]);
  if (value === null) return failure === null ? <Loading /> : <Failed failure={failure} />;
  if (value.runs.every((run) => run.rows.length === 0)) return <NoIterations />;
  return (
    <div class="iterations-page">
      <Filters route={route} answer={value} all={all} count={rows.length} />
      {rows.length === 0 ? (
        <Empty title="Nothing matches these filters">
          <a href="#/iterations">Show all iterations</a>
        </Empty>
      ) : (
        <Rows rows={rows} hasRuns={value.runs.length > 1 && route.run === ''} />
      )}
    </div>
  );
}

/** Newest first: the current run before the others. */
function listAll(answer: RunsAnswer | null, titleOf: (id: string | null) => string): readonly Row[] {
  return (answer?.runs ?? [])
    .toSorted((a, b) => Number(a.is_current) - Number(b.is_current))
    .flatMap(({ run_id, rows }) => rows.map((row) => ({ ...row, run_id, title: titleOf(row.node_id) })))
    .toReversed();
}

/** By words of the title or the path. */
function selectRows(rows: readonly Row[], { run, node, status }: IterationsRoute): readonly Row[] {
  const wanted = node.toLowerCase();
  return rows.filter(
    (row) =>
      (run === '' || row.run_id === run) &&
      (wanted === '' || `${row.title}\n${row.node_path ?? ''}`.toLowerCase().includes(wanted)) &&
      (status === '' || chipOf(row).label === status),
  );
}

/** Those that occur, and the one that is chosen. */
function listOutcomes(rows: readonly Row[], chosen: string): readonly string[] {
  const labels = new Set(rows.map((row) => chipOf(row).label));
  if (chosen !== '') labels.add(chosen);
  return [...labels].toSorted();
}

function Filters({
  route,
  answer,
  all,
  count,
}: {
  route: IterationsRoute;
  answer: RunsAnswer;
  all: readonly Row[];
  count: number;
}): VNode {
  const outcomes = useMemo(() => listOutcomes(all, route.status), [all, route.status]);
  const go = (change: Partial<IterationsRoute>): void => {
    history.replaceState(null, '', hrefOf({ ...route, ...change }));
    window.dispatchEvent(new HashChangeEvent('hashchange'));
  };
  return (
    <div class="toolbar" role="toolbar" aria-label="Filters">
      <input
        type="search"
        placeholder="Filter by task  /"
        aria-label="Filter by task"
        data-search
        value={route.node}
        onInput={(event) => go({ node: event.currentTarget.value })}
      />
      <select
        aria-label="Outcome"
        value={route.status}
        onChange={(event) => go({ status: event.currentTarget.value })}
      >
        <option value="">all outcomes</option>
        {outcomes.map((label) => (
          <option key={label} value={label}>
            {label}
          </option>
        ))}
      </select>
      <select aria-label="Run" value={route.run} onChange={(event) => go({ run: event.currentTarget.value })}>
        <option value="">all runs</option>
        {answer.runs.map(({ run_id, is_current }) => (
          <option key={run_id} value={run_id}>
            {run_id.slice(0, 60)}
            {is_current ? ' (current)' : ''}
          </option>
        ))}
      </select>
      <span class="muted" aria-live="polite">
        {count.toLocaleString('en-US')} shown
      </span>
      <span class="spring" />
      <span class="legend muted" aria-hidden="true">
        <span class="swatch is-agent" /> agent <span class="swatch is-guard" /> guard
        {all.some(({ duration_ms }) => (duration_ms?.review ?? 0) > 0) && (
          <>
            {' '}
            <span class="swatch is-review" /> review
          </>
        )}
      </span>
    </div>
  );
}

function Rows({ rows, hasRuns }: { readonly rows: readonly Row[]; readonly hasRuns: boolean }): VNode {
  const [activeKey, setActiveKey] = useState('');
  const active = useMemo(() => {
    const at = rows.findIndex((row) => keyOf(row) === activeKey);
    return at === -1 ? null : at;
  }, [rows, activeKey]);
  const maxMs = useMemo(
    () => rows.reduce((max, row) => Math.max(max, row.duration_ms?.total ?? 0), 1),
    [rows],
  );
  // Before the next key can come.
  useLayoutEffect(
    () =>
      listKeys.set({
        move: (step) => {
          const row = rows[Math.max(0, Math.min(rows.length - 1, active === null ? 0 : active + step))];
          if (row !== undefined) setActiveKey(keyOf(row));
        },
        open: () => {
          const row = active === null ? undefined : rows[active];
          if (row !== undefined) location.hash = hrefOfRow(row);
        },
      }),
    [rows, active],
  );
  return (
    <>
      <Heads />
      <VirtualList
        class="rows"
        role="table"
        label="Iterations, newest first"
        count={rows.length}
        rowHeight={rowHeight}
        active={active}
        sight={activeKey}
        shift={rows.length}
        row={(index) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <IterationLine
              key={keyOf(row)}
              row={row}
              index={index}
              maxMs={maxMs}
              isActive={index === active}
              hasRun={hasRuns}
            />
          );
        }}
      />
    </>
  );
}

/** What the columns are; read aloud, every cell says it itself. */
function Heads(): VNode {
  return (
    <div class="row row-head" aria-hidden="true">
      <span class="number">no.</span>
      <span>task</span>
      <span>outcome</span>
      <span class="row-bar">agent and guard</span>
      <span class="number">time</span>
      <span class="number wide-only">tokens</span>
      <span class="number wide-only">cost</span>
      <span class="number wide-only">started</span>
    </div>
  );
}

/** It stays the same row when others come in front of it. */
function keyOf({ run_id, iter }: Row): string {
  return `${run_id}/${iter}`;
}

function hrefOfRow({ run_id, iter }: Row): string {
  return hrefOf({ page: 'iteration', run: run_id, iter, tab: 'summary' });
}

interface LineProps {
  readonly row: Row;
  readonly index: number;
  readonly maxMs: number;
  readonly isActive: boolean;
  readonly hasRun: boolean;
}

function IterationLine({ row, index, maxMs, isActive, hasRun }: LineProps): VNode {
  const time = row.duration_ms;
  const parts = [
    { name: 'agent', value: time?.agent ?? 0 },
    { name: 'guard', value: time?.guard ?? 0 },
    { name: 'review', value: time?.review ?? 0 },
  ];
  const label =
    time === null ? 'no times yet' : `agent ${renderMs(time.agent)}, guard ${renderMs(time.guard)}`;
  return (
    <div class={isActive ? 'row is-active' : 'row'} role="row" aria-rowindex={index + 1}>
      <span role="cell" class="number">
        <a class="row-link" href={hrefOfRow(row)}>
          {row.iter}
        </a>
      </span>
      <span role="cell" class="row-node" title={row.node_path ?? ''}>
        {hasRun && <span class="muted">{row.run_id.slice(0, 40)} </span>}
        <Line text={row.title} />
      </span>
      <span role="cell">
        <OutcomeBadge of={row} />
      </span>
      <span role="cell" class="row-bar">
        {time !== null && <Bar parts={parts} total={maxMs} label={label} />}
      </span>
      <span role="cell" class="number row-time">
        {time === null ? row.is_running ? <Running since={row.started_at} /> : '–' : renderMs(time.total)}
      </span>
      <span role="cell" class="number wide-only">
        {row.tokens === null ? '–' : renderCount(row.tokens)}
        {row.tokens !== null && <span class="sr-only"> tokens</span>}
      </span>
      <span role="cell" class="number wide-only">
        {row.cost_usd === null ? '–' : renderDollars(row.cost_usd)}
      </span>
      <span
        role="cell"
        class="muted number wide-only"
        title={row.started_at === null ? '' : renderMoment(row.started_at)}
      >
        {row.started_at === null ? '' : renderTime(row.started_at)}
      </span>
    </div>
  );
}

/** Of the run of this folder without its waits; a background run tells only when it began. */
function Running({ since }: { readonly since: string | null }): VNode {
  const { value: status } = useStatus();
  if (status !== null && status.iteration?.started_at === since)
    return <>{renderMs(Math.max(0, workedMs(status, nowMs.value)))}</>;

  return <>{since === null ? '' : renderMs(Math.max(0, nowMs.value - Date.parse(since)))}</>;
}
