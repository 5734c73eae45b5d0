/** Cards of *Now*: questions, what a complete run made, and runs that work elsewhere. */
import type { VNode } from 'preact';
import { headOf } from '../core/agents/questions.ts';
import type { Question } from '../core/agents/questions.ts';
import { Command } from './copy.tsx';
import { plural } from './format.ts';
import { Badge, Card, Empty, OutcomeBadge } from './parts.tsx';
import { hrefOf } from './routes.ts';
import { RunReason } from './runs/run-drawer.tsx';
import { useProject, useRuns, useTitles } from './store.ts';
import { Line, Words } from './words.tsx';

const questionsShownMax = 5;

/** `questions`: first lines of all that are open. What a session at work has just written has no number before it is committed. */
export function QuestionsCard({ questions }: { readonly questions: readonly string[] }): VNode {
  const { value: project } = useProject();
  const asked = (project?.questions ?? []).slice(-questionsShownMax);
  const heads = new Set(project?.questions.map(({ text }) => headOf(text)));
  const fresh = questions.filter((question) => !heads.has(question)).slice(-questionsShownMax);
  return (
    <Card title={`Questions for you (${questions.length})`} extra={<a href="#/memory">all</a>}>
      <ul class="questions">
        {asked.map((question) => (
          <OpenQuestion key={question.id} question={question} />
        ))}
        {fresh.map((question) => (
          <li key={question}>
            <Words text={question} max={300} />{' '}
            <span class="muted">(it gets a number when the iteration ends)</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** With the command that answers it. */
export function OpenQuestion({ question: { id, text } }: { readonly question: Question }): VNode {
  return (
    <li>
      <span class="muted number">{id}</span> <Words text={text} max={600} />
      <p class="hint">
        <Command text={`runner answer ${id} '…'`} copied={`runner answer ${id} `} />
      </p>
    </li>
  );
}

const commitsShownMax = 30;

/** The commits of a complete run, newest first, with what each changed. */
export function ResultCard({ run }: { readonly run: string }): VNode {
  const { value } = useRuns();
  const titleOf = useTitles();
  const rows = value?.runs.find(({ run_id }) => run_id === run)?.rows ?? [];
  const made = rows.filter(({ changed_files, commit }) => commit !== null && (changed_files ?? 0) > 0);
  const shown = made.slice(-commitsShownMax).toReversed();
  return (
    <Card
      title={`What it made: ${plural(made.length, 'commit')}`}
      extra={<a href="#/iterations">iterations</a>}
    >
      {value !== null && made.length === 0 ? (
        <Empty title="No file was changed" />
      ) : (
        <ol class="made">
          {shown.map((row) => (
            <li key={row.iter}>
              <code>{row.commit?.slice(0, 10)}</code>
              <Line text={titleOf(row.node_id)} />
              {row.guard !== 'pass' && <OutcomeBadge of={row} />}
              <a href={hrefOf({ page: 'iteration', run, iter: row.iter, tab: 'diff' })}>
                {plural(row.changed_files ?? 0, 'file')}
              </a>
            </li>
          ))}
          {made.length > shown.length && <li class="muted">and {made.length - shown.length} more</li>}
        </ol>
      )}
    </Card>
  );
}

/** No run was started in this folder; those in the background are. Only a server with control knows them. */
export function ElsewhereCard(): VNode {
  const { value } = useRuns();
  const open = (value?.background ?? []).filter(
    ({ status }) => status !== 'finished' && status !== 'abandoned',
  );
  if (open.length === 0) {
    return (
      <Card title="Activity">
        <Empty title="Nothing has happened yet">This page updates by itself.</Empty>
      </Card>
    );
  }
  return (
    <Card title={`In the background: ${plural(open.length, 'run')}`} extra={<a href="#/runs">all</a>}>
      <ul class="elsewhere">
        {open.map((run) => (
          <li key={run.run_id}>
            <a href={hrefOf({ page: 'runs', run: run.run_id })}>
              <Words text={run.title || run.run_id} max={200} />
            </a>{' '}
            <Badge name={run.status} /> <RunReason run={run} />
          </li>
        ))}
      </ul>
    </Card>
  );
}
