/** *Now*: what is running, the progress of the tree, what is left, and what the agent does, live. */
import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { findNode } from '../core/tree/tree-walk.ts';
import type { OpenIteration } from '../core/views/overview.ts';
import type { StatusAnswer } from '../core/views/web-api.ts';
import { ActivityList } from './iteration/activity-list.tsx';
import { parseActivity, renderSoFar, usageOf } from './iteration/activity.ts';
import { nowMs } from './clock.ts';
import { currentNodeOf, describeNow, listPhases } from './current.ts';
import { renderAge, renderClock, renderMoment, renderMs } from './format.ts';
import { LimitsCard, ProgressCard } from './now-cards.tsx';
import { Badge, Card, Empty, Fact, Failed, Loading } from './parts.tsx';
import { hrefOf, hrefOfNode } from './routes.ts';
import { filePath } from './source.ts';
import { source, useConfig, useStatus, useTree } from './store.ts';
import { useLog } from './iteration/use-log.ts';
import { Line, Prose, Words } from './words.tsx';

export function NowPage(): VNode {
  const { value: status, failure } = useStatus();
  const place = status?.iteration ?? status?.last.at(-1) ?? null;
  const events = useEventLines(place);
  if (status === null) return failure === null ? <Loading /> : <Failed failure={failure} />;
  return (
    <div class="now">
      <div class="now-main">
        <NowCard status={status} events={events} />
        {place === null ? (
          <Card title="Activity">
            <Empty title="Nothing has happened yet">
              Begin with <code>runner start</code>, then <code>runner loop</code>. This page follows by
              itself.
            </Empty>
          </Card>
        ) : (
          <ActivityCard
            place={place}
            lines={events.lines}
            isLive={status.iteration !== null && status.runner !== null}
          />
        )}
      </div>
      <div class="now-side">
        <ProgressCard status={status} />
        <LimitsCard status={status} />
        <LastCard status={status} />
        {status.questions.length > 0 && <QuestionsCard questions={status.questions} />}
      </div>
    </div>
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

interface EventLines {
  readonly lines: readonly string[];
  /** Whether the beginning of the file is among them. */
  readonly isWhole: boolean;
}

function NowCard({ status, events }: { readonly status: StatusAnswer; readonly events: EventLines }): VNode {
  const now = describeNow(status);
  const { value: tree } = useTree();
  // With nothing to do, the goal of all of it.
  const id = currentNodeOf(status) ?? tree?.id ?? null;
  const node = tree === null || id === null ? null : findNode(tree, id);
  const { iteration, runner } = status;
  return (
    <section class={`card now-card is-${now.name}`}>
      <div class="now-head">
        <span class={`lamp is-${now.name}`} aria-hidden="true" />
        <h1>{now.text}</h1>
        {iteration !== null && (
          <a
            href={hrefOf({ page: 'iteration', run: iteration.run_id, iter: iteration.iter, tab: 'activity' })}
          >
            iteration {iteration.iter}
          </a>
        )}
        <span class="muted now-advice">
          <Line text={now.advice} />
        </span>
      </div>
      {id !== null && (
        <div class="now-node">
          <a class="now-title" href={hrefOfNode(id)}>
            <Words text={node?.title ?? id} max={300} />
          </a>
          <span class="muted mono">
            <Line text={iteration?.node_path ?? id} />
          </span>
        </div>
      )}
      {iteration !== null && <Phases phase={iteration.phase} />}
      {iteration !== null && runner !== null ? (
        <NowFacts iteration={iteration} agent={status.agent} events={events} />
      ) : (
        node !== null && <Prose text={node.goal} max={1000} />
      )}
    </section>
  );
}

function Phases({ phase }: { readonly phase: string }): VNode {
  return (
    <ol class="phases" aria-label="Phases of the iteration">
      {listPhases(phase).map(({ name, is }) => (
        <li key={name} class={`phase is-${is}`} aria-current={is === 'now' ? 'step' : undefined}>
          {name}
        </li>
      ))}
    </ol>
  );
}

interface NowFactsProps {
  readonly iteration: OpenIteration;
  readonly agent: string;
  readonly events: EventLines;
}

function NowFacts({ iteration, agent, events }: NowFactsProps): VNode {
  const { value: config } = useConfig();
  const budget = config?.settings.find(({ key }) => key === 'iteration_timeout_secs')?.value;
  const budgetMs = typeof budget === 'number' ? budget * 1000 : null;
  const elapsedMs = nowMs.value - Date.parse(iteration.started_at);
  const { tokens, cost } = useMemo(() => renderSoFar(usageOf(events.lines), events.isWhole), [events]);
  return (
    <dl class="facts">
      <Fact name="agent">
        <Words text={agent} max={60} />
      </Fact>
      <Fact name="elapsed">
        <span class="number">{renderClock(elapsedMs)}</span>
        {budgetMs !== null && <span class="muted"> of {renderMs(budgetMs)}</span>}
      </Fact>
      <Fact name="tokens">
        <span class="number">{tokens}</span>
      </Fact>
      <Fact name="cost">
        <span class="number">{cost}</span>
      </Fact>
    </dl>
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
  const items = useMemo(
    () =>
      lines
        .slice(-4 * shownMax)
        .flatMap((line) => parseActivity(line) ?? [])
        .slice(-shownMax),
    [lines],
  );
  const href = hrefOf({ page: 'iteration', run, iter, tab: 'activity' });
  return (
    <Card title={isLive ? 'Activity' : `Last activity, iteration ${iter}`} extra={<a href={href}>all</a>}>
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
  return (
    <Card title="Last iterations" extra={<a href="#/iterations">all</a>}>
      {status.last.length === 0 ? (
        <Empty title="None yet" />
      ) : (
        <ol class="last">
          {status.last.toReversed().map((row) => (
            <li key={row.iter}>
              <a href={hrefOf({ page: 'iteration', run: row.run_id, iter: row.iter, tab: 'summary' })}>
                <span class="number">{row.iter}</span> <Line text={row.node_id} />
              </a>
              <Badge name={row.status} />
              <span class="sr-only">guard</span>
              <Badge name={row.guard} />
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

function QuestionsCard({ questions }: { readonly questions: readonly string[] }): VNode {
  return (
    <Card title="Questions for you" extra={<a href="#/memory">all</a>}>
      <ul class="questions">
        {questions.slice(-5).map((question, index) => (
          <li key={index}>
            <Words text={question} max={300} />
          </li>
        ))}
      </ul>
    </Card>
  );
}
