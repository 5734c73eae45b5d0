/** *Summary* of an iteration: what became of it; of a failed one the first error and the changed files; what the agent says; facts, files. */
import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import type { IterationMeta } from '../../core/agents/session.ts';
import { failureOf, isReport } from '../../core/views/failure.ts';
import { chipOf } from '../../core/views/outcome-chip.ts';
import type { IterationAnswer, IterationFileName } from '../../core/views/web-api.ts';
import { plural, renderBytes, renderCount, renderDollars, renderMoment, renderMs } from '../format.ts';
import { Markdown } from '../markdown-view.tsx';
import { Bar, Card, Empty, Fact } from '../parts.tsx';
import { hrefOfTab } from '../routes.ts';
import type { IterationRoute, TabName } from '../routes.ts';
import { filePath } from '../source.ts';
import { source } from '../store.ts';
import { Line, Prose, Words } from '../words.tsx';
import { findFirstError } from './ansi.ts';
import { parseDiff } from './diff.ts';
import { guardBytes, guardLogs } from './guard-logs.ts';
import { textOf } from './log-rows.ts';
import { useLog } from './use-log.ts';
import { useText } from './use-text.ts';

interface SummaryProps {
  readonly route: IterationRoute;
  readonly answer: IterationAnswer;
}

export function SummaryTab({ route, answer }: SummaryProps): VNode {
  const { meta } = answer;
  const isBad = meta !== null && chipOf(meta).tone === 'bad';
  return (
    <div class="summary-tab">
      {isBad && <WhatFailed title="What failed" route={route} answer={answer} />}
      <Card title="What the agent says">
        <Said answer={answer} />
      </Card>
      {answer.files.some(({ name }) => name === 'diff.patch') && <ChangedFiles route={route} />}
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

/** The error that the runner noted, and the first one that the guard, or an agent that failed, printed. */
export function WhatFailed({ title, route, answer }: SummaryProps & { readonly title: string }): VNode {
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
  return <pre class="first-error">{text !== null && <Words text={text.trim()} max={4000} />}</pre>;
}

const linesAround = 3;

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
        .slice(-linesAround)
        .join('\n'),
    };
  }, [lines]);
  if (isLoading) return <pre class="first-error" />;
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

const filesShownMax = 30;

function ChangedFiles({ route }: { readonly route: IterationRoute }): VNode {
  const { text } = useText(filePath(route.run, route.iter, 'diff.patch'));
  const files = useMemo(() => parseDiff(text ?? ''), [text]);
  return (
    <Card title="Changed files" extra={<a href={hrefOfTab(route, 'diff')}>diff</a>}>
      {files.length === 0 ? (
        <Empty title={text === null ? '…' : 'No file outside .runner/ was changed'} />
      ) : (
        <ul class="changed-files">
          {files.slice(0, filesShownMax).map((file, index) => (
            <li key={index}>
              <span class="mono">
                <Line text={file.path} />
              </span>
              {file.kind !== 'changed' && <span class="tag">{file.kind}</span>}
              <span class="number added">+{file.additions}</span>
              <span class="number removed">−{file.deletions}</span>
            </li>
          ))}
          {files.length > filesShownMax && <li class="muted">and {files.length - filesShownMax} more</li>}
        </ul>
      )}
    </Card>
  );
}

const tabOfFile: Readonly<Record<string, TabName>> = {
  'prompt.md': 'prompt',
  'events.jsonl': 'activity',
  'guard.log': 'guard',
  'guard.ratchet.log': 'guard',
  'guard.clone.log': 'guard',
  'guard.counterfactual.log': 'guard',
  'setup.log': 'guard',
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
  'review.log',
  'review.json',
  'review.patch',
  'runner_error.log',
  'agent_error.log',
];

function FileName({ route, name }: { readonly route: IterationRoute; readonly name: string }): VNode {
  const tab = tabOfFile[name];
  if (tab !== undefined) return <a href={hrefOfTab(route, tab)}>{name}</a>;
  const file = source.exported === null ? plainFiles.find((each) => each === name) : undefined;
  return file === undefined ? (
    <Words text={name} />
  ) : (
    <a href={filePath(route.run, route.iter, file)}>{file}</a>
  );
}

function Said({ answer }: { readonly answer: IterationAnswer }): VNode {
  const output = textIn(answer.output, 'summary') ?? answer.output;
  if (typeof output === 'string') return <Markdown text={output} max={100_000} />;
  if (output !== null) return <Prose text={JSON.stringify(output, null, 2)} />;
  if (answer.is_running) return <Empty title="Shown when the iteration ends" />;
  if (answer.meta !== null) return <Empty title="The session left no answer" />;
  return <Empty title="No answer is recorded: the iteration was not finished" />;
}

function textIn(value: unknown, key: string): string | null {
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
  const { name, version, model, effort } = meta.agent;
  const agent = [name, version, model, (effort ?? null) === null ? null : `effort ${effort}`]
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
        {meta.review !== null && <Fact name="review">{meta.review.verdict ?? 'gave no verdict'}</Fact>}
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
