/** Why an iteration failed: the error that the runner noted, and the first one that the guard, or an agent that failed, printed. */
import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { failureOf, isReport } from '../../core/views/failure.ts';
import type { IterationFileName } from '../../core/views/iteration-files.ts';
import type { IterationAnswer } from '../../core/views/web-api.ts';
import { Card, Loading } from '../parts.tsx';
import { hrefOfTab } from '../routes.ts';
import type { IterationRoute, TabName } from '../routes.ts';
import { filePath } from '../source.ts';
import { useIteration } from '../store.ts';
import { Words } from '../words.tsx';
import { findFirstError } from './ansi.ts';
import { guardBytes, guardLogs } from './guard-logs.ts';
import { textOf } from './log-rows.ts';
import { useLog } from './use-log.ts';
import { useText } from './use-text.ts';

interface LastFailureProps {
  readonly place: { readonly run_id: string; readonly iter: number };
}

/** Of the last iteration, outside of its own page. */
export function LastFailure({ place: { run_id: run, iter } }: LastFailureProps): VNode | null {
  const { value } = useIteration(run, iter);
  return value === null ? (
    <Loading />
  ) : (
    <WhatFailed
      title={`What failed last, in iteration ${iter}`}
      route={{ page: 'iteration', run, iter, tab: 'summary' }}
      answer={value}
    />
  );
}

interface WhatFailedProps {
  readonly title: string;
  readonly route: IterationRoute;
  readonly answer: IterationAnswer;
}

export function WhatFailed({ title, route, answer }: WhatFailedProps): VNode {
  const { files, meta } = answer;
  const names = files.map(({ name }) => name);
  const noted = (['agent_error.log', 'runner_error.log'] as const).find((name) => names.includes(name));
  const guard = guardLogs.findLast(({ file }) => names.includes(file));
  return (
    <Card title={title}>
      {noted !== undefined && <ErrorLog path={filePath(route.run, route.iter, noted)} />}
      {guard !== undefined && meta?.guard !== 'skipped' && (
        <FirstError route={route} log={{ file: guard.file, tab: 'guard', name: 'Guard' }} />
      )}
      {meta !== null && failureOf(meta)?.log === 'executor.log' && (
        <FirstError route={route} log={{ file: 'executor.log', tab: 'log', name: 'Raw log' }} />
      )}
    </Card>
  );
}

function ErrorLog({ path }: { readonly path: string }): VNode {
  const { text } = useText(path);
  if (text === null) return <Loading />;
  return (
    <pre class="first-error">
      <Words text={text.trim()} max={4000} />
    </pre>
  );
}

/** Enough for what a test runner prints between the name of a test and what was expected of it. */
const linesAround = 10;

const linesAtEnd = 3;

interface ShownLog {
  readonly file: IterationFileName;
  readonly tab: TabName;
  readonly name: string;
}

/** With a few lines after it; where no line tells of an error, the last ones. */
function FirstError({
  route,
  log: { file, tab, name },
}: {
  readonly route: IterationRoute;
  readonly log: ShownLog;
}): VNode {
  const { lines, log, isLoading } = useLog(filePath(route.run, route.iter, file), guardBytes);
  const shown = useMemo(() => {
    const texts = lines.map((line) => textOf(line).trimEnd()).map((text) => (isReport(text) ? '' : text));
    const error = findFirstError(texts);
    if (error !== null) return { error, text: texts.slice(error, error + linesAround + 1).join('\n') };
    return {
      error,
      text: texts
        .filter((text) => text !== '')
        .slice(-linesAtEnd)
        .join('\n'),
    };
  }, [lines]);
  if (isLoading) return <Loading />;
  const line = log.start === 0 && shown.error !== null ? shown.error + 1 : null;
  const where = line === null ? 'in the part that is loaded' : `line ${line}`;
  const at = {
    ...(line === null ? {} : { line }),
    ...(file === 'guard.log' || tab !== 'guard' ? {} : { file }),
  };
  return (
    <>
      <p>
        <a href={hrefOfTab(route, tab, at)} data-key="e">
          {shown.error !== null ? `${name}, ${where}` : `${name}, its last lines`}
        </a>
      </p>
      <pre class="first-error">
        <Words text={shown.text === '' ? 'It printed nothing.' : shown.text} max={4000} />
      </pre>
    </>
  );
}
