/** The first card of *Now*: is it working, waiting or stopped, and why; the command that helps; the task; the phases of its iteration. */
import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { findNode } from '../core/tree/tree-walk.ts';
import type { OpenIteration } from '../core/views/overview.ts';
import type { StatusAnswer } from '../core/views/web-api.ts';
import { nowMs } from './clock.ts';
import { Hint } from './copy.tsx';
import { currentNodeOf, listPhases } from './current.ts';
import { renderAge, renderClock, renderMoment, renderMs, renderTime } from './format.ts';
import { renderSoFar, usageOf } from './iteration/activity.ts';
import { Fact } from './parts.tsx';
import { hrefOf, hrefOfNode } from './routes.ts';
import { source, useConfig, useTree } from './store.ts';
import { Line, Words } from './words.tsx';

export interface EventLines {
  readonly lines: readonly string[];
  /** Whether the beginning of the file is among them. */
  readonly isWhole: boolean;
}

export function StateCard({
  status,
  events,
}: {
  readonly status: StatusAnswer;
  readonly events: EventLines;
}): VNode {
  const { situation, iteration, runner } = status;
  const { state, title, sentence } = situation;
  return (
    <section class={`card now-card is-${state}`} data-state={state}>
      <div class="now-head">
        <span class={`lamp is-${state}`} aria-hidden="true" />
        <h1>{title}</h1>
        <Since status={status} />
        <span class="spring" />
        {iteration !== null && (
          <a
            href={hrefOf({ page: 'iteration', run: iteration.run_id, iter: iteration.iter, tab: 'activity' })}
          >
            iteration {iteration.iter}
          </a>
        )}
      </div>
      <p class="now-sentence">
        <Words text={sentence} max={4000} />
      </p>
      <ToDo status={status} />
      <CurrentNode status={status} />
      {iteration !== null && runner !== null && (
        <>
          <Phases phase={iteration.phase} />
          <NowFacts iteration={iteration} agent={status.agent} events={events} />
        </>
      )}
    </section>
  );
}

function Since({ status }: { readonly status: StatusAnswer }): VNode | null {
  const { since, until } = status.situation;
  if (until !== null) {
    const leftMs = Date.parse(until) - nowMs.value;
    return (
      <span class="now-until">
        until{' '}
        <time dateTime={until} title={renderMoment(until)}>
          {renderTime(until)}
        </time>
        {source.exported === null && leftMs > 0 && <span class="number">, {renderClock(leftMs)} to go</span>}
      </span>
    );
  }
  if (since === null || status.runner !== null) return null;
  return (
    <time class="muted" dateTime={since} title={renderMoment(since)}>
      {source.exported === null ? renderAge(since, nowMs.value) : renderMoment(since)}
    </time>
  );
}

function ToDo({ status: { situation } }: { readonly status: StatusAnswer }): VNode {
  const { hint, commands, state } = situation;
  return (
    <div class="now-todo" role="group" aria-label="What to do">
      {hint === '' ? (
        <p class="muted">Nothing to do: it {state === 'waiting' ? 'tries again' : 'goes on'} by itself.</p>
      ) : (
        <Hint text={hint} commands={commands} />
      )}
    </div>
  );
}

/** With nothing to do, the goal of all of it. */
function CurrentNode({ status }: { readonly status: StatusAnswer }): VNode | null {
  const { value: tree } = useTree();
  const id = currentNodeOf(status) ?? tree?.id ?? null;
  if (id === null) return null;
  const node = tree === null ? null : findNode(tree, id);
  const { state } = status.situation;
  const name = state === 'complete' ? 'Goal' : state === 'ready' || state === 'paused' ? 'Next task' : 'Task';
  return (
    <div class="now-node">
      <span class="muted">{name}</span>
      <a class="now-title" href={hrefOfNode(id)}>
        <Words text={node?.title ?? id} max={300} />
      </a>
      <span class="muted mono">
        <Line text={status.iteration?.node_path ?? id} />
      </span>
    </div>
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
