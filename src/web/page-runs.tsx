/** *Runs*: background runs, where the server has control, and every run whose iterations are here, past ones too. */
import type { VNode } from 'preact';
import { addSpent } from '../core/agents/usage.ts';
import type { Spent } from '../core/agents/usage.ts';
import { chipOf } from '../core/views/outcome-chip.ts';
import type { ChipTone } from '../core/views/outcome-chip.ts';
import type { RunsAnswer, StatusAnswer } from '../core/views/web-api.ts';
import { renderCount, renderDollars, renderMoment, renderMs } from './format.ts';
import { Bar, Empty, Fact, Failed, Loading } from './parts.tsx';
import { hrefOf } from './routes.ts';
import { BackgroundRuns } from './runs/background-runs.tsx';
import { useProject, useRuns, useStatus } from './store.ts';
import { Words } from './words.tsx';

type Run = RunsAnswer['runs'][number];

export function RunsPage({ run }: { readonly run: string | null }): VNode {
  const { value, failure } = useRuns();
  const { value: status } = useStatus();
  if (value === null) return failure === null ? <Loading /> : <Failed failure={failure} />;
  const { background } = value;
  if (background === undefined) return <RunCards runs={withCurrent(value.runs, status)} />;
  return (
    <>
      <BackgroundRuns runs={background} open={run} />
      {value.runs.length > 0 && (
        <section class="runs-here" aria-label="Iterations in this folder">
          <h2>Iterations in this folder</h2>
          <RunCards runs={value.runs} />
        </section>
      )}
    </>
  );
}

/** A run that was started is one before its first iteration, too. */
function withCurrent(runs: readonly Run[], status: StatusAnswer | null): readonly Run[] {
  const run_id = status?.run_id ?? null;
  if (run_id === null || runs.some((run) => run.run_id === run_id)) return runs;
  return [{ run_id, is_current: true, rows: [] }, ...runs];
}

function RunCards({ runs }: { readonly runs: readonly Run[] }): VNode {
  if (runs.length === 0) return <NoRuns />;
  return (
    <div class="runs-page">
      {runs
        .toSorted((a, b) => startOf(b) - startOf(a))
        .map((run) => (
          <RunCard key={run.run_id} run={run} />
        ))}
    </div>
  );
}

function NoRuns(): VNode {
  return (
    <Empty title="No runs yet">
      <a href="#/now">How to begin one</a>; it appears here by itself.
    </Empty>
  );
}

function startOf({ rows }: Run): number {
  const at = Date.parse(rows.at(-1)?.started_at ?? '');
  return Number.isNaN(at) ? 0 : at;
}

/** What the current one is for, and how it is; of a past one only its commits tell. */
function RunCard({ run }: { readonly run: Run }): VNode {
  const { value: project } = useProject();
  const { value: status } = useStatus();
  const { rows, run_id } = run;
  const ended = rows.filter((row) => row.is_complete);
  const count = (tone: ChipTone): number => ended.filter((row) => chipOf(row).tone === tone).length;
  const spent = rows.reduce<Spent>(addSpent, { tokens: null, cost_usd: null });
  const timeMs = rows.reduce((sum, row) => sum + (row.duration_ms?.total ?? 0), 0);
  const bars = [
    { name: 'passed', value: count('good') },
    { name: 'derived', value: count('split') },
    { name: 'retrying', value: count('doubtful') },
    { name: 'stuck', value: count('bad') },
  ];
  return (
    <section class="card run-card">
      <header class="card-head">
        <h2>
          <a href={hrefOf({ page: 'iterations', run: run_id, node: '', status: '' })}>
            <Words text={run_id} max={200} />
          </a>{' '}
          {run.is_current && project !== null && (
            <span class="muted">
              <Words text={project.goal_title} max={300} />
            </span>
          )}
        </h2>
        {run.is_current && (
          <span class="tag">
            {status !== null && <span class={`lamp is-${status.situation.state}`} aria-hidden="true" />}{' '}
            {status === null ? 'current' : `current, ${status.situation.title.toLowerCase()}`}
          </span>
        )}
      </header>
      <Bar
        parts={bars}
        total={ended.length}
        label={`${count('good')} passed, ${count('split')} split, ${count('doubtful')} without a verdict, ${count('bad')} failed`}
      />
      <dl class="facts">
        <Fact name="iterations">{ended.length.toLocaleString('en-US')}</Fact>
        {ended.length < rows.length && (
          <Fact name={rows.some((row) => row.is_running) ? 'at work' : 'unfinished'}>
            {rows.length - ended.length}
          </Fact>
        )}
        <Fact name="passed" swatch="good">
          {count('good')}
        </Fact>
        <Fact name="failed" swatch="bad">
          {count('bad')}
        </Fact>
        {count('doubtful') > 0 && (
          <Fact name="no verdict" swatch="guard">
            {count('doubtful')}
          </Fact>
        )}
        {count('split') > 0 && (
          <Fact name="split" swatch="review">
            {count('split')}
          </Fact>
        )}
        <Fact name="time">{timeMs === 0 ? '–' : renderMs(timeMs)}</Fact>
        <Fact name="tokens">{spent.tokens === null ? '–' : renderCount(spent.tokens)}</Fact>
        <Fact name="cost">{spent.cost_usd === null ? '–' : renderDollars(spent.cost_usd)}</Fact>
        <Fact name="last iteration began">{renderMoment(rows.at(-1)?.started_at ?? '') || '–'}</Fact>
      </dl>
    </section>
  );
}
