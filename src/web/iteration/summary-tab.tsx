/** *Summary* of an iteration: what became of it; of a failed one the first error and the changed files; what the agent says; facts, files. */
import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import type { IterationMeta } from '../../core/agents/session.ts';
import { chipOf } from '../../core/views/outcome-chip.ts';
import { isIterationFile } from '../../core/views/iteration-files.ts';
import type { IterationAnswer } from '../../core/views/web-api.ts';
import { plural, renderBytes, renderCount, renderDollars, renderMoment, renderMs } from '../format.ts';
import { CopyButton } from '../copy.tsx';
import { Markdown } from '../markdown-view.tsx';
import { OpenCard } from '../now-state.tsx';
import { Bar, Card, Empty, Fact } from '../parts.tsx';
import { hrefOfTab } from '../routes.ts';
import type { IterationRoute, TabName } from '../routes.ts';
import { filePath } from '../source.ts';
import { source } from '../store.ts';
import { Line, Prose, Words } from '../words.tsx';
import { parseDiff } from './diff.ts';
import { hasNotRun } from './guard-logs.ts';
import { useText } from './use-text.ts';
import { WhatFailed } from './what-failed.tsx';

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
      {meta === null && <OpenCard run={route.run} iter={route.iter} />}
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

/** Where no tab shows it: as the server sends it. */
function FileName({ route, name }: { readonly route: IterationRoute; readonly name: string }): VNode {
  const tab = tabOfFile[name];
  if (tab !== undefined) return <a href={hrefOfTab(route, tab)}>{name}</a>;
  if (source.exported !== null || !isIterationFile(name)) return <Words text={name} />;
  return <a href={filePath(route.run, route.iter, name)}>{name}</a>;
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
    <Card title="Details">
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
        <Fact name="agent time" swatch="agent">
          {renderMs(time.agent)}
        </Fact>
        <Fact name="guard time" swatch="guard">
          {hasNotRun(meta) ? 'did not run' : renderMs(time.guard)}
        </Fact>
        {time.review > 0 && (
          <Fact name="review time" swatch="review">
            {renderMs(time.review)}
          </Fact>
        )}
        {meta.waited_secs > 0 && <Fact name="waited">{renderMs(meta.waited_secs * 1000)}</Fact>}
        <Fact name="tokens">{meta.tokens === null ? 'not reported' : renderCount(meta.tokens)}</Fact>
        <Fact name="cost">{meta.cost_usd === null ? 'not reported' : renderDollars(meta.cost_usd)}</Fact>
        <Fact name="changed">{plural(meta.changed_files, 'file')}</Fact>
        {meta.review !== null && <Fact name="review">{meta.review.verdict ?? 'gave no verdict'}</Fact>}
        {meta.failure !== null && <Fact name="failure">{meta.failure.replaceAll('_', ' ')}</Fact>}
        {meta.recovered && <Fact name="recovered">finished after a crash</Fact>}
        <Fact name="started">{renderMoment(meta.started_at)}</Fact>
        <Fact name="ended">{renderMoment(meta.ended_at)}</Fact>
        <Fact name="commit">
          <code>
            <Words text={meta.commit.slice(0, 12)} max={64} />
          </code>{' '}
          {meta.commit !== '' && <CopyButton text={() => meta.commit} label="Copy" what="the commit id" />}
        </Fact>
      </dl>
    </Card>
  );
}
