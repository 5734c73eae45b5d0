/** The tabs of an iteration that are short: prompt, activity, guard, meta. */
import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { chipOf } from '../../core/views/outcome-chip.ts';
import type { IterationAnswer } from '../../core/views/web-api.ts';
import { ActivityList } from './activity-list.tsx';
import { listActivity } from './activity.ts';
import type { ActivityItem } from './activity.ts';
import { plural, renderBytes, renderMs } from '../format.ts';
import { MarkdownOrText } from '../markdown-view.tsx';
import { Empty, Failed, Loading } from '../parts.tsx';
import type { IterationRoute } from '../routes.ts';
import { filePath } from '../source.ts';
import { guardBytes, guardLogs, hasNotRun } from './guard-logs.ts';
import { textOf } from './log-rows.ts';
import { LogView } from './log-view.tsx';
import { useLog } from './use-log.ts';
import { useText } from './use-text.ts';
import { Words } from '../words.tsx';

/** Its run in place, and those in clones where there were any. */
export function GuardTab({ route, answer }: { route: IterationRoute; answer: IterationAnswer }): VNode {
  const asked = guardLogs.find(({ file }) => file === route.file)?.file ?? 'guard.log';
  const [file, setFile] = useState<(typeof guardLogs)[number]['file']>(asked);
  const there = guardLogs.filter((log) => answer.files.some(({ name }) => name === log.file));
  return (
    <>
      {there.length > 1 && (
        <div class="log-bar" role="group" aria-label="Runs of the guard">
          {there.map((log) => (
            <button
              key={log.file}
              type="button"
              aria-pressed={file === log.file}
              onClick={() => setFile(log.file)}
            >
              {log.label}
            </button>
          ))}
        </div>
      )}
      <LogView
        key={file}
        path={filePath(route.run, route.iter, file)}
        label="Guard log"
        empty={whyEmpty(answer)}
        about={file === 'guard.log' ? renderEnd(answer) : ''}
        hasErrors
        hasFailed={answer.meta?.guard === 'fail'}
        line={file === asked ? (route.line ?? null) : null}
        isGrowing={answer.is_running}
        firstBytes={guardBytes}
      />
    </>
  );
}

function whyEmpty({ meta, is_running }: IterationAnswer): string {
  if (is_running) return 'The guard has not run yet';
  if (meta === null) return 'The guard had printed nothing when the runner ended';
  return hasNotRun(meta) ? `The guard did not run: ${chipOf(meta).label}` : 'The guard printed nothing';
}

function renderEnd({ meta }: IterationAnswer): string {
  if (meta === null || hasNotRun(meta)) return '';
  const { guard: code } = meta.exit_codes;
  return [...(code === null ? [] : [`exit code ${code}`]), renderMs(meta.duration_ms.guard)].join(' · ');
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
      <MarkdownOrText text={text} max={400_000} />
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
  const items = useMemo(() => listActivity(lines.map(textOf)), [lines]);
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
