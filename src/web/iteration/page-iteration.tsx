/** *Iteration*: everything one iteration recorded, in tabs. */
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { lastSessionLog } from '../../core/views/iteration-files.ts';
import type { IterationAnswer, RunsAnswer } from '../../core/views/web-api.ts';
import { DiffTab } from './diff-tab.tsx';
import { ActivityTab, GuardTab, MetaTab, PromptTab } from './iteration-tabs.tsx';
import { LogView } from './log-view.tsx';
import { SummaryTab } from './summary-tab.tsx';
import { listPhases } from '../current.ts';
import { Badge, Empty, Failed, Loading, OutcomeBadge } from '../parts.tsx';
import { hrefOfNode, hrefOfTab, tabNames } from '../routes.ts';
import type { IterationRoute, TabName } from '../routes.ts';
import { filePath } from '../source.ts';
import type { Failure } from '../source.ts';
import { isMissing, useIteration, useRuns, useStatus, useTitles } from '../store.ts';
import { TreeDiffTab } from '../tree/tree-diff-tab.tsx';
import { Line } from '../words.tsx';

const tabTitles: Readonly<Record<TabName, string>> = {
  summary: 'Summary',
  prompt: 'Prompt',
  activity: 'Activity',
  guard: 'Guard',
  diff: 'Diff',
  tree: 'Tree',
  log: 'Raw log',
  meta: 'Meta',
};

export function IterationPage({ route }: { readonly route: IterationRoute }): VNode {
  const { run, iter, tab } = route;
  const { value, failure } = useIteration(run, iter);
  const { value: runs } = useRuns();
  const tabs = useRef<HTMLElement>(null);
  // On a narrow screen there are more tabs than room.
  useEffect(() => {
    tabs.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [tab, value === null]);
  if (value === null) return failure === null ? <Loading /> : <NoIteration failure={failure} />;
  return (
    <div class="iteration-page">
      <Head route={route} answer={value} runs={runs} />
      <nav class="tabs" ref={tabs} aria-label="Parts of the iteration">
        {tabNames.map((name) => (
          <a key={name} href={hrefOfTab(route, name)} aria-current={name === tab ? 'page' : undefined}>
            {tabTitles[name]}
          </a>
        ))}
      </nav>
      <div class="tab-body" key={`${run}/${iter}/${tab}`}>
        <Tab route={route} answer={value} />
      </div>
    </div>
  );
}

function NoIteration({ failure }: { readonly failure: Failure }): VNode {
  if (!isMissing(failure)) return <Failed failure={failure} />;
  return (
    <Empty title="There is no such iteration here">
      It may be in another project, or its log was cleared. <a href="#/iterations">All iterations</a>
    </Empty>
  );
}

function Tab({ route, answer }: { readonly route: IterationRoute; readonly answer: IterationAnswer }): VNode {
  const { run, iter, tab } = route;
  switch (tab) {
    case 'summary':
      return <SummaryTab route={route} answer={answer} />;
    case 'prompt':
      return <PromptTab path={filePath(run, iter, 'prompt.md')} isRunning={answer.is_running} />;
    case 'activity':
      return <ActivityTab path={filePath(run, iter, 'events.jsonl')} isRunning={answer.is_running} />;
    case 'guard':
      return <GuardTab route={route} answer={answer} />;
    case 'diff':
      return <DiffTab path={filePath(run, iter, 'diff.patch')} answer={answer} />;
    case 'tree':
      return <TreeDiffTab run={run} iter={iter} isRunning={answer.is_running} />;
    case 'log':
      return (
        <LogView
          path={filePath(run, iter, lastSessionLog(answer.files))}
          label="Output of the agent"
          empty="The agent printed nothing"
          line={route.line ?? null}
        />
      );
    case 'meta':
      return <MetaTab answer={answer} />;
  }
}

function neighbours(
  runs: RunsAnswer | null,
  { run, iter }: IterationRoute,
): readonly [number | null, number | null] {
  const rows = runs?.runs.find(({ run_id }) => run_id === run)?.rows ?? [];
  const at = rows.findIndex((row) => row.iter === iter);
  return at === -1 ? [null, null] : [rows[at - 1]?.iter ?? null, rows[at + 1]?.iter ?? null];
}

function Head({
  route,
  answer,
  runs,
}: {
  route: IterationRoute;
  answer: IterationAnswer;
  runs: RunsAnswer | null;
}): VNode {
  const [previous, next] = neighbours(runs, route);
  const { value: status } = useStatus();
  const titleOf = useTitles();
  const current = status?.iteration ?? null;
  const open = current?.run_id === route.run && current.iter === route.iter ? current : null;
  const node = answer.meta ?? open;
  return (
    <header class="page-head">
      <h1>
        Iteration <span class="number">{route.iter}</span>
      </h1>
      {node !== null && (
        <a href={hrefOfNode(node.node_id)} class="head-node" title={node.node_path}>
          <Line text={titleOf(node.node_id)} />
        </a>
      )}
      {answer.is_running && open !== null ? (
        <OpenBadge phase={open.phase} isWaiting={status?.situation.state === 'waiting'} />
      ) : (
        <OutcomeBadge of={answer.meta ?? { status: null, guard: null, is_running: answer.is_running }} />
      )}
      <span class="spring" />
      <span class="muted head-run">
        <Line text={`run ${route.run}`} max={80} />
      </span>
      <Step name="previous" sign="‹" route={route} iter={previous} />
      <Step name="next" sign="›" route={route} iter={next} />
    </header>
  );
}

function OpenBadge({ phase, isWaiting }: { readonly phase: string; readonly isWaiting: boolean }): VNode {
  if (isWaiting) return <Badge name="waiting" />;
  const name = listPhases(phase).find(({ is }) => is === 'now')?.name;
  return <Badge name="running" label={`running: ${name}`} />;
}

interface StepProps {
  readonly name: 'previous' | 'next';
  readonly sign: string;
  readonly route: IterationRoute;
  readonly iter: number | null;
}

function Step({ name, sign, route, iter }: StepProps): VNode {
  if (iter === null) {
    return (
      <button type="button" disabled aria-label={`${name} iteration`}>
        {sign}
      </button>
    );
  }
  return (
    <a
      class="button"
      href={hrefOfTab({ ...route, iter }, route.tab)}
      data-key={name}
      aria-label={`${name} iteration`}
    >
      {sign}
    </a>
  );
}
