/** The tabs of an iteration that are short: summary, prompt, activity, meta. */
import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { IterationMeta } from '../../core/agents/session.ts';
import type { IterationAnswer, IterationFileName } from '../../core/views/web-api.ts';
import { ActivityList } from './activity-list.tsx';
import { parseActivity } from './activity.ts';
import type { ActivityItem } from './activity.ts';
import { plural, renderBytes, renderCount, renderDollars, renderMoment, renderMs } from '../format.ts';
import { Bar, Card, Empty, Fact, Failed, Loading } from '../parts.tsx';
import { hrefOf } from '../routes.ts';
import type { Route, TabName } from '../routes.ts';
import { filePath } from '../source.ts';
import { source } from '../store.ts';
import { useLog } from './use-log.ts';
import { useText } from './use-text.ts';
import { Prose, Words } from '../words.tsx';

type IterationRoute = Extract<Route, { readonly page: 'iteration' }>;

export function SummaryTab({ route, answer }: { route: IterationRoute; answer: IterationAnswer }): VNode {
  const { meta } = answer;
  return (
    <div class="summary-tab">
      <Card title="What the agent says">
        <Said output={answer.output} isRunning={answer.is_running} />
      </Card>
      {meta !== null && <Outcome meta={meta} />}
      {meta !== null && meta.notes.length > 0 && (
        <Card title="What the runner put in order">
          <ul>
            {meta.notes.slice(0, 200).map((note, index) => (
              <li key={index}>
                <Words text={note} />
              </li>
            ))}
          </ul>
        </Card>
      )}
      <Card title="Files">
        <ul class="files">
          {answer.files.map(({ name, bytes }) => (
            <li key={name}>
              <FileName route={route} name={name} /> <span class="muted number">{renderBytes(bytes)}</span>
            </li>
          ))}
        </ul>
      </Card>
    </div>
  );
}

const tabOfFile: Readonly<Record<string, TabName>> = {
  'prompt.md': 'prompt',
  'events.jsonl': 'activity',
  'guard.log': 'guard',
  'diff.patch': 'diff',
  'tree.before.json': 'tree',
  'tree.after.json': 'tree',
  'executor.log': 'log',
  'meta.json': 'meta',
  'output.json': 'meta',
};

/** Those that no tab shows, as the server sends them. */
const plainFiles: readonly IterationFileName[] = [
  'tree.agent.json',
  'guard.clone.log',
  'guard.counterfactual.log',
  'setup.log',
  'review.log',
  'review.json',
  'review.patch',
  'runner_error.log',
  'agent_error.log',
];

function FileName({ route, name }: { readonly route: IterationRoute; readonly name: string }): VNode {
  const tab = tabOfFile[name];
  if (tab !== undefined) return <a href={hrefOf({ ...route, tab })}>{name}</a>;
  const file = source.exported === null ? plainFiles.find((each) => each === name) : undefined;
  return file === undefined ? (
    <Words text={name} />
  ) : (
    <a href={filePath(route.run, route.iter, file)}>{file}</a>
  );
}

function Said({ output, isRunning }: { readonly output: unknown; readonly isRunning: boolean }): VNode {
  const summary = textOf(output, 'summary');
  if (summary !== null) return <Prose text={summary} />;
  if (output !== null) return <Prose text={JSON.stringify(output, null, 2)} />;
  return <Empty title={isRunning ? 'Still at work' : 'The session left no answer'} />;
}

function textOf(value: unknown, key: string): string | null {
  if (typeof value !== 'object' || value === null) return null;
  const found = (value as Readonly<Record<string, unknown>>)[key];
  return typeof found === 'string' ? found : null;
}

function Outcome({ meta }: { readonly meta: IterationMeta }): VNode {
  const { duration_ms: time } = meta;
  const parts = [
    { name: 'agent', value: time.agent },
    { name: 'guard', value: time.guard },
    { name: 'review', value: time.review },
  ];
  const agent = [meta.agent.name, meta.agent.version, meta.agent.model]
    .filter((part) => part !== null)
    .join(' · ');
  return (
    <Card title="Outcome">
      <Bar
        parts={parts}
        total={time.total}
        label={`agent ${renderMs(time.agent)}, guard ${renderMs(time.guard)}`}
      />
      <dl class="facts">
        <Fact name="agent">
          <Words text={agent} max={200} />
        </Fact>
        <Fact name="mode">{meta.mode}</Fact>
        <Fact name="total">{renderMs(time.total)}</Fact>
        <Fact name="agent time">{renderMs(time.agent)}</Fact>
        <Fact name="guard time">{renderMs(time.guard)}</Fact>
        {time.review > 0 && <Fact name="review time">{renderMs(time.review)}</Fact>}
        {meta.waited_secs > 0 && <Fact name="waited">{renderMs(meta.waited_secs * 1000)}</Fact>}
        <Fact name="tokens">{meta.tokens === null ? 'not reported' : renderCount(meta.tokens)}</Fact>
        <Fact name="cost">{meta.cost_usd === null ? 'not reported' : renderDollars(meta.cost_usd)}</Fact>
        <Fact name="changed">{plural(meta.changed_files, 'file')}</Fact>
        {meta.review !== null && <Fact name="review">{meta.review.verdict ?? 'came to no verdict'}</Fact>}
        {meta.failure !== null && <Fact name="failure">{meta.failure}</Fact>}
        {meta.recovered && <Fact name="recovered">finished after a crash</Fact>}
        <Fact name="started">{renderMoment(meta.started_at)}</Fact>
        <Fact name="ended">{renderMoment(meta.ended_at)}</Fact>
        <Fact name="commit">
          <code>
            <Words text={meta.commit} max={64} />
          </code>
        </Fact>
      </dl>
    </Card>
  );
}

