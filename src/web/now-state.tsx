/** The first card of *Now*: is it working, waiting or stopped, and why; the command that helps; the task; the phases of its iteration. */
import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { findNode } from '../core/tree/tree-walk.ts';
import type { TreeNode } from '../core/types.ts';
import type { StatusAnswer } from '../core/views/web-api.ts';
import { nowMs } from './clock.ts';
import { Hint } from './copy.tsx';
import { currentNodeOf, listPhases, workedMs } from './current.ts';
import { renderAge, renderClock, renderMoment, renderTime } from './format.ts';
import { renderSoFar, usageOf } from './iteration/activity.ts';
import { Card, Fact } from './parts.tsx';
import { hrefOf, hrefOfNode } from './routes.ts';
import { source, useConfig, useProject, useStatus, useTree } from './store.ts';
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
  const { state, title, details } = situation;
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
        <Words text={sentenceOf(status)} max={4000} />
      </p>
      {details.length > 0 && (
        <ul class="now-details muted mono">
          {details.map((line, index) => (
            <li key={index}>
              <Words text={line} max={1000} />
            </li>
          ))}
        </ul>
      )}
      <ToDo status={status} />
      <CurrentNode status={status} />
      {iteration !== null && runner !== null && (
        <>
          <Phases phase={iteration.phase} />
          <NowFacts status={status} events={events} />
        </>
      )}
    </section>
  );
}

/** An iteration that is open, outside of *Now*: what goes on, or why nothing does. */
export function OpenCard({ run, iter }: { readonly run: string; readonly iter: number }): VNode | null {
  const { value: status } = useStatus();
  const open = status?.iteration ?? null;
  if (status === null || open === null || open.run_id !== run || open.iter !== iter) return null;
  return (
    <Card title={status.situation.title}>
      <p class="now-sentence">
        <Words text={sentenceOf(status)} max={4000} />
      </p>
      <ToDo status={status} />
      {status.runner !== null && <Phases phase={open.phase} />}
    </Card>
  );
}

/** The time of day is that of the person who looks. */
function sentenceOf({ situation: { sentence, until } }: StatusAnswer): string {
  return until === null ? sentence : `${sentence}; next try at ${renderTime(until).slice(0, 5)}`;
}

function Since({ status }: { readonly status: StatusAnswer }): VNode | null {
  const { since, until } = status.situation;
  if (until !== null) {
    const leftMs = Date.parse(until) - nowMs.value;
    return (
      <time class="now-until number" dateTime={until} title={renderMoment(until)}>
        {source.exported === null && leftMs > 0 ? `${renderClock(leftMs)} to go` : ''}
      </time>
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
  const { hint, commands, state, is_pausing } = situation;
  const next = state === 'waiting' ? 'tries again' : 'goes on';
  const isComplete = state === 'complete';
  return (
    <div class="now-todo" role="group" aria-label="What to do">
      {hint === '' ? (
        <p class="muted">
          {is_pausing ? (
            <>
              Then <code>runner loop</code> goes on.
            </>
          ) : (
            `Nothing to do: it ${next} by itself.`
          )}
        </p>
      ) : (
        <Hint text={hint} commands={commands} />
      )}
      {isComplete && (
        <p class="muted">
          It checks the merged files and makes one commit on the branch that the run came from.
        </p>
      )}
    </div>
  );
}

/** With nothing to do, the goal of all of it. */
function CurrentNode({ status }: { readonly status: StatusAnswer }): VNode | null {
  const { value: tree } = useTree();
  const { value: project } = useProject();
  const id = currentNodeOf(status) ?? tree?.id ?? null;
  if (id === null || status.situation.state === 'fresh') return null;
  const node = tree === null ? null : findNode(tree, id);
  const { state } = status.situation;
  const isNow = status.runner !== null || state === 'stuck';
  const name = state === 'complete' ? 'Goal' : isNow ? 'Task' : 'Next task';
  return (
    <div class="now-node">
      <span class="muted">{name}</span>
      <a class="now-title" href={hrefOfNode(id)}>
        <Words text={(id === tree?.id && project?.goal_title) || (node?.title ?? id)} max={300} />
      </a>
      <span class="muted mono">
        <Line text={id} />
      </span>
      {state !== 'complete' && node !== null && <span class="muted">{renderAttempt(node)}</span>}
    </div>
  );
}

/** Which attempt it is, or will be. */
function renderAttempt({ passes, attempts, max_attempts, children }: TreeNode): string {
  if (passes || children.length > 0 || attempts >= max_attempts) return '';
  return `attempt ${attempts + 1} of ${max_attempts}`;
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
  readonly status: StatusAnswer;
  readonly events: EventLines;
}

function NowFacts({ status, events }: NowFactsProps): VNode {
  const { agent } = status;
  const { value: config } = useConfig();
  const budget = config?.settings.find(({ key }) => key === 'iteration_timeout_secs')?.value;
  const budgetMs = typeof budget === 'number' ? budget * 1000 : null;
  const { tokens, cost } = useMemo(() => renderSoFar(usageOf(events.lines), events.isWhole), [events]);
  return (
    <dl class="facts">
      <Fact name="agent">
        <Words text={agent} max={60} />
      </Fact>
      <Fact name="elapsed">
        <span class="number">{renderClock(workedMs(status, nowMs.value))}</span>
        {budgetMs !== null && <span class="muted"> of {renderClock(budgetMs)}</span>}
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
