/** *Now*: is it working, waiting or stopped, and why; what to do; how far it is; what happened last; what is asked; what is done, live. */
import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { chipOf } from '../core/views/outcome-chip.ts';
import type { StatusAnswer } from '../core/views/web-api.ts';
import { ActivityList } from './iteration/activity-list.tsx';
import { listActivity } from './iteration/activity.ts';
import { nowMs } from './clock.ts';
import { renderAge, renderMoment } from './format.ts';
import { LogView } from './iteration/log-view.tsx';
import { LimitsCard, ProgressCard } from './now-cards.tsx';
import { ElsewhereCard, QuestionsCard, ResultCard } from './now-result.tsx';
import { StateCard } from './now-state.tsx';
import type { EventLines } from './now-state.tsx';
import { Card, Empty, Failed, Loading, OutcomeBadge } from './parts.tsx';
import { hrefOf } from './routes.ts';
import { filePath } from './source.ts';
import { source, useStatus, useTitles } from './store.ts';
import { LastFailure } from './iteration/what-failed.tsx';
import { useLog } from './iteration/use-log.ts';
import { Line } from './words.tsx';

export function NowPage(): VNode {
  const { value: status, failure } = useStatus();
  const place = status?.iteration ?? status?.last.at(-1) ?? null;
  const events = useEventLines(place);
  if (status === null) return failure === null ? <Loading /> : <Failed failure={failure} />;
  if (status.situation.state === 'fresh') {
    return (
      <div class="now is-fresh">
        <StateCard status={status} events={events} />
        <ElsewhereCard />
      </div>
    );
  }
  const last = status.last.at(-1);
  const isRest = status.runner === null && status.iteration === null;
  const hasFailed = place !== null && isRest && last !== undefined && chipOf(last).tone === 'bad';
  return (
    <div class={hasFailed ? 'now has-failed' : 'now'}>
      <StateCard status={status} events={events} />
      <ProgressCard status={status} />
      {hasFailed && <LastFailure place={place} />}
      <div class="now-side">
        <LastCard status={status} />
        {status.questions.length > 0 && <QuestionsCard questions={status.questions} />}
        <LimitsCard status={status} />
      </div>
      <Doing status={status} place={place} events={events} />
    </div>
  );
}

/** What agent or guard do now, or did last; of a complete run, what it made. */
function Doing({
  status,
  place,
  events,
}: {
  readonly status: StatusAnswer;
  readonly place: IterationRef | null;
  readonly events: EventLines;
}): VNode {
  const { state } = status.situation;
  if (place === null) {
    return (
      <Card title="Activity">
        {state === 'stopped' || state === 'crashed' ? (
          <Empty title="No session has begun yet">
            <code>runner loop</code> begins the first one.
          </Empty>
        ) : (
          <Empty title="Nothing has happened yet">This page updates by itself.</Empty>
        )}
      </Card>
    );
  }
  if (state === 'complete') return <ResultCard run={place.run_id} />;
  const isLive = status.iteration !== null && status.runner !== null;
  if (isLive && status.iteration.phase === 'guard') return <GuardCard place={place} />;
  return <ActivityCard place={place} lines={events.lines} isLive={isLive} />;
}

function GuardCard({ place: { run_id: run, iter } }: { readonly place: IterationRef }): VNode {
  const href = hrefOf({ page: 'iteration', run, iter, tab: 'guard' });
  return (
    <Card title="Guard output, live" extra={<a href={href}>open</a>}>
      <LogView
        path={filePath(run, iter, 'guard.log')}
        label="Output of the guard"
        empty="The guard has printed nothing yet"
      />
    </Card>
  );
}

interface IterationRef {
  readonly run_id: string;
  readonly iter: number;
}

/** The lines of events.jsonl unchanged; of a long file only the end. */
function useEventLines(place: IterationRef | null): EventLines {
  const { lines, log } = useLog(place === null ? null : filePath(place.run_id, place.iter, 'events.jsonl'));
  const isWhole = log.start === 0;
  return useMemo(
    () => ({ lines: lines.map((line) => line.map((span) => span.text).join('')), isWhole }),
    [lines, isWhole],
  );
}

const shownMax = 200;

interface ActivityCardProps {
  readonly place: IterationRef;
  readonly lines: readonly string[];
  readonly isLive: boolean;
}

function ActivityCard({ place, lines, isLive }: ActivityCardProps): VNode {
  const { run_id: run, iter } = place;
  const items = useMemo(() => listActivity(lines.slice(-4 * shownMax)).slice(-shownMax), [lines]);
  const href = hrefOf({ page: 'iteration', run, iter, tab: 'activity' });
  return (
    <Card
      title={isLive ? 'Activity, newest first' : `Last activity, iteration ${iter}, newest first`}
      extra={<a href={href}>all</a>}
    >
      <div class="activity-box" role="log" aria-label="Activity of the agent, newest first" tabIndex={0}>
        {items.length === 0 ? (
          <Empty title={isLive ? 'The agent has not said anything yet' : 'This session left no activity'} />
        ) : (
          <ActivityList items={items.toReversed()} />
        )}
      </div>
    </Card>
  );
}

function LastCard({ status }: { readonly status: StatusAnswer }): VNode {
  const titleOf = useTitles();
  return (
    <Card title="Last iterations" extra={<a href="#/iterations">all</a>}>
      {status.last.length === 0 ? (
        <Empty title="None yet" />
      ) : (
        <ol class="last">
          {status.last.toReversed().map((row) => (
            <li key={row.iter}>
              <a href={hrefOf({ page: 'iteration', run: row.run_id, iter: row.iter, tab: 'summary' })}>
                <span class="number">{row.iter}</span> <Line text={titleOf(row.node_id)} />
              </a>
              <OutcomeBadge of={row} />
              <time class="muted" dateTime={row.ended_at} title={renderMoment(row.ended_at)}>
                {source.exported === null ? renderAge(row.ended_at, nowMs.value) : renderMoment(row.ended_at)}
              </time>
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}
