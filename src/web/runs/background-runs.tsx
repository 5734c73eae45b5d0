/** Background runs of the repository, newest first, with the way to a new one, and the open one beside them. */
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { RunView } from '../../core/views/control-api.ts';
import { nowMs } from '../clock.ts';
import { Hint } from '../copy.tsx';
import { token } from '../control.ts';
import { plural, renderDollars, renderMoment } from '../format.ts';
import { Badge, Card, Empty, Fact } from '../parts.tsx';
import { hrefOf, pathOfRun } from '../routes.ts';
import { useControl } from '../store.ts';
import { Words } from '../words.tsx';
import { QuestionList } from './question-list.tsx';
import { RunDialog } from './run-dialog.tsx';
import { FinishCommand, RunDrawer, RunReason, renderRunTime } from './run-drawer.tsx';

interface BackgroundRunsProps {
  readonly runs: readonly RunView[];
  /** The one that is open. */
  readonly open: string | null;
}

export function BackgroundRuns({ runs, open }: BackgroundRunsProps): VNode {
  const [isNew, setNew] = useState(false);
  // Each has an address of its own, which can be opened anew and sent to others on this machine.
  useEffect(() => {
    if (location.pathname !== pathOfRun(open)) history.replaceState(null, '', pathOfRun(open));
  }, [open]);
  return (
    <div class={open === null ? 'background' : 'background has-drawer'}>
      <div class="background-list">
        <div class="toolbar" role="toolbar" aria-label="Background runs">
          <span class="muted">{plural(runs.length, 'background run')}</span>
          <span class="spring" />
          {token.value === null ? (
            <span class="muted">
              To start or stop runs, open the address that <code>runner ui --control</code> printed.
            </span>
          ) : (
            <button type="button" class="primary" onClick={() => setNew(true)}>
              Run …
            </button>
          )}
        </div>
        <OpenQuestions />
        {runs.length === 0 ? (
          <Empty title="No background run yet">
            Start one here, or with <code>runner run start</code>.
          </Empty>
        ) : (
          <ol class="background-runs" aria-label="Background runs">
            {runs.map((run) => (
              <RunItem key={run.run_id} run={run} isOpen={run.run_id === open} />
            ))}
          </ol>
        )}
      </div>
      {open !== null && <RunDrawer key={open} run={open} />}
      {isNew && <RunDialog onClose={() => setNew(false)} />}
    </div>
  );
}

function RunItem({ run, isOpen }: { readonly run: RunView; readonly isOpen: boolean }): VNode {
  return (
    <li class={isOpen ? 'card run-item is-open' : 'card run-item'} data-run={run.run_id}>
      <div class="run-item-head">
        <a href={hrefOf({ page: 'runs', run: run.run_id })} aria-current={isOpen ? 'true' : undefined}>
          <Words text={run.title || run.run_id} max={200} />
        </a>
        <Badge name={run.status} />
        <RunReason run={run} />
      </div>
      {run.situation !== null && <Hint text={run.situation.hint} commands={run.situation.commands} />}
      <dl class="facts">
        <Fact name="branch">
          <span class="mono">
            <Words text={run.branch} max={140} />
          </span>
        </Fact>
        <Fact name="iterations">
          <span class="number">{run.iterations.used}</span>
        </Fact>
        <Fact name="time">
          <span class="number">{renderRunTime(run, nowMs.value)}</span>
        </Fact>
        <Fact name="cost">{run.cost_usd === null ? '–' : renderDollars(run.cost_usd)}</Fact>
        <Fact name="began">{renderMoment(run.started_at) || '–'}</Fact>
      </dl>
      {run.finish_command !== null && <FinishCommand command={run.finish_command} />}
    </li>
  );
}

/** Of the run in this folder. */
function OpenQuestions(): VNode | null {
  const { value } = useControl(true);
  const questions = value?.questions.filter(({ is_answered }) => !is_answered) ?? [];
  if (questions.length === 0) return null;
  return (
    <Card title="Questions for you" extra={<a href="#/memory">all</a>}>
      <QuestionList questions={questions} run={null} />
    </Card>
  );
}