export function PromptTab({
  path,
  isRunning,
}: {
  readonly path: string;
  readonly isRunning: boolean;
}): VNode {
  const { text, left, failure } = useText(path);
  if (failure?.code === 'not_found') {
    return (
      <Empty title={isRunning ? 'No prompt yet' : 'No prompt was kept'}>
        {isRunning ? 'It is written before the agent begins.' : 'The iteration ended before its agent began.'}
      </Empty>
    );
  }
  if (failure !== null) return <Failed failure={failure} />;
  if (text === null) return <Loading />;
  return (
    <div class="text-page" tabIndex={0} role="region" aria-label="Prompt">
      <Prose text={text} max={400_000} />
      {left > 0 && <p class="muted">{renderBytes(left)} more</p>}
    </div>
  );
}

const kindFilters = [
  ['all', 'everything', (): boolean => true],
  ['talk', 'messages', ({ kind }: ActivityItem): boolean => kind === 'message' || kind === 'answer'],
  ['tools', 'tools', ({ kind }: ActivityItem): boolean => kind === 'tool_call' || kind === 'tool_result'],
  ['edits', 'edits', ({ kind }: ActivityItem): boolean => kind === 'file_edit'],
  ['bad', 'problems', ({ isBad }: ActivityItem): boolean => isBad],
] as const;

const shownStep = 500;

export function ActivityTab({
  path,
  isRunning,
}: {
  readonly path: string;
  readonly isRunning: boolean;
}): VNode {
  const { lines, log, isLoading, failure, loadEarlier } = useLog(path);
  const [filter, setFilter] = useState<string>('all');
  const [shown, setShown] = useState(shownStep);
  const items = useMemo(
    () => lines.flatMap((line) => parseActivity(line.map((span) => span.text).join('')) ?? []),
    [lines],
  );
  const matches = kindFilters.find(([name]) => name === filter)?.[2] ?? ((): boolean => true);
  const wanted = items.filter(matches);
  if (failure !== null) return <Failed failure={failure} />;
  if (isLoading) return <Loading />;
  const earlier = (): void => {
    if (wanted.length <= shown) loadEarlier();
    setShown(shown + shownStep);
  };
  return (
    <div class="activity-tab">
      <div class="log-bar" role="group" aria-label="Kinds of activity">
        {kindFilters.map(([name, label]) => (
          <button key={name} type="button" aria-pressed={filter === name} onClick={() => setFilter(name)}>
            {label}
          </button>
        ))}
        <span class="muted">{plural(wanted.length, 'line')}</span>
      </div>
      <div class="text-page" role="log" aria-label="Activity" tabIndex={0}>
        {(wanted.length > shown || log.start > 0) && (
          <button type="button" onClick={earlier}>
            Load earlier
          </button>
        )}
        {wanted.length === 0 ? (
          <Empty title={isRunning ? 'Nothing yet' : 'No activity was recorded'}>
            {isRunning ? 'It appears here as the agent works.' : 'The raw log holds what the agent printed.'}
          </Empty>
        ) : (
          <ActivityList items={wanted.slice(-shown)} />
        )}
      </div>
    </div>
  );
}

export function MetaTab({ answer }: { readonly answer: IterationAnswer }): VNode {
  return (
    <div class="text-page" tabIndex={0} role="region" aria-label="Meta">
      <h2>meta.json</h2>
      {answer.meta === null ? (
        <Empty title="Written when the iteration ends" />
      ) : (
        <Json value={answer.meta} />
      )}
      <h2>output.json</h2>
      {answer.output === null ? <Empty title="The session left no answer" /> : <Json value={answer.output} />}
    </div>
  );
}

function Json({ value }: { readonly value: unknown }): VNode {
  return (
    <pre>
      <Words text={JSON.stringify(value, null, 2)} max={200_000} />
    </pre>
  );
}
